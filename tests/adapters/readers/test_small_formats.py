"""Notebooks, books, source code, rows, and texts in JSON."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.delimited import find_delimiter
from vchunk.adapters.readers.formats import Opening
from vchunk.adapters.readers.registry import reader_for
from vchunk.adapters.readers.source_code import language_of
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import MissingExtra, ReadError


def read(name: str, data: str | bytes, told: list[str] | None = None, **options: Any) -> Document:
    source = Source(name, data.encode() if isinstance(data, str) else data)
    warn = (told if told is not None else []).append
    document = reader_for(source, options.pop("input_format", None), Opening(**options)).read(source, warn)
    hold_laws(document)
    return document


def shapes(document: Document) -> list[tuple[Kind, str]]:
    return [(block.kind, document.slice(block.span)) for block in document.blocks if block.parent is None]


# Notebooks.


def notebook(*cells: dict[str, Any], **metadata: Any) -> str:
    return json.dumps({"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


PYTHON = {"language_info": {"name": "Python"}}


def test_cells_and_outputs_of_a_notebook() -> None:
    outputs = [
        {"output_type": "stream", "text": ["10%\r100%\n", "\x1b[31mred\x1b[0m\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>42</b>"}},
        {
            "output_type": "display_data",
            "data": {"image/png": "iVBOR", "text/plain": "<Figure size 640x480 with 1 Axes>"},
        },
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["long"]},
    ]
    data = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Some *words*.\n"]},
        {"cell_type": "code", "source": "\n\nx = 1\nx", "outputs": outputs},
        {"cell_type": "markdown", "source": f"- item\n\n![p](data:image/png;base64,{'A' * 500})"},
        {"cell_type": "raw", "source": "as is"},
        {"cell_type": "code", "source": " ", "outputs": []},
        **PYTHON,
    )
    for name in ("a.ipynb", "-", "a.json"):
        document = read(name, data)
        assert document.text == (
            "# Title\n\nSome *words*.\n\nx = 1\nx\n\n- item\n\n![p](data:)\n\nas is\n\n"
            "100%\nred\n\n42\n\nValueError: no"
        )
        assert [b.language for b in document.blocks if b.kind is Kind.CODE][:1] == ["python"]
        furniture = [document.slice(b.span) for b in document.blocks if b.role is Role.FURNITURE]
        assert furniture == ["100%\nred", "42", "ValueError: no"]
        assert document.title == "Title"


def test_notebooks_of_the_third_format() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Part"]},
        {
            "cell_type": "code",
            "input": "1+1",
            "language": "julia",
            "outputs": [{"output_type": "pyout", "text": "2"}],
        },
    ]
    data = json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]})
    document = read("a.ipynb", data)
    assert document.text == "## Part\n\n1+1\n\n2"
    assert [(b.kind, b.language) for b in document.blocks[:2]] == [(Kind.HEADING, None), (Kind.CODE, "julia")]


@given(
    st.recursive(
        st.none() | st.text(max_size=5) | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_odd_cells_are_read_or_left_out(value: Any) -> None:
    cell = {"cell_type": "code", "source": value, "outputs": [value, {"data": value}, {"text": value}]}
    read("a.ipynb", json.dumps({"cells": [value, cell, {"source": value}], "metadata": value, "nbformat": 4}))


@pytest.mark.parametrize("data", ["{}", "[]", "not json", '{"cells": 1, "nbformat": 4}', "[" * 100_000])
def test_what_is_no_notebook_is_refused(data: str) -> None:
    with pytest.raises(ReadError, match=r"^a\.ipynb: not a notebook"):
        read("a.ipynb", data)


def test_a_real_notebook(shared: Path) -> None:
    path = shared / "real" / "notebook_handson_ml3_math_linear_algebra.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    document = read(path.name, path.read_bytes())
    for cell in cells:
        first = next((line for line in "".join(cell["source"]).splitlines() if line.strip()), "")
        assert first.rstrip() in document.text
    assert "base64," not in document.text
    assert sum(b.language == "python" for b in document.blocks) == sum(
        c["cell_type"] == "code" and bool("".join(c["source"]).strip()) for c in cells
    )


# Books.


def epub(pages: dict[str, str], *, spine: str = "", extra: dict[str, str] | None = None) -> bytes:
    nav = ' properties="nav"'
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"{nav * ("nav" in name)}/>'
        for n, name in enumerate(pages)
    )
    refs = spine or "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>A Book</dc:title><dc:language>fr-CA</dc:language></metadata>"
        f"<manifest>{items}</manifest><spine>{refs}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/package.opf"/></rootfiles></container>'
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OPS/package.opf": package}
    members |= {f"OPS/{name.replace('%20', ' ')}": page for name, page in pages.items()} | (extra or {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


PAGES = {
    "nav.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><nav><ol><li>One</li></ol></nav></body></html>',
    "one%20a.xhtml": (
        "<?xml version='1.0'?><html><head><title/></head><body><h1>One</h1>"
        "<p>Text<aside epub:type='footnote'>note</aside></p></body></html>"
    ),
    "two.xhtml": "<html><body><h1>Two</h1><script src='x'/><p>More</p></body></html>",
}


def test_a_book_is_its_spine() -> None:
    for name in ("a.epub", "-"):
        document = read(name, epub(PAGES))
        assert (document.title, document.language) == ("A Book", "fr")
        assert [b.title for b in document.blocks if b.kind is Kind.HEADING] == ["One", "Two"]
        assert "1. One" in [document.slice(b.span) for b in document.blocks if b.role is Role.TOC]
        assert [document.slice(b.span) for b in document.blocks if b.kind is Kind.FOOTNOTE] == ["note"]
    order = read("a.epub", epub(PAGES, spine='<itemref idref="i2"/><itemref idref="i1"/><itemref idref="no"/>'))
    assert order.text.index("Two") < order.text.index("One")


PLAIN = {
    "nav.xhtml": (
        '<html><body><nav epub:type="toc"><ol><li><a href="one.xhtml">The Storm</a><ol>'
        '<li><a href="text/two%20b.xhtml#start">A <i>Calm</i></a></li></ol></li>'
        '<li><a href="three.xhtml">Third</a></li></ol></nav>'
        '<nav epub:type="page-list"><ol><li><a href="four.xhtml">99</a></li></ol></nav></body></html>'
    ),
    "one.xhtml": "<html><body><p>THE STORM</p><p>It came.</p></body></html>",
    "text/two%20b.xhtml": "<html><body><p>It went.</p></body></html>",
    "three.xhtml": "<html><body><h1>III</h1><p>It was gone.</p></body></html>",
    "four.xhtml": "<html><body><p>And so on.</p></body></html>",
}
NAMED = [(1, "The Storm"), (2, "A Calm"), (1, "III")]


def test_pages_without_a_heading_have_their_title_from_the_navigation() -> None:
    document = read("a.epub", epub(PLAIN, spine="".join(f'<itemref idref="i{n}"/>' for n in range(1, 5))))
    assert [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING] == NAMED
    text = "The Storm\n\nIt came.\n\nA Calm\n\nIt went.\n\nIII\n\nIt was gone.\n\nAnd so on."
    assert document.text == text


def test_an_older_book_has_its_titles_in_another_file() -> None:
    point = '<navPoint><navLabel><text>{}</text></navLabel><content src="{}"/>{}</navPoint>'
    inner = point.format("A Calm", "text/two%20b.xhtml#x", "")
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
        + point.format("The Storm", "one.xhtml", inner)
        + point.format("Third", "three.xhtml", "")
        + "</navMap></ncx>"
    )
    pages = {name: page for name, page in PLAIN.items() if "nav" not in name}
    item = b'<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    for content, headings in ((ncx, NAMED), ("<ncx><navMap>", [(1, "III")])):
        data = epub(pages, extra={"OPS/toc.ncx": content})
        package = zipfile.ZipFile(io.BytesIO(data)).read("OPS/package.opf").replace(b"</manifest>", item)
        document = read("a.epub", epub(pages, extra={"OPS/toc.ncx": content, "OPS/package.opf": package.decode()}))
        assert [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING] == headings


def test_books_with_faults() -> None:
    told: list[str] = []
    broken = epub(PAGES).replace(b"OPS/two.xhtml", b"OPS/xxx.xhtml")
    assert "One" in read("a.epub", broken, told).text
    assert any("two.xhtml is missing" in line for line in told)
    encryption = (
        '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
        '<enc:CipherReference URI="OPS/two.xhtml"/></encryption>'
    )
    with pytest.raises(ReadError, match="encrypted"):
        read("a.epub", epub(PAGES, extra={"META-INF/encryption.xml": encryption}))
    with pytest.raises(ReadError, match="damaged"):
        read("a.epub", epub(PAGES)[:400])


# Source code.


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.py", "x = 1\n", "python"), ("lib.RS", "fn x() {}", "rust"), ("Makefile", "all:\n", "make"),
        ("run", "#!/usr/bin/env -S python3 -u\nx = 1", "python"), ("-", "#!/bin/sh\necho", "bash"),
        ("a.yml", "a: 1", "yaml"),
    ],
)  # fmt: skip
def test_code_is_one_block_in_its_language(name: str, text: str, language: str) -> None:
    document = read(name, f"\n \n{text}\n\n")
    if not text.startswith("#!"):
        assert document.blocks[0].language == language
    document = read(name, text)
    assert document.text == text
    assert shapes(document) == [(Kind.CODE, text.rstrip())]
    assert document.blocks[0].language == language


def test_the_encoding_that_python_declares() -> None:
    assert read("a.py", "#!/usr/bin/python\n# -*- coding: koi8-r -*-\nx = 'Мир'\n".encode("koi8-r")).text.endswith(
        "'Мир'\n"
    )


def test_names_without_a_language() -> None:
    assert language_of("README") is None
    assert language_of("a.tex") is None  # prose


# Rows.


def test_rows_are_a_table() -> None:
    document = read("a.csv", 'name;note\n"Miller, A";"says ""hi""\nand | goes"\n\nx\n')
    assert document.text == '| name | note |\n| --- | --- |\n| Miller, A | says "hi" and \\| goes |\n| x |  |'
    assert [b.kind for b in document.blocks] == [Kind.TABLE]
    assert read("a.tsv", "a,b\tc\n1\t2").text == "| a,b | c |\n| --- | --- |\n| 1 | 2 |"
    assert read("a.csv", "").blocks == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([["a", "b", "c, d"], ["1", "2;3", "x"], ["4,5", "6", "7"]])
    assert find_delimiter(out.getvalue()) == delimiter


@given(st.text(alphabet='ab,;"\n\r\t| \0é', max_size=60))
def test_any_rows_give_a_document_or_one_line(text: str) -> None:
    message = ""
    try:
        read("a.csv", text, encoding="utf-8")
    except ReadError as error:
        message = str(error)
    assert "\n" not in message


def test_a_wide_row_among_many_does_not_multiply() -> None:
    document = read("a.csv", "a,b\n" * 20_000 + "x" + ",1" * 2_000)
    assert len(document.text) < 1_000_000


# Texts in JSON.

RECORDS = [{"title": "One", "text": "a\n\nb"}, {"text": "c\u0000"}, {"id": 3}, {"text": " "}]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "-", "a.ndjson"])
def test_records_are_texts_one_page_each(name: str) -> None:
    lines = name != "a.json"
    data = "\n".join(map(json.dumps, RECORDS)) + "\n" if lines else json.dumps(RECORDS)
    if not lines:
        data = json.dumps(RECORDS[:2])
    told: list[str] = []
    document = read(name, data, told)
    assert document.text == "One\n\na\n\nb\n\nc\ufffd"
    assert [b.kind for b in document.blocks] == [Kind.HEADING, *[Kind.PARAGRAPH] * 3]
    assert [(page.number, document.slice(page.span).strip()) for page in document.pages] == [
        (1, "One\n\na\n\nb"),
        (2, "c\ufffd"),
    ]
    assert told == ([f"{name}: 2 of 4 records without a text left out"] if lines else [])


def test_the_field_that_is_named_holds_the_text() -> None:
    data = json.dumps({"a": {"b": "deep"}, "text": "no"}) + "\n" + json.dumps({"a": {"b": ["x", "y"]}})
    for name in ("a.jsonl", "-"):
        assert read(name, data, text_field="a.b").text == "deep\n\nx\n\ny"
    assert read("a.json", '[{"role": "user", "content": "q", "note": "n"}]', text_field="note").text == "n"
    with pytest.raises(ReadError, match=r"--text-field c: no record has a text there; the first one has a, text"):
        read("a.jsonl", data, text_field="c")


def test_a_chat_in_lines_is_a_chat() -> None:
    data = '{"role": "user", "content": "Hi"}\n{"role": "assistant", "content": "Hello"}\n'
    for name in ("a.jsonl", "-"):
        assert [b.speaker for b in read(name, data).blocks if b.kind is Kind.TURN] == ["user", "assistant"]


def test_lines_that_are_no_json_or_no_texts() -> None:
    with pytest.raises(ReadError, match=r"a\.jsonl: line 3 is no JSON"):
        read("a.jsonl", '{"text": "x"}\n{"text": "y"}\n{"text": ')
    with pytest.raises(ReadError, match=r"name it with --text-field \(the first: id, n\)"):
        read("a.jsonl", '{"id": 1, "n": 2}\n', input_format="jsonl")
    assert read("a.jsonl", "").text == ""


# Main content.


def test_the_main_content_of_a_page() -> None:
    pytest.importorskip("trafilatura")
    words = "The tide comes in twice a day and it covers the long flat sands behind the harbour wall. " * 8
    page = (
        f"<html lang=en><head><title>T</title></head><body><div class=menu><a href=/>Home</a></div>"
        f"<article><h1>Tides</h1><p>{words}</p><h2>Again</h2><p>{words}</p></article>"
        f"<div class=cookie>Accept cookies</div></body></html>"
    )
    document = read("a.html", page, input_format="web")
    assert (document.title, document.language) == ("T", "en")
    assert [b.title for b in document.blocks if b.kind is Kind.HEADING][-1] == "Again"
    assert "covers the long flat sands" in document.text
    assert "cookies" not in document.text
    told: list[str] = []
    assert read("a.html", "<p>x", told, input_format="web").text == "x"
    assert "no main content" in told[0]


def test_without_its_extra_the_main_content_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(MissingExtra, match=r"vchunk\[web\]"):
        read("a.html", "<p>x", input_format="web")


@pytest.mark.parametrize("bad", [1, 2, 3, 9])
def test_a_damaged_line_of_json_lines_is_named_wherever_it_stands(bad: int) -> None:
    lines = [json.dumps({"id": n, "text": f"Boat {n} is here."}) for n in range(1, 10)]
    lines[bad - 1] = lines[bad - 1][:20]
    with pytest.raises(ReadError, match=rf"a\.jsonl: line {bad} is no JSON"):
        read("a.jsonl", "\n".join(lines))


def test_a_line_may_hold_a_book() -> None:
    text = "The boat is here. " * 20_000
    document = read("a.jsonl", (json.dumps({"text": text}) + "\n") * 2)
    assert [len(page) for page in document.text.split("\n\n")] == [len(text.rstrip())] * 2
