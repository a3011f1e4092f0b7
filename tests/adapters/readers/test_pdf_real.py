"""PDFs as they are found: read when the folder of real documents lies beside the checkout."""

from __future__ import annotations

import difflib
import html
import re
from functools import cache
from pathlib import Path

import pypdfium2
import pytest

from document_laws import hold_laws
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning


@cache
def _read(path: Path) -> Document:
    password = "openpassword" if path.name == "pypdf_password.pdf" else None
    document = PdfReader(password).read(Source(path.name, path.read_bytes()), no_warning)
    hold_laws(document)
    return document


@pytest.fixture
def paper(shared: Path) -> Document:
    return _read(shared / "real" / "pdfjs_tracemonkey.pdf")


@pytest.fixture
def filing(shared: Path) -> Document:
    return _read(shared / "real" / "financebench_AMAZON_2017_10K.pdf")


@pytest.fixture
def manual(shared: Path) -> Document:
    return _read(shared / "real" / "docling_redp5110_sampled.pdf")


@pytest.fixture
def columns(shared: Path) -> Document:
    return _read(shared / "real" / "pypdf_multicolumn.pdf")


def of_kind(document: Document, kind: Kind, role: Role = Role.BODY) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.kind is kind and b.role is role]


def in_order(document: Document, *passages: str) -> bool:
    """Whether passages, as they are seen on the pages, follow one another."""
    at = 0
    for passage in passages:
        at = document.text.find(passage, at) + len(passage)
        if at < len(passage):
            return False
    return True


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
    assert "a language-independent type inference" in paper.text  # two words, and a hyphen at a line's end
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


def test_every_pdf_reads(shared: Path) -> None:
    files = sorted((shared / "real").glob("*.pdf"))
    assert len(files) >= 8
    for path in files:
        document = _read(path)
        with pypdfium2.PdfDocument(path, password="openpassword" if "password" in path.name else None) as pdf:
            pages = len(pdf)
        assert {page.number for page in document.pages} <= set(range(1, pages + 1))
        assert document.boxes


def test_a_page_of_the_paper_as_it_is_seen(paper: Document) -> None:
    # page 8: the left column, then the table on top of the right one, its caption, and the rest
    assert in_order(
        paper,
        "so we chose a small set of optimizations.",
        "We currently apply four forward filters:\n\n• On ISAs without floating-point instructions, a soft-float "
        "filter converts floating-point LIR instructions to sequences of integer instructions.\n• CSE (constant",
        "5.2 Register Allocation\n\nWe use a simple greedy register allocator",
        "Then the heuristic selects v with minimum vm. The motivation is that this frees up a register",
        "Tag\tJS Type\tDescription\nxx1\tnumber\t31-bit integer representation",
        "110\tboolean null, or undefined\tenumeration for null, undefined, true, false",
        "Figure 9. Tagged values in the SpiderMonkey JS interpreter.",
        "6. Implementation\n\nTo demonstrate the effectiveness of our approach, we have implemented",
        "The garbage collector is an exact, non-generational, stop-the-world mark-and-sweep collector.",
    )


def test_code_over_the_whole_width_of_two_columns(paper: Document) -> None:
    first, second, *_ = [text for text in of_kind(paper, Kind.CODE) if "state[748]" in text or "edi(0)" in text]
    assert first.startswith(
        "v0 := ld state[748]     // load primes from the trace activation record\n      st sp[0], v0"
    )
    assert second.endswith("jmp epilog             // jump to ret statement")
    assert in_order(paper, first, "Figure 3. LIR snippet for sample program.", second, "Figure 4. x86 snippet")


def test_words_in_drawings_are_figures(paper: Document) -> None:
    figures = of_kind(paper, Kind.FIGURE, Role.FIGURE)
    assert len(figures) == 8
    assert not of_kind(paper, Kind.FIGURE, Role.BODY)
    assert any(text.startswith("Symbol Key\nInterpret") for text in figures)
    assert in_order(paper, "stay in native code until the loop is done.\n\nSymbol Key", "2. Overview")
    assert not any("Compiled Trace" in text and "LIR Trace" in text for text in of_kind(paper, Kind.PARAGRAPH))


