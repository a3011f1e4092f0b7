"""The objective: the best of all segmentations, by brute force on small inputs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.domain import objective
from vchunk.domain.objective import Goal, Items, chunk_costs, contrast_strength, info, solve
from vchunk.domain.sections import NO_BORDER

TOO_LARGE = 1e6


def items_of(
    sizes: list[int],
    mass: NDArray[np.float32] | None = None,
    reward: list[float] | None = None,
    border: dict[int, int] | None = None,
    forced: tuple[int, ...] = (),
) -> Items:
    count = len(sizes)
    borders = np.full(count + 1, NO_BORDER, np.int64)
    borders[[0, count]] = -1
    for at, depth in (border or {}).items():
        borders[at] = depth
    must = np.zeros(count + 1, bool)
    must[list(forced)] = True
    return Items(
        np.arange(count + 1),
        np.array(sizes, np.int64),
        mass,
        np.array(reward if reward is not None else [0.0] * count),
        borders,
        must,
    )


def cost_of_chunk(items: Items, goal: Goal, a: int, b: int) -> float:
    """The objective's terms, one by one."""
    inner = range(a + 1, b)
    if any(items.forced[e] for e in inner):
        return np.inf
    weakest = min((int(items.border[e]) for e in inner), default=NO_BORDER)
    # A run of whole siblings: what is crossed is no deeper outside than inside.
    if weakest != NO_BORDER and (items.border[a] > weakest or items.border[b] > weakest):
        return np.inf
    size = int(items.sizes[a:b].sum())
    if size > goal.maximum and b - a > 1:
        return np.inf
    cost = goal.evenness * (size / goal.target - 1) ** 2
    if goal.min_tokens is None:
        cost += max(0.0, 1 - size / (0.2 * goal.target))
    elif size < goal.min_tokens:
        cost += 1000
    if items.mass is not None:
        pull = items.mass[a:b].astype(float).sum(axis=0)
        cost += 1 + max(size - float(pull @ pull) / max(size, 1), 0.0) / goal.scale
    return cost + (TOO_LARGE if size > goal.maximum else 0.0)


def cost_of(items: Items, goal: Goal, cuts: list[int]) -> float:
    edges = [*cuts, len(items)]
    total = sum(cost_of_chunk(items, goal, a, b) for a, b in itertools.pairwise(edges))
    return float(total - sum(items.reward[c] for c in cuts[1:]))


def brute_force(items: Items, goal: Goal) -> float:
    inner = range(1, len(items))
    return min(
        cost_of(items, goal, [0, *chosen])
        for k in range(len(items))
        for chosen in itertools.combinations(inner, k)
    )


@st.composite
def problems(draw: st.DrawFn) -> tuple[Items, Goal]:
    count = draw(st.integers(1, 9))
    sizes = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    mass = None
    if draw(st.booleans()):
        dice = np.random.default_rng(draw(st.integers(0, 50)))
        rows = dice.standard_normal((count, 2))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        mass = (rows * np.array(sizes)[:, None]).astype(np.float32)
    reward = draw(st.lists(st.floats(0, 1), min_size=count, max_size=count))
    edges = st.integers(1, max(count - 1, 1))
    border = draw(st.dictionaries(edges, st.integers(0, 3), max_size=4)) if count > 1 else {}
    forced = tuple(draw(st.sets(edges, max_size=2))) if count > 1 else ()
    goal = Goal(
        target=draw(st.sampled_from([3.0, 10.0, 400.0])),
        maximum=draw(st.integers(1, 40)),
        scale=draw(st.sampled_from([0.5, 5.0])),
        min_tokens=draw(st.one_of(st.none(), st.integers(0, 15))),
    )
    return items_of(sizes, mass, reward, border, forced), goal


@given(problems())
def test_no_segmentation_is_better(problem: tuple[Items, Goal]) -> None:
    items, goal = problem
    cuts = solve(items, goal).tolist()
    assert cuts[0] == 0
    assert cuts == sorted(set(cuts))
    found = cost_of(items, goal, cuts)
    assert np.isfinite(found)
    assert found == pytest.approx(brute_force(items, goal), rel=1e-5, abs=1e-4)
    assert set(np.flatnonzero(items.forced[1:-1]) + 1) <= set(cuts)


@given(problems(), st.sampled_from([1, 4, 30]))
def test_the_size_of_a_block_of_sums_changes_nothing(problem: tuple[Items, Goal], floats: int) -> None:
    items, goal = problem
    whole = solve(items, goal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objective, "_BLOCK_FLOATS", floats)
        assert solve(items, goal).tolist() == whole.tolist()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(0, 99))
def test_items_of_no_size_change_no_cost(sizes: list[int], seed: int) -> None:
    """To the bit: the costs between the items that hold something are those without the others."""
    goal = Goal(6.0, 12, 2.0)
    directions = np.random.default_rng(seed).normal(size=(len(sizes), 5)).astype(np.float32)
    mass = directions * np.array(sizes, np.float32)[:, None]
    solid = [at for at, size in enumerate(sizes) if size]
    without = dict(chunk_costs(items_of([sizes[at] for at in solid], mass[solid]), goal))
    held = np.concatenate(([0], np.cumsum(np.array(sizes) > 0)))
    for start, costs in chunk_costs(items_of(sizes, mass), goal):
        for end, cost in enumerate(costs.tolist(), start + 1):
            count = int(held[end] - held[start])
            assert not count or cost == without[int(held[start])][count - 1]


