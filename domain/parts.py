"""Which chunks are pieces of one block that was over the limit, and which of them comes when."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vchunk.domain.document import Block, Document, Span
from vchunk.domain.pieces import WHOLE


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk's place among the pieces of a block: ``index`` from 0 of ``count``.

    ``parent`` is the block's content id, the same for all of its pieces.
    """

    parent: str
    index: int
    count: int


def find_parts(document: Document, spans: Sequence[Span], name: Callable[[str], str]) -> list[Part | None]:
    """For each chunk the block that it is a piece of, None for one that cuts no block.

    Of several blocks that a chunk cuts, the one it holds most of counts, the inner one of equals.

    Parameters
    ----------
    spans : sequence of Span
        The chunks, in order.
    name : callable
        Gives a block's text an id.
    """
    starts = [span.start for span in spans]
    ends = [span.end for span in spans]
    parts: list[Part | None] = [None] * len(spans)
    shares = [0] * len(spans)
    for block in document.blocks:
        if block.kind not in WHOLE:
            continue
        first = bisect.bisect_right(ends, block.span.start)
        last = bisect.bisect_left(starts, block.span.end)
        if last - first < 2:
            continue
        parent = name(document.slice(block.span))
        for at in range(first, last):
            share = _shared(spans[at], block)
            if share >= shares[at]:
                shares[at] = share
                parts[at] = Part(parent, at - first, last - first)
    return parts


def _shared(span: Span, block: Block) -> int:
    return min(span.end, block.span.end) - max(span.start, block.span.start)