def test_the_columns_of_the_sample(columns: Document) -> None:
    assert columns.title == "Two-Column Document with Lorem Ipsum"
    assert in_order(
        columns,
        "Two-Column Document with Lorem Ipsum\n\nYour Name\n\nJanuary 3, 2024\n\nAbstract\n\n",
        "This is a sample document with two columns filled with Lorem Ipsum text.",
        "Lorem ipsum dolor sit amet, consectetuer adipiscing elit.",
        "Vivamus viverra fermentum felis. Donec nonummy pellentesque ante. Phasellus adipiscing semper elit.",
        "Nam vulputate metus eu enim. Vestibulum pellentesque felis eu massa.\n\nQuisque ullamcorper",
        "Nam feugiat lacus vel est. Curabitur consectetuer.",  # from page 1 to page 2
        "Table 1: EU Countries Information",
    )
    assert of_kind(columns, Kind.PARAGRAPH, Role.FURNITURE) == ["1", "2", "3"]
    assert rows(columns) == [
        "Country\tPopulation (millions)\tArea (km2)\tCapital\tOfficial Language",
        "Austria\t8.9\t83,879\tVienna\tGerman",
        "Belgium\t11.5\t30,689\tBrussels\tDutch, French, German",
        "Czech Republic\t10.7\t78,866\tPrague\tCzech",
        "Denmark\t5.8\t42,951\tCopenhagen\tDanish",
        "Finland\t5.5\t338,424\tHelsinki\tFinnish, Swedish",
    ]


def test_a_page_of_the_filing_as_it_is_seen(filing: Document) -> None:
    assert in_order(
        filing,
        "• terrorist attacks and armed hostilities.",
        "Our International Operations Expose Us to a Number of Risks\n\nOur international activities",
        "Our international operations may not be profitable on a sustained basis.\n\nIn addition to risks",
        "restrictive governmental actions (such as trade protection measures, including export duties and quotas",
        "• different employee/employer relationships and the existence of works councils and labor unions;\n•",
    )


def test_the_cash_flows_of_the_filing(filing: Document) -> None:
    (table,) = [t for t in of_kind(filing, Kind.TABLE) if "OPERATING ACTIVITIES:" in t and "FINANCING" in t]
    found = table.split("\n")
    assert found[1:6] == [
        "\t2015\t2016\t2017",
        "CASH AND CASH EQUIVALENTS, BEGINNING OF PERIOD\t$ 14,557\t$ 15,890\t$ 19,334",
        "OPERATING ACTIVITIES:",
        "Net income\t596\t2,371\t3,033",
        "Adjustments to reconcile net income to net cash from operating activities:",
    ]
    assert (
        "Depreciation of property and equipment, including internal-use software and website development, and "
        "other amortization, including capitalized content costs\t6,281\t8,116\t11,478"
    ) in found
    assert found[-1] == "Property and equipment acquired under build-to-suit leases\t544\t1,209\t3,541"


def test_an_empty_cell_keeps_its_column(filing: Document) -> None:
    assert "Weighted-average interest rate\t1.79%\t2.10%\t2.27%\t2.23%\t2.00%\t\t1.93%" in rows(filing)


def test_the_side_bar_of_the_manual(manual: Document) -> None:
    assert in_order(
        manual,
        "Highlights\n\n",
        "DB2 for i Center of Excellence\n\nExpert help to achieve your business requirements\n\n"
        "We build confident, satisfied clients\n\nNo one else has the vast consulting",
        "Because no one else is IBM.\n\nWith combined experiences",
        "Global CoE engagements cover topics including:\n\n• Database performance and scalability\n• Advanced SQL",
    )
    # the file does not tell the letters of the points under "Highlights"
    damaged = [manual.slice(b.span) for b in manual.blocks if b.role is Role.DAMAGED]
    assert damaged
    assert set("".join(damaged)) <= set("\ufffd •")


def test_the_table_with_turned_headings(manual: Document) -> None:
    (table,) = [t for t in of_kind(manual, Kind.TABLE) if t.startswith("User action")]
    assert table.split("\n")[:2] == [
        "User action\t*JOBCTL\tQIBM_DB_SECADM\tQIBM_DB_SQLADM\tQIBM_DB_SYSMON\tNo Authority",
        "SET CURRENT DEGREE (SQL statement)\tX\t\tX",
    ]
    assert "Visual Explain within Run SQL scripts\tX\t\tX\tX\tX" in table.split("\n")


