"""How far a mean over questions may lie from the truth: percentile bootstrap (Efron, 1979).

Questions are drawn with replacement; the draws are the same in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
LEVEL = 0.95
LEAST_PAIRS = 6
"""Fewer differences tell nothing at this level: that all their signs agree is likelier than 1 in 20."""
_SEED = 20240703
_CELLS = 4_000_000  # resamples x questions held at once: 32 MB

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of ``count`` values, and between which values it lies with a given confidence."""

    mean: float
    low: float
    high: float
    count: int

    @property
    def excludes_zero(self) -> bool:
        """Whether all of the interval lies on one side of 0, and stands on enough values to mean anything."""
        return self.count >= LEAST_PAIRS and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class BestOfMany:
    """The alternative with the best mean, and what its lead over a reference is worth.

    ``lead`` is an interval that holds for all alternatives at once, so picking the best of them is
    paid for. ``p_value`` is the chance of as large a lead if no alternative were any better.
    """

    index: int
    lead: Interval
    p_value: float


def mean_interval(values: Values, level: float = LEVEL) -> Interval:
    """The mean of values (n,), one a question, with its interval.

    Raises
    ------
    ValueError
        If there are no values.
    """
    means = _means(values[:, None])[:, 0]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean()), float(low), float(high), len(values))


def paired_difference(values: Values, reference: Values, level: float = LEVEL) -> Interval:
    """The mean of ``values - reference``, question by question: harder questions are so for both."""
    return mean_interval(values - reference, level)


def best_of_many(alternatives: Values, reference: Values, level: float = LEVEL) -> BestOfMany:
    """Pick the alternative with the best mean, and correct for having picked it.

    The best of many settings looks better than it is. The interval is half as wide as the largest
    deviation of any alternative's mean lead from its own mean in ``level`` of the resamples; the
    p-value is that of White's reality check (Econometrica 68, 2000).

    Parameters
    ----------
    alternatives : (questions, m) float64
    reference : (questions,) float64
    """
    leads = alternatives - reference[:, None]
    mean = leads.mean(axis=0)
    best = int(np.argmax(mean))
    deviations = _means(leads) - mean
    reach = float(np.quantile(np.abs(deviations).max(axis=1), level))
    beaten = deviations.max(axis=1) >= mean[best] - 1e-12  # equal but for rounding is no less
    lead = Interval(float(mean[best]), float(mean[best]) - reach, float(mean[best]) + reach, len(leads))
    return BestOfMany(best, lead, float(beaten.mean()))


def _means(values: Values) -> Values:
    """Means of resamples of the rows, (RESAMPLES, columns)."""
    if not len(values):
        raise ValueError("no values to take the mean of")
    return np.concatenate([weights @ values for weights in _draws(len(values))])


def _draws(n: int) -> Iterator[Values]:
    """How often each of n rows is drawn, over n, (some, n) at a time."""
    rng = np.random.default_rng(_SEED)
    at_once = max(1, _CELLS // n)
    for start in range(0, RESAMPLES, at_once):
        rows = min(at_once, RESAMPLES - start)
        yield rng.multinomial(n, np.full(n, 1 / n), size=rows) / n
