"""Headings of WikiText, in plain text and in Markdown files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.markdown import MarkdownReader
from vchunk.adapters.readers.text import TextReader
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning
from vchunk.domain.sections import find_sections

ARTICLES = (
    " = The Sea = \n Water , much of it . \n = = Tides = = \n Twice a day . \n"
    " = = = Spring tides = = = \n High .\n = A Ship = \n It floats . \n"
)
TITLES = [(1, "The Sea"), (2, "Tides"), (3, "Spring tides"), (1, "A Ship")]


def text(data: str) -> Document:
    document = TextReader().read(Source("a.txt", data.encode()), no_warning)
    hold_laws(document)
    return document


def markdown(data: str) -> Document:
    document = MarkdownReader().read(Source("a.md", data.encode()), no_warning)
    hold_laws(document)
    return document


def titles(document: Document) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING]


@pytest.mark.parametrize("read", [text, markdown])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lone_lines_between_marks_are_headings(read, end: str) -> None:
    document = read(ARTICLES.replace("\n", end))
    assert titles(document) == TITLES
    assert document.text == ARTICLES.replace("\n", end)
    assert document.title is None
    sections = find_sections(document)
    assert [s.parent for s in sections] == [None, 0, 1, None]
    assert [document.slice(b.span) for b in document.blocks][:3] == [
        "= The Sea =",
        "Water , much of it .",
        "= = Tides = =",
    ]


def test_the_only_article_gives_the_title() -> None:
    assert text(" = One = \n Words . \n = = Two = = \n More . \n").title == "One"
    assert text("Before .\n = One = \n Words . \n").title is None
    assert text(" = = Two = = \n More . \n").title is None
    assert markdown(" = One = \n a \n = = Two = = \n b \n = = Three = = \n c \n").title == "One"


def test_references_at_the_end_are_backmatter() -> None:
    document = text(" = One = \n Words . \n = = References = = \n [1] A book , 1999 . \n")
    assert [b.role.value for b in document.blocks] == ["body", "body", "backmatter", "backmatter"]


@pytest.mark.parametrize(
    "line",
    [
        " = Key ; X = ", " = a = b = ", " = = Uneven = ", " = Uneven = = ", "x = 1 = ", " = = ", " = - = ",
        "=Tight=", "= No end", "   = Deep = ", " = Title = and more", " = = = = = = ", " = " + "long " * 60 + "= ",
    ],
)  # fmt: skip
def test_other_lines_are_none(line: str) -> None:
    document = text(f"Words .\n{line}\nMore .\n")
    assert titles(document) == []


def test_a_semicolon_may_stand_in_a_section() -> None:
    assert titles(text(" = = Chaos ; Order = = \n")) == [(2, "Chaos ; Order")]


def test_markdown_with_headings_of_its_own_or_few_of_these_stays_markdown() -> None:
    assert titles(markdown("# Real\n\n" + ARTICLES)) == [(1, "Real")]
    assert titles(markdown(" = One = \n\n = Two = \n")) == []
    assert titles(markdown("```\n" + ARTICLES + "```\n")) == []


def test_between_the_headings_markdown_is_read() -> None:
    data = (
        " = One = \n- item\n = Two = \n\n```py\nx\n = No = \n```\n"
        " = Three = \n+++\nkey = 1\n+++\n> quote\n = Four = \n"
    )
    document = markdown(data)
    assert titles(document) == [(1, "One"), (1, "Two"), (1, "Three"), (1, "Four")]
    kinds = [b.kind for b in document.blocks]
    assert Kind.LIST_ITEM in kinds
    assert Kind.FRONT_MATTER not in kinds
    code = next(b for b in document.blocks if b.kind is Kind.CODE)
    assert document.slice(code.span) == "```py\nx\n = No = \n```"
    for block in document.blocks:
        assert block.kind is not Kind.LIST_ITEM or document.blocks[block.parent or 0].kind is Kind.LIST


_lines = st.lists(
    st.sampled_from(
        [" = A = ", " = = B = = ", "words", "- item", "> quote", "", "```", "---", "| a |", "|---|", "  x", "$$"]
    ),
    max_size=25,
)


@given(_lines)
def test_any_lines_give_a_lawful_document(lines: list[str]) -> None:
    data = "\n".join(lines)
    assert markdown(data).text == data
    assert len(titles(text(data))) == sum("= " in line for line in lines)


def test_real_articles(shared: Path) -> None:
    path = shared / "bench" / "data" / "corpora" / "wikitexts.md"
    document = MarkdownReader().read(Source(path.name, path.read_bytes()), no_warning)
    marked = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(" = ")]
    assert len(titles(document)) == sum(";" not in line for line in marked) > 50
    assert document.title is None
