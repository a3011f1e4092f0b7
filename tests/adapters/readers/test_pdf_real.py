"""PDFs as they are found: read when the folder of real documents lies beside the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from document_laws import hold_laws
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning


@cache
def _read(path: Path) -> Document:
    document = PdfReader().read(Source(path.name, path.read_bytes()), no_warning)
    hold_laws(document)
    return document


@pytest.fixture
def paper(shared: Path) -> Document:
    return _read(shared / "real" / "pdfjs_tracemonkey.pdf")


@pytest.fixture
def filing(shared: Path) -> Document:
    return _read(shared / "real" / "financebench_AMAZON_2017_10K.pdf")


def rows(document: Document) -> list[str]:
    tables = [document.slice(b.span) for b in document.blocks if b.kind is Kind.TABLE]
    return [row for table in tables for row in table.split("\n")]


def test_the_headings_of_a_paper(paper: Document) -> None:
    found = [(b.level, b.title) for b in paper.blocks if b.kind is Kind.HEADING]
    assert len(found) == 26
    for wanted in [
        (1, "Abstract"),
        (1, "1. Introduction"),
        (1, "3. Trace Trees"),
        (2, "3.1 Traces"),
        (1, "References"),
    ]:
        assert wanted in found
    assert paper.title == "Trace-based Just-in-Time Type Specialization for Dynamic Languages"


def test_the_order_of_its_columns(paper: Document) -> None:
    assert "standard for client-side web programming and is used for the application logic" in paper.text
    assert "evaluate our dynamic compiler based on a set of industry benchmarks" in paper.text


def test_its_words_are_whole(paper: Document) -> None:
    for word in ("difficult to compile", "efficient type-specialized", "naïve", "type-unstable"):
        assert word in paper.text
    assert not any(mark in paper.text for mark in "\x02\ufb01\ufb02\x00")


def test_its_code_and_its_table(paper: Document) -> None:
    code = [paper.slice(b.span) for b in paper.blocks if b.kind is Kind.CODE]
    assert any("  if (!primes[i])\n3     continue;" in text for text in code)
    assert "crypto-aes\t50\t72\t78\t19\t0\t1.4\t1.1\t1.6\t1.64x" in rows(paper)


def test_the_rows_of_a_filing_are_whole(filing: Document) -> None:
    found = rows(filing)
    assert "Net income\t$ 596\t$ 2,371\t$ 3,033" in found
    assert "Total assets\t$ 83,402\t$ 131,310" in found
    wrapped = [row for row in found if row.startswith("Reclassification adjustment for losses")]
    assert wrapped
    assert all(row.count("\t") == 3 for row in wrapped)


def test_its_running_heads_and_page_numbers(filing: Document) -> None:
    furniture = [filing.slice(b.span) for b in filing.blocks if b.role is Role.FURNITURE]
    assert furniture.count("Table of Contents") >= 75
    assert {str(n) for n in range(3, 78)} <= set(furniture)


def test_its_items_are_headings_in_order(filing: Document) -> None:
    items = [b for b in filing.blocks if b.kind is Kind.HEADING and (b.title or "").startswith("Item ")]
    assert {b.level for b in items} == {2}
    assert [b.title.split(" ", 2)[1] for b in items if b.title] == [
        "1.", "1A.", "1B.", "2.", "3.", "4.", "5.", "6.", "7.", "7A.", "8.", "9.", "9A.", "9B.",
        "10.", "11.", "12.", "13.", "14.", "15.", "16.",
    ]  # fmt: skip


def test_an_outline_of_two_levels(shared: Path) -> None:
    document = _read(shared / "real" / "docling_bookmark_sample.pdf")
    assert [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING] == [
        (1, "PART I - DEFINITIONS"),
        (2, "1. Interpretation"),
        (2, "2. Construction of Terms"),
        (1, "PART II - OBLIGATIONS"),
        (2, "3. Payment Terms"),
        (3, "3.1 Payment Schedule"),
        (2, "4. Termination"),
        (1, "PART III - MISCELLANEOUS"),
    ]


def test_two_columns_on_the_same_baselines(shared: Path) -> None:
    text = _read(shared / "cases" / "inputs" / "pdf_two_columns.pdf").text
    assert text.index("voted for a new light") > text.index("found that the crane must be moved before winter")


def test_heads_and_feet_of_six_pages(shared: Path) -> None:
    document = _read(shared / "cases" / "inputs" / "pdf_running_heads.pdf")
    furniture = [document.slice(b.span) for b in document.blocks if b.role is Role.FURNITURE]
    assert furniture.count("ACME Confidential") == 6
    assert sorted(set(furniture) - {"ACME Confidential"}) == [f"Page {n} of 6" for n in range(1, 7)]
    assert document.text.count("the tank was filled and the lid was closed by the crew.") == 5
