"""Anchors: gaps of bounded length, chosen by content and therefore local."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.domain.anchors import AnchorFinder, find_anchors, position_hashes


def random_ids(count: int, seed: int = 0, vocabulary: int = 30_000) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(0, vocabulary, count, np.int32)


def splitmix64(state: int) -> int:
    """The generator's finaliser, in whole numbers of any size."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
    return state ^ (state >> 31)


def test_splitmix64_is_the_published_one() -> None:
    assert splitmix64(0) == 0xE220A8397B1DCDAF  # the first number of the generator seeded with 0


def test_a_hash_covers_the_token_and_the_three_before_it() -> None:
    ids = [7, 0, 29_999, 7, 7]
    hashes = position_hashes(np.array(ids, np.int32))
    for t, value in enumerate(hashes.tolist()):
        state = 0
        for token in ([-1, -1, -1, *ids])[t : t + 4]:
            state = splitmix64(state ^ (token & ((1 << 64) - 1)))
        assert value == state >> 12
        assert value < 2**52


def naive_anchors(ids: NDArray[np.int32], radius: int) -> list[int]:
    """The definition, position by position."""
    n = len(ids)
    if n == 0:
        return [0]
    # The ends are lower than any hash; of equal ones the leftmost is the least.
    rank = [(-1, 0), *((int(h), t) for t, h in enumerate(position_hashes(ids)) if t), (-1, 0)]
    found = {0, n}
    for t in range(1, n):
        if rank[t] == min(rank[max(t - radius, 0) : t + radius + 1]):
            found.add(t)

    def split(left: int, right: int) -> None:
        if right - left >= 2 * radius + 2:
            at = min(range(left + radius + 1, right - radius), key=lambda t: rank[t])
            found.add(at)
            split(left, at)
            split(at, right)

    for left, right in pairwise(sorted(found)):
        split(left, right)
    return sorted(found)


@given(
    st.integers(1, 6),
    st.lists(st.integers(0, 3), max_size=150),
)
def test_anchors_are_those_of_the_definition(radius: int, ids: list[int]) -> None:
    array = np.array(ids, np.int32)
    assert find_anchors(array, radius).tolist() == naive_anchors(array, radius)


@given(st.integers(1, 6), st.lists(st.integers(0, 3), max_size=150), st.lists(st.integers(0, 150), max_size=6))
def test_anchors_of_tokens_that_come_run_by_run_are_those_of_the_whole(
    radius: int, ids: list[int], cuts: list[int]
) -> None:
    array = np.array(ids, np.int32)
    finder = AnchorFinder(radius)
    runs = np.split(array, sorted(min(cut, len(ids)) for cut in cuts))
    found = [*(finder.push(run) for run in runs), finder.finish()]
    assert np.concatenate(found).tolist() == naive_anchors(array, radius)


def test_anchors_are_told_as_soon_as_they_are_certain() -> None:
    ids = random_ids(5_000)
    finder, told = AnchorFinder(63), list[int]()
    for start in range(0, 5_000, 100):
        told += finder.push(ids[start : start + 100]).tolist()
        assert start < 200 or told[-1] > start + 100 - 63 - 2 * 127
    assert [*told, *finder.finish().tolist()] == find_anchors(ids, 63).tolist()


@pytest.mark.parametrize("radius", [1, 5, 63])
@pytest.mark.parametrize("vocabulary", [1, 2, 30_000])
def test_gaps_hold_a_radius_and_one_to_twice_that(radius: int, vocabulary: int) -> None:
    anchors = find_anchors(random_ids(5_000, vocabulary=vocabulary), radius)
    assert anchors[0] == 0
    assert anchors[-1] == 5_000
    gaps = np.diff(anchors)
    assert gaps.min() >= radius + 1
    assert gaps.max() <= 2 * radius + 1


@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 127])
def test_a_document_too_short_for_two_gaps_has_one(count: int) -> None:
    expected = [0, count] if count else [0]
    assert find_anchors(random_ids(count)).tolist() == expected


def test_the_shortest_document_with_two_gaps() -> None:
    assert find_anchors(random_ids(128)).tolist() == [0, 64, 128]


def test_of_equal_hashes_the_leftmost_is_the_least() -> None:
    # One token over and over: every hash from the fourth position on is the same.
    anchors = find_anchors(np.zeros(1_000, np.int32), 63)
    hashes = position_hashes(np.zeros(1_000, np.int32))
    assert len(set(hashes[3:].tolist())) == 1
    assert anchors.tolist() == [*range(0, 1_000 - 64, 64), 1_000]


@pytest.mark.parametrize("edit", ["replace", "insert", "delete"])
@pytest.mark.parametrize("seed", range(8))
def test_an_edit_moves_only_the_anchors_near_it(edit: str, seed: int) -> None:
    ids = random_ids(10_000, seed)
    at = 3_000 + 500 * seed
    new = random_ids(40, 100 + seed)
    head, tail = {
        "replace": (at, at + 40),
        "insert": (at, at),
        "delete": (at, at + 40),
    }[edit]
    middle = new[:0] if edit == "delete" else new
    edited = np.concatenate((ids[:head], middle, ids[tail:]))
    shift = len(edited) - len(ids)
    before, after = find_anchors(ids), find_anchors(edited)
    assert before[before < at - 600].tolist() == after[after < at - 600].tolist()
    behind = at + 640
    assert (before[before > behind] + shift).tolist() == after[after > behind + shift].tolist()
