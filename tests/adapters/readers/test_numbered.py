"""Numbered headings, where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.text import TextReader
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning


def read(text: str, numbered: bool = True) -> Document:
    document = TextReader(numbered=numbered).read(Source("a.txt", text.encode()), no_warning)
    hold_laws(document)
    assert document.text == text
    return document


def headings(*lines: str) -> list[tuple[int | None, str | None]]:
    """The headings of lines with a blank line between each two."""
    return [(b.level, b.title) for b in read("\n\n".join(lines)).blocks if b.kind is Kind.HEADING]


def test_parts_hold_numbers_and_a_number_may_begin_anew() -> None:
    lines = ["PART I", "1. Scope", "1.1 Terms", "Words.", "1.2 Other terms", "PART II", "1. Duties", "2. Costs"]
    assert headings(*lines) == [
        (1, "PART I"),
        (2, "1. Scope"),
        (3, "1.1 Terms"),
        (3, "1.2 Other terms"),
        (1, "PART II"),
        (2, "1. Duties"),
        (2, "2. Costs"),
    ]


def test_numbers_may_go_on_over_parts() -> None:
    lines = ["Part 1 General", "1 Scope", "2 Terms", "Part 2 Rest", "3 Costs"]
    assert [level for level, _ in headings(*lines)] == [1, 2, 2, 1, 2]


def test_of_words_the_first_holds_the_others() -> None:
    lines = [
        "CHAPTER I",
        "Article 1",
        "x.",
        "CHAPTER II",
        "Section 1",
        "Article 2",
        "x.",
        "Section 2",
        "Article 3",
    ]
    assert [level for level, _ in headings(*lines)] == [1, 2, 1, 2, 3, 2, 3]


def test_a_word_that_held_another_before_holds_it_again() -> None:
    lines = ["CHAPTER I", "Section 1", "Article 1", "CHAPTER II", "Article 2", "Section 2", "Article 3"]
    assert [level for level, _ in headings(*lines)] == [1, 2, 3, 1, 2, 2, 3]


def test_other_forms() -> None:
    lines = ["TITLE I - Names", "§ 1 Zweck", "Text.", "§ 2. Umfang", "III. Not in order", "I. First", "II. Second"]
    assert headings(*lines) == [
        (1, "TITLE I - Names"),
        (2, "§ 1 Zweck"),
        (2, "§ 2. Umfang"),
        (2, "I. First"),
        (2, "II. Second"),
    ]
    assert headings("PART I", "1 Scope", "Annex A", "I. Annex", "Schedule 2") == [
        (1, "PART I"),
        (2, "1 Scope"),
        (1, "Annex A"),
        (1, "I. Annex"),
        (1, "Schedule 2"),
    ]


def test_a_part_may_have_its_title_on_the_next_line() -> None:
    (heading,) = [b for b in read("PART I\nGENERAL RULES\n\nWords.\n").blocks if b.kind is Kind.HEADING]
    assert heading.title == "PART I GENERAL RULES"


def test_a_heading_may_stand_right_above_its_text() -> None:
    document = read("1. Scope\nThis text has a scope. It is wide.\n")
    assert [(b.kind.value, document.slice(b.span)) for b in document.blocks] == [
        ("heading", "1. Scope"),
        ("paragraph", "This text has a scope. It is wide."),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "1.1.2024 was a Monday", "1.1.2024", "1 May 2024", "1. May", "3.5 million", "3.5 Million euros", "1", "1.",
        "1.1", "2024 Results", "(a) Limb", "1. the lower case", "1. A sentence that goes on to where it stops.",
        "1. First: this;", "1 Scope ........ 7", "1. Buy apples\n2. Buy pears", "1. Rules for the\nBig Game",
        "1. You may copy what\nyou have.",
        "1. Use. You may use it", "Part of the whole", "Section I of this act applies", "Article", "07 Bond",
        "I think so", "Mix. Title", "1. " + "Many Words " * 10,
    ],
)  # fmt: skip
def test_other_lines_are_none(line: str) -> None:
    assert headings("Before.", line, "After.") == []


def test_numbers_that_are_not_in_order_are_none() -> None:
    assert headings("1 Scope", "7 Wonders", "2 Terms", "2.1 First", "4.2 Percent", "1.1 Lost", "2.2 Second") == [
        (1, "1 Scope"),
        (1, "2 Terms"),
        (2, "2.1 First"),
        (2, "2.2 Second"),
    ]


def test_without_being_asked_there_are_none() -> None:
    assert {b.kind for b in read("PART I\n\n1. Scope\n\n1.1 Terms\n\n§ 5\n", numbered=False).blocks} == {
        Kind.PARAGRAPH
    }


_lines = st.lists(
    st.sampled_from(
        [
            "PART I",
            "Part 2",
            "1. Scope",
            "1.1 Terms",
            "2 Rest",
            "§ 3",
            "Article 4",
            "II. Two",
            "I. One",
            "Annex B",
            "",
            "Words go.",
            "NAME",
        ]
    ),
    max_size=25,
)


@given(_lines)
def test_levels_never_skip_one(lines: list[str]) -> None:
    levels = [b.level or 0 for b in read("\n".join(lines)).blocks if b.kind is Kind.HEADING]
    assert all(1 <= level <= before + 1 for before, level in zip([0, *levels], levels, strict=False))


def test_a_case_of_legal_numbering(shared: Path) -> None:
    text = (shared / "cases" / "inputs" / "legal_numbering.txt").read_text(encoding="utf-8")
    found = [(b.level, b.title) for b in read(text).blocks if b.kind is Kind.HEADING]
    assert found[:6] == [
        (1, "PART I"),
        (2, "1. Definitions"),
        (3, "1.1 Interpretation"),
        (1, "PART II"),
        (2, "1. Obligations"),
        (3, "1.1 Payment"),
    ]
    assert not any("2024" in (title or "") for _, title in found)
    assert {b.kind for b in read(text, numbered=False).blocks} == {Kind.PARAGRAPH}
