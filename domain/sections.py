"""Sections: what the headings of a document divide it into."""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Block, Document, Kind, Role
from vchunk.domain.units import Units


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands under it.

    ``start`` is that of the heading's line, ``end`` the start of the next heading of the same or
    a higher level, or the end of the body. ``parent`` is the index of the enclosing section.
    """

    level: int
    title: str
    start: int
    end: int
    parent: int | None


def body_end(document: Document) -> int:
    """The end of the text, or where the furniture begins that a reader put behind all else."""
    end = len(document.text)
    for block in reversed(document.blocks):
        if block.role is not Role.FURNITURE:
            break
        end = block.span.start
    return end


def find_sections(document: Document) -> tuple[Section, ...]:
    """The sections in the order of their headings.

    Only headings that stand in no other block make sections: one in a quote or a list item is
    part of that block. Levels may jump; a section lies in the nearest one before it whose
    level is higher. A table of contents holds no section of the text, whatever its level.
    """
    headings = [b for b in document.blocks if b.kind is Kind.HEADING and b.parent is None]
    ends = [body_end(document)] * len(headings)
    parents: list[int | None] = []
    open_: list[int] = []
    for i, heading in enumerate(headings):
        level = heading.level or 1
        while open_ and (
            (headings[open_[-1]].level or 1) >= level or _ends_contents(headings[open_[-1]], heading)
        ):
            ends[open_.pop()] = heading.span.start
        parents.append(open_[-1] if open_ else None)
        open_.append(i)
    return tuple(
        Section(h.level or 1, h.title or document.slice(h.span).strip(), h.span.start, end, parent)
        for h, end, parent in zip(headings, ends, parents, strict=True)
    )


def _ends_contents(contents: Block, heading: Block) -> bool:
    return contents.role is Role.TOC and heading.role is not Role.TOC


def trail_at(sections: tuple[Section, ...], start: int, end: int) -> tuple[Section, ...]:
    """The sections that hold all of ``[start, end)``, from the outermost in.

    A chunk that begins with headings belongs to the sections of those headings, if it lies in
    them to its end.
    """
    trail: list[Section] = []
    at: int | None = bisect.bisect_right(sections, start, key=lambda section: section.start) - 1
    if at == -1:
        return ()
    while at is not None:
        if start < sections[at].end and end <= sections[at].end:
            trail.append(sections[at])
        at = sections[at].parent
    return tuple(reversed(trail))


@dataclass(frozen=True, slots=True)
class Segments:
    """The units of a document by the section they directly stand in.

    A segment is a section's own text before its first subsection. ``starts`` (s,) holds the
    first unit of each segment. ``depths`` (s + 1,): how many sections hold both the segment
    before and this one; the smaller, the stronger the border. At the ends of the document it is
    -1. Headings that follow one another belong to the segment of the text that follows them.
    """

    starts: NDArray[np.int64]
    depths: NDArray[np.int64]

    def border_depths(self, count: int) -> NDArray[np.int64]:
        """For each unit edge 0..count the depth of the border there; a large number where none."""
        out = np.full(count + 1, NO_BORDER, np.int64)
        out[self.starts] = self.depths[:-1]
        out[[0, count]] = -1
        return out


NO_BORDER = 1 << 30


def find_segments(sections: tuple[Section, ...], units: Units, heading_units: NDArray[np.bool_]) -> Segments:
    """Divide the units into segments.

    Parameters
    ----------
    heading_units : (u,) bool
        Which units are (part of) a heading.
    """
    count = len(units)
    if count == 0:
        return Segments(np.zeros(0, np.int64), np.array([-1]))
    offsets = units.offsets
    path_at: dict[int, tuple[int, ...]] = {0: ()}
    paths: list[tuple[int, ...]] = []
    for i, section in enumerate(sections):
        path = (*(paths[section.parent] if section.parent is not None else ()), i)
        paths.append(path)
        at = int(np.searchsorted(offsets, section.start, "left"))
        if at < count:
            path_at[at] = path
    starts = sorted(path_at)
    # A heading that nothing but another heading follows goes with that one.
    kept: list[int] = []
    merged: list[tuple[int, ...]] = []
    for at in starts:
        if kept and heading_units[kept[-1] : at].all() and heading_units[at]:
            merged[-1] = path_at[at]
        else:
            kept.append(at)
            merged.append(path_at[at])
    depths = [-1]
    for before, after in itertools.pairwise(merged):
        shared = 0
        while shared < min(len(before), len(after)) and before[shared] == after[shared]:
            shared += 1
        depths.append(shared)
    return Segments(np.asarray(kept, np.int64), np.asarray([*depths, -1], np.int64))


def forced_borders(
    segments: Segments, sizes: NDArray[np.int64], min_tokens: float, hard: bool = False
) -> NDArray[np.int64]:
    """The units at which a heading forces a cut.

    That is where the sections on both sides, their subsections included, hold at least
    ``min_tokens``; with ``hard`` at every heading.
    """
    starts, depths = segments.starts, segments.depths
    if hard:
        return starts[1:]
    total = np.concatenate(([0], np.cumsum(sizes)))
    edges = np.append(starts, len(sizes))
    out = []
    for i in range(1, len(starts)):
        left = i - 1
        while depths[left] > depths[i]:
            left -= 1
        right = i + 1
        while depths[right] > depths[i]:
            right += 1
        before = total[edges[i]] - total[edges[left]]
        after = total[edges[right]] - total[edges[i]]
        if min(before, after) >= min_tokens:
            out.append(int(starts[i]))
    return np.asarray(out, np.int64)
