"""Faults of readers that users met, on the inputs that show them; skipped without those inputs."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import vchunk
from docx_builder import docx, levels, number, p
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.sections import find_sections

Chunks = vchunk.Chunks


@pytest.fixture(scope="module")
def inputs(shared: Path) -> Path:
    return shared / "cases" / "inputs"


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    return shared / "real"


def cut(source: Path | Source, **wanted: Any) -> tuple[Document, Chunks]:
    """A document and its chunks, whose laws hold."""
    doc = vchunk.Session().read(source)
    chunks = doc.chunks(method="structure", **wanted)
    at = 0
    parts = [(c.start, c.end) for c in chunks] + [(part.span.start, part.span.end) for part in chunks.left_out]
    for start, end in sorted(parts):
        assert start >= at
        assert not doc.text[at:start].strip()
        at = end
    assert not doc.text[at:].strip()
    for chunk in chunks:
        assert chunk.text == doc.text[chunk.start : chunk.end] != ""
        assert "max_tokens" not in wanted or chunk.tokens <= wanted["max_tokens"]
    return doc.document, chunks


def tree(document: Document) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in find_sections(document)]


def test_offsets_of_html_are_those_of_its_text(inputs: Path) -> None:  # F011
    document, chunks = cut(inputs / "entities.html")
    assert document.title == "T & U"
    assert tree(document) == [(1, "A <b> & c")]
    assert "Café été bold\nnext\u00a0line 🚀 end." in document.text
    assert "Second … paragraph." in chunks[-1].text


def test_no_character_is_cut(inputs: Path) -> None:  # F016, F017
    for name, limit in (("emoji_offsets.txt", 8), ("ellipsis_run.txt", 50)):
        document, chunks = cut(inputs / name, max_tokens=limit)
        assert "\ufffd" not in document.text
        for chunk in chunks:
            first, before = document.text[chunk.start], document.text[max(chunk.start - 1, 0)]
            assert unicodedata.category(first)[0] != "M"
            assert "\u200d" not in (first, before if chunk.start else "")
    document, chunks = cut(inputs / "ellipsis_run.txt", max_tokens=50)
    assert sum(len(c.text) for c in chunks) == 3000


def test_lower_casing_moves_nothing(inputs: Path) -> None:  # F019
    document, chunks = cut(inputs / "dotted_i.txt", max_tokens=32)
    assert chunks[-1].end == len(document.text.rstrip())
    assert chunks[-1].text.endswith("END.")


def test_sentences_of_other_scripts(inputs: Path) -> None:  # F020, F023
    for name, ends in (("hindi.txt", "।?"), ("arabic.txt", ".؟!")):
        document, chunks = cut(inputs / name, max_tokens=60)
        assert len(chunks) > 1
        for chunk in chunks[:-1]:
            assert chunk.text[-1] in ends
            assert unicodedata.category(document.text[chunk.end]) not in ("Mn", "Mc")


def test_sizes_are_the_tokenizers(inputs: Path) -> None:  # F022
    _, chunks = cut(inputs / "cjk.txt", max_tokens=64)
    count = vchunk.Session().counter.tokenize
    assert len(chunks) > 1
    assert all(chunk.tokens == len(count(chunk.text)) for chunk in chunks)


def test_latin_1_is_read_with_a_warning_that_names_it(inputs: Path) -> None:  # F028
    told: list[str] = []
    doc = vchunk.Session(warn=told.append).read(inputs / "latin1.txt")
    assert "\ufffd" not in doc.text
    (warning,) = told
    assert re.search(r"latin1\.txt: not UTF-8 \(byte 0x[0-9A-F]{2} at offset \d+\); read as cp1252", warning)


def test_nul_and_controls_follow_one_rule(inputs: Path) -> None:  # F029
    told: list[str] = []
    doc = vchunk.Session(warn=told.append).read(inputs / "nul_and_controls.txt")
    raw = (inputs / "nul_and_controls.txt").read_bytes().decode()
    assert doc.text == raw.replace("\0", "\ufffd")
    assert "U+FFFD" in told[0]
    for chunk in doc.chunks(method="structure"):
        assert json.loads(json.dumps(chunk.as_dict()))["text"] == chunk.text
    heading = docx(p("Be\ufffdfore", "Heading1") + p("x"))
    assert tree(cut(Source("a.docx", heading))[0]) == [(1, "Be\ufffdfore")]


def test_nested_tables_end(tmp_path: Path) -> None:  # F076
    page = tmp_path / "thread.html"
    rows = ("<table><tr><td>" * (n % 40) + f"comment {n}" + "</td></tr></table>" * (n % 40) for n in range(800))
    page.write_text(f"<html><body>{''.join(rows)}</body></html>", encoding="utf-8")
    document, _ = cut(page, max_tokens=128)
    assert "comment 799" in document.text


def _plain(text: str) -> list[str]:
    """The words of Markdown, marks of lists and headings aside."""
    return re.sub(r"^[ \t]*(?:#{1,6} |- |\d+\. )", "", text, flags=re.MULTILINE).split()


def test_numbered_headings_of_word(real: Path) -> None:  # F116
    document, _ = cut(real / "docling_headers_numbered.docx")
    truth = (real / "docling_headers_numbered.groundtruth.md").read_text("utf-8")
    wanted = [(len(m[1]), m[2]) for m in re.finditer(r"^(#+) (.*)$", truth, re.MULTILINE)]
    assert tree(document) == wanted
    # Docling writes "1. Appendix A" and "- 1.1. Section A.1"; the marks of items apart, the words are the same.
    assert _plain(document.text) == _plain(truth)
    data = json.loads((real / "docling_headers_numbered.docling.json").read_text("utf-8"))
    for text in data["texts"]:
        assert text["text"] in document.text
    headings = [t for t in data["texts"] if t["label"] in ("title", "section_header")]
    assert [t["text"] for t in headings] == [title for _, title in tree(document)]
    assert [t["level"] + 1 for t in headings[1:]] == [level for level, _ in tree(document)[1:]]


def test_no_number_is_invented() -> None:  # F118
    lists = (
        f'<w:abstractNum w:abstractNumId="0">{levels(("none", "%1"))}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{levels(("decimal", "%1"), ("decimal", "%1.%2"))}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    )
    body = p("REFERENCES", "Heading1", number(0, 1))
    for title in ("One", "Two", "Three"):
        body += p(title, "Heading1", number(0, 2))
    body += p("First", "Heading2", number(1, 2)) + p("Second", "Heading2", number(1, 2))
    titles = [title for _, title in tree(cut(Source("a.docx", docx(body, numbering=lists)))[0])]
    assert titles == ["REFERENCES", "1 One", "2 Two", "3 Three", "3.1 First", "3.2 Second"]


def test_boxes_notes_changes_and_heads_of_word(real: Path) -> None:  # F119
    document, chunks = cut(real / "docling_textbox.docx")
    assert "Department of Education:" in document.text
    assert any("A report must be submitted within 24 hours" in c.text for c in chunks)
    note = '<w:footnote w:id="2">' + p("The note.") + "</w:footnote>"
    body = (
        "<w:p><w:r><w:t>Kept</w:t></w:r><w:del><w:r><w:delText> deleted</w:delText></w:r></w:del><w:r>"
        '<w:footnoteReference w:id="2"/></w:r><w:commentRangeStart w:id="0"/>'
        '<w:r><w:commentReference w:id="0"/></w:r></w:p>'
    )
    comments = f'<w:comment w:id="0">{p("A comment")}</w:comment>'
    data = docx(body, footnotes=note, header1=p("Running head"), comments=comments)
    document, chunks = cut(Source("a.docx", data))
    roles = {document.slice(block.span): block.role for block in document.blocks}
    assert roles == {"Kept[1]": Role.BODY, "[1] The note.": Role.BACKMATTER, "Running head": Role.FURNITURE}
    assert not any("Running head" in chunk.text for chunk in chunks)


@pytest.mark.parametrize("name", ["docling_word_tables.docx", "docling_table_06.html", "docling_wiki_duck.html"])
@pytest.mark.parametrize("limit", [32, 128])
def test_rows_of_tables_are_whole(real: Path, name: str, limit: int) -> None:
    document, chunks = cut(real / name, max_tokens=limit)
    count = vchunk.Session().counter.tokenize
    starts = {chunk.start for chunk in chunks}
    for block in document.blocks:
        if block.kind is not Kind.TABLE or document.slice(block.span).count("\n") == 1:
            continue  # a header alone is one piece, so what is over the limit is divided
        at = block.span.start
        for row in document.slice(block.span).split("\n"):
            assert row.startswith("| ")
            assert row.endswith(" |")
            inside = [start for start in starts if at < start < at + len(row)]
            assert not inside or len(count(row)) > limit
            at += len(row) + 1


def test_every_real_document_is_read(real: Path) -> None:
    for path in sorted(real.iterdir()):
        if path.suffix in (".docx", ".html", ".ipynb", ".vtt", ".md") and path.name != "MANIFEST.md":
            document = vchunk.read(path).document
            assert len(document.text) > 100, path
            assert document.blocks