def test_no_items_no_cuts() -> None:
    empty = Items(
        np.zeros(1, np.int64), np.zeros(0, np.int64), None, np.zeros(0), np.array([-1]), np.zeros(1, bool)
    )
    assert solve(empty, Goal(10, 20, 1.0)).tolist() == []


def test_even_sizes_are_cut_evenly() -> None:
    assert solve(items_of([5] * 8), Goal(10, 20, 1.0)).tolist() == [0, 2, 4, 6]


def test_meaning_moves_the_cut_to_where_the_topic_turns() -> None:
    mass = np.zeros((8, 2), np.float32)
    mass[:3, 0] = mass[3:, 1] = 5.0
    assert solve(items_of([5] * 8, mass), Goal(20, 40, 1.0)).tolist() == [0, 3]


def test_a_reward_draws_a_cut() -> None:
    assert solve(items_of([5] * 4, reward=[0, 0, 0, 0]), Goal(10, 20, 1.0)).tolist() == [0, 2]
    assert solve(items_of([5] * 4, reward=[0, 5, 0, 5]), Goal(10, 20, 1.0)).tolist() == [0, 1, 3]


def test_ties_go_to_the_earlier_cut() -> None:
    # Three equal items, two chunks: (1, 2) and (2, 1) cost the same.
    assert solve(items_of([10, 10, 10]), Goal(15, 20, 1.0)).tolist() == [0, 1]
    assert solve(items_of([0, 0, 0, 0]), Goal(10, 20, 1.0)).tolist() == [0]


def test_the_maximum_holds_but_for_a_single_item() -> None:
    assert solve(items_of([30, 2, 2]), Goal(10, 20, 1.0)).tolist() == [0, 1]
    assert solve(items_of([2, 30, 2]), Goal(10, 20, 1.0)).tolist() == [0, 1, 2]


def test_a_hard_minimum_is_kept_where_it_can_be() -> None:
    items = items_of([5, 5, 5], reward=[0.0, 9.0, 9.0])
    assert solve(items, Goal(5, 30, 1.0)).tolist() == [0, 1, 2]
    assert solve(items, Goal(5, 30, 1.0, min_tokens=6)).tolist() == [0]
    assert solve(replace(items, forced=np.array([0, 1, 0, 0], bool)), Goal(5, 30, 1.0, min_tokens=6)).tolist() == [
        0,
        1,
    ]


def test_a_chunk_is_a_run_of_whole_siblings_or_lies_in_one_section() -> None:
    goal = Goal(6, 12, 1.0)
    assert solve(items_of([3] * 4), goal).tolist() == [0, 2]
    # A section at 1 that begins inside the first half and goes on behind it: not half of it.
    assert 1 in solve(items_of([3] * 4, border={1: 0, 2: 1}), goal).tolist()
    # Two whole subsections, then another section.
    assert solve(items_of([3] * 4, border={1: 1, 2: 0, 3: 1}), goal).tolist() == [0, 2]


@given(problems(), st.data())
def test_merged_items_sum_what_they_hold(problem: tuple[Items, Goal], data: st.DataObject) -> None:
    items, _ = problem
    count = len(items)
    keep = np.array([True, *data.draw(st.lists(st.booleans(), min_size=count - 1, max_size=count - 1)), True])
    merged = items.merge(keep, items.border, items.forced)
    edges = np.flatnonzero(keep)
    assert merged.edges.tolist() == edges.tolist()
    assert merged.sizes.tolist() == [items.sizes[a:b].sum() for a, b in itertools.pairwise(edges)]
    assert merged.reward.tolist() == items.reward[edges[:-1]].tolist()
    assert merged.border.tolist() == items.border[edges].tolist()
    assert merged.forced.tolist() == items.forced[edges].tolist()
    if items.mass is not None:
        assert merged.mass is not None
        wanted = [items.mass[a:b].sum(axis=0) for a, b in itertools.pairwise(edges)]
        np.testing.assert_allclose(merged.mass, wanted, rtol=1e-4, atol=1e-5)


def test_gamma_is_smaller_for_sections() -> None:
    assert [Goal(t, 10, 1.0).evenness for t in (399, 400)] == [1.0, 0.3]


def test_info_tells_how_rare_a_level_is_here() -> None:
    levels = np.array([0] * 5 + [2] * 3 + [3] * 2, np.int8)
    told = info(levels)
    assert told[0] == 0.0
    # P(level >= 2) = 0.5, P(level >= 3) = 0.2; on the grid of powers of 1.2 these are 1.2^-4 and 1.2^-9.
    np.testing.assert_allclose(told[5], 4 * np.log(1.2))
    np.testing.assert_allclose(told[8], 9 * np.log(1.2))


def test_boundaries_below_level_0_tell_nothing_and_count_for_nothing() -> None:
    with_rows = info(np.array([0, 2, -1, -1, -1], np.int8))
    assert with_rows[2:].tolist() == [0, 0, 0]
    assert with_rows[:2].tolist() == info(np.array([0, 2], np.int8)).tolist()
    assert info(np.array([-1, -1], np.int8)).tolist() == [0, 0]
    assert len(info(np.zeros(0, np.int8))) == 0


def test_info_has_a_floor() -> None:
    levels = np.zeros(100_000, np.int8)
    levels[0] = 3
    np.testing.assert_allclose(info(levels)[0], -np.log(1e-3), rtol=0.02)


def test_contrast_strength() -> None:
    found = contrast_strength(np.array([0.2, 0.2 + 1.4826, 0.0, np.nan], np.float32), 0.2, 1.0)
    np.testing.assert_allclose(found, [0, np.log(2), 0, 0], atol=1e-6)
