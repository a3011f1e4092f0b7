"""Double pass: thresholds against known values, both passes on hand-made vectors, limits on any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.domain.double_pass import (
    Elements,
    Thresholds,
    append,
    compared_by_merging,
    double_pass,
    settle,
)
from vchunk.domain.errors import UsageError

LARGE = 10**6


def elements_at(*degrees: float | None, sizes: list[int] | None = None, apart: tuple[int, ...] = ()) -> Elements:
    """Elements that point into these directions of a plane (None: nowhere), ten tokens each."""
    angles = np.radians([0.0 if at is None else at for at in degrees])
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1).reshape(-1, 2)
    unit[[at is None for at in degrees]] = 0.0
    tokens = np.array(sizes or [10] * len(degrees), np.int64)
    joins = np.array([i not in (0, *apart) for i in range(len(degrees))], bool)
    return Elements(tokens, (unit * tokens[:, None]).astype(np.float32), joins)


def cosine(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


def fixed(append: float, merge: float) -> Thresholds:
    return Thresholds("fixed", append, merge)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"method": "magic"}, "--threshold-method magic: choose from percentile, gradient, local-maxima, fixed"),
        (
            {"append": 101},
            "--append-threshold 101: with --threshold-method percentile it is a percentage, 0 to 100",
        ),
        ({"merge": -1.0}, "--merge-threshold -1: with --threshold-method percentile"),
        ({"method": "gradient", "merge": float("nan")}, "--merge-threshold nan"),
        ({"method": "fixed", "append": 40}, "with --threshold-method fixed it is a cosine, -1 to 1"),
        ({"append": "much"}, "--append-threshold much: must be a number"),
        ({"append": True}, "--append-threshold True: must be a number"),
    ],
)
def test_wrong_thresholds_are_refused(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        Thresholds(**wanted)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


SERIES = np.array([0.9, 0.5, 0.8, 0.7, 0.95, 0.2, 0.6])


@pytest.mark.parametrize(
    ("method", "number", "threshold"),
    [
        ("fixed", 0.123, 0.123),
        ("percentile", 0, 0.2),
        ("percentile", 50, 0.7),
        ("percentile", 100, 0.95),
        ("percentile", 25, 0.55),  # between .5 and .6
        ("gradient", 10, 0.2),  # the steepest fall alone, .95 to .2
        ("gradient", 50, 0.35),  # and .9 to .5
        ("gradient", 100, 0.5),  # and .8 to .7: the median of .2, .5 and .7
        ("local-maxima", 0, 0.2),
        ("local-maxima", 50, 0.5),  # dissimilarity is highest at .5, .7 and .2
        ("local-maxima", 100, 0.7),
    ],
)
def test_thresholds_of_a_series(method: str, number: float, threshold: float) -> None:
    assert Thresholds(method).of(number, SERIES) == pytest.approx(threshold)


def test_found_thresholds_are_rounded_down_given_ones_are_not() -> None:
    assert Thresholds().of(50, np.array([0.129])) == 0.12
    assert Thresholds().of(50, np.array([-0.121])) == -0.13
    assert Thresholds().of(50, np.array([0.9966])) == 0.99  # not 1, which nothing would reach
    assert Thresholds("fixed").of(0.1234, np.array([0.5])) == 0.1234


@pytest.mark.parametrize("method", ["percentile", "gradient", "local-maxima"])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_equal_similarities_and_none(method: str, count: int) -> None:
    expected = 0.7 if count else 0.0
    assert Thresholds(method).of(50, np.full(count, 0.7)) == pytest.approx(expected)


def test_a_sentence_is_compared_with_the_whole_mini_chunk() -> None:
    # 40 degrees are 20 from the sentence before, but 30 from the mean of both before.
    starts, compared = append(elements_at(0, 20, 40), cosine(25), LARGE)
    assert starts.tolist() == [0, 2]
    assert compared == pytest.approx([cosine(20), cosine(30)], abs=1e-5)


def test_longer_sentences_weigh_more_in_a_mini_chunk() -> None:
    elements = elements_at(0, 20, 40, sizes=[1, 1000, 10])
    assert append(elements, cosine(25), LARGE)[0].tolist() == [0]


def test_a_mini_chunk_ends_at_a_border_and_at_the_maximum() -> None:
    assert append(elements_at(0, 0, 0, 0, apart=(2,)), 0.5, LARGE)[0].tolist() == [0, 2]
    assert append(elements_at(0, 0, 0, 0, 0), 0.5, 20)[0].tolist() == [0, 2, 4]


def test_at_the_threshold_is_enough() -> None:
    assert append(elements_at(0, 0), 1.0, LARGE)[0].tolist() == [0]
    assert double_pass(elements_at(0, 50, 50), fixed(1.0, 1.0), LARGE).tolist() == [0, 1]


def test_what_has_no_vector_goes_with_what_is_before() -> None:
    assert append(elements_at(0, None, 80), 0.9, LARGE)[0].tolist() == [0, 2]


def test_the_threshold_is_that_of_the_similarities_it_is_compared_with() -> None:
    elements = elements_at(100, 30, 10, 30, 40, 90, 50, 10)
    thresholds = Thresholds(append=30)
    starts, threshold = settle(elements, thresholds, LARGE)
    _, compared = append(elements, threshold, LARGE)
    assert threshold == thresholds.of(30, compared) == 0.49
    assert starts.tolist() == [0, 1, 5]
    # That of neighbours is another, and would have cut once more.
    neighbours = thresholds.of(30, elements.likeness(1))
    assert neighbours == 0.74
    assert append(elements, neighbours, LARGE)[0].tolist() == [0, 1, 5, 7]


def test_of_thresholds_in_a_circle_the_lowest_counts() -> None:
    elements = elements_at(90, 110, 30, 20, 90, 90, 60, 10)
    thresholds = Thresholds(append=30)
    assert settle(elements, thresholds, LARGE)[1] == 0.4
    assert thresholds.of(30, append(elements, 0.4, LARGE)[1]) == 0.61


def test_a_threshold_that_comes_and_goes_is_settled_all_the_same() -> None:
    dice = np.random.default_rng(0)
    for _ in range(200):
        elements = elements_at(*dice.uniform(0, 120, dice.integers(3, 12)).tolist())
        for method in ("percentile", "gradient", "local-maxima"):
            starts, threshold = settle(elements, Thresholds(method), LARGE)
            assert append(elements, threshold, LARGE)[0].tolist() == starts.tolist()


def test_what_agrees_comes_together_around_what_does_not() -> None:
    # Explanation, code, complexity; then something else.
    elements = elements_at(0, 70, 5, 120)
    assert double_pass(elements, fixed(0.9, 0.9), LARGE).tolist() == [0, 3]
    # Without the third there is nothing to look ahead to.
    assert double_pass(elements_at(0, 70, 120), fixed(0.9, 0.9), LARGE).tolist() == [0, 1, 2]


def test_the_look_ahead_comes_before_the_neighbour() -> None:
    # 0 agrees with both; by pairs the sweep would be (0, 1), (2, 3).
    elements = elements_at(0, 30, 10, 45)
    assert double_pass(elements, fixed(1.0, cosine(31)), 30).tolist() == [0, 3]


def test_neighbours_that_agree_are_merged_until_none_do() -> None:
    elements = elements_at(0, 40, 0, 40, 0, 40, 0, 40, 90, 90)
    # No sentence is appended; 0 and 0 agree over 40, and so on; 90 stays alone.
    assert double_pass(elements, fixed(0.99, cosine(30)), LARGE).tolist() == [0, 8]


def test_nothing_is_merged_over_a_border() -> None:
    for border in (1, 2):
        found = double_pass(elements_at(0, 70, 0, apart=(border,)), fixed(0.9, -1.0), LARGE)
        assert found.tolist() == [0, border]


def test_the_maximum_holds_when_everything_agrees() -> None:
    # 60 sentences that are all alike and thresholds that merge everything.
    found = double_pass(elements_at(*[0] * 60, sizes=[7] * 60), fixed(-1.0, -1.0), 100)
    assert np.diff([*found, 60]).max() * 7 <= 100
    assert len(found) <= 8


def test_a_small_chunk_joins_the_neighbour_it_is_more_like() -> None:
    none = fixed(1.0, 1.0)
    elements = elements_at(0, 50, 90, sizes=[30, 5, 30])
    assert double_pass(elements, none, LARGE, 10).tolist() == [0, 1]
    assert double_pass(elements_at(0, 30, 90, sizes=[30, 5, 30]), none, LARGE, 10).tolist() == [0, 2]
    assert double_pass(elements, none, 35, 10).tolist() == [0, 1]
    assert double_pass(elements, none, 34, 10).tolist() == [0, 1, 2]
    assert double_pass(elements_at(0, 30, 90, sizes=[30, 5, 30], apart=(1,)), none, LARGE, 10).tolist() == [0, 1]


def test_a_small_chunk_at_either_end_is_joined_too() -> None:
    none = fixed(1.0, 1.0)
    assert double_pass(elements_at(0, 90, sizes=[5, 30]), none, LARGE, 10).tolist() == [0]
    assert double_pass(elements_at(0, 90, sizes=[30, 5]), none, LARGE, 10).tolist() == [0]


def test_the_smallest_is_joined_first() -> None:
    # 4 goes to 6, which is then large enough; from the left, 6 would have gone to 30.
    elements = elements_at(0, 40, 85, 180, sizes=[30, 6, 4, 30])
    assert double_pass(elements, fixed(1.0, 1.0), LARGE, 10).tolist() == [0, 1, 3]


def test_thresholds_of_merging_are_those_of_mini_chunks() -> None:
    elements = elements_at(0, 30, 90, 100, apart=(3,))
    expected = [cosine(30), cosine(90), cosine(60)]  # 0 to 1, 0 to 2, 1 to 2; nothing over the border
    assert compared_by_merging(elements) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("method", ["percentile", "gradient", "local-maxima", "fixed"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 40])
def test_few_and_equal_elements(method: str, count: int) -> None:
    thresholds = Thresholds(method)
    same = double_pass(elements_at(*[33.0] * count), thresholds, LARGE)
    assert same.tolist() == [0][:count]
    nowhere = double_pass(elements_at(*[None] * count), thresholds, LARGE)
    assert nowhere.tolist() == [0][:count]


@st.composite
def element_lists(draw: st.DrawFn) -> Elements:
    count = draw(st.integers(0, 25))
    degrees = draw(st.lists(st.sampled_from([None, 0, 10, 30, 60, 90, 180, 200]), min_size=count, max_size=count))
    sizes = draw(st.lists(st.integers(0, 60), min_size=count, max_size=count))
    return elements_at(*degrees, sizes=sizes, apart=tuple(draw(st.sets(st.integers(0, 24), max_size=3))))


wishes = st.one_of(
    st.builds(
        Thresholds,
        st.sampled_from(["percentile", "gradient", "local-maxima"]),
        st.integers(0, 100),
        st.integers(0, 100),
    ),
    st.builds(fixed, st.sampled_from([-1.0, 0.0, 0.5, 0.9, 1.0]), st.sampled_from([-1.0, 0.0, 0.5, 0.9, 1.0])),
)


def totals(elements: Elements, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    return elements.grouped(starts).sizes


@given(element_lists(), wishes, st.integers(1, 120), st.integers(0, 60))
def test_limits_and_borders_hold_for_any(
    elements: Elements, thresholds: Thresholds, maximum: int, minimum: int
) -> None:
    starts = double_pass(elements, thresholds, maximum, minimum)
    assert starts.tolist() == sorted(set(starts.tolist()))
    assert set(np.flatnonzero(~elements.joins).tolist()) <= set(starts.tolist())
    sizes = totals(elements, starts)
    counts = np.diff(np.append(starts, len(elements)))
    assert all(size <= maximum for size, count in zip(sizes, counts, strict=True) if count > 1)
    joins = np.append(elements.joins[starts], False)
    for i in np.flatnonzero(sizes < minimum):
        assert not joins[i] or sizes[i - 1] + sizes[i] > maximum
        assert not joins[i + 1] or sizes[i] + sizes[i + 1] > maximum
    assert double_pass(elements, thresholds, maximum, minimum).tolist() == starts.tolist()


@given(element_lists(), st.integers(1, 120))
def test_a_fix_point_is_reached(elements: Elements, maximum: int) -> None:
    threshold = 0.5
    starts = double_pass(elements, fixed(0.9, threshold), maximum)
    chunks = elements.grouped(starts)
    fits = chunks.joins[1:] & (chunks.sizes[1:] + chunks.sizes[:-1] <= maximum)
    assert not (fits & (chunks.likeness(1) >= threshold)).any()
    three = chunks.joins[1:-1] & chunks.joins[2:] & (chunks.likeness(2) >= threshold)
    if len(chunks) > 2:
        assert not (three & (chunks.sizes[2:] + chunks.sizes[1:-1] + chunks.sizes[:-2] <= maximum)).any()
