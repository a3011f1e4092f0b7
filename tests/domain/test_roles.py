"""Backmatter: which sections are, and which only look like it. The heading of a table of contents."""

from __future__ import annotations

import pytest

from vchunk.domain.document import Block, Kind, Role, Span
from vchunk.domain.roles import label_roles


def backmatter(*lines: str) -> list[str]:
    """The lines of backmatter of a document; a line with ``#`` is a heading."""
    text, blocks = "", []
    for line in lines:
        level = len(line) - len(line.lstrip("#"))
        span = Span(len(text), len(text) + len(line))
        title = line[level:].strip() if level else None
        blocks.append(Block(Kind.HEADING if level else Kind.PARAGRAPH, span, level=level or None, title=title))
        text += line + "\n\n"
    labelled = label_roles(blocks, text)
    assert [block.span for block in labelled] == [block.span for block in blocks]
    return [text[b.span.start : b.span.end] for b in labelled if b.role is Role.BACKMATTER]


BODY = ["# Paper", "Long enough " * 10, "## Method", "How it was done"]


@pytest.mark.parametrize(
    "title",
    [
        "References",
        "REFERENCES",
        "7 References",
        "7. References:",
        "VII. References",
        "**References**",
        "Bibliography",
        "Acknowledgements",
        "Acknowledgment",
        "Funding",
        "Authors’ contributions",
        "Conflicts of Interest",
        "Data Availability Statement",
        "参考文献",
    ],
)
def test_a_closing_section_with_a_known_title_is_backmatter(title: str) -> None:
    assert backmatter(*BODY, f"## {title}", "x", "y") == [f"## {title}", "x", "y"]


@pytest.mark.parametrize(
    "title",
    ["1 References in C++", "Reference", "CLI References", "C++ References", "Data", "Further funding plans"],
)
def test_a_title_that_is_not_exactly_one_is_body(title: str) -> None:
    assert backmatter(*BODY, f"## {title}", "x") == []


def test_a_chapter_in_the_middle_is_body() -> None:
    assert backmatter("# C", "Text", "## References", "An alias [1]", "## Templates", *["Long " * 50] * 3) == []


def test_a_chapter_in_the_second_half_is_body_unless_it_cites() -> None:
    behind = ["## Templates", "Short"]
    assert backmatter(*BODY, "## References", "A reference is an alias.", *behind) == []
    cited = ["## References", "[1] A. Author. Title.", "Other, B. (2021). Title."]
    assert backmatter(*BODY, *cited, *behind) == cited


def test_statements_in_the_second_half_need_no_citations() -> None:
    assert backmatter(*BODY, "## Funding", "None.", "## Discussion", "Short") == ["## Funding", "None."]


@pytest.mark.parametrize(
    "title", ["Appendix A", "Appendices", "A. Proofs", "B.1 Data", "Supplementary material", "Index"]
)
def test_what_stands_behind_backmatter_is_body(title: str) -> None:
    assert backmatter(*BODY, "## References", "x", f"## {title}", "proof") == ["## References", "x"]


def test_sections_of_backmatter_follow_one_another() -> None:
    tail = ["## Funding", "f", "## References", "r"]
    assert backmatter(*BODY, *tail) == tail


def test_it_holds_its_subsections_and_ends_at_a_higher_heading() -> None:
    assert backmatter(*BODY, "## References", "### Books", "b", "# Appendix", "a") == [
        "## References",
        "### Books",
        "b",
    ]


def test_a_document_of_references_alone_is_body() -> None:
    assert backmatter("# References", "a", "b") == []


def test_other_roles_and_nested_headings_stay() -> None:
    text = "a\n\n# References\n\npage 3\n\n> # References"
    blocks = [
        Block(Kind.PARAGRAPH, Span(0, 1)),
        Block(Kind.HEADING, Span(3, 15), level=1, title="References"),
        Block(Kind.PARAGRAPH, Span(17, 23), role=Role.FURNITURE),
    ]
    assert [b.role for b in label_roles(blocks, text)] == [Role.BODY, Role.BACKMATTER, Role.FURNITURE]
    nested = [
        Block(Kind.PARAGRAPH, Span(0, 1)),
        Block(Kind.QUOTE, Span(25, 39)),
        Block(Kind.HEADING, Span(27, 39), level=1, title="References", parent=1),
    ]
    assert {b.role for b in label_roles(nested, text)} == {Role.BODY}


def test_no_blocks() -> None:
    assert label_roles([], "") == ()


@pytest.mark.parametrize(("title", "role"), [("Contents", Role.TOC), ("2. Inhalt", Role.TOC), ("Book", Role.BODY)])
def test_the_heading_of_contents_goes_with_them(title: str, role: Role) -> None:
    heading = Block(Kind.HEADING, Span(0, 5), level=1, title=title)
    contents, text = Block(Kind.TABLE, Span(6, 9), Role.TOC), Block(Kind.PARAGRAPH, Span(6, 9))
    assert [b.role for b in label_roles([heading, contents], "a" * 9)] == [role, Role.TOC]
    assert [b.role for b in label_roles([heading, text], "a" * 9)] == [Role.BODY, Role.BODY]
    assert [b.role for b in label_roles([heading], "a" * 9)] == [Role.BODY]


def test_a_heading_whose_section_holds_only_known_notes_goes_with_them() -> None:
    text, blocks = "", []
    for line, role in (
        ("# Duck", "body"), ("Long enough.", "body"), ("## See also", "body"), ("Goose", "body"),
        ("## Notes", "body"), ("### Citations", "body"), ("1. A note", "backmatter"),
        ("### Sources", "body"), ("A source", "backmatter"), ("## Links", "body"), ("A link", "body"),
    ):  # fmt: skip
        level = len(line) - len(line.lstrip("#"))
        kind = Kind.HEADING if level else Kind.PARAGRAPH
        span = Span(len(text), len(text) + len(line))
        blocks.append(Block(kind, span, level=level or None, role=Role(role), title=line.strip("# ") or None))
        text += line + "\n\n"
    labelled = label_roles(blocks, text)
    headings = {b.title: b.role.value for b in labelled if b.kind is Kind.HEADING}
    assert headings == {
        "Duck": "body", "See also": "body", "Notes": "backmatter", "Citations": "backmatter",
        "Sources": "backmatter", "Links": "body",
    }  # fmt: skip
    notes = [block for block in blocks if block.title == "Notes" or block.role is Role.BACKMATTER]
    assert label_roles(notes, text)[0].role is Role.BODY  # a document that is nothing but its notes
