"""Blocks of real files and of known faults of other chunkers; skipped where those are not at hand."""

from __future__ import annotations

import bisect
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from vchunk import Chunks, Doc, Session, Source
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.pieces import WHOLE

FENCES = ("```", "~~~")


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(store=MemoryStore())


def load(session: Session, path: Path) -> Doc:
    if not path.is_file():
        pytest.skip(f"{path.name} is not at hand")
    return session.read(Source(path.name, path.read_bytes()))


@pytest.fixture
def case(session: Session, shared: Path):
    return lambda name: load(session, shared / "cases" / "inputs" / name)


def check(doc: Doc, chunks: Chunks, maximum: int) -> None:
    """All is covered, nothing is above the maximum, no block that fits is cut, no chunk is a fence."""
    count = doc.session.counter.tokenize
    at, between = 0, ""
    for chunk in chunks:
        between += doc.text[at : chunk.start]
        at = chunk.end
        assert chunk.tokens == len(count(chunk.text))
        assert chunk.tokens <= maximum
        lines = chunk.text.strip().splitlines()
        assert not (len(lines) == 1 and lines[0].lstrip("> ").startswith(FENCES))
    assert not (between + doc.text[at:]).strip()
    starts = [chunk.start for chunk in chunks]
    for block in doc.document.blocks:
        inner = bisect.bisect_left(starts, block.span.end) - bisect.bisect_right(starts, block.span.start)
        if block.kind in WHOLE and inner:
            assert len(count(doc.document.slice(block.span))) > maximum


@pytest.mark.parametrize("maximum", [32, 128, 512])
@pytest.mark.parametrize(
    "name", ["readme_system_design_primer.md", "k8s_api-conventions.md", "legal_github_corporate_terms.md"]
)
def test_real_documents(session: Session, shared: Path, name: str, maximum: int) -> None:
    doc = load(session, shared / "real" / name)
    check(doc, doc.chunks(method="structure", max_tokens=maximum, skip=()), maximum)


def test_long_code(case) -> None:
    doc = case("long_code.md")
    chunks = doc.chunks(method="structure", max_tokens=128)
    check(doc, chunks, 128)
    pieces = [c for c in chunks if c.kind == "code"]
    assert len(pieces) > 3
    assert all(c.language == "python" for c in pieces)
    assert "Intro:\n\n```python\ndef " in pieces[0].text
    assert all(c.text.startswith("def ") for c in pieces[1:])


def columns(text: str) -> list[int]:
    found = MarkdownIt("commonmark").enable("table").parse(text)
    heads = [i for i, token in enumerate(found) if token.type == "thead_open"]
    ends = [i for i, token in enumerate(found) if token.type == "thead_close"]
    return [sum(t.type == "th_open" for t in found[a:b]) for a, b in zip(heads, ends, strict=True)]


@pytest.mark.parametrize("maximum", [64, 128, 256])
def test_a_big_table(case, maximum: int) -> None:
    doc = case("big_table.md")
    chunks = doc.chunks(method="structure", max_tokens=maximum)
    check(doc, chunks, maximum)
    pieces = [c for c in chunks if c.kind == "table"]
    assert len(pieces) > 2
    for piece in pieces:
        assert columns(piece.embed_text) == [4]
    assert sum("Table 1: parameters" in c.text for c in chunks) == 1


def test_a_header_over_half_of_the_budget(case) -> None:
    doc = case("huge_header_table.md")
    chunks = doc.chunks(method="structure", max_tokens=128)
    check(doc, chunks, 128)
    assert all(c.context == () for c in chunks)


@pytest.mark.parametrize("maximum", [16, 32, 64])
def test_a_table_with_a_wide_rule(case, maximum: int) -> None:
    doc = case("wide_rule_table.md")
    check(doc, doc.chunks(method="structure", max_tokens=maximum), maximum)


def test_fences_in_lists_and_quotes(case) -> None:
    doc = case("indented_fence_in_list.md")
    chunks = doc.chunks(method="structure", max_tokens=12)
    check(doc, chunks, 12)
    for chunk in chunks:
        fences = chunk.text.count("```")
        assert fences % 2 == 0 or "code" in {chunk.method, chunks[chunk.index + 1].method}
    assert [n.title for n in doc.tree(method="structure").walk() if n.kind == "section"] == ["Steps", "After"]


def test_fences_that_fit_are_whole(case) -> None:
    doc = case("fence_comment.md")
    chunks = doc.chunks(method="structure", max_tokens=32)
    check(doc, chunks, 32)
    assert [c.language for c in chunks if "```" in c.text] == ["python"]
    assert all(c.text.count("```") % 2 == 0 and c.text.count("~~~") % 2 == 0 for c in chunks)
