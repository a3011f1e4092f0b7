"""Cuts by double pass: the pieces of a document as elements, and what was joined as cuts.

An element is what lies between two edges where a chunk may end: a sentence, a block that stays whole
with all that leads to it. Headings part sections as they do for cuts by prominence. Blocks over the
maximum stay by themselves and are divided by their grammar afterwards. A snapper leaves only edges
that it likes. Coarser cuts need not be among finer ones: two thresholds can give cuts that cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Span
from vchunk.domain.double_pass import Elements, double_pass
from vchunk.domain.levels import reopened
from vchunk.domain.pieces import UNBOUNDED, Pieces
from vchunk.domain.snapping import GOOD_SCORE
from vchunk.domain.suppression import cap

if TYPE_CHECKING:
    from vchunk.domain.granularity import Granularity
    from vchunk.domain.material import Material


class DoublePassCuts:
    """Cuts by double pass: thresholds and passes are those of the whole document."""

    def __init__(self, material: Material, wanted: Granularity, runs: Sequence[tuple[int, int]]) -> None:
        assert wanted.maximum is not None
        self._min, self._max = wanted.smallest, wanted.maximum
        self._pieces = [material.pieces(first, last, self._max, wanted.stride()) for first, last in runs]
        self._starts: list[NDArray[np.int64]] = []
        parts = [self._elements(material, wanted, pieces) for pieces in self._pieces]
        if not parts:
            return
        elements = Elements(
            np.concatenate([part.sizes for part in parts]),
            np.concatenate([part.mass for part in parts]),
            np.concatenate([part.joins for part in parts]),
        )
        self._chosen = double_pass(elements, wanted.passes, self._max, self._min)
        self._unlike = np.zeros(len(elements))
        self._unlike[self._chosen[1:]] = np.maximum(1.0 - elements.grouped(self._chosen).likeness(1), 0.0)

    def _elements(self, material: Material, wanted: Granularity, pieces: Pieces) -> Elements:
        """What the passes put together: stretches between the edges where a chunk may end."""
        borders = pieces.borders(max(self._min, 1), wanted.sections, UNBOUNDED)  # kinds may come together
        at = np.union1d(pieces.inner_edges(self._max), np.flatnonzero(borders[:-1]))
        if material.scorer is not None:
            at = _liked(material, pieces, at, borders, self._max)
        starts = np.concatenate(([0], at[at > 0])).astype(np.int64)
        self._starts.append(starts)
        items = pieces.items(material.units, np.zeros(len(material.units)), True, wanted.sections)
        assert items.mass is not None
        whole = Elements(items.sizes, items.mass, ~borders[:-1]).grouped(starts)
        whole.joins[0] = False
        return whole

    def run(self, number: int) -> tuple[Pieces, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
        """Pieces of one run of units, chosen edges, all edges, and the strength at each piece's start."""
        pieces, starts = self._pieces[number], self._starts[number]
        count = len(pieces)
        offset = sum(map(len, self._starts[:number]))
        here = self._chosen[(self._chosen >= offset) & (self._chosen < offset + len(starts))] - offset
        cuts = np.zeros(count + 1, bool)
        cuts[starts[here]] = True
        cuts[[0, count]] = True
        strength = np.zeros(count)
        strength[starts] = self._unlike[offset : offset + len(starts)]
        cuts = cap(pieces, cuts, np.zeros(count + 1), self._max, self._min)
        return pieces, cuts, np.ones(count + 1, bool), strength


def _liked(
    material: Material, pieces: Pieces, at: NDArray[np.int64], borders: NDArray[np.bool_], maximum: int
) -> NDArray[np.int64]:
    """Of the edges ``at`` those that the snapper likes, and borders.

    Where that leaves a stretch over the maximum, all of its edges stay.
    """
    assert material.scorer is not None
    scores = material.scorer(pieces.edges[at], [Span(0, len(material.document.text))])
    liked = (np.nan_to_num(scores, nan=0.0) >= GOOD_SCORE) | borders[at]
    keep = np.zeros(len(pieces) + 1, bool)
    keep[at[liked]] = True
    keep[[0, -1]] = True
    finer = np.zeros(len(pieces) + 1, bool)
    finer[at] = True
    return np.flatnonzero(reopened(keep, finer, pieces, maximum)[1:-1]) + 1
