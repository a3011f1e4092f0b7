"""Recall, precision, IoU and precision omega over character ranges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.document import Span, merge_spans
from vchunk.domain.retrieval_scores import (
    Excerpt,
    Ruler,
    first_occurrence,
    precision_omega,
    score,
    touches,
    within_budget,
)

SPANS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda p: Span(p[0], p[0] + p[1])), max_size=6
)


def excerpts(*spans: tuple[int, int], document: str = "a") -> list[Excerpt]:
    return [Excerpt(document, Span(*span)) for span in spans]


def characters(spans: list[Span]) -> set[int]:
    return {i for span in spans for i in range(span.start, span.end)}


@pytest.mark.parametrize(
    ("gold", "got", "recall", "precision", "iou"),
    [
        # 10 of 10 found in 20 retrieved
        ([(5, 15)], [(0, 20)], 1, 1 / 2, 1 / 2),
        # 5 of 10 found in 10 retrieved, 5 missed: 5 / (10 + 5)
        ([(5, 15)], [(0, 10)], 1 / 2, 1 / 2, 1 / 3),
        # two gold spans, one missed: 4 / (8 + 6)
        ([(0, 4), (20, 26)], [(0, 8)], 4 / 10, 4 / 8, 4 / 14),
        # retrieved twice: the gold counts once, the length twice
        ([(0, 10)], [(0, 10), (0, 10)], 1, 1 / 2, 1 / 2),
        # overlapping gold spans: 15 characters, asked for as 20
        ([(0, 10), (5, 15)], [(0, 15)], 15 / 20, 1, 1),
        ([(0, 10)], [(30, 40)], 0, 0, 0),
        ([(0, 10)], [], 0, 0, 0),
    ],
)
def test_values_by_hand(
    gold: list[tuple[int, int]], got: list[tuple[int, int]], recall: float, precision: float, iou: float
) -> None:
    found = score(excerpts(*gold), excerpts(*got))
    assert (found.recall, found.precision, found.iou) == pytest.approx((recall, precision, iou))


def test_the_same_offsets_in_another_document_are_no_hit() -> None:
    wrong = score(excerpts((0, 10)), excerpts((0, 10), document="b"))
    assert (wrong.recall, wrong.precision, wrong.iou) == (0, 0, 0)
    both = score(
        [*excerpts((0, 10)), *excerpts((0, 10), document="b")], excerpts((0, 10), document="b") + excerpts((5, 10))
    )
    assert (both.recall, both.precision) == pytest.approx((15 / 20, 1))


def test_precision_omega_by_hand() -> None:
    assert precision_omega(excerpts((5, 15)), excerpts((0, 10), (10, 20))) == pytest.approx(10 / 20)
    assert precision_omega(excerpts((5, 15)), excerpts((0, 10))) == pytest.approx(5 / 15)  # some is in no chunk
    assert precision_omega(excerpts((5, 15)), []) == 0
    assert precision_omega(excerpts((5, 15)), excerpts((5, 15))) == 1


def test_meeting_a_border_counts_only_on_request() -> None:
    starts, ends = np.array([0, 0, 19, 20, 21, 12]), np.array([9, 10, 30, 30, 30, 13])
    gold = [Span(10, 15), Span(15, 20)]
    assert touches(starts, ends, gold).tolist() == [False, False, True, False, False, True]
    assert touches(starts, ends, gold, borders=True).tolist() == [False, True, True, True, False, True]
    assert not touches(starts, ends, []).any()


@given(SPANS, SPANS)
def test_scores_count_characters(gold: list[Span], got: list[Span]) -> None:
    found = score([Excerpt("a", s) for s in gold], [Excerpt("a", s) for s in got])
    shared = len(characters(gold) & characters(got))
    asked, total = sum(map(len, gold)), sum(map(len, got))
    missed = sum(len(characters([s]) - characters(got)) for s in gold)
    assert found.recall == pytest.approx(shared / asked if asked else 0)
    assert found.precision == pytest.approx(shared / total if total else 0)
    assert found.iou == pytest.approx(shared / (total + missed) if total + missed else 0)
    assert found.iou <= found.precision + 1e-12


@given(SPANS)
def test_merging_keeps_the_characters_and_leaves_gaps(spans: list[Span]) -> None:
    merged = merge_spans(spans)
    assert characters(merged) == characters(spans)
    assert all(a.end < b.start for a, b in itertools.pairwise(merged))


# "one  two three": three tokens with white space between
RULER = Ruler(np.array([0, 5, 9]), np.array([3, 8, 14]))


@pytest.mark.parametrize(
    ("span", "tokens"),
    [((0, 14), 3), ((0, 3), 1), ((0, 4), 1), ((3, 5), 0), ((1, 6), 2), ((4, 9), 1), ((7, 7), 0), ((14, 14), 0)],
)
def test_a_ruler_counts_tokens_that_the_span_touches(span: tuple[int, int], tokens: int) -> None:
    assert RULER.count(Span(*span)) == tokens


def test_a_ruler_cuts_after_whole_tokens() -> None:
    assert RULER.cut(Span(0, 14), 2) == Span(0, 8)
    assert RULER.cut(Span(5, 14), 1) == Span(5, 8)
    assert RULER.cut(Span(5, 14), 0) == Span(5, 5)
    assert RULER.cut(Span(5, 12), 2) == Span(5, 12)
    assert RULER.cut(Span(5, 14), 9) == Span(5, 14)


def test_a_budget_is_filled_to_the_last_token() -> None:
    ranked = excerpts((5, 14), (0, 3), (0, 14))
    assert within_budget(ranked, {"a": RULER}, 4) == excerpts((5, 14), (0, 3), (0, 3))
    assert within_budget(ranked, {"a": RULER}, 2) == excerpts((5, 14))
    assert within_budget(ranked, {"a": RULER}, 99) == ranked


@given(SPANS, st.integers(1, 30))
def test_a_budget_is_never_passed(spans: list[Span], budget: int) -> None:
    letters = Ruler(np.arange(50), np.arange(1, 51))
    got = within_budget([Excerpt("a", s) for s in spans], {"a": letters}, budget)
    spent = sum(letters.count(e.span) for e in got)
    assert spent == min(budget, sum(map(len, spans)))


def test_repeated_text_is_found_where_it_stands_first() -> None:
    text = "One day. Two days. One day. End"
    assert first_occurrence(text, Span(19, 27)) == Span(0, 7)  # without its full stop
    assert first_occurrence(text, Span(28, 31)) == Span(28, 31)
    assert first_occurrence(" . x", Span(1, 2)) == Span(1, 2)
