"""The mesh: a weighted mean over the windows that saw a token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from vchunk.domain.mesh import Vectors, mesh_interval
from vchunk.domain.prominence import find_peaks, mad
from vchunk.domain.velocity import velocity
from vchunk.domain.windows import FullPlan, LightPlan, WindowPlan, hann, make_plan

EDGES = np.array([0, 7, 12, 21, 30, 34])
PLAN = FullPlan(2)
LIGHT = LightPlan(2, 1)


def mesh(edges: NDArray[np.int64], vectors: Vectors, plan: WindowPlan = PLAN) -> NDArray[np.float32]:
    return np.concatenate([mesh_interval(i, edges, vectors, plan) for i in range(len(edges) - 1)])


def random_vectors(edges: NDArray[np.int64], plan: WindowPlan = PLAN, dim: int = 3) -> Vectors:
    dice = np.random.default_rng(5)
    return {
        w: dice.standard_normal((high - low, dim)).astype(np.float32)
        for w in range(plan.count(edges))
        for low, high in [plan.bounds(edges, w)]
    }


def naive(plan: WindowPlan, edges: NDArray[np.int64], vectors: Vectors) -> NDArray[np.float64]:
    """Token by token, in float64."""
    rows = []
    for t in range(int(edges[-1])):
        total, weights = np.zeros(next(iter(vectors.values())).shape[1]), 0.0
        seen_by = [w for w in vectors if plan.bounds(edges, w)[0] <= t < plan.bounds(edges, w)[1]]
        for w in seen_by:
            low, high = plan.bounds(edges, w)
            weight = 1.0 if len(seen_by) == 1 else weigh(plan, t - low, high - low)
            total += weight * (vectors[w][t - low] + (moved(edges, vectors, w, t) if plan == LIGHT else 0))
            weights += weight
        rows.append(total / weights)
    return np.array(rows)


def moved(edges: NDArray[np.int64], vectors: Vectors, window: int, t: int) -> NDArray[np.float64]:
    """What aligning a light window with those beside it adds to its vector at a token."""
    out = np.zeros(vectors[window].shape[1])
    for other, seam in ((window - 1, edges[window]), (window + 1, edges[window + 1])):
        if other in vectors:
            there, here = (vectors[w][seam - LIGHT.margin - LIGHT.bounds(edges, w)[0] :] for w in (other, window))
            both = slice(2 * LIGHT.margin)
            half = (there[both].astype(np.float64) - here[both]).mean(axis=0) / 2
            out += half * max(1 - abs(t + 0.5 - seam) / LIGHT.radius, 0)
    return out


def weigh(plan: WindowPlan, k: int, length: int) -> float:
    """The taper at the k-th token of a window that has others on both sides."""
    if plan.kind == "full":
        return float(np.sin(np.pi * (k + 0.5) / length) ** 2)
    ramp = 2 * LIGHT.margin
    return min((k + 0.5) / ramp, (length - k - 0.5) / ramp, 1.0)


@pytest.mark.parametrize("plan", [PLAN, LIGHT])
def test_it_equals_the_definition(plan: WindowPlan) -> None:
    vectors = random_vectors(EDGES, plan)
    np.testing.assert_allclose(mesh(EDGES, vectors, plan), naive(plan, EDGES, vectors), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("plan", [PLAN, LIGHT, LightPlan(105, 21)])
@pytest.mark.parametrize("edges", [[0, 5], [0, 106, 213], [0, 115, 229, 344], [0, 174, 311, 485, 612]])
def test_windows_that_agree_give_what_they_agree_on(edges: list[int], plan: WindowPlan) -> None:
    at = np.array(edges)
    path = np.random.default_rng(1).standard_normal((edges[-1], 4)).astype(np.float32)
    vectors = {w: path[slice(*plan.bounds(at, w))] for w in range(plan.count(at))}
    np.testing.assert_allclose(mesh(at, vectors, plan), path, rtol=1e-5, atol=1e-6)


def test_an_inner_token_is_between_its_two_windows() -> None:
    vectors = {w: np.full_like(v, w) for w, v in random_vectors(EDGES).items()}
    meshed = mesh(EDGES, vectors)[:, 0]
    for interval in range(1, 4):
        inner = meshed[EDGES[interval] : EDGES[interval + 1]]
        assert ((inner > interval - 1) & (inner < interval)).all()
        assert (np.diff(inner) > 0).all()  # the next window fades in
    assert (meshed[:7] == 0).all()
    assert (meshed[30:] == 3).all()


def test_an_end_interval_is_the_window_itself() -> None:
    vectors = random_vectors(EDGES)
    assert (mesh_interval(0, EDGES, vectors, PLAN) == vectors[0][:7]).all()
    assert (mesh_interval(4, EDGES, vectors, PLAN) == vectors[3][-4:]).all()


def test_only_the_covering_windows_are_asked_for() -> None:
    vectors = random_vectors(EDGES)
    few = {1: vectors[1], 2: vectors[2]}
    assert (mesh_interval(2, EDGES, few, PLAN) == mesh_interval(2, EDGES, vectors, PLAN)).all()


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_what_light_windows_differ_in_throughout_makes_no_jump(seed: int, intervals: int) -> None:
    plan = LightPlan(20, 4)
    dice = np.random.default_rng(seed)
    edges = np.concatenate(([0], np.cumsum(dice.integers(21, 42, intervals))))
    path = dice.standard_normal((edges[-1], 3)).astype(np.float32)
    lean = dice.standard_normal((intervals, 3)).astype(np.float32)
    vectors = {w: path[slice(*plan.bounds(edges, w))] + lean[w] for w in range(intervals)}
    leaning = mesh(edges, vectors, plan) - path
    # At a seam the mean of both; the way there is as long as the interval, not as the overlap.
    for right, seam in enumerate(edges[1:-1].tolist(), 1):
        between = (leaning[seam - 1] + leaning[seam]) / 2
        np.testing.assert_allclose(between, (lean[right - 1] + lean[right]) / 2, atol=1e-4)
    farthest = np.abs(np.diff(lean, axis=0)).max(axis=0)
    assert (np.abs(np.diff(leaning, axis=0)) <= 2 * farthest / plan.radius + 1e-4).all()
    # Nothing drifts: a window's rows keep to what the window and those beside it say.
    for w in range(intervals):
        near = lean[max(w - 1, 0) : w + 2]
        rows = leaning[edges[w] : edges[w + 1]]
        assert (rows >= near.min(axis=0) - 1e-4).all()
        assert (rows <= near.max(axis=0) + 1e-4).all()


def test_the_rows_of_a_light_interval_need_the_windows_that_cover_it_only() -> None:
    vectors = random_vectors(EDGES, LIGHT)
    few = {w: vectors[w] for w in (1, 2, 3)}
    assert (mesh_interval(2, EDGES, few, LIGHT) == mesh_interval(2, EDGES, vectors, LIGHT)).all()


def test_peaks_of_velocity_do_not_gather_at_light_seams() -> None:
    plan = make_plan("light", 254)
    dice = np.random.default_rng(3)
    edges = plan.anchors(dice.integers(0, 9_999, 60_000, np.int32))
    path = gaussian_filter1d(dice.standard_normal((60_000, 16)), 60, axis=0)
    path *= 2 / path.std()
    vectors = {
        w: (path[low:high] + dice.standard_normal((high - low, 16)) + dice.standard_normal(16)).astype(np.float32)
        for w in range(plan.count(edges))
        for low, high in [plan.bounds(edges, w)]
    }
    rows = mesh(edges, vectors, plan)
    positions, prominences = find_peaks(curve := velocity(lambda a, b: rows[a:b], edges, 40.0))
    peaks = positions[prominences >= 0.5 * mad(curve)]
    near = np.zeros(60_000, bool)
    for edge in edges[1:-1].tolist():
        near[edge - 15 : edge + 15] = True
    assert len(peaks) > 200
    assert near[peaks].mean() < 1.3 * near.mean()


@pytest.mark.parametrize("length", [1, 2, 3, 64, 254])
def test_the_taper(length: int) -> None:
    taper = hann(length)
    assert (taper > 0).all()
    np.testing.assert_allclose(taper, taper[::-1], rtol=1e-4)
    assert taper.argmax() in (length // 2, (length - 1) // 2)
    # Half overlapped, tapers add up to 1 everywhere.
    if length % 2 == 0:
        np.testing.assert_allclose(taper[: length // 2] + taper[length // 2 :], 1.0, rtol=1e-5)


def test_light_windows_add_up_to_one_across_a_seam() -> None:
    edges = np.array([0, 120, 260, 400])
    plan = LightPlan(105, 21)
    total = np.zeros(400)
    for w in range(plan.count(edges)):
        total[slice(*plan.bounds(edges, w))] += plan.taper(edges, w)
    np.testing.assert_allclose(total, 1.0, rtol=1e-6)
