"""Inside blocks over the limit: cells, ranks, what is glued, what stays together.

A block that fits is whole and nobody looks inside. One that does not is a row of *cells*: what
stands between its lines and the places that its grammar adds. A cell over the limit is split like
a sentence.
"""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import ATOMIC, block_starts
from vchunk.domain.divisions import Divisions
from vchunk.domain.document import Document
from vchunk.domain.ports import Division
from vchunk.domain.units import Units, visible_end

LARGEST_GLUED = 0.5
"""Share of its room that a cell may give up to what is glued to it."""
_MARGIN = " \t\r\n>"


@dataclass(frozen=True)
class Inside:
    """All by text offset.

    ``edges`` of cells inside the blocks, rising; ``ranks`` of those that may be cut, the others
    are ``glued``; ``room`` for a cell that others are glued to; ``joined``, where the cells of
    glued runs begin; ``stretches`` that stay together where they fit, nested or apart.
    """

    edges: list[int] = field(default_factory=list)
    ranks: dict[int, int] = field(default_factory=dict)
    glued: set[int] = field(default_factory=set)
    room: dict[int, int] = field(default_factory=dict)
    joined: set[int] = field(default_factory=set)
    stretches: list[tuple[int, int]] = field(default_factory=list)

    def between(self, start: int, end: int) -> list[int]:
        """The edges strictly between two offsets."""
        return self.edges[bisect.bisect_right(self.edges, start) : bisect.bisect_left(self.edges, end)]


def look_inside(
    document: Document,
    divisions: Divisions,
    units: Units,
    token_starts: NDArray[np.int64],
    run: tuple[int, int],
    maximum: int,
    chains: Sequence[int],
) -> Inside:
    """Divide the blocks of a run of units that hold more than ``maximum`` tokens.

    ``chains`` holds, for each unit of the run, the tokens of what leads to it and is kept with it.
    """
    out = Inside()
    first, last = run
    starts = block_starts(document)
    for index, block in enumerate(document.blocks):
        if block.kind not in ATOMIC:
            continue
        low, high = np.searchsorted(units.offsets, (starts[index], block.span.end), "left")
        low, high = max(int(low), first), min(int(high), last)
        if low >= high:
            continue
        seen = visible_end(document.text, int(units.edges[low]), int(units.edges[high]))
        if np.searchsorted(token_starts, seen, "left") - units.token_edges[low] <= maximum:
            continue
        cells = _Cells(document.text, units.edges[low : high + 1].tolist(), divisions.of(index))
        sizes = np.diff(np.searchsorted(token_starts, cells.edges, "left")).tolist()
        cells.glue(out, sizes, maximum, chains[low - first])
        out.edges.extend(cells.edges[1:-1])
        out.ranks.update(cells.ranks)
        out.stretches.extend(cells.stretches())
    return out


class _Cells:
    """The cells of one block: ``edges`` from its start to its end."""

    def __init__(self, text: str, units: list[int], division: Division) -> None:
        self._text = text
        self._units = units
        ranks = dict.fromkeys(units[1:-1], 0)
        named: dict[int, int] = {}
        for cut in division.cuts:
            at = self._settle(cut.offset)
            if at is not None:
                named[at] = max(cut.rank, named.get(at, cut.rank))
        ranks.update(named)
        self.ranks = ranks
        self.edges = [units[0], *sorted(ranks), units[-1]]
        self._glue = {at for at in map(self._settle, division.glued) if at in ranks}

    def _settle(self, offset: int) -> int | None:
        """Where a cut stands: on the unit that begins its line, else on its first visible character."""
        text, end = self._text, self._units[-1]
        while offset < end and text[offset].isspace():
            offset += 1
        if not self._units[0] < offset < end or unicodedata.category(text[offset]).startswith("M"):
            return None
        unit = self._units[bisect.bisect_right(self._units, offset) - 1]
        if not text[unit:offset].strip(_MARGIN):
            offset = unit
        return offset if offset > self._units[0] else None

    def glue(self, out: Inside, sizes: list[int], maximum: int, chain: int) -> None:
        """Glue cells where they fit together, or where one can make room for the others.

        The one is the largest that is neither the first cell nor the last, which are fences.
        """
        count = len(sizes)
        start = 0
        while start < count:
            stop = start + 1
            while stop < count and self.edges[stop] in self._glue:
                stop += 1
            if stop - start > 1:
                total = sum(sizes[start:stop])
                room = maximum if total <= maximum or start > 0 else maximum - chain
                inner = range(max(start, 1), min(stop, count - 1)) or range(start, stop)
                largest = max(inner, key=sizes.__getitem__)
                others = total - sizes[largest]
                if total <= room or others <= LARGEST_GLUED * room:
                    out.room[self.edges[largest]] = room - others
                    out.joined.update(self.edges[start:stop])
                    for edge in self.edges[start + 1 : stop]:
                        out.glued.add(edge)
                        del self.ranks[edge]
            start = stop

    def stretches(self) -> list[tuple[int, int]]:
        """What stands between neighbouring cuts of each rank, where that is more than one cell."""
        number = {edge: i for i, edge in enumerate(self.edges)}
        found: set[tuple[int, int]] = set()
        for rank in set(self.ranks.values()):
            cuts = [at for at in self.edges[1:-1] if self.ranks.get(at, rank - 1) >= rank]
            for a, b in pairwise([self.edges[0], *cuts, self.edges[-1]]):
                if number[b] - number[a] > 1:
                    found.add((a, b))
        return sorted(found - {(self.edges[0], self.edges[-1])})
