"""Parsed documents from the file to the chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import vchunk
from docling_builder import Docling
from vchunk import Role, Session
from vchunk.adapters.readers.folders import Selection
from vchunk.adapters.readers.registry import known_format
from vchunk.cli.references import expand
from vchunk.domain.ports import Warn

WORDS = "The harbour of Skarra was closed to all sailing vessels in the winter of 1911."
SHARED = Path(__file__).resolve().parents[1].parent / "shared"
REAL = sorted((SHARED / "real").glob("*.docling.json"))
PARSED = {
    "pages": [
        {"elements": [{"type": "title", "content": "Boats"}, {"type": "text", "content": WORDS}]},
        {"elements": [{"type": "text", "content": WORDS}, {"type": "page_number", "content": "2"}]},
    ]
}


def tile(text: str, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether spans are apart and hold all that is not white space."""
    at = 0
    for start, end in sorted(spans):
        if start < at or text[at:start].strip():
            return False
        at = end
    return not text[at:].strip()


@pytest.mark.parametrize("parsed", [PARSED, [e for page in PARSED["pages"] for e in page["elements"]]])
def test_parsed_json_is_read_from_python(parsed: Any) -> None:
    doc = vchunk.read(parsed)
    assert doc.document.title == "Boats"
    assert vchunk.read(json.dumps(parsed).encode(), media_type="application/json").key == doc.key


def test_damage_is_left_out_and_listed_and_kept_on_demand() -> None:
    doc = vchunk.read(PARSED)
    chunks = doc.chunks(method="structure")
    assert [chunk.text for chunk in chunks] == [f"Boats\n\n{WORDS}"]
    assert [(doc.document.slice(x.span), x.role) for x in chunks.left_out] == [
        (WORDS, Role.DAMAGED),
        ("2", Role.FURNITURE),
    ]
    assert sum(chunk.text.count(WORDS) for chunk in doc.chunks(method="structure", skip=())) == 2


def test_a_folder_gives_parsed_documents_but_no_other_json(tmp_path: Path) -> None:
    (tmp_path / "boats.json").write_text(json.dumps(PARSED), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1.0.0"}', encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Notes", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    files, told = expand([str(tmp_path)], Selection())
    assert files == [str(tmp_path / "boats.json"), str(tmp_path / "notes.md")]
    assert told
    assert known_format("picture.png") is None


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    ignore: Warn = print
    return Session(store=tmp_path_factory.mktemp("store"), warn=ignore)


@pytest.mark.skipif(not REAL, reason="the real documents are not here")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_every_body_text_of_a_real_document_is_in_a_chunk(path: Path, session: Session) -> None:
    doc = session.read(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    for limit in (32, 128, 512):
        chunks = doc.chunks(method="structure", max_tokens=limit)
        assert all(chunk.tokens <= limit for chunk in chunks)
        assert all(chunk.text == doc.text[chunk.start : chunk.end] for chunk in chunks)
        assert all(heading.title for chunk in chunks for heading in chunk.headings)
        left = [(x.span.start, x.span.end) for x in chunks.left_out]
        assert tile(doc.text, [*((chunk.start, chunk.end) for chunk in chunks), *left])
        assert {x.role for x in chunks.left_out} <= {Role.FURNITURE, Role.FIGURE}
        pictured = [x.span for x in chunks.left_out if x.role is Role.FIGURE]
        covered = "".join(doc.text[c.start : c.end] for c in chunks) + "".join(map(doc.document.slice, pictured))
        covered = "".join(covered.split())
        for item in data["texts"]:
            if item["content_layer"] == "body":
                assert "".join((item["text"] or item["orig"]).split()) in covered
    assert bool(doc.document.pages) == any(item["prov"] for item in data["texts"])


def test_words_in_pictures_make_no_chunks_unless_they_are_asked_for(session: Session, tmp_path: Path) -> None:
    made = Docling()
    made.text("Boats sail on the sea.")
    picture = made.picture()
    made.claim(picture, made.text("Figure 1: A boat", "caption"))
    made.text("mast", parent=picture)
    (tmp_path / "a.json").write_text(json.dumps(made.data), encoding="utf-8")
    doc = session.read(tmp_path / "a.json")
    chunks = doc.chunks(method="structure")
    assert [chunk.text for chunk in chunks] == ["Boats sail on the sea.\n\nFigure 1: A boat"]
    assert [(doc.document.slice(part.span), part.role) for part in chunks.left_out] == [("mast", Role.FIGURE)]
    kept = doc.chunks(method="structure", skip="furniture")
    assert [(chunk.text, chunk.role) for chunk in kept][1:] == [("mast", "figure")]
