"""What the cases about structure ask for to the letter, beside `test_cases`; skipped without the inputs."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import vchunk
from docling_builder import Docling, prov
from test_cases import cut, tree
from test_size_cases import bpe_file, count
from vchunk.domain.document import Document, Kind, Role
from vchunk.domain.sections import find_sections


@pytest.fixture(scope="module")
def inputs(shared: Path) -> Path:
    return shared / "cases" / "inputs"


def parents(document: Document) -> list[tuple[str, str | None]]:
    """Titles with that of the section they stand in."""
    sections = find_sections(document)
    return [(s.title, None if s.parent is None else sections[s.parent].title) for s in sections]


def test_no_sequence_of_emoji_is_cut(inputs: Path, tmp_path: Path) -> None:  # F016
    document = vchunk.read(inputs / "emoji_offsets.txt")
    # one family is 25 tokens of bytes: what a reader sees as one character is whole, whatever the limit
    chunks = document.chunks(method="structure", max_tokens=8, size_in=str(bpe_file(tmp_path)))
    assert len(chunks) > 100
    whole = ("👨\u200d👩\u200d👧\u200d👦", "🇩🇪", "👍🏽")
    cuts = {chunk.start for chunk in chunks} | {chunk.end for chunk in chunks}
    for sequence in whole:
        at = document.text.find(sequence)
        assert at >= 0
        while at >= 0:
            assert not cuts & set(range(at + 1, at + len(sequence)))
            at = document.text.find(sequence, at + 1)
    assert all(chunk.text.strip() for chunk in chunks)
    assert "\ufffd" not in document.text


def test_offsets_count_carriage_returns(inputs: Path) -> None:  # F025
    source = (inputs / "crlf.md").read_bytes().decode()
    document, chunks = cut(inputs / "crlf.md", max_tokens=24)
    assert document.text == source
    assert all(chunk.text == source[chunk.start : chunk.end] for chunk in chunks)
    assert any("\r\n" in chunk.text for chunk in chunks)


def test_a_carriage_return_alone_ends_a_line(inputs: Path) -> None:  # F026
    source = (inputs / "cr_only.txt").read_bytes().decode()
    chunks = vchunk.read(inputs / "cr_only.txt").chunks(method="structure", max_tokens=6, trim=False)
    assert [chunk.line_start for chunk in chunks] == [1 + source[: c.start].count("\r") for c in chunks]
    assert len({chunk.line_start for chunk in chunks}) > 2
    mixed = (inputs / "mixed_newlines.txt").read_bytes().decode()
    tiled = vchunk.read(inputs / "mixed_newlines.txt").chunks(method="structure", max_tokens=6, trim=False)
    assert "".join(chunk.text for chunk in tiled) == mixed


@pytest.mark.parametrize("limit", [12, 24])
def test_fences_close_where_they_open_or_are_marked_as_parted(inputs: Path, limit: int) -> None:  # F050, F052
    for name in ("indented_fence_in_list.md", "fence_comment.md"):
        document, chunks = cut(inputs / name, max_tokens=limit)
        for chunk in chunks:
            for fence in ("```", "~~~"):
                if chunk.text.count(fence) % 2:
                    assert chunk.part is not None
                    inside = next(
                        block
                        for block in document.blocks
                        if block.kind is Kind.CODE
                        and block.span.start < chunk.end
                        and chunk.start < block.span.end
                    )
                    assert count(document.slice(inside.span)) > limit


def test_an_open_fence_runs_to_the_end(inputs: Path) -> None:  # F053
    document, chunks = cut(inputs / "unclosed_fence.md", max_tokens=32)
    assert [title for _, title in tree(document)] == ["Title"]
    code = next(block for block in document.blocks if block.kind is Kind.CODE)
    assert code.span.end == len(document.text.rstrip())
    said = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert said == "".join(document.text.split())


def test_stacked_headings_are_all_there(inputs: Path) -> None:  # F058
    document, chunks = cut(inputs / "stacked_headings.md", max_tokens=24)
    assert len(tree(document)) == 5
    for block in document.blocks:
        if block.kind is Kind.HEADING:
            assert any(c.start <= block.span.start and block.span.end <= c.end for c in chunks)
    (body,) = [chunk for chunk in chunks if "Body at last." in chunk.text]
    assert [heading.title for heading in body.headings] == ["One", "Two", "Three", "Four"]
    assert tree(document)[-1][1] in chunks[-1].text


@pytest.mark.parametrize("limit", [32, 64, 128])
def test_a_heading_stands_with_the_first_words_of_its_body(inputs: Path, limit: int) -> None:  # F059
    document, chunks = cut(inputs / "orphan_heading.md", max_tokens=limit)
    blocks = [block for block in document.blocks if block.parent is None]
    pairs = [
        (a, b) for a, b in itertools.pairwise(blocks) if a.kind is Kind.HEADING and b.kind is not Kind.HEADING
    ]
    assert pairs
    for heading, body in pairs:
        first = body.span.start + len(document.slice(body.span).split()[0])
        assert any(c.start <= heading.span.start and first <= c.end for c in chunks)


def test_numbers_give_levels_to_headings_that_a_parser_left_flat() -> None:  # F061
    docling = Docling(pages=1)
    for title in ("3 Design", "3.1 Tower", "3.1.1 Lamp", "3.2 Pier", "4 Costs"):
        docling.text(title, "section_header", level=1, prov=[prov(1, (10, 700, 60, 690), (0, len(title)))])
        docling.text(f"Words on {title}, here.", prov=[prov(1, (10, 600, 60, 590), (0, 8))])
    document = vchunk.Session().read(vchunk.Source("a.json", json.dumps(docling.data).encode())).document
    assert tree(document) == [
        (1, "3 Design"),
        (2, "3.1 Tower"),
        (3, "3.1.1 Lamp"),
        (2, "3.2 Pier"),
        (1, "4 Costs"),
    ]


def test_the_tree_of_numbered_headings(inputs: Path) -> None:  # F062
    document = vchunk.read(inputs / "legal_numbering.txt", numbered_headings=True).document
    assert parents(document)[:6] == [
        ("PART I", None),
        ("1. Definitions", "PART I"),
        ("1.1 Interpretation", "1. Definitions"),
        ("PART II", None),
        ("1. Obligations", "PART II"),
        ("1.1 Payment", "1. Obligations"),
    ]
    assert not any("limb" in title or "buyer" in title for title, _ in parents(document))


def test_rules_and_front_matter_are_no_headings(inputs: Path) -> None:  # F064
    document, chunks = cut(inputs / "frontmatter.md", skip=())
    assert tree(document) == [(1, "Body")]
    assert sum(block.kind is Kind.RULE for block in document.blocks) == 2
    assert document.title == "Notes: one"
    front = document.blocks[0]
    assert (front.kind, front.role) == (Kind.FRONT_MATTER, Role.FRONT_MATTER)
    assert not any(c.start < front.span.end < c.end for c in chunks)


def test_a_title_that_only_holds_the_word_marks_nothing(inputs: Path) -> None:  # F065
    document, chunks = cut(inputs / "references_mid.md")
    marked = {block.title for block in document.blocks if block.role is Role.BACKMATTER and block.title}
    assert marked == {"References"}
    text = "".join(chunk.text for chunk in chunks)
    for kept in ("A reference is an alias.", "Text [1].", "[1] A. Author.", "[2] B. Author.", "Proof here."):
        assert kept in text


def test_a_footnote_keeps_its_further_lines(inputs: Path) -> None:  # F067
    document, _ = cut(inputs / "footnotes.md", max_tokens=24)
    notes = [document.slice(block.span) for block in document.blocks if block.kind is Kind.FOOTNOTE]
    assert notes == [
        "[^1]: first note",
        "[^b]: second note\n    continued line.\n\n        code in note",
    ]


def test_a_comment_hides_no_more_than_itself(inputs: Path) -> None:  # F068
    document, chunks = cut(inputs / "html_comment.md", max_tokens=512)
    assert "hidden heading" not in " ".join(title for _, title in tree(document))
    assert "".join("".join(c.text.split()) for c in chunks) == "".join(document.text.split())


def test_a_header_is_repeated_where_it_takes_half_of_the_budget_at_most(inputs: Path) -> None:  # F070, F071
    _, chunks = cut(inputs / "big_table.md", max_tokens=128)
    pieces = [chunk for chunk in chunks if chunk.kind == "table"]
    headers = {part.text for chunk in pieces[1:] for part in chunk.context if part.kind == "table_header"}
    (header,) = headers
    assert count(header) <= 64
    assert all(chunk.embed_text.count(header) == 1 for chunk in pieces)
    captions = [chunk for chunk in pieces if any(part.kind == "caption" for part in chunk.context)]
    assert pieces[0] not in captions


WHOLE = {Kind.CODE, Kind.TABLE, Kind.FORMULA, Kind.LIST_ITEM, Kind.QUOTE, Kind.FIGURE, Kind.FOOTNOTE, Kind.CUE}


def hold(document: Document, chunks: vchunk.Chunks, limit: int) -> None:
    """No chunk above the limit, no block that fits cut, all but what is left out covered."""
    assert all(count(chunk.text) == chunk.tokens <= limit for chunk in chunks)
    starts = sorted(chunk.start for chunk in chunks)
    for block in document.blocks:
        if block.kind in WHOLE and any(block.span.start < at < block.span.end for at in starts):
            assert count(document.slice(block.span)) > limit
    assert {part.role for part in chunks.left_out} <= {
        Role.FURNITURE,
        Role.FRONT_MATTER,
        Role.FIGURE,
        Role.DAMAGED,
    }


@pytest.mark.parametrize("limit", [32, 128, 512])
@pytest.mark.parametrize("name", ["docling_webvtt_example_01.vtt", "qmsum_education_4.json", "*.docling.json"])
def test_parsed_documents_and_transcripts_hold_the_laws(shared: Path, name: str, limit: int) -> None:  # F121
    paths = sorted((shared / "real").glob(name))
    assert paths
    for path in paths:
        document, chunks = cut(path, max_tokens=limit)
        hold(document, chunks, limit)
        assert all(heading.title for chunk in chunks for heading in chunk.headings)


def test_an_unknown_version_of_docling_is_named() -> None:  # F121
    data: dict[str, Any] = {"schema_name": "DoclingDocument", "version": "9.0.0", "body": {"children": []}}
    with pytest.raises(vchunk.ReadError, match=r"DoclingDocument version 9\.0\.0 is not read, only 1\.0 to 1\.10"):
        vchunk.Session().read(vchunk.Source("a.json", json.dumps(data).encode()))