def test_the_drawing_of_the_manual_is_no_text(manual: Document) -> None:
    (figure,) = [
        t for t in of_kind(manual, Kind.FIGURE, Role.FIGURE) if "CREATE PERMISSION <permission name>" in t
    ]
    assert figure.count("ENFORCED FOR ALL ACCESS") == 1  # it is printed twice, as a shadow
    assert in_order(
        manual, "row access rules.\n\nFigure 3-1 CREATE PERMISSION SQL statement\n\n", figure, "\n\nColumn mask"
    )


def test_code_in_a_font_that_nothing_names_fixed(manual: Document) -> None:
    assert (
        "SELECT     function_id,\n           user_name,\n           usage,\n           user_type\n"
        "FROM       function_usage\nWHERE      function_id=’QIBM_DB_SECADM’\nORDER BY   user_name;"
    ) in of_kind(manual, Kind.CODE)


def test_feet_of_the_manual_that_stand_on_one_page_alone(manual: Document) -> None:
    furniture = of_kind(manual, Kind.PARAGRAPH, Role.FURNITURE)
    assert "Chapter 2. Roles and separation of duties 11" in furniture
    assert "Chapter 4. Implementing Row and Column Access Control: Banking example 77" in furniture
    assert "124 Row and Column Access Control Support in IBM DB2 for i" in furniture


def test_the_words_of_the_manual_agree_with_another_parsers(shared: Path, manual: Document) -> None:
    other = (shared / "real" / "docling_redp5110_sampled.groundtruth.md").read_text("utf-8")
    other = "\n".join(line for line in other.split("\n") if not line.startswith("|"))
    # a picture and the name of a bullet's glyph
    theirs = _words(html.unescape(re.sub(r"<!-- image -->|\bSM590000\b", "", other)))
    aside = (Kind.TABLE, Kind.FIGURE, Kind.LIST)
    kept = [
        b for b in manual.blocks if b.kind not in aside and b.role not in (Role.FURNITURE, Role.TOC, Role.DAMAGED)
    ]
    ours = _words("\n".join(manual.slice(block.span) for block in kept))
    matcher = difflib.SequenceMatcher(None, theirs, ours, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    assert 2 * same / (len(theirs) + len(ours)) >= 0.97
    assert same / len(theirs) >= 0.98


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", text)


def test_sections_are_those_of_the_outline(shared: Path) -> None:
    path = shared / "real" / "docling_bookmark_sample.pdf"
    document = _read(path)
    found = {(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING}
    with pypdfium2.PdfDocument(path) as pdf:
        outline = [(mark.level + 1, " ".join(mark.get_title().split())) for mark in pdf.get_toc()]
    assert len(outline) > 5
    bare = {(level, re.sub(r"\W", "", title or "").casefold()) for level, title in found}
    assert {(level, re.sub(r"\W", "", title).casefold()) for level, title in outline} <= bare


def test_a_displayed_formula(shared: Path) -> None:
    document = _read(shared / "real" / "docling_code_and_formula.pdf")
    assert of_kind(document, Kind.FORMULA) == ["a2 + 8 = 12"]
    assert of_kind(document, Kind.CODE) == ["function add(a, b) {\n    return a + b;\n}\nconsole.log(add(3, 5));"]


def test_officers_stand_beside_their_positions(filing: Document) -> None:
    assert re.search(r"Andrew R\. Jassy\t\d\d\tCEO Amazon Web Services\n", filing.text)
    assert re.search(r"Wendell P\. Weeks\t\d\d\tChief Executive Officer, Corning Incorporated\n", filing.text)


def test_headings_in_italics_and_long_ones(filing: Document) -> None:
    titles = [block.title for block in filing.blocks if block.kind is Kind.HEADING]
    for title in ("Net Sales", "Fulfillment", "Free Cash Flow", "Equity-Method Investment Activity, Net of Tax"):
        assert title in titles
    assert (
        sum(str(title).startswith("Our Business Could Suffer if We Are Unsuccessful in") for title in titles) == 2
    )
