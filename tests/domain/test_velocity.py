"""The velocity: what filter, difference and norm give one after another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from vchunk.domain.velocity import (
    BLOCK,
    END,
    VelocityStep,
    blocks_of,
    difference_taps,
    gaussian_taps,
    reach_of,
    sigma_of,
    smoothed_path,
    velocity,
)


def edges_of(*edges: int) -> NDArray[np.int64]:
    return np.array(edges, np.int64)


def path_of(count: int, dim: int = 5, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def speed(path: NDArray[np.float32], edges: NDArray[np.int64], sigma: float) -> NDArray[np.float32]:
    return velocity(lambda start, stop: path[start:stop], edges, sigma)


def smooth(path: NDArray[np.float32], sigma: float) -> NDArray[np.float64]:
    """The smoothed path at one token before the first and at all tokens."""
    reach = reach_of(sigma)
    first, last = (np.tile(part.mean(axis=0), (reach + 1, 1)) for part in (path[:END], path[-END:]))
    held = np.concatenate((first, path, last)).astype(np.float64)
    smoothed: NDArray[np.float64] = gaussian_filter1d(held, sigma, axis=0, mode="nearest", radius=reach)
    return smoothed[reach : -reach - 1]


@given(st.integers(1, 400), st.sampled_from([4.0, 8.0, 40.0]), st.integers(0, 9))
def test_it_equals_filter_difference_and_norm(count: int, sigma: float, seed: int) -> None:
    path = path_of(count, seed=seed)
    dice = np.random.default_rng(seed)
    inner = np.unique(dice.integers(1, count, 3)) if count > 1 else []
    edges = edges_of(0, *inner, count)
    found = speed(path, edges, sigma)
    steps = np.linalg.norm(np.diff(smooth(path, sigma), axis=0), axis=1)
    steps[0] = 0.0  # no step leads to the first token
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, steps, rtol=1e-3, atol=3e-6)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.5, 100.0])
def test_inside_it_equals_what_scipy_gives(sigma: float) -> None:
    path = path_of(1_500)
    found = speed(path, edges_of(0, 90, 200, 330, 1_500), sigma)
    smoothed = gaussian_filter1d(path.astype(np.float64), sigma, axis=0, mode="nearest", truncate=4.0)
    steps = np.linalg.norm(np.diff(smoothed, axis=0), axis=1)
    inside = slice(reach_of(sigma) + 1, -reach_of(sigma))
    np.testing.assert_allclose(found[1:][inside], steps[inside], rtol=1e-3, atol=3e-6)


def test_one_odd_vector_at_an_end_is_no_peak() -> None:
    path = np.ones((400, 2), np.float32)
    path[0] = path[-1] = (-1, 5)
    found = speed(path, edges_of(0, 200, 400), 40.0)
    # Held at that vector, the path would come from there: a step as great as a turn of topic.
    alone = np.linalg.norm([2, 4]) * gaussian_taps(40.0).max()
    assert found.max() < alone / 3


def test_a_turn_of_topic_is_a_peak_where_it_turns() -> None:
    path = np.zeros((400, 2), np.float32)
    path[:250, 0] = path[250:, 1] = 1.0
    found = speed(path, edges_of(0, 100, 200, 300, 400), 10.0)
    assert found.argmax() == 250
    # The step of a smoothed jump by sqrt(2) is sqrt(2) times the middle tap.
    np.testing.assert_allclose(found[250], np.sqrt(2) * gaussian_taps(10.0).max(), rtol=1e-4)


def test_a_constant_path_stands_still() -> None:
    found = speed(np.full((300, 4), 7.0, np.float32), edges_of(0, 300), 40.0)
    assert (found < 1e-4).all()


def test_no_tokens_no_speed() -> None:
    assert len(speed(path_of(0), edges_of(0), 40.0)) == 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_documents_shorter_than_the_smoothing(count: int) -> None:
    found = speed(path_of(count), edges_of(0, count), 40.0)
    assert len(found) == count
    assert found[0] == 0
    assert np.isfinite(found).all()


def test_a_token_that_is_far_away_cannot_change_a_rounding() -> None:
    sigma = 5.0
    tail = path_of(300)
    alone = speed(np.concatenate((path_of(64, seed=1), tail)), edges_of(0, 64, 164, 264, 364), sigma)
    longer = speed(np.concatenate((path_of(131, seed=2), tail)), edges_of(0, 64, 131, 231, 331, 431), sigma)
    same = 100  # after this many tokens of the tail nothing before it is seen
    assert (alone[64 + same :] == longer[131 + same :]).all()


def test_the_step_reads_only_what_it_says() -> None:
    asked = []
    path = path_of(600)

    def rows(start: int, stop: int) -> NDArray[np.float32]:
        asked.append((start, stop))
        return path[start:stop]

    step = VelocityStep(10.0, 600)
    step.block(rows, 300, 340)
    step.block(rows, 0, 20)
    step.block(rows, 590, 600)
    assert asked == [
        (300 - step.reach - 1, 340 + step.reach),
        (0, 20 + step.reach),
        (590 - step.reach - 1, 600),
    ]


@given(st.lists(st.integers(1, 400), max_size=5))
def test_blocks_tile_the_document_and_begin_anew_at_every_interval(sizes: list[int]) -> None:
    edges = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    blocks = list(blocks_of(edges))
    assert [low for low, _ in blocks[1:]] == [high for _, high in blocks[:-1]]
    assert all(0 < high - low <= BLOCK for low, high in blocks)
    assert {low for low, _ in blocks} >= set(edges[:-1].tolist())
    assert (blocks[-1][1] if blocks else 0) == edges[-1]


def test_the_taps() -> None:
    smooth_taps, taps = gaussian_taps(3.0), difference_taps(3.0)
    assert len(smooth_taps) == 2 * 12 + 1
    np.testing.assert_allclose(smooth_taps.sum(), 1.0)
    np.testing.assert_allclose(smooth_taps[12 + 3] / smooth_taps[12], np.exp(-0.5))
    assert len(taps) == 2 * 12 + 2
    np.testing.assert_allclose(taps.sum(), 0.0, atol=1e-7)
    np.testing.assert_allclose(taps, -taps[::-1], atol=1e-7)


def test_sigma_is_80_tokens_at_one() -> None:
    assert sigma_of(0.5) == 40.0
    assert reach_of(40.0) == 160
    assert reach_of(0.01) == 1


@given(st.integers(1, 200), st.sampled_from([4.0, 40.0]))
def test_the_smoothed_path_equals_the_filter(count: int, sigma: float) -> None:
    path = path_of(count)
    at = np.unique(np.array([0, count // 3, count - 1], np.int64))
    found = smoothed_path(lambda start, stop: path[start:stop], count, sigma, at)
    np.testing.assert_allclose(found, smooth(path, sigma)[at + 1], rtol=1e-3, atol=1e-5)
