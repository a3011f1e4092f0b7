"""Boundaries: the offsets where a cut is allowed, each with a level.

====== ==========================================================================
level  boundary
====== ==========================================================================
3      before a heading
2      paragraph, turn, around a code block, table, formula, quote
1      meant line break, list item, cue (2 where paragraph breaks are rare)
0      sentence end
-1     line of a code block or formula, row of a table, cue inside a sentence: only to split that
====== ==========================================================================

Levels below that (clause, word, grapheme) are made only where a unit is over the limit; see
`vchunk.domain.splitting`. A boundary stands at the first character after the break that is not
white space. None stands between the label of a speaker and the first words.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Block, Document, Kind
from vchunk.domain.inline import InlineSpans, covers
from vchunk.domain.lines import LINE_END, hard_breaks, wrap_width
from vchunk.domain.ports import SentenceSplitter
from vchunk.domain.transcripts import cues_inside_sentences, label_ends

HEADING, PARAGRAPH, LINE, SENTENCE, INSIDE = 3, 2, 1, 0, -1

RULES_VERSION = "boundaries-3"

_NON_SPACE = re.compile(r"\S")
_WRAPPING = re.compile(r"(?:\r\n|\n|\r)(?:[ \t]*>)*")
_QUOTE_MARKS = re.compile(r"[ \t]*(?:>[ \t]?)+")
ATOMIC = frozenset({Kind.CODE, Kind.TABLE, Kind.FORMULA, Kind.FRONT_MATTER, Kind.HTML})
"""Kinds whose lines are their grammar, not prose."""
_MARKED = frozenset({Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE, Kind.TURN, Kind.CUE})
"""Kinds that begin with a mark which their first child must not be cut from."""
_RARE = 5


@dataclass(frozen=True, slots=True)
class Boundaries:
    """``offsets`` (b,) int64, rising, all inside the text; ``levels`` (b,) int8."""

    offsets: NDArray[np.int64]
    levels: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.offsets)


def find_boundaries(document: Document, splitter: SentenceSplitter) -> Boundaries:
    """All boundaries of level -1 and above.

    The first character of the text that is not white space and the end of the text are where
    chunks begin and end anyway; they are not among them.
    """
    text = document.text
    levels: dict[int, int] = {}
    lines: list[int] = []
    width = wrap_width(text)
    inline = InlineSpans(document)
    for offset, level in _block_boundaries(document):
        levels[offset] = max(level, levels.get(offset, level))
    for block, start, end in _own_text(document):
        if block.kind in ATOMIC:
            for match in LINE_END.finditer(text, start, end):
                levels.setdefault(match.end(), INSIDE)
        elif block.kind is not Kind.HEADING:
            whole = inline.within(start, end)
            parts, breaks = _prose_parts(text, start, end, width, whole)
            lines += breaks
            for part_start, flat in parts:
                for offset in splitter.starts(flat, document.language):
                    if not covers(whole, part_start + offset):
                        levels.setdefault(part_start + offset, SENTENCE)
    settled = _settle(text, levels, document)
    line_level = _line_level(settled, len(lines))
    for offset, level in _settle(text, dict.fromkeys(lines, line_level), document).items():
        settled[offset] = max(level, settled.get(offset, level))
    for start, end in label_ends(document):
        for at in range(start + 1, end + 1):
            settled.pop(at, None)
    first = _NON_SPACE.search(text)
    settled.pop(first.start() if first else -1, None)
    offsets = np.array(sorted(settled), np.int64)
    return Boundaries(offsets, np.array([settled[int(o)] for o in offsets], np.int8))


def _block_boundaries(document: Document) -> Iterator[tuple[int, int]]:
    """Where blocks begin. What follows a block is itself a block, so ends need no mention."""
    inside = cues_inside_sentences(document)
    for index, (block, start) in enumerate(zip(document.blocks, block_starts(document), strict=True)):
        if start == block.span.start:
            parent = None if block.parent is None else document.blocks[block.parent]
            yield start, INSIDE if index in inside else _level_of(block, parent)


def block_starts(document: Document) -> list[int]:
    """Where each block begins: the first child of an item, quote or turn with it, mark and all."""
    seen: set[int] = set()
    starts: list[int] = []
    for block in document.blocks:
        start = block.span.start
        if block.parent is not None:
            if block.parent not in seen and document.blocks[block.parent].kind in _MARKED:
                start = starts[block.parent]
            seen.add(block.parent)
        starts.append(start)
    return starts


def _level_of(block: Block, parent: Block | None) -> int:
    if parent is not None:
        return LINE
    match block.kind:
        case Kind.HEADING:
            return HEADING
        case Kind.LIST_ITEM | Kind.CUE:
            return LINE
        case _:
            return PARAGRAPH


def _own_text(document: Document) -> Iterator[tuple[Block, int, int]]:
    """Each block's stretches of text that lie in none of its children."""
    inner: dict[int, list[Block]] = {}
    for block in document.blocks:
        if block.parent is not None:
            inner.setdefault(block.parent, []).append(block)
    for index, block in enumerate(document.blocks):
        at = block.span.start
        for child in inner.get(index, ()):
            if at < child.span.start:
                yield block, at, child.span.start
            at = max(at, child.span.end)
        if at < block.span.end:
            yield block, at, block.span.end


def _prose_parts(
    text: str, start: int, end: int, width: int | None, whole: list[tuple[int, int]]
) -> tuple[list[tuple[int, str]], list[int]]:
    """The stretches between meant line breaks, wrapping undone, and where those breaks end.

    No break is meant inside a span of ``whole``: a link, code, math.

    Wrapping, with the marks of a quote that follow it, becomes as many spaces as it had characters,
    so offsets stay what they are.
    """
    breaks = [b for b in hard_breaks(text, start, end, width) if not covers(whole, b[1])]
    edges = [start, *(stop for _, stop in breaks), end]
    parts = []
    for low, high in itertools.pairwise(edges):
        flat = _WRAPPING.sub(lambda m: " " * len(m[0]), text[low:high])
        parts.append((low, flat))
    return parts, edges[1:-1]


def _settle(text: str, levels: dict[int, int], document: Document) -> dict[int, int]:
    """Move each boundary to the first character after it that is not white space.

    In a quote the marks at the head of a line go with the line. No boundary may part a letter
    from the marks that combine with it.
    """
    quoted = [b.span for b in document.blocks if b.kind is Kind.QUOTE and b.parent is None]
    quotes = iter(quoted)
    quote = next(quotes, None)
    out: dict[int, int] = {}
    for offset in sorted(levels):
        match = _NON_SPACE.search(text, offset)
        if match is None or unicodedata.category(match[0]).startswith("M"):
            continue
        at = match.start()
        while quote is not None and quote.end <= at:
            quote = next(quotes, None)
        if quote is not None and at in quote:
            line = max(text.rfind("\n", quote.start, at), text.rfind("\r", quote.start, at)) + 1 or quote.start
            marks = _QUOTE_MARKS.match(text, line)
            if marks and marks.end() >= at:
                head = _NON_SPACE.search(text, line)
                at = head.start() if head else at
        out[at] = max(levels[offset], out.get(at, levels[offset]))
    return out


def _line_level(levels: dict[int, int], lines: int) -> int:
    paragraphs = sum(level >= PARAGRAPH for level in levels.values())
    return PARAGRAPH if paragraphs * _RARE < lines else LINE
