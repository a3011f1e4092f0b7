"""The minimum and the maximum of cuts by prominence, and that cuts nest whatever they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.atoms import Atom
from vchunk.domain.pieces import Pieces
from vchunk.domain.sections import Segments
from vchunk.domain.suppression import cap, suppress


def kept(positions: list[int], strengths: list[float], length: int, minimum: int) -> list[int]:
    stays = suppress(np.array(positions, np.int64), np.array(strengths), length, minimum)
    return [p for p, stay in zip(positions, stays, strict=True) if stay]


def test_the_weakest_goes_first() -> None:
    # 30 is too near to 20, which is weaker; with 20 gone it may stay.
    assert kept([20, 30, 60], [1.0, 2.0, 3.0], 100, 15) == [30, 60]


def test_a_weak_one_that_is_near_nobody_stays() -> None:
    assert kept([20, 50, 58], [0.1, 5.0, 4.0], 100, 15) == [20, 50]


def test_of_equals_the_later_goes() -> None:
    assert kept([20, 30], [1.0, 1.0], 100, 15) == [20]


def test_the_ends_count_as_neighbours() -> None:
    assert kept([10, 50, 92], [9.0, 1.0, 9.0], 100, 11) == [50]


def test_forced_ones_stay_and_their_neighbours_go() -> None:
    inf = float("inf")
    assert kept([5, 8, 20, 22], [inf, 9.0, inf, inf], 100, 15) == [5, 20, 22]


def test_no_minimum_no_loss() -> None:
    assert kept([1, 1, 2], [1.0, 2.0, 3.0], 3, 0) == [1, 1, 2]
    assert kept([], [], 0, 10) == []


pools = st.integers(0, 14).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 100), min_size=n, max_size=n).map(sorted),
        st.lists(st.one_of(st.integers(0, 4).map(float), st.just(float("inf"))), min_size=n, max_size=n),
    )
)


@given(pools, st.integers(0, 40))
def test_the_distance_holds_and_nothing_is_dropped_without_need(
    pool: tuple[list[int], list[float]], minimum: int
) -> None:
    positions, strengths = pool
    stays = suppress(np.array(positions, np.int64), np.array(strengths), 100, minimum)
    held = np.flatnonzero(stays).tolist()
    at = [0, *(positions[i] for i in held), 100]
    forced = [True, *(np.isinf(strengths[i]) for i in held), True]
    for (a, first), (b, second) in pairwise(zip(at, forced, strict=True)):
        assert b - a >= minimum or (first and second)
    for i in set(range(len(positions))) - set(held):
        # An end or one that was not weaker is too near.
        stronger = [p for j, p in enumerate(positions) if j != i and strengths[j] >= strengths[i]]
        assert min(abs(positions[i] - p) for p in [0, 100, *stronger]) < minimum


@given(pools, st.integers(0, 40), st.floats(0, 4), st.floats(0, 4))
def test_what_survives_is_the_pool_of_every_threshold(
    pool: tuple[list[int], list[float]], minimum: int, one: float, other: float
) -> None:
    positions, strengths = pool
    low, high = sorted((one, other))
    at, strong = np.array(positions, np.int64), np.array(strengths)
    stays = suppress(at, strong, 100, minimum)
    # Dropping the weak before or after makes no difference.
    for threshold in (low, high):
        above = strong >= threshold
        alone = suppress(at[above], strong[above], 100, minimum)
        assert np.flatnonzero(stays & above).tolist() == np.flatnonzero(above)[alone].tolist()


def pieces_of(sizes: list[int], levels: list[int], atoms: tuple[Atom, ...] = ()) -> Pieces:
    count = len(sizes)
    return Pieces(
        edges=np.concatenate(([0], np.cumsum(sizes))),
        levels=np.array(levels, np.int8),
        sizes=np.array(sizes, np.int64),
        units=np.arange(count),
        atoms=atoms,
        segments=Segments(np.zeros(1, np.int64), np.array([-1, -1])),
        ranks=np.zeros(count, np.int64),
        glued=np.zeros(count + 1, bool),
        kinds=np.zeros(count + 1, bool),
    )


def capped(pieces: Pieces, cuts: list[int], pool: dict[int, float], maximum: int) -> list[int]:
    mask = np.zeros(len(pieces) + 1, bool)
    mask[[0, *cuts, len(pieces)]] = True
    strengths = np.zeros(len(pieces) + 1)
    for at, strength in pool.items():
        strengths[at] = strength
    return np.flatnonzero(cap(pieces, mask, strengths, maximum)).tolist()


def test_the_strongest_of_the_pool_comes_first() -> None:
    pieces = pieces_of([10] * 8, [0] * 8)
    assert capped(pieces, [], {2: 1.0, 5: 3.0}, 60) == [0, 5, 8]
    assert capped(pieces, [], {2: 1.0, 5: 3.0}, 40) == [0, 2, 5, 8]


def test_ties_go_by_level_then_by_position() -> None:
    levels = [3, 0, 0, 0, 2, 0, 0, 0]
    assert capped(pieces_of([10] * 8, levels), [], {2: 1.0, 4: 1.0, 5: 1.0}, 50) == [0, 4, 8]
    assert capped(pieces_of([10] * 8, [0] * 8), [], {3: 1.0, 4: 1.0}, 50) == [0, 3, 8]


def test_without_a_pool_the_highest_level_nearest_the_middle() -> None:
    assert capped(pieces_of([10] * 8, [3, 0, 1, 0, 0, 0, 1, 0]), [], {}, 60) == [0, 2, 8]
    assert capped(pieces_of([10] * 8, [3] + [0] * 7), [], {}, 40) == [0, 4, 8]


def test_inside_a_block_the_highest_rank_comes_first() -> None:
    pieces = replace(pieces_of([10] * 8, [3] + [-1] * 7), ranks=np.array([0, 0, 5, 0, 0, 0, 5, 0]))
    assert capped(pieces, [], {}, 60) == [0, 2, 8]


def test_what_fits_is_left_alone() -> None:
    assert capped(pieces_of([10] * 4, [0] * 4), [2], {1: 9.0}, 20) == [0, 2, 4]


def test_a_single_piece_cannot_be_cut() -> None:
    assert capped(pieces_of([90, 5], [0, 0]), [], {}, 20) == [0, 1, 2]


def test_an_atom_that_fits_stays_whole() -> None:
    pieces = pieces_of([10, 10, 10, 10], [2, 1, 2, 0], (Atom(1, 3, 1, True),))
    assert capped(pieces, [], {}, 20) == [0, 1, 3, 4]


@st.composite
def capped_problems(draw: st.DrawFn) -> tuple[Pieces, np.ndarray, int]:
    count = draw(st.integers(1, 16))
    sizes = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    levels = draw(st.lists(st.integers(-2, 3), min_size=count, max_size=count))
    pool = np.array([*draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)), 0], float)
    pool[0] = 0
    low = draw(st.integers(0, count - 1))
    high = draw(st.integers(low, count))
    atoms = (Atom(low, high, low, True),) if high - low > 1 else ()
    pool[low + 1 : high] = 0  # no peak snaps into a block
    return pieces_of(sizes, levels, atoms), pool, draw(st.integers(1, 40))


@given(capped_problems(), st.integers(1, 5), st.integers(1, 5))
def test_cuts_nest_over_thresholds_with_a_maximum_too(
    problem: tuple[Pieces, np.ndarray, int], one: int, other: int
) -> None:
    pieces, pool, maximum = problem
    found = []
    for threshold in sorted((one, other)):
        cuts = (pool > 0) & (pool >= threshold)
        cuts[[0, -1]] = True
        out = cap(pieces, cuts, pool, maximum)
        assert (out | cuts).tolist() == out.tolist()
        edges = np.flatnonzero(out).tolist()
        for a, b in pairwise(edges):
            assert pieces.sizes[a:b].sum() <= maximum or b - a == 1
        found.append(out)
    finer, coarser = found
    assert not (coarser & ~finer).any()


@pytest.mark.parametrize("threshold", [1.0, 2.0])
def test_the_cuts_given_stay(threshold: float) -> None:
    assert capped(pieces_of([1] * 5, [0] * 5), [1, 2], {1: threshold}, 100) == [0, 1, 2, 5]
