"""Where labels go."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.plots.labels import (
    Label,
    Lanes,
    beside,
    by_weight,
    lengthen,
    nice_step,
    overlap,
    place,
    spaced,
    thin,
    words_of,
)
from vchunk.domain.figures import CutMark


def mark(token: int = 0, strength: float = 1.0, level: int | None = None, label: str = "words") -> CutMark:
    return CutMark(token, strength, label, level, None)


def label(stem: float, width: float, shift: float = 0.0) -> Label:
    return Label(mark(), "words", stem, stem - shift, stem - shift + width)


LABELS = st.lists(
    st.tuples(st.floats(0, 10), st.floats(0.1, 3), st.floats(0, 1)).map(lambda t: label(t[0], t[1], t[1] * t[2])),
    max_size=25,
)


def crossings(found: Lanes) -> int:
    """Labels that touch in one lane, and stems that run through a label."""
    bad = 0
    pairs = list(zip(found.labels, found.lanes, strict=True))
    for a, lane in pairs:
        for b, other in pairs:
            if a is b:
                continue
            bad += lane == other and a.left < b.right and b.left < a.right
            bad += lane <= other and a.left <= b.stem <= a.right
    return bad


@given(LABELS, st.integers(1, 6))
def test_no_label_touches_another_or_a_stem(labels: list[Label], most: int) -> None:
    found = place(labels, most)
    assert crossings(found) == 0
    assert found.count <= most
    assert all(lane < found.count for lane in found.lanes)


@given(LABELS)
def test_the_first_label_is_always_placed(labels: list[Label]) -> None:
    assert place(labels, 1).labels[:1] == tuple(labels[:1])


def test_labels_far_apart_share_the_lowest_lane() -> None:
    assert place([label(x, 0.8) for x in (0, 1, 2)], 4).lanes == (0, 0, 0)


def test_labels_close_together_go_down_in_steps() -> None:
    assert place([label(x, 2) for x in (0, 0.5, 1)], 4).lanes == (2, 1, 0)


def test_a_label_and_one_that_ends_at_its_stem_do_not_share_a_lane() -> None:
    assert place([label(0, 2), label(3, 2, shift=2)], 4).lanes == (1, 0)


@given(LABELS, st.integers(1, 4))
def test_labels_grow_only_where_there_is_room(labels: list[Label], most: int) -> None:
    found = place(labels, most)
    longer = [replace(one, text="longer", right=one.right + 0.8) for one in found.labels]
    grown = lengthen(found, longer, most)
    assert crossings(grown) == 0
    assert grown.count <= most
    assert [one.stem for one in grown.labels] == [one.stem for one in found.labels]


def test_a_label_with_room_grows_and_one_without_does_not() -> None:
    found = place([label(0, 1), label(1.5, 1), label(5, 1)], 1)
    longer = [replace(one, text="longer", right=one.right + 0.8) for one in found.labels]
    assert [one.text for one in lengthen(found, longer, 1).labels] == ["words", "longer", "longer"]


def test_what_does_not_fit_is_the_less_telling() -> None:
    labels = [label(x, 2) for x in (0, 0.5, 1)]
    assert place(labels, 2).labels == tuple(labels[:2])


def test_headings_come_before_words_and_strong_before_weak() -> None:
    weak, strong, minor, major = mark(1, 0.1), mark(2, 0.9), mark(3, 0.0, 3), mark(4, 0.0, 1)
    assert by_weight([weak, strong, minor, major]) == [major, minor, strong, weak]


def test_a_strength_that_is_no_number_is_no_obstacle() -> None:
    odd = mark(1, float("nan"))
    assert by_weight([odd, mark(2, 0.5)])[-1] is odd


@given(st.lists(st.floats(0, 100), max_size=40), st.floats(0.01, 5))
def test_thinning_keeps_a_distance_and_drops_nothing_without_need(places: list[float], apart: float) -> None:
    kept = thin(places, range(len(places)), apart)
    chosen = [places[i] for i in kept]
    assert all(abs(a - b) >= apart for i, a in enumerate(chosen) for b in chosen[:i])
    for i, x in enumerate(places):
        assert i in kept or any(abs(x - places[k]) < apart for k in kept if k < i)


def test_thinning_keeps_the_better_rank() -> None:
    assert thin([0.0, 0.1], [1, 0], 1.0) == [1]


@given(st.floats(0.001, 1e6))
def test_steps_are_round_and_large_enough(least: float) -> None:
    step = nice_step(least)
    assert step >= least
    assert str(step).rstrip("0") in ("1", "2", "5")
    assert step == 1 or step <= 2.5 * least


def test_numbers_on_a_ruler_keep_apart() -> None:
    places = [(0.0, "a"), (0.9, "b"), (2.0, "c"), (2.5, "d")]
    assert spaced(places, lambda _: 1.0, 0.1, taken=0.4) == [2]


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_a_box_beside_a_place_does_not_cover_it(x: float, y: float) -> None:
    dot = (x - 0.04, y - 0.04, x + 0.04, y + 0.04)
    boxes = beside(x, y, 0.3, 0.1, 0.06)
    assert len(set(boxes)) == 8
    assert not any(overlap(box, dot) for box in boxes)


def test_list_and_quote_marks_are_no_words() -> None:
    assert words_of(mark(label="* > Some words")) == "Some words"
    assert words_of(mark(label="`code` first")) == "`code` first"
    assert words_of(mark(label="***")) == "***"
