"""Spans and blocks."""

from __future__ import annotations

import pytest

from vchunk.domain.document import Block, Document, Kind, Span


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_what_is_no_span(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


def test_what_lies_in_a_span() -> None:
    span = Span(2, 5)
    assert len(span) == 3
    assert [at in span for at in (1, 2, 4, 5)] == [False, True, True, False]
    assert Span(2, 5) in span
    assert Span(3, 3) in span
    assert Span(1, 3) not in span
    assert Span(4, 6) not in span
    assert "2" not in span


@pytest.mark.parametrize(
    ("other", "expected"),
    [(Span(0, 2), False), (Span(0, 3), True), (Span(3, 4), True), (Span(4, 9), True), (Span(5, 9), False)],
)
def test_overlap(other: Span, expected: bool) -> None:
    assert Span(2, 5).overlaps(other) is expected
    assert other.overlaps(Span(2, 5)) is expected


def test_a_document_knows_its_slices_and_children() -> None:
    blocks = (
        Block(Kind.QUOTE, Span(0, 7)),
        Block(Kind.PARAGRAPH, Span(0, 3), parent=0),
        Block(Kind.PARAGRAPH, Span(4, 7), parent=0),
        Block(Kind.PARAGRAPH, Span(8, 9)),
    )
    document = Document("abc def g", blocks)
    assert document.slice(Span(4, 7)) == "def"
    assert list(document.children(0)) == [1, 2]
    assert list(document.children(3)) == []
