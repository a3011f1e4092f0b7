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


def position_hashes(ids: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Hash of every token position, 52 bits each.

    Parameters
    ----------
    ids : (n,) int32
        Token ids; positions before the first count as id -1.

    Returns
    -------
    (n,) uint64
        Values below 2**52, so that they are exact as float64 too.
    """
    n = len(ids)
    padded = np.full(n + CONTEXT - 1, -1, np.int64)
    padded[CONTEXT - 1 :] = ids
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
    from scipy.ndimage import minimum_filter1d

    n = len(ids)
    if n == 0:
        return np.zeros(1, np.int64)
    hashes = position_hashes(ids)
    # Ranks instead of hashes: of equal hashes the leftmost is the least, and all are exact.
    rank = np.empty(n + 1, np.float64)
    rank[np.argsort(hashes, kind="stable")] = np.arange(n)
    rank[0] = rank[n] = -1.0
    least = minimum_filter1d(rank, 2 * radius + 1, mode="constant", cval=np.inf)
    return _split_gaps(rank, np.flatnonzero(rank == least), radius)


def _split_gaps(rank: NDArray[np.float64], anchors: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    out: list[int] = []
    todo = [int(a) for a in anchors[::-1]]
    left = todo.pop()
    out.append(left)
    while todo:
        right = todo[-1]
        if right - left >= 2 * radius + 2:
            low, high = left + radius + 1, right - radius
            todo.append(low + int(np.argmin(rank[low:high])))
        else:
            left = todo.pop()
            out.append(left)
    return np.asarray(out, np.int64)
