"""reStructuredText and AsciiDoc: the text stays as it is, its blocks are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.asciidoc import AsciiDocReader
from vchunk.adapters.readers.line_blocks import Line
from vchunk.adapters.readers.restructured import RestructuredTextReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning


def rst(text: str) -> Document:
    document = RestructuredTextReader(encoding="utf-8").read(Source("a.rst", text.encode()), no_warning)
    hold_laws(document)
    return document


def adoc(text: str, told: list[str] | None = None) -> Document:
    warn = (told if told is not None else []).append
    document = AsciiDocReader(encoding="utf-8").read(Source("a.adoc", text.encode()), warn)
    hold_laws(document)
    return document


def outline(document: Document) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING]


def shapes(document: Document, depth: int = 99) -> list[tuple[int, Kind, str]]:
    depths: list[int] = []
    for block in document.blocks:
        depths.append(0 if block.parent is None else depths[block.parent] + 1)
    found = zip(depths, document.blocks, strict=True)
    return [(d, b.kind, document.slice(b.span)) for d, b in found if d <= depth]


_RST = st.lists(
    st.sampled_from(
        ["Title", "=====", "-----", "words::", "  indented", "    deeper", "* item", "- item", "1. one", "#. auto",
         ":field: value", ".. note:: x", ".. code-block:: py", ".. [1] note", ".. comment", ".. _t:", "..", "term",
         ">>> 1", "| line", "+--+--+", "|a |b |", "== ==", "a  b", "", "",
         "\t tab", "::", "(a) x", "x\rlone", "\f"]
    ), max_size=30,
)  # fmt: skip
_ADOC = st.lists(
    st.sampled_from(
        ["= T", "== S", "=== Deep", "words", "----", "....", "====", "****", "____", "++++", "////", "--", "|===",
         "|a |b",
         "```", "* item", "** inner", "- dash", ". num", ".. num", "1. one", "+", "term:: def", "term::", ".Title",
         "[source,py]", "[quote]", "[[id]]", "NOTE: x", ":attr: v", "// c", "image::x[]", "'''", "<<<", "", "",
         "  indented",
         "include::x[]", "x\rlone"]
    ), max_size=30,
)  # fmt: skip


@given(_RST)
def test_any_lines_of_restructured_text_give_a_lawful_document(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert rst(text).text == text


@given(_ADOC)
def test_any_lines_of_asciidoc_give_a_lawful_document(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert adoc(text).text == text


@pytest.mark.parametrize("read", [rst, adoc])
def test_nesting_without_end_is_read(read) -> None:
    read("".join(f"{'  ' * n}* item\n\n" for n in range(400)) + "end\n")


def test_sections_of_restructured_text_by_the_order_of_their_adornments() -> None:
    text = "=====\nTitle\n=====\n\nOne\n===\n\nTwo ``code``\n~~~~~~~~~~\n\nThree\n=====\n\nno\n=\n\n----\n\nx\n"
    document = rst(text)
    assert outline(document) == [(1, "Title"), (2, "One"), (3, "Two code"), (2, "Three")]
    assert document.title == "Title"
    assert (0, Kind.RULE, "----") in shapes(document)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_any_kind(end: str) -> None:
    text = "Title\n=====\n\nwords::\n\n  code\n\n* item\n"
    assert [s[:2] for s in shapes(rst(text.replace("\n", end)))] == [s[:2] for s in shapes(rst(text))]


def test_code_of_restructured_text() -> None:
    text = "Look::\n\n  a = 1\n\n  b\n\n.. code-block:: Python\n   :linenos:\n\n   x\n\n>>> 1 + 1\n2\n\nend\n"
    document = rst(text)
    code = [(document.slice(b.span), b.language) for b in document.blocks if b.kind is Kind.CODE]
    assert code == [
        ("  a = 1\n\n  b", None),
        (".. code-block:: Python\n   :linenos:\n\n   x", "python"),
        (">>> 1 + 1\n2", "python"),
    ]


def test_lists_and_definitions_of_restructured_text() -> None:
    document = rst("* a\n  more\n\n  - b\n\n* c\n\n1. d\n2. e\n\nterm\n  def\n\n  def 2\nother\n  def 3\n")
    assert shapes(document, 1) == [
        (0, Kind.LIST, "* a\n  more\n\n  - b\n\n* c"),
        (1, Kind.LIST_ITEM, "* a\n  more\n\n  - b"),
        (1, Kind.LIST_ITEM, "* c"),
        (0, Kind.LIST, "1. d\n2. e"),
        (1, Kind.LIST_ITEM, "1. d"),
        (1, Kind.LIST_ITEM, "2. e"),
        (0, Kind.LIST, "term\n  def\n\n  def 2\nother\n  def 3"),
        (1, Kind.LIST_ITEM, "term\n  def\n\n  def 2"),
        (1, Kind.LIST_ITEM, "other\n  def 3"),
    ]
    assert [b.level for b in document.blocks if b.kind is Kind.LIST_ITEM] == [1, 2, 1, 1, 1, 1, 1]


def test_directives_tables_and_notes_of_restructured_text() -> None:
    text = (
        "T\n=\n\n:Author: me\n\n.. contents::\n\n.. note:: Mind\n   this.\n\n   * x\n\n.. math:: a\n\n"
        ".. image:: p.png\n\n"
        "+--+\n|a |\n+--+\n\n== ==\na  b\n== ==\n1  2\n\n3  4\n== ==\n\n"
        ".. [1] Foot\n   note\n.. _here:\n\n.. gone\n\nw\n\n  q\n"
    )
    document = rst(text)
    known = {(b.kind, b.role): document.slice(b.span) for b in document.blocks if b.parent is None}
    assert known[Kind.FRONT_MATTER, Role.FRONT_MATTER] == ":Author: me"
    assert known[Kind.PARAGRAPH, Role.TOC] == ".. contents::"
    assert known[Kind.FORMULA, Role.BODY] == ".. math:: a"
    assert known[Kind.FIGURE, Role.BODY] == ".. image:: p.png"
    assert known[Kind.TABLE, Role.BODY].endswith("3  4\n== ==")
    assert known[Kind.FOOTNOTE, Role.BACKMATTER] == ".. [1] Foot\n   note"
    assert known[Kind.PARAGRAPH, Role.FURNITURE] == ".. gone"
    assert known[Kind.QUOTE, Role.BODY] == "q"
    assert (1, Kind.PARAGRAPH, ".. note:: Mind\n   this.") in shapes(document)


def test_the_header_and_sections_of_asciidoc() -> None:
    text = (
        "// licence\n= The *Title*\nMe <a@b.c>\n:lang: de\n\n[[one]]\n== One ==\n\nx\n\n"
        + "==== Deep\n\n[discrete]\n== No\n"
    )
    document = adoc(text)
    assert outline(document) == [(1, "The Title"), (2, "One"), (4, "Deep")]
    assert (document.title, document.language) == ("The Title", "de")
    roles = {document.slice(b.span): b.role for b in document.blocks}
    assert roles["// licence"] is roles["Me <a@b.c>\n:lang: de"] is Role.FRONT_MATTER
    assert roles["[[one]]"] is Role.FURNITURE


def test_delimited_blocks_of_asciidoc() -> None:
    text = (
        ".Cap\n[source,ruby]\n----\n== x\n----\n\n....\nlit\n....\n\n|===\n|a |b\n\n|1 |2\n|===\n\n"
        "[stem]\n++++\nx^2\n++++\n\n"
        "____\nq\n\n* i\n____\n\n```js\ny\n```\n\n////\nno\n////\n\n[quote, Me]\nSaid.\n\n  indented\n"
    )
    document = adoc(text)
    top = [
        (b.kind, document.slice(b.span).split("\n")[0], b.language) for b in document.blocks if b.parent is None
    ]
    assert top == [
        (Kind.CAPTION, ".Cap", None), (Kind.CODE, "[source,ruby]", "ruby"), (Kind.CODE, "....", None),
        (Kind.TABLE, "|===", None), (Kind.FORMULA, "[stem]", None), (Kind.QUOTE, "____", None),
        (Kind.CODE, "```js", "js"), (Kind.PARAGRAPH, "////", None), (Kind.QUOTE, "[quote, Me]", None),
        (Kind.CODE, "  indented", None),
    ]  # fmt: skip
    assert (1, Kind.PARAGRAPH, "q") in shapes(document)


def test_lists_of_asciidoc() -> None:
    document = adoc("* a\n** b\n** c\n* d\n+\nmore\n\n. one\n\nCPU:: brain\nRAM::\n  memory\n")
    assert [(d, text) for d, kind, text in shapes(document) if kind is Kind.LIST_ITEM] == [
        (1, "* a\n** b\n** c"), (3, "** b"), (3, "** c"), (1, "* d\n+\nmore\n\n. one"), (3, ". one"),
        (1, "CPU:: brain"), (1, "RAM::\n  memory"),
    ]  # fmt: skip


def test_a_block_that_is_never_closed_is_told() -> None:
    told: list[str] = []
    document = adoc("x\n\n----\ncode\n\n== no heading\n", told)
    assert outline(document) == []
    assert told == ["a.adoc: line 3: block never closed, all that follows is part of it"]


@pytest.mark.parametrize(
    ("read", "lines"),
    [
        (rst, "* item\n\n  - sub\n\nwords::\n\n  code\n\n== ==\nx y\n\n"),
        (rst, "== ==\nx\n"),
        (rst, "term\n  def\n"),
        (rst, ":field: x\n\n"),
        (adoc, "a:: b\n"),
        (adoc, "* a\n** b\n"),
        (adoc, "====\nx\n"),
        (adoc, "----\nx\n"),
    ],
)
def test_work_is_linear_in_the_lines(read, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    blank = Line.blank.fget

    def count(line: Line) -> bool:
        nonlocal looked_at
        looked_at += 1
        return blank(line)

    monkeypatch.setattr(Line, "blank", property(count))
    counts = []
    for times in (200, 400):
        looked_at = 0
        read(lines * times)
        counts.append(looked_at)
    assert counts[1] < 2.5 * counts[0]
