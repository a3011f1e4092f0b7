"""Intervals of means over questions, and what picking the best of many costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vchunk.domain.bootstrap import LEAST_PAIRS, best_of_many, mean_interval, paired_difference


def test_the_interval_is_that_of_the_normal_law_for_many_values() -> None:
    values = np.random.default_rng(1).normal(2.0, 3.0, 2000)
    found = mean_interval(values)
    reach = 1.96 * values.std() / math.sqrt(len(values))
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.01)


def test_two_values_by_hand() -> None:
    # The mean of two draws is 0, 1/2 or 1 with chances 1/4, 1/2, 1/4.
    found = mean_interval(np.array([0.0, 1.0]), level=0.4)
    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)
    wide = mean_interval(np.array([0.0, 1.0]), level=0.6)
    assert (wide.low, wide.high) == (0.0, 1.0)


def test_runs_agree() -> None:
    values = np.random.default_rng(2).random(40)
    assert mean_interval(values) == mean_interval(values)


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_interval(np.empty(0))


def test_pairing_removes_what_makes_a_question_hard_for_both() -> None:
    hard = np.random.default_rng(3).random(200)
    lead = paired_difference(hard + 0.01, hard)
    assert lead.excludes_zero
    assert lead.mean == pytest.approx(0.01)
    assert not paired_difference(hard, hard).excludes_zero


def test_the_best_of_many_equals_is_within_noise() -> None:
    """With 40 settings that differ by chance alone, the best one's own interval is often misleading."""
    naive = corrected = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        settings_ = rng.random((60, 40))
        reference = rng.random(60)
        best = best_of_many(settings_, reference)
        naive += paired_difference(settings_[:, best.index], reference).excludes_zero
        corrected += best.lead.excludes_zero
    assert naive >= 5  # 1 in 20 is what an interval of 95 % promises
    assert corrected <= 1


def test_a_true_lead_is_seen_among_many() -> None:
    rng = np.random.default_rng(5)
    alternatives = rng.random((150, 20))
    reference = rng.random(150)
    alternatives[:, 7] = reference + 0.3 + 0.1 * rng.random(150)
    best = best_of_many(alternatives, reference)
    assert best.index == 7
    assert best.lead.excludes_zero
    assert best.p_value < 0.01


def test_one_alternative_equal_to_the_reference_is_no_lead() -> None:
    values = np.random.default_rng(6).random(30)
    best = best_of_many(values[:, None], values)
    assert (best.lead.mean, best.lead.low, best.lead.high, best.p_value) == (0, 0, 0, 1)


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_interval_holds_the_mean_and_stays_among_the_values(values: list[float]) -> None:
    found = mean_interval(np.array(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


@pytest.mark.parametrize(("count", "told"), [(1, False), (2, False), (5, False), (6, True), (50, True)])
def test_a_handful_of_differences_tells_nothing(count: int, told: bool) -> None:
    ahead = np.full(count, 0.3)
    assert paired_difference(ahead, np.zeros(count)).excludes_zero == told
    assert best_of_many(ahead[:, None], np.zeros(count)).lead.excludes_zero == told


def test_the_fewest_pairs_are_those_that_a_sign_test_needs() -> None:
    def two_sided(pairs: int) -> float:
        return 2 * 0.5**pairs  # all in one direction

    assert two_sided(LEAST_PAIRS) < 0.05 < two_sided(LEAST_PAIRS - 1)
