"""Questions against one index over the chunks of all documents."""

from __future__ import annotations

import numpy as np
import pytest

from vchunk.domain.document import Span
from vchunk.domain.retrieval import Index, Measures, Question, evaluate_index
from vchunk.domain.retrieval_scores import Excerpt, Ruler

LETTERS = {name: Ruler(np.arange(100), np.arange(1, 101)) for name in "ab"}


def index(*rows: tuple[str, int, int, list[float]]) -> Index:
    chunks = tuple(Excerpt(name, Span(start, end)) for name, start, end, _ in rows)
    return Index(chunks, np.array([vector for *_, vector in rows], np.float32))


TWO_DOCUMENTS = index(
    ("a", 0, 10, [1.0, 0.0]),
    ("a", 10, 30, [0.6, 0.8]),
    ("b", 0, 10, [0.8, 0.6]),
    ("b", 10, 20, [0.0, 1.0]),
)


def test_chunks_of_all_documents_compete() -> None:
    question = Question("?", (Excerpt("a", Span(12, 20)),))
    asked = np.array([[1.0, 0.0]], np.float32)
    measures = Measures(top_k=(1, 3), budgets=(15, 25))
    found = evaluate_index(TWO_DOCUMENTS, [question], asked, LETTERS, measures)
    assert {name: values.tolist() for name, values in found.items() if name.endswith("recall")} == {
        "top_1.recall": [0.0],
        "top_3.recall": [1.0],  # a 0-10, b 0-10, then a 10-30
        "min.recall": [0.0],  # one chunk holds it, and the nearest one is not it
        "tokens_15.recall": [0.0],
        "tokens_25.recall": [3 / 8],  # 5 letters of a 10-30
    }
    assert found["top_3.precision"].tolist() == [8 / 40]
    assert found["tokens_25.iou"].tolist() == [3 / (25 + 5)]
    assert found["precision_omega"].tolist() == [8 / 20]
    assert set(found) == set(measures.columns)


def test_gold_in_two_documents_is_one_answer() -> None:
    question = Question("?", (Excerpt("a", Span(0, 10)), Excerpt("b", Span(10, 20))))
    asked = np.array([[1.0, 0.0]], np.float32)
    found = evaluate_index(TWO_DOCUMENTS, [question], asked, LETTERS, Measures(top_k=(1,), budgets=(10,)))
    assert found["top_1.recall"].tolist() == [1 / 2]
    assert found["precision_omega"].tolist() == [1.0]


def test_equal_chunks_rank_in_their_order() -> None:
    same = index(*(("a", i, i + 1, [1.0, 0.0] if i % 2 else [0.0, 1.0]) for i in range(90)))
    expected = [*range(1, 90, 2), *range(0, 90, 2)]
    assert [order.tolist() for order in same.rankings(np.array([[1.0, 0.0]] * 70, np.float32))] == [expected] * 70


def test_min_takes_at_most_twenty_chunks() -> None:
    letters = index(*(("a", i, i + 1, [1.0, 0.0]) for i in range(60)))
    question = Question("?", (Excerpt("a", Span(0, 50)),))
    found = evaluate_index(letters, [question], np.array([[1.0, 0.0]], np.float32), LETTERS, Measures())
    assert found["min.recall"].tolist() == [20 / 50]


def test_borders_count_where_that_is_asked_for() -> None:
    gold = [Excerpt("a", Span(5, 10))]
    assert [e.span for e in TWO_DOCUMENTS.touching(gold)] == [Span(0, 10)]
    assert [e.span for e in TWO_DOCUMENTS.touching(gold, borders=True)] == [Span(0, 10), Span(10, 30)]
    question = Question("?", tuple(gold))
    asked = np.array([[1.0, 0.0]], np.float32)
    found = evaluate_index(TWO_DOCUMENTS, [question], asked, LETTERS, Measures(borders=True))
    assert found["precision_omega"].tolist() == [5 / 30]


def test_a_document_without_chunks_is_no_error() -> None:
    question = Question("?", (Excerpt("c", Span(0, 5)),))
    found = evaluate_index(TWO_DOCUMENTS, [question], np.array([[1.0, 0.0]], np.float32), LETTERS, Measures())
    assert {values[0] for values in found.values()} == {0.0}


def test_repeats_move_to_their_first_place() -> None:
    texts = {"a": "same. other. same."}
    moved = index(("a", 0, 5, [1.0]), ("a", 13, 18, [0.5])).at_first_occurrences(texts)
    assert [c.span for c in moved.chunks] == [Span(0, 4), Span(0, 4)]
    assert moved.vectors.tolist() == [[1.0], [0.5]]


def test_columns_are_named_after_what_is_retrieved() -> None:
    assert Measures(top_k=(3,), budgets=(50,)).columns == (
        "precision_omega",
        *("top_3.recall", "top_3.precision", "top_3.iou"),
        *("min.recall", "min.precision", "min.iou"),
        *("tokens_50.recall", "tokens_50.precision", "tokens_50.iou"),
    )


@pytest.mark.parametrize("count", [1, 63, 64, 65])
def test_each_question_has_its_own_ranking(count: int) -> None:
    asked = np.array([[1.0, 0.0] if i % 2 else [0.0, 1.0] for i in range(count)], np.float32)
    orders = [order.tolist() for order in TWO_DOCUMENTS.rankings(asked)]
    assert orders == [[0, 2, 1, 3] if i % 2 else [3, 1, 2, 0] for i in range(count)]
