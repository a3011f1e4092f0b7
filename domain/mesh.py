"""Meshing: one vector a token from the overlapping windows that saw it.

A token's vector is the mean over its windows, weighted by a taper that fades each window out where
it knows least of the context. Where only one window looks, its vector is taken as it is. The hard
seams of windows that are merely put side by side attract peaks of velocity. So do narrow tapers:
what two windows differ in on average is spread farther, by the plan's shares.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.windows import Edges, WindowPlan

Vectors = dict[int, NDArray[np.float32]]
"""Window number to its vectors, (tokens of the window, dim)."""


def mesh_interval(interval: int, edges: Edges, vectors: Vectors, plan: WindowPlan) -> NDArray[np.float32]:
    """The vectors of one interval's tokens.

    Parameters
    ----------
    interval : int
        Which interval, from 0.
    edges : (m + 1,) int64
        Interval edges.
    vectors : dict
        See `Vectors`; must hold the windows that cover the interval.
    plan : WindowPlan
        How the windows lie.

    Returns
    -------
    (tokens of the interval, dim) float32
    """
    start, end = int(edges[interval]), int(edges[interval + 1])
    covering = plan.covering(edges, interval)
    if len(covering) == 1:
        low, _ = plan.bounds(edges, covering[0])
        return np.ascontiguousarray(vectors[covering[0]][start - low : end - low])
    total = np.zeros((end - start, vectors[covering[0]].shape[1]), np.float32)
    weight = np.zeros((end - start, 1), np.float32)
    for window in covering:
        low, high = plan.bounds(edges, window)
        first, stop = max(start, low), min(end, high)
        taper = plan.taper(edges, window)[first - low : stop - low, None]
        total[first - start : stop - start] += taper * vectors[window][first - low : stop - low]
        weight[first - start : stop - start] += taper
    rows = total / weight
    if len(plan.seam_shares):
        for left, right in pairwise(covering):
            _spread_seam(rows, start, (left, right), edges, vectors, plan)
    return rows


def _spread_seam(
    rows: NDArray[np.float32], start: int, sides: tuple[int, int], edges: Edges, vectors: Vectors, plan: WindowPlan
) -> None:
    """Add to rows, the first of them of token ``start``, what they get of a difference between two windows."""
    left, right = sides
    low, high = plan.bounds(edges, right)[0], plan.bounds(edges, left)[1]
    more = vectors[right][: high - low] - vectors[left][low - high :]
    half = np.float32(0.5) * more.mean(axis=0, dtype=np.float32)
    shares = plan.seam_shares
    begin = (low + high - len(shares)) // 2
    first, stop = max(start, begin), min(start + len(rows), begin + len(shares))
    rows[first - start : stop - start] += shares[first - begin : stop - begin, None] * half
