"""Constants of an encoder: interpolation, and how they are measured."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from vchunk.domain.constants import EncoderConstants, calibrate, ward_gains
from vchunk.domain.units import Units

KNOWN = EncoderConstants((64, 128, 256), (8.0, 16.0, 64.0), 0.2, 0.1)


@pytest.mark.parametrize(
    ("target", "scale"),
    [
        (64, 8.0),
        (128, 16.0),
        (256, 64.0),
        (64 * 2**0.5, 8.0 * 2**0.5),  # straight in logs
        (32, 4.0),  # beyond, along the slope at the end
        (512, 256.0),
        (1024, 1024.0),
    ],
)
def test_the_scale_between_and_beyond_levels(target: float, scale: float) -> None:
    assert KNOWN.scale(target) == pytest.approx(scale)


def test_one_level_serves_all() -> None:
    assert EncoderConstants((64.0,), (9.0,), 0.2, 0.1).scale(1000) == 9.0


def units_of(
    sizes: list[int],
    means: NDArray[np.float32],
    levels: list[int] | None = None,
    contrast: list[float] | None = None,
) -> Units:
    count = len(sizes)
    return Units(
        np.arange(count + 1) * 10,
        np.array(levels or [0] * count, np.int8),
        np.concatenate(([0], np.cumsum(sizes))),
        means,
        np.array(contrast if contrast is not None else [np.nan] * count, np.float32),
    )


def scatter(directions: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
    """The sum of squared distances from the mean, token by token."""
    tokens = np.repeat(directions, sizes, axis=0)
    return float(((tokens - tokens.mean(axis=0)) ** 2).sum())


def test_gains_are_the_scatter_that_a_cut_saves() -> None:
    dice = np.random.default_rng(0)
    sizes = dice.integers(1, 9, 40).tolist()
    means = dice.standard_normal((40, 3)).astype(np.float32)
    levels = dice.choice([-1, 0, 2], 40).tolist()
    units = units_of(sizes, means, levels)
    at, target = units.token_edges, 20
    directions = means.astype(float) / np.linalg.norm(means.astype(float), axis=1, keepdims=True)
    expected = []
    for i in range(1, 40):
        if levels[i] < 0 or at[i] < target or at[-1] - at[i] < target:
            continue
        left = [j for j in range(i) if at[j] >= at[i] - target]
        right = [j for j in range(i, 40) if at[j + 1] <= at[i] + target]
        if left and right:
            both = left + right
            parts = (both, left, right)
            whole, one, other = (scatter(directions[p], np.array(sizes)[p]) for p in parts)
            expected.append(whole - one - other)
    assert len(expected) > 10
    np.testing.assert_allclose(ward_gains(units, target), expected, rtol=1e-4, atol=1e-6)


def test_one_topic_has_nothing_to_gain_and_a_turn_has_most() -> None:
    means = np.zeros((20, 2), np.float32)
    means[:10, 0] = means[10:, 1] = 1.0
    gains = ward_gains(units_of([4] * 20, means), 16)
    # Boundaries from 16 to 64 tokens; the turn is at 40.
    assert len(gains) == 13
    assert gains.argmax() == 6
    np.testing.assert_allclose(gains[6], 16.0, rtol=1e-5)  # 32 tokens, half of them in either direction
    np.testing.assert_allclose(gains[[0, -1]], 0.0, atol=1e-5)


def test_units_without_a_mean_count_by_size_alone() -> None:
    gains = ward_gains(units_of([10] * 6, np.zeros((6, 2), np.float32)), 20)
    assert np.isfinite(gains).all()
    np.testing.assert_allclose(gains, 0.0)


def test_calibration_takes_medians() -> None:
    dice = np.random.default_rng(1)
    documents = [
        units_of([5] * 60, dice.standard_normal((60, 3)).astype(np.float32), contrast=dice.random(60).tolist())
        for _ in range(2)
    ]
    found = calibrate(documents, (16, 32, 100_000))
    assert found.targets == (16.0, 32.0)
    for target, scale in zip(found.targets, found.scales, strict=True):
        assert scale == pytest.approx(np.median(np.concatenate([ward_gains(d, target) for d in documents])))
    contrast = np.concatenate([d.contrast for d in documents if d.contrast is not None])
    assert found.contrast_median == pytest.approx(np.median(contrast), abs=1e-6)
    assert found.contrast_mad == pytest.approx(np.median(np.abs(contrast - np.median(contrast))), abs=1e-6)
    assert all(a < b for a, b in pairwise(found.targets))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_almost_nothing_gives_constants_all_the_same(count: int) -> None:
    found = calibrate([units_of([1] * count, np.zeros((count, 2), np.float32))], (64, 128))
    assert found.scale(64) > 0
    assert found.contrast_mad > 0
    assert np.isfinite(found.scale(1024))


def test_a_document_of_one_vector_gives_scales_above_zero() -> None:
    found = calibrate([units_of([10] * 100, np.ones((100, 2), np.float32), contrast=[0.0] * 100)], (64, 128))
    assert min(found.scales) > 0
    assert found.contrast_mad > 0


def test_scales_grow_with_the_unit_of_size() -> None:
    constants = EncoderConstants((64.0, 128.0), (9.0, 17.0), 0.2, 0.1)
    in_characters = constants.counted(4.0)
    for target in (32, 64, 100, 500):
        assert in_characters.scale(4 * target) == pytest.approx(4 * constants.scale(target))
    assert in_characters.contrast_median == constants.contrast_median
