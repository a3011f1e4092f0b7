"""How well cuts agree with given boundaries: Pk, WindowDiff, and F1 within a tolerance.

A segmentation of a line of ``length`` units (characters, words, sentences) is the rising positions at
which a segment after the first begins, each above 0 and below ``length``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Positions = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Shares of boundaries: ``precision`` of those made, ``recall`` of those given, ``f1`` of both."""

    precision: float
    recall: float
    f1: float


def window_size(given: Positions, length: int) -> int:
    """Half the mean length of the given segments, at least 2."""
    return max(2, round(length / (2 * (len(given) + 1))))


def pk(given: Positions, made: Positions, length: int, k: int | None = None) -> float:
    """How often two units k apart are wrongly said to be, or not to be, in one segment; 0 is best.

    Beeferman, Berger and Lafferty (1999). Cuts at random or none at all give about one half.

    Parameters
    ----------
    k : int, optional
        Half the mean length of the given segments where not said.
    """
    truth, guess = _boundaries_between(given, made, length, k)
    return _mean((truth > 0) != (guess > 0))


def window_diff(given: Positions, made: Positions, length: int, k: int | None = None) -> float:
    """How often k consecutive gaps hold another number of boundaries than they should; 0 is best.

    Pevzner and Hearst (2002). Unlike Pk it counts a boundary too many next to a true one; many false
    ones bring it to 1.
    """
    truth, guess = _boundaries_between(given, made, length, k)
    return _mean(truth != guess)


def boundary_f1(given: Positions, made: Positions, tolerance: int = 0) -> Agreement:
    """Boundaries that match one to one, at most ``tolerance`` units apart."""
    matched = _matches(given, made, tolerance)
    if not len(given) and not len(made):
        return Agreement(1.0, 1.0, 1.0)
    precision = matched / len(made) if len(made) else 0.0
    recall = matched / len(given) if len(given) else 0.0
    return Agreement(precision, recall, 2 * matched / (len(given) + len(made)))


def even_spacing(length: int, segments: int) -> list[int]:
    """The boundaries of so many segments of equal length: what knows nothing of the text."""
    return sorted({round(i * length / segments) for i in range(1, segments)} - {0, length})


def _boundaries_between(
    given: Positions, made: Positions, length: int, k: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Given and made boundaries between units i and i + k, both (length - k,)."""
    for positions in (given, made):
        if len(positions) and not (min(positions) > 0 and max(positions) < length):
            raise ValueError(f"boundaries must lie above 0 and below {length}")
    k = window_size(given, length) if k is None else k
    if k < 1:
        raise ValueError(f"k = {k}: must be 1 or more")
    first = np.arange(max(length - k, 0))
    truth, guess = (np.unique(np.asarray(p, np.int64)) for p in (given, made))
    return tuple(  # type: ignore[return-value]
        np.searchsorted(p, first + k, "right") - np.searchsorted(p, first, "right") for p in (truth, guess)
    )


def _matches(given: Positions, made: Positions, tolerance: int) -> int:
    """The most pairs: on a line the leftmost partners that are near enough are never wrong."""
    truth, guess = sorted(given), sorted(made)
    i = j = found = 0
    while i < len(truth) and j < len(guess):
        if abs(truth[i] - guess[j]) <= tolerance:
            found, i, j = found + 1, i + 1, j + 1
        elif truth[i] < guess[j]:
            i += 1
        else:
            j += 1
    return found


def _mean(wrong: NDArray[np.bool_]) -> float:
    return float(wrong.mean()) if len(wrong) else 0.0
