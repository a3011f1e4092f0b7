"""What is kept of the token vectors besides themselves, computed as they stream by.

The velocity curve, the mean vector of each unit, and the contrast at the start of each unit.
Every sum runs over a stretch that the text itself delimits (an interval between anchors, a unit,
a window around a boundary), so a far edit cannot change a rounding here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ports import RowSink
from vchunk.domain.rows import RollingRows
from vchunk.domain.units import CONTRAST_WINDOW, Units
from vchunk.domain.velocity import DEFAULT_F_SIG, VelocityStep, blocks_of, sigma_of


class Derivation:
    """Takes the dequantised rows of one document in order, whole intervals at a time.

    Parameters
    ----------
    units : Units
        The document's units.
    edges : (m + 1,) int64
        Interval edges.
    dim : int
    means : RowSink
        Takes the mean vector of each unit as float16, in order.
    """

    def __init__(self, units: Units, edges: NDArray[np.int64], dim: int, means: RowSink) -> None:
        self._units = units
        self._edges = edges
        self._tokens = int(edges[-1])
        self._rows = RollingRows(dim)
        self._means = means
        self._sum = np.zeros(dim)
        self._unit = 0
        self._step = VelocityStep(sigma_of(DEFAULT_F_SIG), self._tokens)
        self._blocks = list(blocks_of(edges))
        self._block = 0
        self._velocity: list[NDArray[np.float32]] = []
        self._contrast = np.full(len(units), np.nan, np.float32)
        self._contrast_unit = 0
        if self._tokens == 0:
            self._means.append(np.zeros((len(units), dim), np.float16))

    @property
    def velocity(self) -> NDArray[np.float32]:
        """Speed at every token, (n,), at the default f_sig."""
        return np.concatenate(self._velocity) if self._velocity else np.zeros(0, np.float32)

    @property
    def contrast(self) -> NDArray[np.float32]:
        """1 - cosine between what comes before and after the start of each unit, (u,)."""
        return self._contrast

    def push(self, rows: NDArray[np.float32]) -> None:
        """Take the rows of the next intervals, (k, dim)."""
        start = self._rows.stop
        look_back = max(self._step.reach + 1, CONTRAST_WINDOW)
        next_velocity = self._blocks[self._block][0] if self._block < len(self._blocks) else start
        next_contrast = self._next_contrast()
        self._rows.append(rows, min(next_velocity, next_contrast, start) - look_back)
        self._add_means(rows, start)
        final = self._rows.stop == self._tokens
        self._add_velocity(final)
        self._add_contrast(final)

    def _add_means(self, rows: NDArray[np.float32], start: int) -> None:
        """Sum the rows of each unit, interval by interval."""
        stop = start + len(rows)
        unit_edges = self._units.token_edges
        inner = unit_edges[(unit_edges > start) & (unit_edges < stop)]
        intervals = self._edges[(self._edges > start) & (self._edges < stop)]
        cuts = np.union1d(np.concatenate(([start], inner)), intervals)
        sums = np.add.reduceat(rows, cuts - start, axis=0) if len(rows) else rows
        done = []
        for at, total in zip(cuts.tolist(), sums, strict=True):
            while unit_edges[self._unit + 1] <= at:
                done.append(self._close_unit())
            self._sum += total
        if stop == self._tokens:
            while self._unit < len(self._units):
                done.append(self._close_unit())
        if done:
            self._means.append(np.asarray(done, np.float16))

    def _close_unit(self) -> NDArray[np.float64]:
        size = int(self._units.token_edges[self._unit + 1] - self._units.token_edges[self._unit])
        mean = self._sum / max(size, 1)
        self._sum = np.zeros_like(self._sum)
        self._unit += 1
        # Beyond float16 a vector would become infinite; only its direction is used.
        largest = float(np.abs(mean).max(initial=0.0))
        return mean / largest * 6e4 if largest > 6e4 else mean

    def _add_velocity(self, final: bool) -> None:
        while self._block < len(self._blocks):
            start, end = self._blocks[self._block]
            if not final and end + self._step.reach > self._rows.stop:
                break
            self._velocity.append(self._step.block(self._rows, start, end))
            self._block += 1

    def _next_contrast(self) -> int:
        if self._contrast_unit < len(self._units):
            return int(self._units.token_edges[self._contrast_unit])
        return self._tokens

    def _add_contrast(self, final: bool) -> None:
        while self._contrast_unit < len(self._units):
            at = self._next_contrast()
            if not final and at + CONTRAST_WINDOW > self._rows.stop:
                break
            self._contrast[self._contrast_unit] = self._contrast_at(at)
            self._contrast_unit += 1

    def _contrast_at(self, at: int) -> float:
        before = self._rows(max(at - CONTRAST_WINDOW, 0), at)
        after = self._rows(at, min(at + CONTRAST_WINDOW, self._tokens))
        if not len(before) or not len(after):
            return np.nan
        a, b = before.mean(axis=0, dtype=np.float64), after.mean(axis=0, dtype=np.float64)
        norm = float(np.linalg.norm(a) * np.linalg.norm(b))
        return 1.0 - float(a @ b) / norm if norm > 0 else np.nan
