"""The mesh: a weighted mean over the windows that saw a token."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vchunk.domain.mesh import hann, mesh_interval
from vchunk.domain.windows import window_bounds, window_count

EDGES = np.array([0, 7, 12, 21, 30, 34])


def mesh(edges: NDArray[np.int64], vectors: dict[int, NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate([mesh_interval(i, edges, vectors) for i in range(len(edges) - 1)])


def random_vectors(edges: NDArray[np.int64], dim: int = 3) -> dict[int, NDArray[np.float32]]:
    dice = np.random.default_rng(5)
    return {
        w: dice.standard_normal((high - low, dim)).astype(np.float32)
        for w in range(window_count(edges))
        for low, high in [window_bounds(edges, w)]
    }


def naive(edges: NDArray[np.int64], vectors: dict[int, NDArray[np.float32]]) -> NDArray[np.float64]:
    """Token by token, in float64."""
    rows = []
    for t in range(int(edges[-1])):
        total, weights = np.zeros(next(iter(vectors.values())).shape[1]), 0.0
        seen_by = [w for w in vectors if window_bounds(edges, w)[0] <= t < window_bounds(edges, w)[1]]
        for w in seen_by:
            low, high = window_bounds(edges, w)
            weight = 1.0 if len(seen_by) == 1 else np.sin(np.pi * (t - low + 0.5) / (high - low)) ** 2
            total += weight * vectors[w][t - low]
            weights += weight
        rows.append(total / weights)
    return np.array(rows)


def test_it_equals_the_definition() -> None:
    vectors = random_vectors(EDGES)
    np.testing.assert_allclose(mesh(EDGES, vectors), naive(EDGES, vectors), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("edges", [[0, 5], [0, 5, 9], [0, 5, 9, 14], [0, 64, 191, 255, 382]])
def test_windows_that_agree_give_what_they_agree_on(edges: list[int]) -> None:
    at = np.array(edges)
    path = np.random.default_rng(1).standard_normal((edges[-1], 4)).astype(np.float32)
    vectors = {w: path[slice(*window_bounds(at, w))] for w in range(window_count(at))}
    np.testing.assert_allclose(mesh(at, vectors), path, rtol=1e-5, atol=1e-6)


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
    assert (mesh_interval(0, EDGES, vectors) == vectors[0][:7]).all()
    assert (mesh_interval(4, EDGES, vectors) == vectors[3][-4:]).all()


def test_only_the_covering_windows_are_asked_for() -> None:
    vectors = random_vectors(EDGES)
    few = {1: vectors[1], 2: vectors[2]}
    assert (mesh_interval(2, EDGES, few) == mesh_interval(2, EDGES, vectors)).all()


@pytest.mark.parametrize("length", [1, 2, 3, 64, 254])
def test_the_taper(length: int) -> None:
    taper = hann(length)
    assert (taper > 0).all()
    np.testing.assert_allclose(taper, taper[::-1], rtol=1e-4)
    assert taper.argmax() in (length // 2, (length - 1) // 2)
    # Half overlapped, tapers add up to 1 everywhere.
    if length % 2 == 0:
        np.testing.assert_allclose(taper[: length // 2] + taper[length // 2 :], 1.0, rtol=1e-5)
