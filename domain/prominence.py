"""Prominences of all peaks of a curve in one pass.

The prominence of a peak is the height by which one must go down from it before one can climb
higher. Over all peaks it equals the 0-dimensional persistence of the superlevel sets of the
curve with +inf put before and after it (Edelsbrunner, Harer 2010), and that is one pass with a
stack: linear, where a search from each peak is quadratic on nested ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAD_FLOOR = 1e-6


def find_peaks(curve: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All local maxima with their prominences, as ``scipy.signal.find_peaks`` defines them.

    Parameters
    ----------
    curve : (n,) float
        Finite values.

    Returns
    -------
    positions : (p,) int64
        A plateau counts once, at its middle (rounded down); the ends of the curve are no peaks.
    prominences : (p,) float64
        Equal peaks both keep their full prominence.
    """
    values = np.asarray(curve, np.float64)
    if len(values) < 3:
        return np.zeros(0, np.int64), np.zeros(0)
    # Runs of equal values become one sample.
    first = np.concatenate(([0], np.flatnonzero(np.diff(values)) + 1))
    last = np.append(first[1:], len(values)) - 1
    heights = values[first]
    if len(heights) < 3:
        return np.zeros(0, np.int64), np.zeros(0)
    rises = np.diff(heights) > 0
    turns = np.flatnonzero(rises[:-1] & ~rises[1:]) + 1
    if not len(turns):
        return np.zeros(0, np.int64), np.zeros(0)
    positions = (first[turns] + last[turns]) // 2
    valleys = np.minimum.reduceat(heights, np.concatenate(([0], turns)))
    left = _bases(heights[turns], valleys[:-1])
    right = _bases(heights[turns][::-1], valleys[::-1][:-1])[::-1]
    return positions, heights[turns] - np.maximum(left, right)


def _bases(peaks: NDArray[np.float64], valleys: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lowest value between each peak and the nearest higher one to its left (or the end).

    ``valleys[i]`` is the lowest value between peak ``i - 1`` (or the end) and peak ``i``.
    """
    out = np.empty(len(peaks))
    stack: list[tuple[float, float]] = []  # height of a peak, lowest value between it and its base
    for i, (height, low) in enumerate(zip(peaks.tolist(), valleys.tolist(), strict=True)):
        while stack and stack[-1][0] <= height:
            low = min(low, stack.pop()[1])
        stack.append((height, low))
        out[i] = low
    return out


def mad(curve: NDArray[np.float32]) -> float:
    """Median absolute deviation of the curve, the unit of prominence; never below 1e-6.

    Rounded to steps of 20 %, so that a far edit hardly ever moves it.
    """
    if not len(curve):
        return MAD_FLOOR
    values = np.asarray(curve, np.float64)
    return round_to_grid(max(float(np.median(np.abs(values - np.median(values)))), MAD_FLOOR))


def round_to_grid(value: float, step: float = 1.2) -> float:
    """The power of ``step`` nearest to a positive value, in ratio."""
    return float(step ** np.rint(np.log(value) / np.log(step)))
