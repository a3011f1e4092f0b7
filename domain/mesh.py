"""Meshing: one vector a token from the overlapping windows that saw it.

Each window is weighted by a Hann taper, sin^2(pi (k + 1/2) / L), which fades it out where it
knows least of the context; in the outer half of the first and the last window, where no other
window looks, the weight is 1. A token's vector is the weighted mean. The hard seams of
windows that are merely put side by side attract peaks of velocity; tapered ones do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.windows import window_bounds, window_count


def hann(length: int) -> NDArray[np.float32]:
    """The taper of a window of ``length`` tokens, all of it above zero."""
    k = np.arange(length, dtype=np.float64)
    taper: NDArray[np.float64] = np.sin(np.pi * (k + 0.5) / length) ** 2
    return taper.astype(np.float32)


def mesh_interval(
    interval: int, edges: NDArray[np.int64], vectors: dict[int, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The vectors of one interval's tokens.

    Parameters
    ----------
    interval : int
        Which interval, from 0.
    edges : (m + 1,) int64
        Interval edges.
    vectors : dict
        Window number to its vectors (tokens of the window, dim); must hold the one or two
        windows that cover the interval.

    Returns
    -------
    (tokens of the interval, dim) float32
    """
    start, end = int(edges[interval]), int(edges[interval + 1])
    covering = [w for w in (interval - 1, interval) if 0 <= w < window_count(edges)]
    if len(covering) == 1:
        low, _ = window_bounds(edges, covering[0])
        return np.ascontiguousarray(vectors[covering[0]][start - low : end - low])
    total = np.zeros((end - start, vectors[covering[0]].shape[1]), np.float32)
    weight = np.zeros((end - start, 1), np.float32)
    for window in covering:
        low, high = window_bounds(edges, window)
        taper = hann(high - low)[start - low : end - low, None]
        total += taper * vectors[window][start - low : end - low]
        weight += taper
    return total / weight
