"""Quantised rows: a bounded error, and nothing that is not finite comes out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vchunk.domain.quantize import LARGEST, dequantize, quantize

TINY = float(np.finfo(np.float32).tiny)
rows_of_floats = hnp.arrays(
    np.float32, st.tuples(st.integers(0, 6), st.integers(1, 5)), elements=st.floats(width=32)
)


@given(rows_of_floats)
def test_each_value_is_off_by_at_most_half_a_step(rows: np.ndarray) -> None:
    quantized, scales = quantize(rows)
    assert quantized.dtype == np.int8
    assert scales.dtype == np.float32
    assert quantized.shape == rows.shape
    assert scales.shape == (len(rows),)
    back = dequantize(quantized, scales).astype(np.float64)
    assert np.isfinite(back).all()
    wanted = np.clip(np.where(np.isfinite(rows), rows, 0), -LARGEST, LARGEST).astype(np.float64)
    largest = np.abs(wanted).max(axis=1, initial=0.0)
    allowed = np.where(largest < 128 * TINY, largest, largest / 127 * 0.501)
    assert (np.abs(back - wanted) <= allowed[:, None]).all()


def test_known_values() -> None:
    quantized, scales = quantize(np.array([[127, -127, 63.6, 0, -1.4]], np.float32))
    assert quantized.tolist() == [[127, -127, 64, 0, -1]]
    assert scales.tolist() == [1.0]


def test_a_row_of_zeros_stays_one() -> None:
    quantized, scales = quantize(np.zeros((2, 3), np.float32))
    assert not quantized.any()
    assert scales.tolist() == [0, 0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_value_counts_as_zero_and_spoils_no_other(bad: float) -> None:
    rows = np.array([[1.0, 0.5, -0.25], [bad, 0.5, -0.25], [bad, bad, bad]], np.float32)
    back = dequantize(*quantize(rows))
    np.testing.assert_allclose(back[1], [0, 0.5, -0.25], atol=0.5 / 127)
    assert not back[2].any()


@pytest.mark.parametrize("odd", [0.5, np.nan, np.inf, 1e30])
def test_a_row_does_not_depend_on_the_others(odd: float) -> None:
    rows = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float32)
    rows[2, 3] = odd
    together = quantize(rows)
    for i in range(5):
        alone = quantize(rows[i : i + 1])
        assert (alone[0] == together[0][i]).all()
        assert alone[1][0] == together[1][i]


@pytest.mark.parametrize("size", [TINY, TINY / 1000, 1e-45])
def test_subnormal_rows_are_zero(size: float) -> None:
    back = dequantize(*quantize(np.array([[size, -size]], np.float32)))
    assert back.tolist() == [[0, 0]]


def test_rows_beyond_all_measure_keep_their_direction_and_stay_finite_when_squared() -> None:
    most = np.finfo(np.float32).max
    back = dequantize(*quantize(np.array([[most, -most, 1.0]], np.float32)))
    np.testing.assert_allclose(back, [[LARGEST, -LARGEST, 0.0]], rtol=1e-6)
    assert np.isfinite((back * back).sum())
