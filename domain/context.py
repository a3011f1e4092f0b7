"""Context: what a chunk has lost by its cut, taken from the document word for word.

The header of a table whose later rows it holds, the signatures around a piece of code and the
imports before it, the caption of its table or figure. It helps an embedder and is no part of the
chunk's text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vchunk.domain.boundaries import ATOMIC
from vchunk.domain.companions import find_companions
from vchunk.domain.document import Span
from vchunk.domain.material import Material

_ROW_MARGIN = re.compile(r"[ \t]*(?:>[ \t]*)*(?=[^\s>])")

CONTEXT_KINDS = ("caption", "imports", "signature", "table_header", "overlap")
"""In the order in which they stand in front of a text."""
_BY_WORTH = ("table_header", "signature", "caption", "imports")
LARGEST_SHARE = 0.5
"""Of the maximum that the context may take: the rest is for text."""
_MARGIN = " \t\r\n>"


@dataclass(frozen=True, slots=True)
class Context:
    """A stretch of the document that a chunk has lost; ``kind`` is one of `CONTEXT_KINDS`.

    ``overlap`` is the end of the chunk before, up to where the chunk starts.
    """

    kind: str
    text: str


def _worth(lost: tuple[str, int, int]) -> tuple[int, int]:
    """Inner signatures come before outer ones, captions before the notes behind their block."""
    kind, start, _ = lost
    return _BY_WORTH.index(kind), start if kind == "caption" else -start


def without_row_margins(text: str) -> str:
    """The text, the rows of a Markdown table that it begins with freed of indentation and quote marks."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if "|" not in line:
            break
        lines[number] = _ROW_MARGIN.sub("", line, count=1)
    return "".join(lines)


class Contexts:
    """Finds the context of the chunks of one document.

    Parameters
    ----------
    material : Material
    maximum : int, optional
        Most tokens of a chunk; half of it is left for the text. What does not fit is left out, table
        headers and inner signatures last.
    """

    def __init__(self, material: Material, maximum: int | None) -> None:
        self._material = material
        self._room = None if maximum is None else LARGEST_SHARE * maximum
        blocks = material.document.blocks
        self._divided = [i for i, block in enumerate(blocks) if block.kind in ATOMIC]
        self._starts = [blocks[i].span.start for i in self._divided]
        captions = find_companions(material.document).captions
        self._captioned = [(blocks[i].span, [blocks[c].span for c in captions[i]]) for i in sorted(captions)]
        self._captioned_starts = [span.start for span, _ in self._captioned]
        self._sizes: dict[tuple[int, int], int] = {}

    def of(self, span: Span) -> tuple[Context, ...]:
        """What a chunk has lost, in the order in which it stands in front of the text."""
        found = [*self._captions(span), *self._lost(span)]
        if not found:
            return ()
        kept: list[tuple[str, int, int]] = []
        used = 0
        for kind, start, end in sorted(found, key=_worth):
            used += self._size(start, end)
            if self._room is not None and used > self._room:
                used -= self._size(start, end)
                continue
            kept.append((kind, start, end))
        kept.sort(key=lambda x: (CONTEXT_KINDS.index(x[0]), x[1]))
        text = self._material.document.text
        return tuple(Context(kind, text[start:end]) for kind, start, end in kept)

    def _size(self, start: int, end: int) -> int:
        if (start, end) not in self._sizes:
            text = self._material.document.text[start:end]
            self._sizes[start, end] = len(self._material.tokenizer.tokenize(text))
        return self._sizes[start, end]

    def _lost(self, span: Span) -> Iterator[tuple[str, int, int]]:
        """What the grammar of the block says in which the chunk begins, but not at its start."""
        text = self._material.document.text
        at = span.start
        while at < span.end and text[at] in _MARGIN:
            at += 1
        number = bisect.bisect_left(self._starts, at) - 1
        if number < 0:
            return
        index = self._divided[number]
        if at >= self._material.document.blocks[index].span.end:
            return
        for lost in self._material.divisions.lost_at(index, at):
            yield lost.kind, lost.start, lost.end

    def _captions(self, span: Span) -> Iterator[tuple[str, int, int]]:
        """Captions of the tables and figures in the chunk that stand outside of it."""
        number = max(bisect.bisect_right(self._captioned_starts, span.start) - 1, 0)
        for owner, captions in self._captioned[number:]:
            if owner.start >= span.end:
                break
            if owner.overlaps(span):
                for caption in captions:
                    if not caption.overlaps(span):
                        yield "caption", caption.start, caption.end
