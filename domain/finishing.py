"""Finishing: chunks' spans from chosen edges, counted as texts of their own and cut again if over."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import HEADING, SENTENCE
from vchunk.domain.document import Kind, Span
from vchunk.domain.granularity import Granularity
from vchunk.domain.inline import InlineSpans
from vchunk.domain.marks import mark_ends
from vchunk.domain.material import Material
from vchunk.domain.pieces import UNBOUNDED, Pieces
from vchunk.domain.splitting import split_points

BORDERS = ("start", "section", "kind", "soft", "limit")
"""What begins a chunk: the document, another role or what follows something left out; a heading; another
kind of block; meaning, a paragraph or a sentence; the maximum, inside a block or sentence over it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunk to be: its span, and what is known of the boundary at its start.

    ``border`` says what makes that boundary: see `BORDERS`.
    """

    span: Span
    tokens: int
    level: int
    strength: float
    border: str = "soft"


def finish(
    material: Material,
    wanted: Granularity,
    pieces: Pieces,
    cuts: NDArray[np.bool_],
    finer: NDArray[np.bool_],
    strength: NDArray[np.float64],
) -> Iterator[Cut]:
    """Count each chunk with the tokenizer and cut again what is over the maximum."""
    text = material.document.text
    code = [b.span for b in material.document.blocks if b.kind is Kind.CODE]
    labels = mark_ends(material.document)
    chosen = np.flatnonzero(cuts)
    todo = list(zip(chosen[:-1].tolist(), chosen[1:].tolist(), strict=True))[::-1]
    maximum = UNBOUNDED if wanted.maximum is None else wanted.maximum
    while todo:
        start, end = todo.pop()
        low, high = (line_of_code(text, int(pieces.edges[at]), code) for at in (start, end))
        if not wanted.trim and int(pieces.units[start]) == 0 and start == 0:
            low = 0  # the white space that the text begins with
        span = trimmed(text, low, high, wanted.trim)
        tokens = len(material.tokenizer.tokenize(text[span.start : span.end]))
        if tokens > maximum:
            inner = np.flatnonzero(finer[start + 1 : end]) + start + 1
            inner = inner if len(inner) else np.arange(start + 1, end)
            if len(inner):
                middle = (pieces.edges[start] + pieces.edges[end]) / 2
                at = int(inner[np.argmin(np.abs(pieces.edges[inner] - middle))])
                todo += [(at, end), (start, at)]
                continue
        cut = Cut(span, tokens, int(pieces.levels[start]), float(strength[start]), _border(pieces, start))
        if tokens > maximum:
            yield from _split_piece(material, cut, maximum, wanted.trim, labels)
        else:
            yield cut


def _border(pieces: Pieces, at: int) -> str:
    """Which of `BORDERS` stands at a piece's start."""
    if pieces.levels[at] == HEADING and pieces.units[at] > 0:
        return "section"
    if at == 0:
        return "start"
    if pieces.kinds[at]:
        return "kind"
    return "soft" if pieces.levels[at] >= SENTENCE else "limit"


def _split_piece(
    material: Material, whole: Cut, maximum: int, trim: bool, labels: Mapping[int, int]
) -> Iterator[Cut]:
    """A piece whose text by itself has more tokens than it had in the document."""
    text, tokenizer = material.document.text, material.tokenizer

    def measure(start: int, end: int) -> int:
        return len(tokenizer.tokenize(text[start:end]))

    def part(start: int, end: int, level: int) -> Cut:
        span = trimmed(text, start, end, trim)
        if start == whole.span.start:
            return replace(whole, span=span, tokens=measure(span.start, span.end))
        return Cut(span, measure(span.start, span.end), level, 0.0, "limit")

    start, end = whole.span.start, whole.span.end
    inline = InlineSpans(material.document).within(start, end)
    points = [*split_points(text, start, end, maximum, measure, inline, labels.get(start, start)), (end, 0)]
    level = whole.level
    reached, reached_level = start, level
    for at, at_level in points:
        if measure(start, at) > maximum and reached > start:
            if trim and text[start:reached].isspace():
                whole = replace(whole, span=Span(reached, end))  # an indentation that does not fit
            else:
                yield part(start, reached, level)
                level = reached_level
            start = reached
        reached, reached_level = at, at_level
    yield part(start, end, level)


def trimmed(text: str, start: int, end: int, trim: bool = True) -> Span:
    """The span without the white space at its end; it begins with none."""
    return Span(start, start + len(text[start:end].rstrip())) if trim else Span(start, end)


def line_of_code(text: str, at: int, code: Sequence[Span]) -> int:
    """A piece of code begins with its line, indentation included. ``code`` spans are apart, rising."""
    number = bisect.bisect_left(code, at, key=lambda block: block.start) - 1
    if number < 0 or at >= code[number].end:
        return at
    start = code[number].start
    newline = text.rfind("\n", start, at)
    line = max(newline, text.rfind("\r", max(newline, start), at)) + 1 or start
    return at if text[line:at].strip() else line
