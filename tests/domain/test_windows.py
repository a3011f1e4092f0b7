"""Windows: two over each token, and names that depend on what the rows depend on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.domain.errors import UsageError
from vchunk.domain.ports import EncoderIdentity
from vchunk.domain.windows import FullPlan, LightPlan, WindowPlan, interval_names, make_plan
from vchunk.wiring import make_hasher

IDENTITY = EncoderIdentity("weights", "tokenizer", "engine", "cpu", "float32", "prefix: ")
PLAN = FullPlan(63)
LIGHT = LightPlan(105, 21)


def names(
    ids: NDArray[np.int32], edges: list[int], identity: EncoderIdentity = IDENTITY, plan: WindowPlan = PLAN
) -> list[bytes]:
    return interval_names(ids, np.array(edges, np.int64), identity, plan, make_hasher())


@pytest.mark.parametrize(("window", "radius"), [(254, 63), (256, 63), (510, 127), (6, 1), (9, 1), (10, 2)])
def test_a_plan_fits_its_window(window: int, radius: int) -> None:
    assert FullPlan.for_window(window).radius == radius
    assert 4 * radius + 2 <= window


def test_a_plan_is_named_by_its_radius() -> None:
    assert PLAN.name != FullPlan(64).name
    assert LIGHT.name != LightPlan(105, 20).name != LightPlan(104, 20).name


def test_a_window_too_short_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 6"):
        FullPlan.for_window(5)


@given(st.integers(0, 1_500), st.integers(6, 254))
def test_each_token_is_in_two_windows_and_in_one_at_the_ends(count: int, window: int) -> None:
    ids = np.random.default_rng(count).integers(0, 50, count, np.int32)
    plan = FullPlan.for_window(window)
    edges = plan.anchors(ids)
    seen = np.zeros(count, int)
    for w in range(plan.count(edges)):
        low, high = plan.bounds(edges, w)
        assert 0 < high - low <= window
        seen[low:high] += 1
    if len(edges) <= 3:
        assert (seen == 1).all()
    else:
        assert (seen[: edges[1]] == 1).all()
        assert (seen[edges[-2] :] == 1).all()
        assert (seen[edges[1] : edges[-2]] == 2).all()


@pytest.mark.parametrize(("edges", "count"), [([0], 0), ([0, 5], 1), ([0, 5, 9], 1), ([0, 5, 9, 14], 2)])
def test_window_count(edges: list[int], count: int) -> None:
    assert PLAN.count(np.array(edges)) == count


EDGES = [0, 10, 20, 30, 40, 50, 60, 70]


@pytest.mark.parametrize("changed", range(7))
def test_a_name_depends_on_its_interval_and_those_beside_it_only(changed: int) -> None:
    ids = np.arange(70, dtype=np.int32)
    other = ids.copy()
    other[EDGES[changed] + 4] = 999
    differ = [i for i, (a, b) in enumerate(zip(names(ids, EDGES), names(other, EDGES), strict=True)) if a != b]
    assert differ == [i for i in (changed - 1, changed, changed + 1) if 0 <= i < 7]


def test_a_name_does_not_depend_on_the_place() -> None:
    run = np.arange(30, dtype=np.int32)
    ids = np.concatenate((run, run + 100, run))
    found = names(ids, [0, 5, 10, 20, 25, 30, 60, 65, 70, 80, 85, 90])
    # The same 5 + 10 + 5 tokens, once far from the start, once far from the end.
    assert found[1:4] == found[7:10]
    assert len(set(found)) == len(found) - 3


def test_the_ends_of_the_document_are_part_of_a_name() -> None:
    ids = np.zeros(50, np.int32)
    first, second, third, fourth, fifth = names(ids, [0, 10, 20, 30, 40, 50])
    assert len({first, third, fifth}) == 3
    alone = names(ids[:10], [0, 10])[0]
    assert alone not in (first, third, fifth, second, fourth)


def test_tokens_that_move_over_an_anchor_change_the_name() -> None:
    ids = np.zeros(60, np.int32)
    assert names(ids, [0, 20, 30, 40, 60])[1] != names(ids, [0, 20, 31, 40, 60])[1]


@pytest.mark.parametrize("part", ["content", "tokenizer", "engine", "device", "dtype", "prefix"])
def test_each_part_of_the_encoder_is_part_of_a_name(part: str) -> None:
    ids = np.arange(30, dtype=np.int32)
    other = replace(IDENTITY, **{part: "other"})
    assert not set(names(ids, [0, 10, 20, 30])) & set(names(ids, [0, 10, 20, 30], other))


def test_the_plan_is_part_of_a_name() -> None:
    ids, edges = np.arange(30, dtype=np.int32), np.array([0, 10, 20, 30])
    with_63, with_64 = (interval_names(ids, edges, IDENTITY, FullPlan(r), make_hasher()) for r in (63, 64))
    assert not set(with_63) & set(with_64)


@given(st.integers(0, 12), st.sampled_from([PLAN, LightPlan(105, 2)]), st.data())
def test_the_windows_needed_cover_what_is_missing_and_no_more(
    intervals: int, plan: WindowPlan, data: st.DataObject
) -> None:
    edges = np.arange(intervals + 1) * 10
    count = plan.count(edges)
    missing = sorted(data.draw(st.sets(st.integers(0, intervals - 1)))) if intervals else []
    needed = plan.needed(edges, missing)
    assert needed == sorted(set(needed))
    touching = {
        w
        for w in range(count)
        for i in missing
        if plan.bounds(edges, w)[0] < edges[i + 1] and edges[i] < plan.bounds(edges, w)[1]
    }
    assert set(needed) == touching
    for (a, b), i in zip(pairwise(edges.tolist()), range(intervals), strict=True):
        if i in missing:
            assert any(plan.bounds(edges, w)[0] <= a < b <= plan.bounds(edges, w)[1] for w in needed)


@given(st.integers(0, 3_000), st.integers(16, 512))
def test_light_windows_read_each_token_once_and_the_seams_twice(count: int, window: int) -> None:
    ids = np.random.default_rng(count).integers(0, 50, count, np.int32)
    plan = LightPlan.for_window(window)
    edges = plan.anchors(ids)
    seen = np.zeros(count, int)
    for w in range(plan.count(edges)):
        low, high = plan.bounds(edges, w)
        assert 0 < high - low <= window
        assert (plan.taper(edges, w) > 0).all()
        seen[low:high] += 1
    assert set(seen.tolist()) <= {1, 2}
    for edge in edges[1:-1].tolist():
        assert (seen[edge - plan.margin : edge + plan.margin] == 2).all()


def test_light_windows_of_254_tokens_read_a_token_about_1_3_times() -> None:
    plan = make_plan("light", 254)
    assert plan == LIGHT
    edges = plan.anchors(np.random.default_rng(2).integers(0, 9_999, 100_000, np.int32))
    read = sum(high - low for low, high in (plan.bounds(edges, w) for w in range(plan.count(edges))))
    assert 1.27 < read / 100_000 < 1.32


@given(st.integers(16, 1_024))
def test_what_is_spread_around_a_seam_is_odd_and_ends_before_the_next(window: int) -> None:
    plan = LightPlan.for_window(window)
    shares = plan.seam_shares
    assert len(shares) == 2 * plan.radius  # no interval is shorter than radius + 1
    np.testing.assert_array_equal(shares, -shares[::-1])
    assert (shares[: plan.radius] > 0).all()  # the left window moves towards the right one
    assert shares.max() == shares[plan.radius - plan.margin - 1 :][:2].max() < 1  # most where it is left alone
    assert shares[0] <= 1 / plan.radius


def test_full_windows_spread_nothing() -> None:
    assert len(PLAN.seam_shares) == 0


@pytest.mark.parametrize("moved", range(0, 700, 7))
def test_a_light_name_depends_on_what_its_windows_read_only(moved: int) -> None:
    edges = [0, 100, 200, 300, 400, 500, 600, 700]
    ids = np.arange(700, dtype=np.int32)
    other = ids.copy()
    other[moved] = 999
    before, after = names(ids, edges, plan=LIGHT), names(other, edges, plan=LIGHT)
    differ = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert differ == [i for i in range(7) if 100 * (i - 1) - 21 <= moved < 100 * (i + 2) + 21]


def test_a_light_name_tells_whether_its_neighbours_windows_are_cut_short() -> None:
    found = names(np.zeros(700, np.int32), [0, 100, 200, 300, 400, 500, 600, 700], plan=LIGHT)
    assert len(set(found)) == 5
    assert found[2] == found[3] == found[4]


@pytest.mark.parametrize(("windows", "window"), [("half", 254), ("light", 15)])
def test_a_plan_that_there_is_not_is_refused(windows: str, window: int) -> None:
    with pytest.raises(UsageError, match="--windows"):
        make_plan(windows, window)
