"""From meaning space to the plane."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.errors import MissingExtra

UMAP_NEIGHBOURS = 15
UMAP_SEED = 20
UMAP_LEAST = UMAP_NEIGHBOURS + 1
"""Fewer points have no neighbourhood to keep; they are projected by PCA."""


@dataclass(frozen=True, slots=True)
class Projection:
    """Points in the plane, (m, 2) float64, and what the two axes are."""

    points: NDArray[np.float64]
    axes: tuple[str, str]


def pca(points: NDArray[np.float32]) -> Projection:
    """The plane of greatest variance, each axis with its share of it.

    Parameters
    ----------
    points : (m, dim) float
        Any m and dim, 0 too.

    Notes
    -----
    The component of an axis that is greatest in magnitude is positive, so that the picture is not
    mirrored from one run to another. With more points than dimensions the covariance is
    decomposed instead of the points.
    """
    x = np.asarray(points, np.float64)
    flat = np.zeros((len(x), 2))
    if x.size == 0:
        return Projection(flat, _axes(0.0, 0.0))
    x = x - x.mean(axis=0)
    if len(x) > x.shape[1]:
        values, vectors = np.linalg.eigh(x.T @ x)
        variance, directions = np.maximum(values[::-1], 0.0), vectors.T[::-1]
    else:
        _, singular, directions = np.linalg.svd(x, full_matrices=False)
        variance = singular**2
    total = float(variance.sum())
    if total <= 1e-12 * max(1.0, float(np.abs(points).max()) ** 2):
        return Projection(flat, _axes(0.0, 0.0))
    two = directions[:2]
    greatest = np.abs(two).argmax(axis=1)
    two = two * np.sign(two[np.arange(len(two)), greatest])[:, None]
    flat[:, : len(two)] = x @ two.T
    shares = [*(float(v) / total for v in variance[:2]), 0.0]
    return Projection(flat, _axes(*shares[:2]))


def _axes(*shares: float) -> tuple[str, str]:
    first, second = (f" ({share:.0%} of the variance)" if sum(shares) else "" for share in shares)
    return f"first principal component{first}", f"second principal component{second}"


def umap(points: NDArray[np.float32]) -> Projection:
    """The plane that keeps neighbourhoods, by UMAP with a fixed seed; PCA for under 16 points.

    Raises
    ------
    MissingExtra
        If umap-learn is not installed.
    """
    try:
        from umap import UMAP
    except ImportError:
        raise MissingExtra("--projection umap", "umap") from None
    if len(points) < UMAP_LEAST:
        return pca(points)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # umap and numba warn of their own calls
        # One job: with more, the seed does not hold.
        model = UMAP(n_components=2, n_neighbors=UMAP_NEIGHBOURS, random_state=UMAP_SEED, n_jobs=1)
        flat = np.asarray(model.fit_transform(np.asarray(points, np.float32)), np.float64)
    return Projection(flat, ("first UMAP axis (no unit)", "second UMAP axis (no unit)"))


PROJECTIONS = {"pca": pca, "umap": umap}
