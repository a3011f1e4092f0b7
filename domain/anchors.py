"""Content-defined anchors: the token positions where windows begin and end.

A position is an anchor because of the tokens around it, not because of its distance from the
start, so an edit moves only the anchors next to it. The hash of position ``t`` mixes the ids of
the tokens ``t-3 .. t`` with the finaliser of splitmix64 (Steele, Lea, Flood 2014); ``t`` is an
anchor when its hash is the least within ``radius`` positions on either side. Choosing local
minima, rather than searching on from the last anchor, is what keeps an edit local.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CONTEXT = 4
"""How many token ids the hash of a position covers."""

NOTHING_BEFORE = np.full(CONTEXT - 1, -1, np.int32)
"""The ids that count as standing before a document."""


def position_hashes(ids: NDArray[np.int32], before: NDArray[np.int32] = NOTHING_BEFORE) -> NDArray[np.uint64]:
    """Hash of every token position, 52 bits each.

    Parameters
    ----------
    ids : (n,) int32
        Token ids.
    before : (3,) int32
        The ids in front of them.

    Returns
    -------
    (n,) uint64
        Values below 2**52, so that they are exact as float64 too.
    """
    n = len(ids)
    padded = np.concatenate((before, ids)).astype(np.int64)
    state = np.zeros(n, np.uint64)
    with np.errstate(over="ignore"):
        for lag in range(CONTEXT):
            state = _splitmix64(state ^ padded[lag : lag + n].astype(np.uint64))
    return state >> np.uint64(12)


def _splitmix64(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def find_anchors(ids: NDArray[np.int32], radius: int = 63) -> NDArray[np.int64]:
    """Anchors of a token sequence, the two ends included.

    The ends 0 and n count as lower than any hash, so no anchor lies within ``radius`` of them.
    A gap of ``2 * radius + 2`` or more is split at the least hash among its positions that are
    more than ``radius`` from both of its ends, again and again. So every gap holds
    ``radius + 1`` to ``2 * radius + 1`` tokens; only a document that is shorter than that has a
    shorter one.

    Returns
    -------
    (m + 1,) int64
        Rising; [0] for an empty document.
    """
    finder = AnchorFinder(radius)
    return np.concatenate((finder.push(ids), finder.finish()))


class AnchorFinder:
    """Finds the anchors of tokens that come run by run.

    Together they are those of `find_anchors`, whatever the runs: whether a position is a local
    minimum is certain when ``radius`` tokens follow it, and how a gap is split when both of its
    ends are certain.
    """

    def __init__(self, radius: int = 63) -> None:
        self._radius = radius
        self._before = NOTHING_BEFORE
        self._hashes = np.zeros(0, np.uint64)
        self._first = 0  # the position of the first hash that is kept
        self._decided = 0  # of the positions below it is known whether they are minima
        self._last: int | None = None

    def push(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """Take the next tokens; gives the anchors that are certain now and were not before, rising."""
        self._hashes = np.concatenate((self._hashes, position_hashes(ids, self._before)))
        self._before = np.concatenate((self._before, ids[1 - CONTEXT :]))[1 - CONTEXT :]
        return self._decide(self._first + len(self._hashes) - self._radius, final=False)

    def finish(self) -> NDArray[np.int64]:
        """The anchors that are left when no token follows, the end included."""
        return self._decide(self._first + len(self._hashes) + 1, final=True)

    def _decide(self, stop: int, final: bool) -> NDArray[np.int64]:
        """The anchors up to the last minimum below ``stop``."""
        if stop <= self._decided:
            return np.zeros(0, np.int64)
        anchors: list[int] = []
        for minimum in self._minima(stop, final):
            anchors += self._split(minimum) if self._last is not None else [minimum]
            self._last = minimum
        self._decided = stop
        needless = min(self._last or 0, max(stop - self._radius, 0)) - self._first
        self._hashes, self._first = self._hashes[needless:], self._first + needless
        return np.asarray(anchors, np.int64)

    def _minima(self, stop: int, final: bool) -> list[int]:
        """The local minima from the first undecided position up to ``stop``."""
        from scipy.ndimage import minimum_filter1d

        low = max(self._decided - self._radius, 0)
        hashes = self._hashes[low - self._first :]
        # Ranks instead of hashes: of equal hashes the leftmost is the least, and all are exact.
        rank = np.empty(len(hashes) + final, np.float64)
        rank[np.argsort(hashes, kind="stable")] = np.arange(len(hashes))
        if low == 0:
            rank[0] = -1.0
        if final:
            rank[-1] = -1.0
        least = minimum_filter1d(rank, 2 * self._radius + 1, mode="constant", cval=np.inf)
        found = low + np.flatnonzero(rank == least)
        return [int(t) for t in found[(found >= self._decided) & (found < stop)]]

    def _split(self, minimum: int) -> list[int]:
        """The anchors behind the last one up to a minimum: where the gap between them is split, and itself."""
        assert self._last is not None
        left, out, todo = self._last, list[int](), [minimum]
        while todo:
            right = todo[-1]
            if right - left >= 2 * self._radius + 2:
                low, high = left + self._radius + 1, right - self._radius
                todo.append(low + int(np.argmin(self._hashes[low - self._first : high - self._first])))
            else:
                left = todo.pop()
                out.append(left)
        return out
