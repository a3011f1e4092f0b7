"""Snapping: each peak to the nearest boundary, before any threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.snapping import snap_peaks


def snap(peaks: list[int], heights: list[float], boundaries: list[int]) -> list[float]:
    return snap_peaks(np.array(peaks, np.int64), np.array(heights, float), np.array(boundaries, np.int64)).tolist()


@pytest.mark.parametrize(
    ("peak", "expected"),
    [(0, 0), (10, 0), (14, 0), (15, 0), (16, 1), (20, 1), (24, 1), (25, 1), (26, 2), (99, 2)],
)
def test_the_nearest_of_equals_the_earlier(peak: int, expected: int) -> None:
    found = snap([peak], [7.0], [10, 20, 30])
    assert found == [7.0 if i == expected else 0.0 for i in range(3)]


def test_a_boundary_keeps_its_greatest_peak() -> None:
    assert snap([8, 11, 13, 40], [2.0, 5.0, 3.0, 1.0], [10, 38]) == [5.0, 1.0]


def test_nothing_to_snap() -> None:
    assert snap([], [], [1, 2]) == [0, 0]
    assert snap([5], [1.0], []) == []


@given(
    st.lists(st.tuples(st.integers(0, 60), st.floats(0.1, 9)), max_size=12),
    st.sets(st.integers(0, 60), min_size=1, max_size=8).map(sorted),
)
def test_it_equals_a_search(peaks: list[tuple[int, float]], boundaries: list[int]) -> None:
    wanted = [0.0] * len(boundaries)
    for position, height in peaks:
        nearest = min(range(len(boundaries)), key=lambda i: (abs(boundaries[i] - position), i))
        wanted[nearest] = max(wanted[nearest], height)
    assert snap([p for p, _ in peaks], [h for _, h in peaks], boundaries) == wanted
