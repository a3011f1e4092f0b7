"""Prominences: those of scipy, in one pass; and the unit they are measured in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import signal

from vchunk.domain.prominence import MAD_FLOOR, find_peaks, mad, round_to_grid

few_values = st.lists(st.integers(0, 4), max_size=40)
many_values = st.lists(st.floats(-1e6, 1e6, allow_nan=False, width=32), max_size=40)


@given(st.one_of(few_values, many_values))
@example([])
@example([1, 2])
@example([0, 1, 0])
@example([0, 1, 1, 0])
@example([0, 1, 1, 1, 0])
@example([1, 1, 1, 1])
@example([2, 2, 1, 3, 3])
@example([3, 1, 3, 1, 3, 1])
@example([0, 3, 1, 3, 2, 3, 0])
def test_peaks_are_those_of_scipy(values: list[float]) -> None:
    curve = np.array(values, np.float32)
    positions, prominences = find_peaks(curve)
    expected, properties = signal.find_peaks(curve.astype(np.float64), prominence=0)
    assert positions.tolist() == expected.tolist()
    np.testing.assert_allclose(prominences, properties["prominences"])


def test_equal_peaks_both_keep_their_full_prominence() -> None:
    positions, prominences = find_peaks(np.array([0, 5, 2, 5, 0], np.float32))
    assert positions.tolist() == [1, 3]
    assert prominences.tolist() == [5, 5]


def test_a_plateau_counts_at_its_middle_rounded_down() -> None:
    assert find_peaks(np.array([0, 1, 1, 1, 1, 0], np.float32))[0].tolist() == [2]


def test_a_small_peak_beside_a_great_one_is_measured_to_the_valley_between() -> None:
    positions, prominences = find_peaks(np.array([1, 9, 4, 6, 0], np.float32))
    assert dict(zip(positions.tolist(), prominences.tolist(), strict=True)) == {1: 8, 3: 2}


def test_mad_by_hand() -> None:
    # Median 3; deviations 2, 1, 0, 1, 7; their median is 1, a power of 1.2.
    assert mad(np.array([1, 2, 3, 4, 10], np.float32)) == 1.0


@pytest.mark.parametrize("values", [[], [3.0], [2.0] * 50, [0.0] * 9])
def test_mad_has_a_floor(values: list[float]) -> None:
    assert mad(np.array(values, np.float32)) == pytest.approx(MAD_FLOOR, rel=0.1)
    assert mad(np.array(values, np.float32)) > 0


def test_a_small_change_of_the_curve_does_not_move_the_mad() -> None:
    curve = np.random.default_rng(0).gamma(2.0, size=2_000).astype(np.float32)
    edited = curve.copy()
    edited[:20] *= 2
    assert mad(edited) == mad(curve)


@given(st.floats(1e-9, 1e9))
def test_the_grid_is_at_most_ten_percent_away(value: float) -> None:
    rounded = round_to_grid(value)
    assert 1 / np.sqrt(1.2) - 1e-6 <= rounded / value <= np.sqrt(1.2) + 1e-6
    assert round_to_grid(rounded) == pytest.approx(rounded)


def test_the_grid_is_the_powers_of_its_step() -> None:
    assert round_to_grid(1.2) == pytest.approx(1.2)
    assert round_to_grid(1.44) == pytest.approx(1.44)
    assert round_to_grid(1.09) == 1.0
    assert round_to_grid(3.0, step=2.0) == 4.0
    assert round_to_grid(0.3, step=2.0) == 0.25
