"""Intervals of means over questions, and what picking the best of many costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vchunk.domain.bootstrap import FEWEST, best_of_many, mean_interval, paired_difference


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


@pytest.mark.parametrize("count", range(1, 9))
def test_so_few_values_are_never_beyond_chance(count: int) -> None:
    ones, zeros = np.ones(count), np.zeros(count)
    leads = [paired_difference(ones, zeros), best_of_many(ones[:, None], zeros).lead]
    for lead in leads:
        assert (lead.mean, lead.count) == (1.0, count)
        assert lead.beyond_chance is (count >= 6)


def test_fewer_pairs_than_the_fewest_reach_no_sign_test() -> None:
    def two_sided(pairs: int) -> float:
        return 2 * 0.5**pairs  # all in one direction

    assert two_sided(FEWEST) < 0.05 < two_sided(FEWEST - 1)


def test_one_value_has_no_interval() -> None:
    one = mean_interval(np.array([0.7]))
    best = best_of_many(np.array([[0.2, 0.9]]), np.array([0.5]))
    assert one.mean == 0.7
    assert (best.index, best.lead.mean) == (1, pytest.approx(0.4))
    assert all(map(math.isnan, (one.low, one.high, best.lead.low, best.lead.high, best.p_value)))
    assert not one.excludes_zero


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_the_interval_holds_the_mean_and_stays_among_the_values(values: list[float]) -> None:
    found = mean_interval(np.array(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
