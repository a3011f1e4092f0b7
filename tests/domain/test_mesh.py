"""The mesh: a weighted mean over the windows that saw a token."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vchunk.domain.mesh import mesh_interval
from vchunk.domain.windows import FullPlan, LightPlan, WindowPlan, hann

Vectors = dict[int, NDArray[np.float32]]

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
            total += weight * vectors[w][t - low]
            weights += weight
        rows.append(total / weights)
    return np.array(rows)


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


@pytest.mark.parametrize("plan", [PLAN, LIGHT, LightPlan(95, 21)])
@pytest.mark.parametrize("edges", [[0, 5], [0, 96, 203], [0, 105, 209, 314], [0, 164, 291, 455, 582]])
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
    plan = LightPlan(95, 21)
    total = np.zeros(400)
    for w in range(plan.count(edges)):
        total[slice(*plan.bounds(edges, w))] += plan.taper(edges, w)
    np.testing.assert_allclose(total, 1.0, rtol=1e-6)
