"""More faults that users of other chunkers met: verbatim text, sizes, languages, parsers' input.

See `test_cases`; skipped without the inputs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import vchunk
from docling_builder import Docling, prov
from test_cases import cut, tree
from vchunk.domain.document import Kind, Role


@pytest.fixture(scope="module")
def inputs(shared: Path) -> Path:
    return shared / "cases" / "inputs"


def made(text: str, name: str = "a.md", **wanted: Any) -> vchunk.Chunks:
    return vchunk.Session().read(vchunk.Source(name, text.encode())).chunks(method="structure", **wanted)


def parsed(data: Any) -> vchunk.Doc:
    return vchunk.Session().read(vchunk.Source("a.json", json.dumps(data).encode()))


def test_a_sentence_that_comes_again_has_its_own_place(inputs: Path) -> None:  # F001
    document, chunks = cut(inputs / "repeat_sentences.txt", max_tokens=40)
    starts = [c.start for c in chunks]
    assert starts == sorted(set(starts))
    assert sum("valve" in c.text for c in chunks) == 1
    assert "valve" in document.text


@pytest.mark.parametrize("name", ["odd_spacing.txt", "tabs_nbsp_code.md", "last_sentence.txt"])  # F004, F007, F013
@pytest.mark.parametrize("limit", [8, 40, 512])
def test_untrimmed_chunks_are_the_source(inputs: Path, name: str, limit: int) -> None:
    source = (inputs / name).read_bytes().decode()
    chunks = vchunk.read(inputs / name).chunks(method="structure", max_tokens=limit, trim=False)
    assert "".join(c.text for c in chunks) == source
    _, trimmed = cut(inputs / name, max_tokens=limit)
    assert trimmed[-1].end == len(source.rstrip())


def test_tabs_and_no_break_spaces(inputs: Path) -> None:  # F007
    _, chunks = cut(inputs / "tabs_nbsp_code.md", max_tokens=40)
    text = "\n".join(c.text for c in chunks)
    assert "\n\tcc -o a a.c" in text
    assert "1\u00a0000\u00a0EUR" in text


def test_clauses_lose_nothing() -> None:  # F010
    text = "Stop, now; go: fast, please, " * 200
    chunks = made(text, "a.txt", max_tokens=8)
    assert "".join("".join(c.text for c in chunks).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("name", "ends"),
    [("hindi.txt", "।?"), ("arabic.txt", ".؟!"), ("cjk.txt", "。！？」")],  # F020, F022, F023
)
def test_sentences_of_other_scripts(inputs: Path, name: str, ends: str) -> None:
    _, chunks = cut(inputs / name, max_tokens=60)
    count = vchunk.Session().counter.tokenize
    assert len(chunks) > 1
    assert all(c.text[-1] in ends for c in chunks[:-1])
    assert all(c.tokens == len(count(c.text)) for c in chunks)


def test_no_chunk_is_above_the_limit_without_delimiters(inputs: Path) -> None:  # F031
    cut(inputs / "no_delims.json.txt", max_tokens=256)


@pytest.mark.parametrize("limit", [16, 32, 128])
def test_paragraphs_that_just_fit(limit: int) -> None:  # F032
    count = vchunk.Session().counter.tokenize
    for extra in (-1, 0, 1):
        first = limit // 2
        text = f"{'word ' * first}\n\n{'word ' * (limit - first + extra)}"
        chunks = made(text, max_tokens=limit)
        assert all(len(count(c.text)) <= limit for c in chunks)
        assert len(chunks) > (extra > 0)


def test_a_short_last_sentence_joins_its_neighbour() -> None:  # F037
    long = "The harbour was rebuilt after the storm had broken the pier and the boats were safe. "
    chunks = made(long * 12 + "\n\nTax is due.", min_tokens=20, target_tokens=60)
    assert min(c.tokens for c in chunks) >= 20
    assert "Tax is due." in chunks[-1].text
    tiny = made(f"# A\n\n{long * 3}\n\n# B\n\n# C\n\n{long * 3}", min_tokens=20, target_tokens=60)
    assert min(c.tokens for c in tiny) >= 20
    assert len(made(f"Hm.\n\n{long * 2}", min_tokens=20, target_tokens=60)) == 1


def test_a_long_trail_costs_the_text_nothing() -> None:  # F041
    titles = [" ".join([word] * 150) for word in ("alpha", "beta", "gamma", "delta")]
    headings = "\n\n".join(f"{'#' * level} {title}" for level, title in enumerate(titles, start=1))
    chunks = made(f"{headings}\n\nBody text.\n\n{'More body here. ' * 60}", max_tokens=128)
    assert all(c.tokens <= 128 for c in chunks)
    for chunk in chunks:
        assert chunk.embed_text.endswith(chunk.text)
        assert len(chunk.embed_text) - len(chunk.text) <= 310
    assert any("Body text." in c.text for c in chunks)


@pytest.mark.parametrize("name", ["one_word.txt", "one_sentence.txt"])
def test_a_tiny_text_is_one_chunk(inputs: Path, name: str) -> None:  # F043
    document, (chunk,) = cut(inputs / name)
    assert chunk.text == document.text.strip()


def test_blank_lines_change_no_grouping(inputs: Path) -> None:  # F046
    document, chunks = cut(inputs / "many_blank_lines.txt", max_tokens=32)
    fewer = made("\n\n".join(p.strip() for p in document.text.split("\n\n") if p.strip()), "a.txt", max_tokens=32)
    assert [c.text.split() for c in chunks] == [c.text.split() for c in fewer]


def test_levels_of_headings_in_parsed_pdfs(shared: Path) -> None:  # F061
    outlined = vchunk.read(shared / "real" / "docling_bookmark_sample.pdf").document
    assert {level for level, _ in tree(outlined)} == {1, 2, 3}
    assert tree(outlined)[:2] == [(1, "PART I - DEFINITIONS"), (2, "1. Interpretation")]
    warned: list[str] = []
    session = vchunk.Session(warn=warned.append)
    flat = session.read(shared / "real" / "docling_2206.01062.docling.json").document
    assert {level for level, _ in tree(flat)} == {1}
    assert any("flat" in line for line in warned)


@pytest.mark.parametrize("limit", [48, 400])
def test_captions_of_tables(limit: int) -> None:  # F074
    rows = "".join(f"| region {n} | {n} |\n" for n in range(12))
    table = f"Table 3: Wages by region\n\n| region | wage |\n|---|---|\n{rows}\nSource: survey"
    chunks = made(f"Some words before.\n\n{table}\n\nSome words behind.", max_tokens=limit)
    pieces = [c for c in chunks if "table" in c.kinds]
    assert len(pieces) == 1 if limit == 400 else len(pieces) > 1
    for piece in pieces:
        assert piece.embed_text.count("Wages by region") == 1
        assert piece.embed_text.count("Source: survey") <= 1
    assert any("Source: survey" in c.text for c in chunks)


def test_nested_tables_in_html_do_not_end_in_recursion() -> None:  # F076
    cell = "<table><tr><td>comment\n"
    text = (cell * 40 + "</td></tr></table>\n" * 40) * 20
    chunks = made(text, max_tokens=200)
    assert "".join("".join(c.text for c in chunks).split()) == "".join(text.split())
    assert all(c.tokens <= 200 for c in chunks)


def test_inline_code_in_docling() -> None:  # F079
    docling = Docling(pages=1)
    inline = docling.group("inline")
    docling.text("Install with", parent=inline, prov=[prov(1, (10, 700, 60, 690), (0, 12))])
    docling.text("pip install x", "code", parent=inline, prov=[prov(1, (61, 700, 99, 690), (0, 13))])
    docling.text("first, then", parent=inline)
    docling.text("run", "code", parent=inline)
    docling.text(".", parent=inline)
    doc = parsed(docling.data)
    assert doc.text == "Install with `pip install x` first, then `run`."
    placed = [(doc.text[b.span.start : b.span.end], b.x0) for b in doc.document.boxes]
    assert [(text.strip("`"), x) for text, x in placed] == [("Install with", 10), ("pip install x", 61)]


def test_running_heads_part_no_sentence(inputs: Path) -> None:  # F112
    document, chunks = cut(inputs / "pdf_running_heads.pdf")
    assert not any("ACME Confidential" in c.text or " of 6" in c.text for c in chunks)
    assert {gap.role for gap in chunks.left_out} == {Role.FURNITURE}
    sentence = "the tank was filled and the lid was closed by the crew."
    assert sum(c.text.count(sentence) for c in chunks) == document.text.count(sentence) == 5


def test_flat_headings_of_slides_stay_siblings() -> None:  # F122
    docling = Docling(pages=2)
    for page, titles in ((1, ("Overview", "Scope")), (2, ("Results", "Costs"))):
        for title in titles:
            docling.text(title, "section_header", level=1, prov=[prov(page, (10, 700, 60, 690), (0, len(title)))])
            docling.text(f"Words on {title} here.", prov=[prov(page, (10, 600, 60, 590), (0, 8))])
    document = parsed(docling.data).document
    assert tree(document) == [(1, title) for title in ("Overview", "Scope", "Results", "Costs")]
    assert all(b.level == 1 for b in document.blocks if b.kind is Kind.HEADING)


def test_a_document_that_begins_below_level_one() -> None:  # F056
    chunks = made("Before.\n\n## Two\n\n### Three\n\nx\n\n# One\n\n## Two b\n\ny", max_tokens=8, sections="hard")
    trails = {c.text.split("\n")[-1]: [h.title for h in c.headings] for c in chunks}
    wanted = {"Before.": [], "x": ["Two", "Three"], "y": ["One", "Two b"]}
    assert {text: trails[text] for text in wanted} == wanted
