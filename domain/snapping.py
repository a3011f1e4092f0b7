"""Snapping: every peak of the velocity goes to the nearest boundary where a cut is allowed.

It does so once, before any threshold is applied, and a boundary keeps the greatest prominence of
its peaks. Therefore the cuts at a higher prominence are always among those at a lower one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOOD_SCORE = 0.5
"""From here on a snapper likes a boundary."""


def snap_peaks(
    peaks: NDArray[np.int64], prominences: NDArray[np.float64], boundaries: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Prominence of each boundary, (b,); 0 for one that no peak went to.

    Parameters
    ----------
    peaks : (p,) int64
        Token positions.
    prominences : (p,)
    boundaries : (b,) int64
        Token positions of the allowed boundaries, rising. Of two that are equally near the
        earlier one is taken.
    """
    out = np.zeros(len(boundaries))
    if not len(boundaries) or not len(peaks):
        return out
    right = np.clip(np.searchsorted(boundaries, peaks, "left"), 0, len(boundaries) - 1)
    left = np.maximum(right - 1, 0)
    nearer_left = np.abs(peaks - boundaries[left]) <= np.abs(boundaries[right] - peaks)
    np.maximum.at(out, np.where(nearer_left, left, right), prominences)
    return out
