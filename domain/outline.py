"""The tree: headings on top where there are any, meaning below where sections are long."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.chunks import Occurrences, Places
from vchunk.domain.cutting import kept_runs, unit_roles
from vchunk.domain.document import Role, Span
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import DEFAULT_SKIP
from vchunk.domain.levels import LADDER, Level, maxima_beyond, solve_levels
from vchunk.domain.material import Material
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Hasher
from vchunk.domain.sections import body_end, find_sections

DEFAULT_LEVELS = (1024, 256)
_TITLE_WORDS = 9
_TITLE_LENGTH = 72


@dataclass(frozen=True, slots=True)
class Node:
    """A section or a passage.

    ``kind`` is ``document``, ``section`` (a heading with all under it), ``passage`` (a stretch of
    a section found by meaning, or its introduction) or ``heading`` (the line of a heading that only
    subsections follow). ``title`` is a heading's text; passages have none and are known by their
    first words, ``label``. ``level`` is that of the heading, or the target size of the passage.
    The children of a node tile it: only white space lies between them.
    """

    id: str
    kind: str
    title: str | None
    label: str
    level: int | None
    depth: int
    start: int
    end: int
    tokens: int
    pages: tuple[int, ...]
    children: tuple[Node, ...] = field(default=())

    def __repr__(self) -> str:
        below = f", {counted(len(self.children), 'child', 'children')}" if self.children else ""
        return f"<{self.kind} {self.label!r}, {counted(self.tokens, 'token')}{below}>"

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()

    def as_dict(self) -> dict[str, Any]:
        """JSON values only, children nested."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "label": self.label,
            "level": self.level,
            "depth": self.depth,
            "start": self.start,
            "end": self.end,
            "tokens": self.tokens,
            "pages": list(self.pages),
            "children": [child.as_dict() for child in self.children],
        }


def check_levels(levels: Sequence[int]) -> tuple[int, ...]:
    """Target sizes of passages, coarsest first.

    Raises
    ------
    UsageError
        If one is below 1 or named twice.
    """
    if any(level < 1 for level in levels) or len(set(levels)) != len(levels):
        raise UsageError("--levels: give different sizes in tokens, for example --levels 1024,256")
    return tuple(sorted(levels, reverse=True))


def grow_tree(
    material: Material,
    hasher: Hasher,
    *,
    levels: Sequence[int] = DEFAULT_LEVELS,
    depth: int | None = None,
    sections: str = "auto",
    skip: Sequence[Role] = DEFAULT_SKIP,
) -> Node:
    """The nested sections of a document: the use case ``tree``.

    Parameters
    ----------
    levels : sequence of int
        Target sizes of the passages that long sections are divided into.
    depth : int, optional
        Deepest nodes to keep; the document itself has depth 0.
    """
    levels = check_levels(levels)
    cuts = _passage_cuts(material, levels, sections, skip)
    return _Growth(material, hasher, levels, cuts, depth).tree()


def _passage_cuts(
    material: Material, levels: Sequence[int], sections: str, skip: Sequence[Role]
) -> list[NDArray[np.int64]]:
    """Text offsets of the cuts of each level, coarsest first."""
    on_ladder = all(level in LADDER for level in levels)
    targets = [t for t in LADDER if t <= max(levels, default=0)] if on_ladder else sorted(levels)
    solved = [Level.of(t) for t in targets]
    beyond = maxima_beyond(targets[-1]) if on_ladder and targets else []
    found: dict[int, list[NDArray[np.int64]]] = {t: [] for t in targets}
    units = material.units
    if solved and len(units):
        for first, last in kept_runs(unit_roles(material.document, units), skip)[0]:
            pieces = material.pieces(first, last, solved[0].maximum, solved[0].stride)
            masks = solve_levels(pieces, units, material.reward, solved, material.constants, sections, beyond)
            for target, mask in zip(targets, masks, strict=True):
                found[target].append(pieces.edges[mask])
    empty = np.zeros(0, np.int64)
    return [np.unique(np.concatenate(found[t])) if found[t] else empty for t in levels]


