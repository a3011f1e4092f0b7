"""Faults that users of other chunkers met, on the inputs that show them; skipped without those inputs."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

import vchunk
from vchunk.domain.document import Document, Kind, Role
from vchunk.domain.sections import find_sections

Chunks = vchunk.Chunks


@pytest.fixture(scope="module")
def inputs(shared: Path) -> Path:
    return shared / "cases" / "inputs"


def cut(path: Path, **wanted: Any) -> tuple[Document, Chunks]:
    """A document and its chunks, whose laws hold."""
    doc = vchunk.read(path)
    chunks = doc.chunks(method="structure", **wanted)
    at = 0
    parts = [(c.start, c.end) for c in chunks] + [(p.span.start, p.span.end) for p in chunks.left_out]
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


def trail(chunks: Chunks, text: str) -> list[str]:
    (chunk,) = [c for c in chunks if text in c.text]
    return [heading.title for heading in chunk.headings]


def test_indentation_of_nested_lists(inputs: Path) -> None:  # F005
    _, (chunk,) = cut(inputs / "nested_list.md", max_tokens=500)
    assert "        -   Alpha one deep" in chunk.text


def test_line_ends_of_any_kind(inputs: Path, tmp_path: Path) -> None:  # F025, F026
    document, chunks = cut(inputs / "crlf.md", max_tokens=24)
    unix = tmp_path / "lf.md"
    unix.write_bytes((inputs / "crlf.md").read_bytes().replace(b"\r\n", b"\n"))
    same, others = cut(unix, max_tokens=24)
    assert tree(document) == tree(same)
    assert [b.kind for b in document.blocks] == [b.kind for b in same.blocks]
    assert [(c.line_start, c.line_end) for c in chunks] == [(c.line_start, c.line_end) for c in others]
    assert all("\r" not in title for _, title in tree(document))
    for name in ("cr_only.txt", "mixed_newlines.txt"):
        cut(inputs / name, max_tokens=16)


def test_small_sections_are_kept(inputs: Path) -> None:  # F014
    _, chunks = cut(inputs / "tiny_sections.md", min_tokens=100)
    for text in ("Hi.", "Ok.", "Bye."):
        assert any(text in c.text for c in chunks)


def test_a_heading_above_the_limit(inputs: Path) -> None:  # F040
    _, chunks = cut(inputs / "long_heading.md", max_tokens=64)
    assert any("must not get lost" in c.text for c in chunks)
    assert any("Second body." in c.text for c in chunks)


def test_fences(inputs: Path) -> None:  # F050, F052, F053
    document, chunks = cut(inputs / "fence_comment.md", max_tokens=32)
    assert [title for _, title in tree(document)] == ["Guide", "Next"]
    assert all(c.text.count("```") % 2 == 0 and c.text.count("~~~") % 2 == 0 for c in chunks)
    document, chunks = cut(inputs / "indented_fence_in_list.md", max_tokens=12)
    assert [title for _, title in tree(document)] == ["Steps", "After"]
    assert not any(c.text.strip().strip("`>shyaml ") == "" for c in chunks)
    document, _ = cut(inputs / "unclosed_fence.md", max_tokens=32)
    code = [document.slice(b.span) for b in document.blocks if b.kind is Kind.CODE]
    assert "Important section" in code[-1]


def test_trails_after_jumps(inputs: Path) -> None:  # F055, F056
    _, chunks = cut(inputs / "level_jump.md", max_tokens=12)
    wanted = {
        "\nb": ["Root", "Second deep"],
        "\nc": ["Root", "Shallow"],
        "\nd": ["Root", "Shallow", "Very deep"],
        "\ne": ["Root two"],
    }
    for text, titles in wanted.items():
        (chunk,) = [c for c in chunks if c.text.endswith(text)]
        assert [heading.title for heading in chunk.headings] == titles


def test_headings_stay_with_what_follows(inputs: Path) -> None:  # F058, F059
    document, chunks = cut(inputs / "stacked_headings.md", max_tokens=24)
    for _, title in tree(document):
        assert any(title in c.text for c in chunks)
    assert trail(chunks, "Body at last.")[-1] == "Four"
    for limit in (32, 64, 128):
        document, chunks = cut(inputs / "orphan_heading.md", max_tokens=limit)
        ends = {b.span.end for b in document.blocks if b.kind is Kind.HEADING}
        assert not [c.text for c in chunks[:-1] if c.end in ends]


def test_numbered_headings_are_an_option(inputs: Path) -> None:  # F062
    numbered = vchunk.read(inputs / "legal_numbering.txt", numbered_headings=True).document
    titles = [title for _, title in tree(numbered)]
    assert "PART I" in titles
    assert not any("2024" in title for title in titles)
    assert tree(vchunk.read(inputs / "legal_numbering.txt").document) == []


def test_front_matter(inputs: Path) -> None:  # F064
    document, chunks = cut(inputs / "frontmatter.md")
    assert document.blocks[0].kind is Kind.FRONT_MATTER
    assert not any("yaml comment" in title for _, title in tree(document))
    text = " ".join(c.text for c in chunks)
    assert "Para two" in text
    assert "Para three" in text
    assert "yaml comment" not in text


def test_backmatter(inputs: Path) -> None:  # F065
    document, chunks = cut(inputs / "references_mid.md")
    marked = [document.slice(b.span) for b in document.blocks if b.role is Role.BACKMATTER]
    assert any(text.startswith("[1]") for text in marked)
    assert not any("alias" in text or "Proof" in text for text in marked)
    assert "A reference is an alias." in " ".join(c.text for c in chunks)


def test_footnotes(inputs: Path) -> None:  # F067
    document, chunks = cut(inputs / "footnotes.md", max_tokens=16)
    notes = [b for b in document.blocks if b.kind is Kind.FOOTNOTE]
    assert len(notes) == 2
    for note in notes:
        assert any(c.start <= note.span.start and note.span.end <= c.end for c in chunks)


def test_html_in_markdown(inputs: Path) -> None:  # F068
    document, _ = cut(inputs / "html_comment.md", max_tokens=32)
    titles = [title for _, title in tree(document)]
    assert "Real heading" in titles
    assert "hidden heading" not in titles


def test_pieces_of_a_table_are_tables(inputs: Path) -> None:  # F070, F071, F073
    _, chunks = cut(inputs / "big_table.md", max_tokens=128)
    rows = [c for c in chunks if c.kind == "table"]
    assert len(rows) > 1
    widths = set()
    for chunk in rows:
        lines = [line for line in chunk.embed_text.splitlines() if line.startswith("|")]
        assert set(lines[1]) <= set("|-: ")
        widths |= {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert len(widths) == 1
    _, chunks = cut(inputs / "huge_header_table.md", max_tokens=128)
    assert not any(part.kind == "table_header" for c in chunks for part in c.context)
    for limit in (16, 32, 64):
        cut(inputs / "wide_rule_table.md", max_tokens=limit)


def test_pieces_of_code(inputs: Path) -> None:  # F077
    _, chunks = cut(inputs / "long_code.md", max_tokens=128)
    pieces = [c for c in chunks if "code" in c.kinds]
    assert len(pieces) > 1
    assert {c.language for c in pieces} == {"python"}
    assert not any(c.text.strip().startswith("```") and "\n" not in c.text.strip() for c in pieces)
    (intro,) = [c for c in chunks if "Intro:" in c.text]
    assert "```python" in intro.text


def test_sentences_are_not_cut_at_abbreviations(inputs: Path) -> None:  # F080
    _, chunks = cut(inputs / "abbrev.txt", max_tokens=40)
    for chunk in chunks[:-1]:
        assert not chunk.text.endswith(("Dr.", "J.", "vs.", "e.g.", "Fig.", "vol.", "No.", "Die 1.", "..."))


@pytest.mark.parametrize("limit", [32, 128, 512])
def test_docling_documents_are_covered(shared: Path, limit: int) -> None:  # F121
    for path in sorted((shared / "real").glob("*.docling.json")):
        document, _ = cut(path, max_tokens=limit)
        for item in json.loads(path.read_text("utf-8"))["texts"]:
            words = item.get("text", "").split()
            if item.get("content_layer", "body") == "body" and words:
                assert words[0] in document.text


def heading_ends(document: Document) -> set[int]:
    return {b.span.end for b in document.blocks if b.kind is Kind.HEADING and b.parent is None}


def test_a_heading_ends_a_chunk_only_before_a_block_that_fits_without_it(shared: Path) -> None:
    """Then one of two promises has to go: the block stays whole."""
    count = vchunk.Session().counter.tokenize
    found = 0
    for name in ("readme_system_design_primer.md", "k8s_api-conventions.md"):
        document, chunks = cut(shared / "real" / name, max_tokens=32)
        ends = heading_ends(document)
        for before, after in itertools.pairwise(chunks):
            if before.end in ends:
                found += 1
                assert after.kinds[0] in ("list_item", "quote", "code", "table")
                assert after.part is None
                assert len(count(document.text[before.start : after.end])) > 32
    assert found


@pytest.mark.parametrize("limit", [32, 128, 512])
@pytest.mark.parametrize(
    "name",
    ["readme_system_design_primer.md", "k8s_api-conventions.md", "legal_github_corporate_terms.md"],
)
def test_no_block_that_fits_is_cut(shared: Path, name: str, limit: int) -> None:
    document, chunks = cut(shared / "real" / name, max_tokens=limit)
    count = vchunk.Session().counter.tokenize
    starts = sorted(c.start for c in chunks)
    whole = {Kind.CODE, Kind.TABLE, Kind.FORMULA, Kind.LIST_ITEM, Kind.QUOTE, Kind.FIGURE, Kind.FOOTNOTE}
    for block in document.blocks:
        if block.kind in whole and any(block.span.start < at < block.span.end for at in starts):
            assert len(count(document.slice(block.span))) > limit
