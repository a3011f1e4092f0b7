"""Meshing: one vector a token from the overlapping windows that saw it.

A token's vector is the mean over its windows, weighted by a taper that fades each window out where
it knows least of the context. Where only one window looks, its vector is taken as it is. The hard
seams of windows that are merely put side by side attract peaks of velocity; tapered ones do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.windows import WindowPlan


def mesh_interval(
    interval: int, edges: NDArray[np.int64], vectors: dict[int, NDArray[np.float32]], plan: WindowPlan
) -> NDArray[np.float32]:
    """The vectors of one interval's tokens.

    Parameters
    ----------
    interval : int
        Which interval, from 0.
    edges : (m + 1,) int64
        Interval edges.
    vectors : dict
        Window number to its vectors (tokens of the window, dim); must hold the windows that cover
        the interval.
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
    return total / weight
