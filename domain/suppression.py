"""Cuts by prominence: one threshold on one ordered pool of boundaries.

The minimum size is kept by dropping boundaries weakest first, before any threshold; what is left
is the pool for every threshold. (A minimum that is enforced from left to right, after the
threshold, makes coarse cuts that the finer level does not have.) The maximum is kept by adding the
strongest boundary of the pool inside a piece that is too large, again and again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.pieces import Pieces


def suppress(
    positions: NDArray[np.int64], strengths: NDArray[np.float64], length: int, min_tokens: int
) -> NDArray[np.bool_]:
    """Which boundaries stay when each must be ``min_tokens`` from its neighbours and the ends.

    The weakest goes first, of equal ones the later; infinitely strong ones always stay.

    Parameters
    ----------
    positions : (b,) int64
        Token positions, rising.
    strengths : (b,)
    length : int
        Tokens of the document.
    """
    count = len(positions)
    at = np.concatenate(([0], positions, [length]))
    before = np.arange(-1, count + 1)
    after = np.arange(1, count + 3)
    keep = np.ones(count, bool)
    order = np.lexsort((-np.arange(count), strengths))
    for i in order.tolist():
        if np.isinf(strengths[i]):
            break
        left, right = before[i + 1], after[i + 1]
        if at[i + 1] - at[left] < min_tokens or at[right] - at[i + 1] < min_tokens:
            keep[i] = False
            after[left], before[right] = right, left
    return keep


def cap(
    pieces: Pieces, cuts: NDArray[np.bool_], pool: NDArray[np.float64], maximum: int, min_tokens: int = 0
) -> NDArray[np.bool_]:
    """Add cuts until no chunk holds more than ``maximum`` tokens.

    The strongest boundary of the pool inside a chunk that is too large comes first, ties by level,
    then position. Only where the pool has none: the highest level that there is, inside a block
    the highest rank, the one nearest to the middle; both sides of at least ``min_tokens`` where
    that can be.

    Parameters
    ----------
    cuts : (k + 1,) bool
        Chosen edges of the pieces, true at both ends.
    pool : (k + 1,) float
        Strength of each edge that belongs to the pool, 0 elsewhere.
    """
    allowed = pieces.rules(maximum).allowed
    total = np.concatenate(([0], np.cumsum(pieces.sizes)))
    ends = total if pieces.tails is None else total - pieces.tails
    levels = np.append(pieces.levels, 0).astype(np.int64)
    out = cuts.copy()
    edges = np.flatnonzero(cuts)
    todo = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    while todo:
        start, end = todo.pop()
        if ends[end] - total[start] <= maximum or end - start < 2:
            continue
        inner = np.arange(start + 1, end)
        strong = inner[pool[inner] > 0]
        if len(strong):
            at = int(strong[np.lexsort((strong, -levels[strong], -pool[strong]))[0]])
        else:
            inner = inner[allowed[inner]] if allowed[inner].any() else inner
            roomy = np.minimum(total[inner] - total[start], total[end] - total[inner]) >= min_tokens
            inner = inner[roomy] if roomy.any() else inner
            inner = inner[levels[inner] == levels[inner].max()]
            inner = inner[pieces.ranks[inner] == pieces.ranks[inner].max()]
            middle = (total[start] + total[end]) / 2
            at = int(inner[np.argmin(np.abs(total[inner] - middle))])
        out[at] = True
        todo += [(start, at), (at, end)]
    return out
