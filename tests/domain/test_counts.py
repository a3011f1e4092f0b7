"""Exactly so many chunks: against all divisions of small problems."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain import counts
from vchunk.domain.counts import CountOutOfReach, solve_count
from vchunk.domain.objective import Goal, Items, chunk_costs
from vchunk.domain.sections import NO_BORDER


def items_of(sizes: list[int], rewards: list[float], vectors: list[int], forced: list[int]) -> Items:
    count = len(sizes)
    border = np.full(count + 1, NO_BORDER)
    border[[0, count]] = -1
    mass = np.eye(3, dtype=np.float32)[vectors] * np.array(sizes, np.float32)[:, None]
    marks = np.zeros(count + 1, bool)
    marks[[at for at in forced if 0 < at < count]] = True
    return Items(np.arange(count + 1), np.array(sizes), mass, np.array(rewards), border, marks)


def cost_of(items: Items, goal: Goal, starts: list[int]) -> float:
    costs = dict(chunk_costs(items, goal))
    total = 0.0
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        if end - start > len(costs[start]):
            return np.inf
        total += costs[start][end - start - 1] - (items.reward[start] if start else 0.0)
    return float(total)


problems = st.integers(1, 9).flatmap(
    lambda n: st.builds(
        items_of,
        st.lists(st.integers(1, 12), min_size=n, max_size=n),
        st.lists(st.sampled_from([0.0, 0.1, 0.4, 2.0]), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(1, 8), max_size=2),
    )
)
goals = st.builds(Goal, st.sampled_from([5.0, 20.0]), st.sampled_from([12, 30, 200]), st.sampled_from([0.01, 3.0]))


@given(problems, goals, st.integers(1, 10))
def test_the_best_division_into_so_many(items: Items, goal: Goal, count: int) -> None:
    n = len(items)
    best = {
        k: min(cost_of(items, goal, [0, *inner]) for inner in combinations(range(1, n), k - 1))
        for k in range(1, n + 1)
    }
    possible = [k for k, cost in best.items() if np.isfinite(cost)]
    if count < min(possible):
        with pytest.raises(CountOutOfReach) as short:
            solve_count([(items, goal)], count)
        assert short.value.least == min(possible)
        return
    (starts,) = solve_count([(items, goal)], count)
    assert len(starts) == min(count, n)
    assert cost_of(items, goal, starts.tolist()) == pytest.approx(best[len(starts)], rel=1e-6, abs=1e-6)


@given(problems, problems, goals, st.integers(2, 14))
def test_runs_share_the_count(first: Items, second: Items, goal: Goal, count: int) -> None:
    try:
        found = solve_count([(first, goal), (second, goal)], count)
    except CountOutOfReach:
        return  # which counts are: see above
    assert sum(map(len, found)) == min(count, len(first) + len(second))
    for items, starts in zip((first, second), found, strict=True):
        assert np.isfinite(cost_of(items, goal, starts.tolist()))


def test_equal_items_leave_the_number_to_the_last_stretch() -> None:
    items = items_of([10] * 24, [0.0] * 24, [0] * 24, [])
    for count in range(1, 25):
        (starts,) = solve_count([(items, Goal(240 / count, 1000, 5.0))], count)
        assert len(starts) == count


def test_long_stretches_are_divided_where_it_costs_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "_LARGEST_TABLE", 0)
    items = items_of([10] * 24, [0.0] * 24, [0] * 24, [])
    for count in range(1, 25):
        (starts,) = solve_count([(items, Goal(60, 1000, 5.0))], count)
        assert len(starts) == count


def test_very_many_items_are_thinned_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "_WIDEST", 8)
    items = items_of([10] * 400, [0.0] * 400, [i // 100 % 3 for i in range(400)], [])
    (starts,) = solve_count([(items, Goal(1000, 4000, 20.0))], 4)
    assert starts.tolist() == [0, 100, 200, 300]
