"""Gold answers and the places where they stand."""

from __future__ import annotations

import pytest

from vchunk.domain.document import Span
from vchunk.domain.errors import ReadError
from vchunk.domain.questions import Asked, Reference, resolve
from vchunk.domain.retrieval_scores import Excerpt

TEXTS = {"docs/tides.md": "The tide rises.\nThe tide\n  falls. The tide rises.", "docs/winds.md": "Winds turn."}


def asked(document: str | None, *references: Reference) -> list[Asked]:
    return [Asked("q.csv, row 2", "When?", document, references)]


@pytest.mark.parametrize("name", ["docs/tides.md", "tides.md", "tides"])
def test_a_document_is_found_by_its_name_with_or_without_folder_and_ending(name: str) -> None:
    (question,) = resolve(asked(name, Reference(0, 8)), TEXTS)
    assert question.gold == (Excerpt("docs/tides.md", Span(0, 8)),)


def test_the_only_document_needs_no_name() -> None:
    (question,) = resolve(asked(None, Reference(0, 5)), {"winds.md": "Winds turn."})
    assert question.gold == (Excerpt("winds.md", Span(0, 5)),)


def test_quotes_are_found_whatever_the_white_space() -> None:
    (question,) = resolve(asked("tides", Reference(quote=" tide falls. "), Reference(quote="rises.\n")), TEXTS)
    assert [TEXTS["docs/tides.md"][g.span.start : g.span.end] for g in question.gold] == [
        "tide\n  falls.",
        "rises.",
    ]


def test_a_quote_that_stands_twice_counts_where_it_stands_first_and_that_is_said() -> None:
    said: list[str] = []
    (question,) = resolve(asked("tides", Reference(quote="tide rises")), TEXTS, said.append)
    assert question.gold[0].span == Span(4, 14)
    assert said == ["1 gold answer stands in the document more than once: only the place given counts"]


@pytest.mark.parametrize(
    ("document", "reference", "message"),
    [
        ("tides", Reference(5, 500), "the span 5 to 500 is not in docs/tides.md, which has 49 characters"),
        ("tides", Reference(-1, 5), "the span -1 to 5 is not in docs/tides.md"),
        ("tides", Reference(8, 8), "the span 8 to 8 is not in"),
        ("tides", Reference(0, 8, "The wind"), "are 'The tide', not 'The wind': leave out the offsets"),
        ("tides", Reference(quote="ebbs"), "docs/tides.md does not hold the text 'ebbs'"),
        ("tides", Reference(quote=" \n"), "the gold answer is empty"),
        ("currents", Reference(0, 1), "there is no document 'currents' among docs/tides.md, docs/winds.md"),
        (None, Reference(0, 1), "names no document, and there are 2"),
    ],
)
def test_what_does_not_fit_is_named_with_its_row(document: str | None, reference: Reference, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        resolve(asked(document, reference), TEXTS)
    assert str(caught.value).startswith("q.csv, row 2: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_two_documents_share_is_refused() -> None:
    with pytest.raises(ReadError, match=r"'a\.md' may be x/a\.md, y/a\.md: give its whole name"):
        resolve(asked("a.md", Reference(0, 1)), {"x/a.md": "text", "y/a.md": "text"})
