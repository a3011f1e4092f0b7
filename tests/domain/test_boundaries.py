"""Boundaries: where they stand, at which level, and where none may be."""

from __future__ import annotations

import textwrap
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeSplitter
from strategies import documents, read
from vchunk.domain.boundaries import ATOMIC, HEADING, INSIDE, LINE, PARAGRAPH, SENTENCE, find_boundaries
from vchunk.domain.document import Block, Document, Kind, Span


def cut(document: Document) -> list[tuple[int | None, str]]:
    """Level and text of each stretch between boundaries; the first has no boundary."""
    found = find_boundaries(document, FakeSplitter())
    start = len(document.text) - len(document.text.lstrip())
    edges = [start, *found.offsets.tolist(), len(document.text)]
    stretches = [document.text[a:b].rstrip() for a, b in pairwise(edges)]
    return list(zip([None, *found.levels.tolist()], stretches, strict=True))


def test_headings_paragraphs_and_sentences() -> None:
    document = read("# One\n\nFirst here. Second here!\n\nOther.\n\n## Two\n\nLast.\n")
    assert cut(document) == [
        (None, "# One"),
        (PARAGRAPH, "First here."),
        (SENTENCE, "Second here!"),
        (PARAGRAPH, "Other."),
        (HEADING, "## Two"),
        (PARAGRAPH, "Last."),
    ]


def test_the_first_and_the_last_place_are_no_boundaries() -> None:
    document = read("\n\n  One.  \n\n", "a.txt")
    assert cut(document) == [(None, "One.")]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_a_blank_text_has_none(text: str) -> None:
    assert len(find_boundaries(read(text), FakeSplitter())) == 0


def test_list_items_are_lines() -> None:
    assert cut(read("Before.\n\n- One. More.\n- Two.\n  - Inner.\n\nAfter.")) == [
        (None, "Before."),
        (PARAGRAPH, "- One."),
        (SENTENCE, "More."),
        (LINE, "- Two."),
        (LINE, "- Inner."),
        (PARAGRAPH, "After."),
    ]


def test_an_item_of_two_paragraphs() -> None:
    assert cut(read("1. One.\n\n   Two.\n\n2. Three.")) == [
        (None, "1. One."),
        (LINE, "Two."),
        (LINE, "2. Three."),
    ]


def test_the_lines_of_code_and_tables_are_inside() -> None:
    assert cut(read("Text.\n\n```\na. b\n    c\n```\n\n| a | b |\n|---|---|\n| c. D | e |\n\nText.")) == [
        (None, "Text."),
        (PARAGRAPH, "```"),
        (INSIDE, "a. b"),
        (INSIDE, "c"),
        (INSIDE, "```"),
        (PARAGRAPH, "| a | b |"),
        (INSIDE, "|---|---|"),
        (INSIDE, "| c. D | e |"),
        (PARAGRAPH, "Text."),
    ]


def test_a_heading_is_never_cut() -> None:
    assert cut(read("# One. Two. Three\n\nText."))[0] == (None, "# One. Two. Three")


WRAPPED = textwrap.fill("One sentence that is long enough for two lines of text, but not for three. " * 4, 60)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_wrapped_text_is_cut_at_sentences_not_at_lines(newline: str) -> None:
    found = cut(read(WRAPPED.replace("\n", newline), "a.txt"))
    assert [level for level, _ in found] == [None, SENTENCE, SENTENCE, SENTENCE]
    assert all(text.split()[:2] == ["One", "sentence"] for _, text in found)


def test_the_splitter_sees_text_without_its_wrapping_and_without_blocks_that_are_no_prose() -> None:
    splitter = FakeSplitter()
    find_boundaries(read("# A. B\n\nOne\ntwo\r\nthree.\n\n```\nx. y\n```"), splitter)
    assert splitter.asked == ["One two  three."]


def test_the_splitter_is_told_the_language() -> None:
    splitter = FakeSplitter()
    find_boundaries(Document("Eins.", (Block(Kind.PARAGRAPH, Span(0, 5)),), language="de"), splitter)
    assert splitter.languages == ["de"]


def test_meant_line_breaks() -> None:
    verse = "Roses are red,  \nviolets are blue.\n\nA paragraph of prose.\n\nMore of it."
    assert [(level, text) for level, text in cut(read(verse)) if level == LINE] == [(LINE, "violets are blue.")]


