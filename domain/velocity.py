"""Semantic velocity: the speed of the smoothed path of token vectors.

``v[t] = | (g * x)[t] - (g * x)[t-1] |`` with a Gaussian ``g``. Smoothing and difference are one
linear map with the taps ``g[k] - g[k-1]``, applied here as a banded Toeplitz matrix product over
blocks of tokens with the norm taken at once; no smoothed path is ever stored.

The measure follows RagAtini, whose sigma is ``max(10, window // 100)`` times its ``f_sig``; a
constant base makes f_sig and prominence mean one thing for every encoder.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

SIGMA_BASE = 80.0
"""Tokens of smoothing at f_sig = 1."""

DEFAULT_F_SIG = 0.5
REACH_IN_SIGMAS = 4
BLOCK = 64
"""Tokens of one matrix product; a bigger block wastes more on the band's empty corners."""

END = 16
"""Tokens, at most, whose mean stands for what is beyond an end of the document."""

Rows = Callable[[int, int], NDArray[np.float32]]
"""Reads token vectors [start, stop), (stop - start, dim)."""


def sigma_of(f_sig: float) -> float:
    """Standard deviation of the smoothing, in tokens."""
    return f_sig * SIGMA_BASE


def reach_of(sigma: float) -> int:
    """How many tokens on either side the smoothing looks at."""
    return max(1, round(REACH_IN_SIGMAS * sigma))


def gaussian_taps(sigma: float) -> NDArray[np.float64]:
    """Weights of the smoothing, (2 * reach + 1,), summing to 1."""
    steps = np.arange(-reach_of(sigma), reach_of(sigma) + 1, dtype=np.float64)
    taps: NDArray[np.float64] = np.exp(-(steps**2) / (2 * sigma * sigma))
    taps /= taps.sum()
    return taps


def difference_taps(sigma: float) -> NDArray[np.float32]:
    """Taps of smoothing and difference in one, (2 * reach + 2,).

    Tap ``k`` weighs ``x[t - reach - 1 + k]`` in the step from ``t - 1`` to ``t``.
    """
    smooth = gaussian_taps(sigma)
    step = np.concatenate(([0.0], smooth)) - np.concatenate((smooth, [0.0]))
    return step.astype(np.float32)


def _band(taps: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    """Toeplitz matrix (rows, rows + len(taps) - 1) with the taps on each row, shifted by one."""
    band = np.zeros((rows, rows + len(taps) - 1), np.float32)
    for row in range(rows):
        band[row, row : row + len(taps)] = taps
    return band


def blocks_of(edges: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The blocks of tokens that are multiplied at once.

    They begin at interval edges: where a block lies, and so every rounding in it, depends on the
    text around it and not on the distance from the document's start.
    """
    for start, end in itertools.pairwise(edges):
        for low in range(int(start), int(end), BLOCK):
            yield low, min(low + BLOCK, int(end))


def _held(x: NDArray[np.float32], before: int, after: int) -> NDArray[np.float32]:
    """Rows with as many before and after them, the path held at where it begins and ends.

    The mean of a few vectors, not the very first or last one: those stand next to the model's own
    special tokens and are unlike all others, which would give a false peak at the document's ends.
    """
    if not len(x) or not (before or after):
        return x
    first = np.repeat(x[:END].mean(axis=0, keepdims=True), before, axis=0)
    last = np.repeat(x[-END:].mean(axis=0, keepdims=True), after, axis=0)
    return np.concatenate((first, x, last))


class VelocityStep:
    """Speeds of one block of tokens after another, for a given smoothing."""

    def __init__(self, sigma: float, tokens: int) -> None:
        self.reach = reach_of(sigma)
        self._taps = difference_taps(sigma)
        self._tokens = tokens
        self._bands: dict[int, NDArray[np.float32]] = {}

    def block(self, rows: Rows, start: int, end: int) -> NDArray[np.float32]:
        """Speeds of the tokens [start, end); reads ``reach + 1`` before and ``reach`` after them."""
        size = end - start
        if size not in self._bands:
            self._bands[size] = _band(self._taps, size)
        low, high = start - self.reach - 1, end + self.reach
        x = rows(max(low, 0), min(high, self._tokens))
        x = _held(x, max(-low, 0), max(high - self._tokens, 0))
        moved = self._bands[size] @ x
        speed: NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        if start == 0:
            speed[0] = 0.0
        speed[~np.isfinite(speed)] = 0.0
        return speed


def velocity(rows: Rows, edges: NDArray[np.int64], sigma: float) -> NDArray[np.float32]:
    """Speed at every token.

    Parameters
    ----------
    rows : callable
        Reads token vectors; see `Rows`.
    edges : (m + 1,) int64
        Interval edges, from 0 to the number of tokens.
    sigma : float
        Standard deviation of the Gaussian, in tokens; above 0.

    Returns
    -------
    (n,) float32
        Finite; 0 at the first token. Beyond the ends the path is held at the mean of its first
        and last `END` vectors.
    """
    step = VelocityStep(sigma, int(edges[-1]))
    blocks = [step.block(rows, start, end) for start, end in blocks_of(edges)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def smoothed_path(rows: Rows, n: int, sigma: float, positions: NDArray[np.int64]) -> NDArray[np.float32]:
    """The smoothed path itself at some tokens, (len(positions), dim), for drawing it."""
    taps = gaussian_taps(sigma).astype(np.float32)
    reach = reach_of(sigma)
    out = []
    for t in positions:
        low, high = int(t) - reach, int(t) + reach + 1
        out.append(taps @ _held(rows(max(low, 0), min(high, n)), max(-low, 0), max(high - n, 0)))
    return np.asarray(out, np.float32)
