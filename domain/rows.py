"""Reading token vectors in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.quantize import dequantize

SLAB = 8192
"""Rows that are read from a stored array at once."""


class RollingRows:
    """The last rows of a stream; those that nobody needs any more are dropped."""

    def __init__(self, dim: int) -> None:
        self.start = 0
        self._rows = np.zeros((0, dim), np.float32)

    @property
    def stop(self) -> int:
        """One past the last row that has arrived."""
        return self.start + len(self._rows)

    def append(self, rows: NDArray[np.float32], keep_from: int) -> None:
        """Add rows and drop those before ``keep_from``."""
        drop = min(max(keep_from - self.start, 0), len(self._rows))
        self._rows = np.concatenate((self._rows[drop:], rows))
        self.start += drop

    def __call__(self, start: int, stop: int) -> NDArray[np.float32]:
        return self._rows[start - self.start : stop - self.start]


class StoredRows:
    """Rows of a stored embedding, dequantised, read slab by slab.

    ``vectors`` and ``scales`` are arrays of an artifact, possibly lazy. Reading forwards, with
    steps back shorter than a slab, touches each slab once.
    """

    def __init__(self, vectors: Any, scales: Any) -> None:
        self._vectors = vectors
        self._scales = scales
        self._count = int(vectors.shape[0])
        self._slabs: dict[int, NDArray[np.float32]] = {}

    def _slab(self, number: int) -> NDArray[np.float32]:
        if number not in self._slabs:
            part = slice(number * SLAB, min((number + 1) * SLAB, self._count))
            while len(self._slabs) > 1:
                self._slabs.pop(min(self._slabs))
            self._slabs[number] = dequantize(np.asarray(self._vectors[part]), np.asarray(self._scales[part]))
        return self._slabs[number]

    def __call__(self, start: int, stop: int) -> NDArray[np.float32]:
        first, last = start // SLAB, max(stop - 1, start) // SLAB
        parts = []
        for number in range(first, last + 1):
            base = number * SLAB
            parts.append(self._slab(number)[max(start - base, 0) : stop - base])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