def test_lines_are_paragraphs_where_paragraphs_are_rare() -> None:
    entries = [f"Entry number {i} was written." for i in range(12)]
    log = "\n".join(["The first line of this log is longer than all others. " * 2, *entries])
    assert {level for level, text in cut(read(log, "a.txt")) if text in entries[1:]} == {PARAGRAPH}
    spaced = "\n".join(entry + "\n" * (i % 2) for i, entry in enumerate(log.split("\n")))
    assert {level for level, text in cut(read(spaced, "a.txt")) if text in entries[1::2]} == {PARAGRAPH}
    assert {level for level, text in cut(read(spaced, "a.txt")) if text in entries[2::2]} == {LINE}


def test_quotes_are_cut_in_front_of_their_marks() -> None:
    found = cut(read("Before.\n\n> First here. Second\n> goes on. Third.\n>\n> Other.\n\nAfter."))
    assert [(level, text.replace("\n", "/")) for level, text in found] == [
        (None, "Before."),
        (PARAGRAPH, "> First here."),
        (SENTENCE, "Second/> goes on."),
        (SENTENCE, "Third./>"),
        (LINE, "> Other."),
        (PARAGRAPH, "After."),
    ]


def test_a_line_of_a_quote_goes_with_its_mark() -> None:
    found = cut(read("> Said once.\n> Said twice.\n> > Deeper.\n"))
    assert [text for _, text in found] == ["> Said once.", "> Said twice.", "> > Deeper."]


@pytest.mark.parametrize("mark", ["> ", ">", "> > ", "  > "])
def test_wrapped_quotes_are_cut_at_sentences_too(mark: str) -> None:
    text = "Before.\n\n" + textwrap.indent(WRAPPED, mark)
    found = cut(read(text))
    assert [level for level, _ in found] == [None, PARAGRAPH, SENTENCE, SENTENCE, SENTENCE]
    splitter = FakeSplitter()
    find_boundaries(read(text), splitter)
    assert not any(">" in asked.lstrip(" >") for asked in splitter.asked)


def test_no_boundary_before_a_combining_mark() -> None:
    class AfterEachCharacter(FakeSplitter):
        def starts(self, text: str, language: str | None) -> list[int]:
            assert language is None
            return list(range(1, len(text)))

    text = "e\u0301a\u0301 x"
    found = find_boundaries(Document(text, (Block(Kind.PARAGRAPH, Span(0, len(text))),)), AfterEachCharacter())
    assert found.offsets.tolist() == [2, 5]


def test_of_two_boundaries_at_one_place_the_higher_level_stays() -> None:
    text = "One. Two."
    blocks = (Block(Kind.PARAGRAPH, Span(0, 4)), Block(Kind.HEADING, Span(5, 9), level=1))
    found = find_boundaries(Document(text, blocks), FakeSplitter())
    assert (found.offsets.tolist(), found.levels.tolist()) == ([5], [HEADING])


@given(documents)
def test_laws(document: Document) -> None:
    found = find_boundaries(document, FakeSplitter())
    offsets = found.offsets.tolist()
    text = document.text
    assert offsets == sorted(set(offsets))
    assert len(found) == len(found.levels)
    first = len(text) - len(text.lstrip())
    for at, level in zip(offsets, found.levels.tolist(), strict=True):
        assert first < at < len(text)
        assert not text[at].isspace()
        assert not unicodedata.category(text[at]).startswith("M")
        assert INSIDE <= level <= HEADING
        holders = [b for b in document.blocks if b.span.start < at < b.span.end]
        assert not any(b.kind is Kind.HEADING for b in holders)
        atomic = any(b.kind in ATOMIC for b in holders)
        if any(b.span.start == at and b.kind is Kind.HEADING and b.parent is None for b in document.blocks):
            assert level == HEADING
        elif atomic:
            assert level in (INSIDE, LINE)
        else:
            assert level >= SENTENCE


@given(st.integers(20, 80), st.integers(0, 30))
def test_rewrapping_moves_no_boundary(width: int, seed: int) -> None:
    words = [f"w{(seed * i) % 37}" + ("." if i % 9 == 8 else "") for i in range(120)]
    at_start = [w.capitalize() if i % 9 == 0 else w for i, w in enumerate(words)]
    wrapped = textwrap.fill(" ".join(at_start), width)
    stretches = [text.split() for _, text in cut(read(wrapped, "a.txt"))]
    assert [len(s) for s in stretches] == [9] * 13 + [3]
