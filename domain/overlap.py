"""Overlap: whole sentences from the end of the chunk before."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vchunk.domain.boundaries import ATOMIC
from vchunk.domain.document import Kind, Span
from vchunk.domain.finishing import Cut, line_of_code
from vchunk.domain.granularity import Granularity
from vchunk.domain.material import Material


def overlap_starts(material: Material, wanted: Granularity, cuts: Sequence[Cut]) -> list[int]:
    """Where the overlap of each chunk begins; at its own start where it has none.

    Whole sentences of the chunk before, at most ``wanted.overlap`` in size up to the chunk's start; of
    code, tables and formulas the whole or, where the chunk goes on with them, lines and rows. Nothing is
    taken across text that was left out. An overlap that goes into the text is never the whole chunk
    before, and leaves the text within the maximum.
    """
    out = [cut.span.start for cut in cuts]
    if not wanted.overlap:
        return out
    text = material.document.text
    code = [block.span for block in material.document.blocks if block.kind is Kind.CODE]
    starts = material.token_starts if material.counted_starts is None else material.counted_starts
    offsets = material.units.offsets
    blocks = sorted((b.span for b in material.document.blocks if b.kind in ATOMIC), key=lambda span: span.start)
    for number, (before, cut) in enumerate(pairwise(cuts), start=1):
        first, end = before.span.start, cut.span.start
        if text[before.span.end : end].strip():
            continue
        low, high = np.searchsorted(offsets, (first, before.span.end), "left")
        counted = np.searchsorted(starts, offsets[low:high], "left")
        near = low + int(np.searchsorted(counted, np.searchsorted(starts, end, "left") - wanted.overlap, "left"))
        for at in (max(line_of_code(text, int(u), code), first) for u in offsets[near:high]):
            if _breaks_block(blocks, at, end):
                continue
            if wanted.overlap_in_text and not _fits_in_text(material, wanted, first, at, cut):
                continue
            if material.size(Span(at, end)) <= wanted.overlap:
                out[number] = at
                break
    return out


def _breaks_block(blocks: Sequence[Span], at: int, end: int) -> bool:
    """Whether an offset lies in a code block, a table or a formula that ends before the chunk."""
    number = bisect.bisect_left(blocks, at, key=lambda span: span.start) - 1
    return number >= 0 and at < blocks[number].end <= end


def _fits_in_text(material: Material, wanted: Granularity, first: int, at: int, cut: Cut) -> bool:
    limit = wanted.maximum
    return at > first and (limit is None or material.size(Span(at, cut.span.end)) <= limit)
