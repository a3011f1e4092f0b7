"""What is kept of the token vectors besides themselves, computed as they stream by.

The velocity curve, the mean vector of each unit, and the contrast at the start of each unit.
Every sum runs over a stretch that the text itself delimits (an interval between anchors, a unit,
a window around a boundary), so a far edit cannot change a rounding here.
"""

from __future__ import annotations

import math

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
        owners = np.searchsorted(unit_edges, cuts, "right") - 1
        if stop == self._tokens:
            self._close_units(len(self._units), owners, sums)
        else:
            self._close_units(int(owners[-1]), owners, sums)

    def _close_units(self, until: int, owners: NDArray[np.int64], sums: NDArray[np.float32]) -> None:
        """Hand on the means of the units before ``until``, and keep the sum of that one.

        ``owners`` tells the unit of each sum.
        """
        first = self._unit
        totals = np.zeros((until - first + 1, len(self._sum)))
        totals[0] = self._sum
        for unit, total in zip((owners - first).tolist(), sums, strict=True):
            totals[unit] += total
        self._unit, self._sum = until, totals[-1]
        if until > first:
            sizes = np.diff(self._units.token_edges[first : until + 1])
            means = totals[:-1] / np.maximum(sizes, 1)[:, None]
            # Beyond float16 a vector would become infinite; only its direction is used.
            largest = np.abs(means).max(axis=1, initial=0.0)
            beyond = largest > 6e4
            means[beyond] = means[beyond] / largest[beyond, None] * 6e4
            self._means.append(means.astype(np.float16))

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
        """Contrasts as far as the rows behind the boundary have come."""
        stop = self._rows.stop if final else self._rows.stop - CONTRAST_WINDOW
        starts = self._units.token_edges[:-1]
        until = int(np.searchsorted(starts, stop, "right"))
        first, self._contrast_unit = self._contrast_unit, max(self._contrast_unit, until)
        if first >= until:
            return
        low = max(int(starts[first]) - CONTRAST_WINDOW, 0)
        rows = self._rows(low, min(int(starts[until - 1]) + CONTRAST_WINDOW, self._tokens)).astype(np.float64)
        for unit, at in enumerate((starts[first:until] - low).tolist(), start=first):
            self._contrast[unit] = _contrast(
                rows[max(at - CONTRAST_WINDOW, 0) : at], rows[at : at + CONTRAST_WINDOW]
            )


def _contrast(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """1 - cosine of two means; NaN where there is none."""
    if not len(before) or not len(after):
        return math.nan
    a, b = np.add.reduce(before) / len(before), np.add.reduce(after) / len(after)
    norm = math.sqrt(a @ a) * math.sqrt(b @ b)
    return 1.0 - float(a @ b) / norm if norm > 0 else math.nan
