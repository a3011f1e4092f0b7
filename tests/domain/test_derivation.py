"""What is derived while rows stream by: the same bytes in any batching, and the definitions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.domain.derivation import Derivation
from vchunk.domain.units import CONTRAST_WINDOW, Units
from vchunk.domain.velocity import sigma_of, velocity


@dataclass
class Sink:
    """Takes rows."""

    parts: list[NDArray[np.float16]] = field(default_factory=list)

    def append(self, rows: NDArray[np.float16]) -> None:
        assert rows.dtype == np.float16
        self.parts.append(rows)

    @property
    def rows(self) -> NDArray[np.float16]:
        return np.concatenate(self.parts) if self.parts else np.zeros((0, 0), np.float16)


def units_of(token_edges: list[int]) -> Units:
    count = len(token_edges) - 1
    return Units(np.arange(count + 1) * 10, np.full(count, 0, np.int8), np.asarray(token_edges, np.int64))


def derive(
    path: NDArray[np.float32], units: Units, edges: NDArray[np.int64], batches: list[int]
) -> tuple[NDArray[np.float16], NDArray[np.float32], NDArray[np.float32]]:
    """Push the intervals, so many at a time."""
    sink = Sink()
    derivation = Derivation(units, edges, path.shape[1], sink)
    at = 0
    for size in [*batches, len(edges)]:
        stop = min(at + size, len(edges) - 1)
        if stop > at:
            derivation.push(path[edges[at] : edges[stop]])
        at = stop
    return sink.rows, derivation.velocity, derivation.contrast


def naive_contrast(path: NDArray[np.float32], at: int) -> float:
    before, after = path[max(at - CONTRAST_WINDOW, 0) : at], path[at : at + CONTRAST_WINDOW]
    if not len(before) or not len(after):
        return np.nan
    a, b = before.astype(float).mean(axis=0), after.astype(float).mean(axis=0)
    norm = np.linalg.norm(a) * np.linalg.norm(b)
    return 1 - a @ b / norm if norm else np.nan


@st.composite
def cases(draw: st.DrawFn) -> tuple[NDArray[np.float32], Units, NDArray[np.int64], list[int]]:
    intervals = draw(st.lists(st.integers(1, 130), min_size=1, max_size=10))
    edges = np.concatenate(([0], np.cumsum(intervals))).astype(np.int64)
    count = int(edges[-1])
    inner = sorted(draw(st.lists(st.integers(0, count), max_size=25)))  # units without tokens too
    path = np.random.default_rng(draw(st.integers(0, 99))).standard_normal((count, 3)).astype(np.float32)
    batches = draw(st.lists(st.integers(1, 4), max_size=10))
    return path, units_of([0, *inner, count]), edges, batches


@given(cases())
def test_any_batching_gives_the_bytes_of_one_push(
    case: tuple[NDArray[np.float32], Units, NDArray[np.int64], list[int]],
) -> None:
    path, units, edges, batches = case
    whole = derive(path, units, edges, [])
    for one, other in zip(whole, derive(path, units, edges, batches), strict=True):
        assert one.tobytes() == other.tobytes()
    for one, other in zip(whole, derive(path, units, edges, [1] * len(edges)), strict=True):
        assert one.tobytes() == other.tobytes()


@given(cases())
def test_it_equals_the_definitions(
    case: tuple[NDArray[np.float32], Units, NDArray[np.int64], list[int]],
) -> None:
    path, units, edges, batches = case
    means, curve, contrast = derive(path, units, edges, batches)
    assert len(means) == len(contrast) == len(units)
    for i, (low, high) in enumerate(zip(units.token_edges[:-1], units.token_edges[1:], strict=True)):
        wanted = path[low:high].astype(float).mean(axis=0) if high > low else np.zeros(3)
        np.testing.assert_allclose(means[i], wanted, rtol=2e-3, atol=2e-3)
        np.testing.assert_allclose(contrast[i], naive_contrast(path, int(low)), atol=1e-5)
    expected = velocity(lambda start, stop: path[start:stop], edges, sigma_of(0.5))
    assert curve.tobytes() == expected.tobytes()


def test_a_document_without_tokens() -> None:
    sink = Sink()
    derivation = Derivation(units_of([0, 0, 0]), np.zeros(1, np.int64), 4, sink)
    assert sink.rows.shape == (2, 4)
    assert not sink.rows.any()
    assert len(derivation.velocity) == 0
    assert np.isnan(derivation.contrast).all()


def test_the_contrast_at_the_start_of_the_text_is_not_defined() -> None:
    path = np.ones((10, 2), np.float32)
    _, _, contrast = derive(path, units_of([0, 5, 10]), np.array([0, 10]), [])
    assert np.isnan(contrast[0])
    assert contrast[1] == pytest.approx(0.0, abs=1e-7)


def test_a_turn_has_contrast_one_and_a_reversal_two() -> None:
    path = np.zeros((120, 2), np.float32)
    path[:40, 0], path[40:80, 1], path[80:, 1] = 1, 1, -1
    _, _, contrast = derive(path, units_of([0, 40, 80, 120]), np.array([0, 60, 120]), [1])
    np.testing.assert_allclose(contrast[1:], [1, 2], atol=1e-6)


def test_rows_of_zeros_have_no_contrast() -> None:
    _, _, contrast = derive(np.zeros((10, 2), np.float32), units_of([0, 5, 10]), np.array([0, 10]), [])
    assert np.isnan(contrast).all()


def test_a_mean_beyond_float16_keeps_its_direction() -> None:
    path = np.tile(np.array([[3e8, -1e8]], np.float32), (6, 1))
    means, _, _ = derive(path, units_of([0, 6]), np.array([0, 6]), [])
    assert np.isfinite(means).all()
    np.testing.assert_allclose(means[0, 1] / means[0, 0], -1 / 3, rtol=1e-2)


def test_what_is_far_away_cannot_change_a_rounding() -> None:
    dice = np.random.default_rng(3)
    tail = dice.standard_normal((400, 3)).astype(np.float32)
    found = []
    for head in (50, 90):
        path = np.concatenate((dice.standard_normal((head, 3)).astype(np.float32) * 1e3, tail))
        edges = np.array([0, head, head + 100, head + 200, head + 300, head + 400])
        units = units_of([0, head, head + 30, head + 170, head + 250, head + 333, head + 400])
        found.append((derive(path, units, edges, []), head))
    (one, first), (other, second) = found
    assert one[0][1:].tobytes() == other[0][1:].tobytes()
    assert one[1][first + 200 :].tobytes() == other[1][second + 200 :].tobytes()
    assert one[2][3:].tobytes() == other[2][3:].tobytes()