class _Growth:
    """Builds the nodes from the outside in."""

    def __init__(
        self,
        material: Material,
        hasher: Hasher,
        levels: Sequence[int],
        cuts: Sequence[NDArray[np.int64]],
        depth: int | None,
    ) -> None:
        self._text = material.document.text
        self._title = material.document.title
        self._end = body_end(material.document)
        self._starts = material.token_starts
        self._sections = find_sections(material.document)
        self._inside: dict[int | None, list[int]] = {}
        for i, section in enumerate(self._sections):
            self._inside.setdefault(section.parent, []).append(i)
        self._ends = {
            b.span.start: b.span.end for b in material.document.blocks if b.parent is None and b.title is not None
        }
        self._places = Places(material.document)
        self._names = Occurrences(hasher)
        self._levels = levels
        self._cuts = cuts
        self._depth = depth

    def tree(self) -> Node:
        """The root: the whole document."""
        start = len(self._text) - len(self._text.lstrip())
        if self._sections:  # a heading's line may begin with blanks
            start = min(start, self._sections[0].start)
        end = max(self._stop(0, self._end), start)
        children = self._body(None, start, end, 1)
        return self._node("document", self._title, None, start, end, 0, children)

    def _body(self, parent: int | None, start: int, end: int, depth: int) -> tuple[Node, ...]:
        """The children of a section (None: the document) that covers [start, end)."""
        if self._depth is not None and depth > self._depth:
            return ()
        inside = self._inside.get(parent, [])
        if not inside:
            return self._passages(start, end, depth, 0)
        out = []
        first = self._sections[inside[0]].start
        if self._text[start:first].strip():
            out.append(self._introduction(start, first, depth))
        for i in inside:
            section = self._sections[i]
            stop = self._stop(section.start, min(section.end, end))
            children = self._body(i, section.start, stop, depth + 1)
            out.append(self._node("section", section.title, section.level, section.start, stop, depth, children))
        return tuple(out)

    def _introduction(self, start: int, end: int, depth: int) -> Node:
        stop = self._stop(start, end)
        heading_end = self._ends.get(start, start)
        if not self._text[heading_end:stop].strip():
            return self._node("heading", None, None, start, stop, depth, ())
        return self._node("passage", None, None, start, stop, depth, self._passages(start, stop, depth + 1, 0))

    def _passages(self, start: int, end: int, depth: int, step: int) -> tuple[Node, ...]:
        """The passages of [start, end) at the first level that divides it."""
        if self._depth is not None and depth > self._depth:
            return ()
        for at in range(step, len(self._levels)):
            cuts = self._cuts[at]
            inner = cuts[(cuts > start) & (cuts < end)].tolist()
            if inner and not self._text[start : inner[0]].strip():
                del inner[0]  # a heading's line begins with blanks, its first passage with the heading
            if not inner:
                continue
            edges = [start, *inner, end]
            out = []
            for low, high in itertools.pairwise(edges):
                stop = self._stop(low, high)
                below = self._passages(low, stop, depth + 1, at + 1)
                out.append(self._node("passage", None, self._levels[at], low, stop, depth, below))
            return tuple(out)
        return ()

    def _stop(self, start: int, end: int) -> int:
        return start + len(self._text[start:end].rstrip())

    def _node(
        self,
        kind: str,
        title: str | None,
        level: int | None,
        start: int,
        end: int,
        depth: int,
        children: tuple[Node, ...],
    ) -> Node:
        low, high = np.searchsorted(self._starts, (start, end), "left")
        name = f"{kind}-{level}"
        return Node(
            id=self._names.id(name, self._text[start:end]),
            kind=kind,
            title=title,
            label=title or first_words(self._text[self._ends.get(start, start) : end] or self._text[start:end]),
            level=level,
            depth=depth,
            start=start,
            end=end,
            tokens=int(high - low),
            pages=self._places.pages(Span(start, end)),
            children=children,
        )


def first_words(text: str) -> str:
    """The first words of a text on one line, to know a passage by."""
    words = text[: 8 * _TITLE_LENGTH].split()
    line = ""
    for count, word in enumerate(words):
        longer = f"{line} {word}".strip()
        if count == _TITLE_WORDS or len(longer) > _TITLE_LENGTH:
            return f"{line or word[:_TITLE_LENGTH]} …"
        line = longer
    return line
