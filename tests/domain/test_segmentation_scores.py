"""Pk, WindowDiff and F1 within a tolerance."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.segmentation_scores import boundary_f1, even_spacing, pk, window_diff, window_size


def positions(masses: tuple[int, ...]) -> list[int]:
    """Where segments after the first begin, from the lengths of all."""
    return list(accumulate(masses))[:-1]


@st.composite
def segmentations(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    length = draw(st.integers(4, 60))
    some = st.lists(st.integers(1, length - 1), unique=True, max_size=8).map(sorted)
    return draw(some), draw(some), length


# Values of segeval 2.0.11 (Fournier 2013): its test cases, among them Stargazer (Hearst 1997) and
# the figures of Scaiano and Inkpen (2012).
@pytest.mark.parametrize(
    ("truth", "guess", "p_k", "difference"),
    [
        ((2, 3, 6), (2, 2, 7), 2 / 9, 2 / 9),
        ((5, 3, 5), (5, 3, 5), 0, 0),
        ((5, 3, 5), (4, 4, 5), 2 / 11, 2 / 11),
        ((5, 3, 5), (5, 1, 2, 5), 1 / 11, 2 / 11),
        ((4, 4, 5), (5, 1, 2, 5), 3 / 11, 3 / 11),
        ((4, 4, 5), (13,), 4 / 11, 4 / 11),
        ((4, 4, 5), (1,) * 13, 7 / 11, 1),
        ((13,), (4, 4, 5), 1, 1),
        ((11,), (1,) * 11, 1, 1),
        ((6, 6), (12,), 3 / 9, 3 / 9),
        ((6, 6), (5, 7), 2 / 9, 2 / 9),
        ((2, 3, 3, 1, 3, 6, 3), (2, 6, 4, 2, 4, 3), 0.26315789, 0.31578947),
        ((2, 3, 3, 1, 3, 6, 3), (2, 1, 1, 1, 5, 8, 2, 1), 0.36842105, 0.47368421),
        ((2, 8, 2, 4, 2, 3), (2, 6, 4, 2, 4, 3), 0.42105263, 0.42105263),
        ((2, 8, 2, 4, 2, 3), (2, 1, 1, 1, 5, 8, 2, 1), 0.42105263, 0.47368421),
    ],
)
def test_values_of_segeval(truth: tuple[int, ...], guess: tuple[int, ...], p_k: float, difference: float) -> None:
    length = sum(truth)
    assert pk(positions(truth), positions(guess), length) == pytest.approx(p_k)
    assert window_diff(positions(truth), positions(guess), length) == pytest.approx(difference)


# Values in the documentation of nltk 3: a string of 12 gaps lies between 13 units.
@pytest.mark.parametrize(("guess", "expected"), [([4, 11], 0.0), ([5, 10], 0.3)])
def test_windowdiff_of_nltk(guess: list[int], expected: float) -> None:
    assert window_diff([4, 11], guess, 13, k=3) == pytest.approx(expected)


def test_pk_of_nltk() -> None:
    truth = range(2, 401, 4)  # '0100' * 100: a boundary in the second gap of every four
    assert pk(list(truth), list(range(1, 401)), 401, k=2) == pytest.approx(0.5, abs=0.01)
    assert pk(list(truth), [], 401, k=2) == pytest.approx(0.5, abs=0.01)


@given(segmentations())
def test_pk_and_windowdiff_say_what_their_definitions_say(case: tuple[list[int], list[int], int]) -> None:
    truth, guess, length = case
    k = window_size(truth, length)
    pairs = [(sum(i < b <= i + k for b in truth), sum(i < b <= i + k for b in guess)) for i in range(length - k)]
    n = max(len(pairs), 1)
    assert pk(truth, guess, length) == pytest.approx(sum((a > 0) != (b > 0) for a, b in pairs) / n)
    assert window_diff(truth, guess, length) == pytest.approx(sum(a != b for a, b in pairs) / n)


@given(segmentations())
def test_no_score_leaves_its_range_and_windowdiff_is_never_kinder(case: tuple[list[int], list[int], int]) -> None:
    truth, guess, length = case
    assert 0 <= pk(truth, guess, length) <= window_diff(truth, guess, length) <= 1
    assert pk(truth, truth, length) == window_diff(truth, truth, length) == 0


def test_boundaries_outside_the_line_are_refused() -> None:
    for wrong in ([0], [10], [-1]):
        with pytest.raises(ValueError, match="below 10"):
            pk([5], wrong, 10)
    with pytest.raises(ValueError, match="k = 0"):
        pk([5], [5], 10, k=0)


def test_f1_counts_each_boundary_once() -> None:
    found = boundary_f1([10, 20], [9, 11, 50], tolerance=1)
    assert (found.precision, found.recall, found.f1) == pytest.approx((1 / 3, 1 / 2, 2 / 5))
    assert boundary_f1([10, 20], [9, 20]).f1 == pytest.approx(1 / 2)
    assert boundary_f1([10, 12], [8, 10], tolerance=2).f1 == 1  # the nearest partner is not always the best


@pytest.mark.parametrize(
    ("truth", "guess", "expected"), [([], [], (1, 1, 1)), ([], [3], (0, 0, 0)), ([3], [], (0, 0, 0))]
)
def test_f1_where_there_are_no_boundaries(
    truth: list[int], guess: list[int], expected: tuple[float, float, float]
) -> None:
    found = boundary_f1(truth, guess)
    assert (found.precision, found.recall, found.f1) == expected


@given(segmentations(), st.integers(0, 5))
def test_f1_finds_the_most_pairs(case: tuple[list[int], list[int], int], tolerance: int) -> None:
    truth, guess, _ = case
    best = [0] * (len(guess) + 1)  # longest common subsequence of what is near enough
    for a in truth:
        row = [0]
        for j, b in enumerate(guess):
            row.append(max(best[j] + (abs(a - b) <= tolerance), best[j + 1], row[j]))
        best = row
    found = boundary_f1(truth, guess, tolerance)
    assert found.recall * len(truth) == pytest.approx(best[-1] if truth else 0)


@given(st.integers(1, 200), st.integers(1, 40))
def test_even_spacing_gives_segments_of_one_length(length: int, segments: int) -> None:
    made = even_spacing(length, segments)
    sizes = [b - a for a, b in zip([0, *made], [*made, length], strict=True)]
    assert len(made) == min(segments, length) - 1 or segments > length
    assert all(size >= 1 for size in sizes)
    assert max(sizes) - min(sizes) <= 1
