"""The plane that a path is drawn on."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.plots.projection import UMAP_LEAST, pca, umap
from vchunk.domain.errors import MissingExtra


def cloud(count: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)


@pytest.mark.parametrize("count", [12, 200], ids=["by SVD", "by covariance"])
def test_pca_is_the_plane_of_greatest_variance(count: int) -> None:
    points = cloud(count, 40)
    points[:, 7] *= 30
    points[:, 3] *= 10
    flat = pca(points).points
    centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    singular = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(flat, axis=0), singular[:2], rtol=1e-6)
    assert abs(np.corrcoef(flat[:, 0], points[:, 7])[0, 1]) > 0.99
    assert abs(np.corrcoef(flat[:, 1], points[:, 3])[0, 1]) > 0.9


@given(st.integers(3, 30), st.integers(2, 12), st.integers(0, 99))
def test_pca_is_not_mirrored_when_the_points_come_in_another_order(count: int, dim: int, seed: int) -> None:
    points = cloud(count, dim, seed)
    points[:, 0] *= 50
    points[:, 1] *= 20
    np.testing.assert_allclose(pca(points[::-1]).points[::-1], pca(points).points, atol=1e-3)


def test_pca_points_along_its_greatest_component() -> None:
    points = np.zeros((9, 3), np.float32)
    points[:, 1] = np.arange(9)
    assert pca(points).points[-1, 0] > 0
    assert pca(-points).points[-1, 0] < 0


def test_axes_tell_their_share_of_the_variance() -> None:
    points = np.array([[2, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]], np.float32)
    first, second = pca(points).axes
    assert "80% of the variance" in first
    assert "20% of the variance" in second


@pytest.mark.parametrize("shape", [(0, 1), (0, 8), (1, 8), (2, 8), (5, 1)])
def test_pca_of_few_points(shape: tuple[int, int]) -> None:
    flat = pca(cloud(*shape)).points
    assert flat.shape == (shape[0], 2)
    assert np.isfinite(flat).all()


def test_pca_of_equal_points_stays_at_the_origin() -> None:
    same = pca(np.full((40, 6), 0.3, np.float32))
    assert not same.points.any()
    assert "%" not in same.axes[0]


def test_umap_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtra, match=r"pip install 'vchunk\[umap\]'"):
        umap(cloud(50, 4))


def fake_umap(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """A module whose UMAP keeps the first two columns and notes how it was made."""
    made: list[dict[str, object]] = []

    class UMAP:
        def __init__(self, **options: object) -> None:
            made.append(options)

        def fit_transform(self, points: np.ndarray) -> np.ndarray:
            return points[:, :2]

    module = types.ModuleType("umap")
    module.UMAP = UMAP  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "umap", module)
    return made


def test_umap_is_asked_for_two_dimensions_with_a_fixed_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = fake_umap(monkeypatch)
    points = cloud(50, 4)
    found = umap(points)
    np.testing.assert_array_equal(found.points, points[:, :2].astype(np.float64))
    assert "UMAP" in found.axes[0]
    assert made[0]["n_components"] == 2
    assert made[0]["n_jobs"] == 1
    assert isinstance(made[0]["random_state"], int)


def test_umap_leaves_the_fewest_points_to_pca(monkeypatch: pytest.MonkeyPatch) -> None:
    made = fake_umap(monkeypatch)
    assert "principal" in umap(cloud(UMAP_LEAST - 1, 4)).axes[0]
    assert not made
