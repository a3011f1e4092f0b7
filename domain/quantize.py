"""Rows as int8 with one float32 scale a row.

All that follows the mesh is computed from the dequantised rows, so a row that was read back from
the store and one that was just encoded give the same bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST = np.float32(1e15)
"""Far beyond any encoder's values, and sums of squares of such rows are finite as float32."""


def quantize(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round each row to 255 steps between plus and minus its largest value.

    Values that are not finite count as 0: one bad value must not spread over a curve. Those beyond
    `LARGEST` are cut to it.

    Parameters
    ----------
    rows : (n, dim) float32

    Returns
    -------
    quantized : (n, dim) int8
    scales : (n,) float32
        ``rows`` is about ``quantized * scales[:, None]``; 0 for a row of zeros.
    """
    largest = np.maximum(rows.max(axis=1, initial=0.0), -rows.min(axis=1, initial=0.0))
    if not (largest <= LARGEST).all():  # so are those with NaN
        rows = np.clip(np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0), -LARGEST, LARGEST)
        largest = np.abs(rows).max(axis=1, initial=0.0)
    scales = (largest / np.float32(127)).astype(np.float32)
    # A subnormal scale cannot be divided by: such a row is as good as zero.
    scales[scales < np.finfo(np.float32).tiny] = 0.0
    steps = rows / np.where(scales > 0, scales, np.float32(np.inf))[:, None]
    return np.rint(steps, out=steps).astype(np.int8), scales


def dequantize(quantized: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows that downstream steps see, (n, dim) float32."""
    return np.multiply(quantized, scales[:, None], dtype=np.float32)
