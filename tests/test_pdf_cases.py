"""Faults that users of other tools met with PDFs, on the files that show them; skipped without those files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from typer.testing import CliRunner

import vchunk
from pdf_builder import Put, build, lines
from vchunk.cli.app import app
from vchunk.domain.document import Document, Kind, Role
from vchunk.domain.errors import ReadError

PROSE = ["The keeper of the lighthouse wrote down the wind each", "morning and each evening of the year."]


def headings(document: Document) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING]


@pytest.fixture
def read(shared: Path) -> Callable[..., vchunk.Doc]:
    def read(name: str, **reading: str) -> vchunk.Doc:
        return vchunk.read(shared / name, **reading)

    return read


def test_no_nul_reaches_text_titles_or_json(tmp_path: Path) -> None:  # F029
    path = tmp_path / "nul.pdf"
    meaning = {ord("x"): bytes([0, 0]), ord("y"): bytes([0xD8, 0])}
    page = [Put(72, 60, "1 The lamp x y", 14, "F5"), *lines(72, 100, PROSE)]
    path.write_bytes(build([page], meaning=meaning))
    doc = vchunk.read(path)
    assert not re.search(r"[\0-\x08\x0b-\x1f\ud800-\udfff]", doc.text)
    (chunk,) = doc.chunks(method="structure")
    told = json.loads(json.dumps(chunk.as_dict()))
    assert "\0" not in json.dumps(told) + "".join(heading["title"] for heading in told["headings"])


def test_an_outline_gives_a_tree(read: Callable[..., vchunk.Doc]) -> None:  # F061
    doc = read("real/docling_bookmark_sample.pdf")
    assert {level for level, _ in headings(doc.document)} >= {1, 2}
    chunks = doc.chunks(method="structure", target_tokens=40)
    trails = [[heading.title for heading in chunk.headings] for chunk in chunks]
    assert ["PART II - OBLIGATIONS", "3. Payment Terms", "3.1 Payment Schedule"] in trails


@pytest.mark.parametrize("name", ["real/pdfjs_tracemonkey.pdf", "cases/inputs/pdf_running_heads.pdf"])
def test_pages_of_chunks_are_those_of_their_text(shared: Path, name: str) -> None:  # F107
    with pypdfium2.PdfDocument(shared / name) as pdf:
        count = len(pdf)
        texts = ["".join(page.get_textpage().get_text_range().split()) for page in pdf]
    doc = vchunk.read(shared / name)
    for chunk in doc.chunks(method="structure", target_tokens=100):
        assert chunk.pages == tuple(sorted({box.page for box in chunk.boxes}))
        assert 1 <= chunk.pages[0] <= chunk.pages[-1] <= count
        first = re.match(r"\w+", chunk.text)
        assert first is None or any(first[0] in texts[page - 1] for page in chunk.pages)


def test_ligatures_are_letters(read: Callable[..., vchunk.Doc]) -> None:  # F109
    text = read("real/pdfjs_tracemonkey.pdf").text
    for word in ("efficient", "specific", "difficult", "flow", "first", "off"):
        assert re.search(rf"\b{word}\b", text)
    assert not re.search(r"[\ufb00-\ufb06]|\bdi ff|\be ffi|\bspeci fi", text)


def test_the_left_column_comes_first(read: Callable[..., vchunk.Doc]) -> None:  # F110
    doc = read("cases/inputs/pdf_two_columns.pdf")
    assert doc.text.index("voted for a new light") > doc.text.index(
        "found that the crane must be moved before winter"
    )


def test_heads_and_feet_stand_in_no_sentence(read: Callable[..., vchunk.Doc]) -> None:  # F112
    doc = read("cases/inputs/pdf_running_heads.pdf")
    chunks = doc.chunks(method="structure", target_tokens=60)
    assert not any("ACME Confidential" in chunk.text or "Page " in chunk.text for chunk in chunks)
    assert {part.role for part in chunks.left_out} == {Role.FURNITURE}
    whole = "the tank was filled and the lid was closed by the crew."
    assert sum(chunk.text.count(whole) for chunk in chunks) == 5


def test_words_keep_their_blanks(read: Callable[..., vchunk.Doc]) -> None:  # F113
    words = read("real/financebench_AMAZON_2017_10K.pdf").text.split()
    assert len(words) > 40_000
    assert sum(len(re.sub(r"\W", "", word)) > 30 for word in words) < 0.001 * len(words)


def test_passwords(read: Callable[..., vchunk.Doc], shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # F115
    name = "real/pypdf_password.pdf"
    with pytest.raises(ReadError, match=r"needs a password; give it with --password$"):
        read(name)
    with pytest.raises(ReadError, match=r"the password given with --password does not open"):
        read(name, password="wrong")
    assert read(name, password="openpassword").text
    monkeypatch.setenv("VCHUNK_PASSWORD", "openpassword")
    done = CliRunner().invoke(app, ["show", str(shared / name), "--text"])
    assert done.exit_code == 0
    assert done.stdout == read(name, password="openpassword").text


def test_damaged_files_and_others_of_that_name(shared: Path, tmp_path: Path) -> None:  # F115
    whole = (shared / "real" / "pdfjs_tracemonkey.pdf").read_bytes()
    for name, data in (("cut.pdf", whole[:2000]), ("page.pdf", b"<!DOCTYPE html><p>no</p>")):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ReadError, match=rf"{name}: not a[^\n]*$"):
            vchunk.read(path)


def test_a_file_cut_short_gives_the_pages_that_are_there(shared: Path, tmp_path: Path) -> None:  # F115
    path = tmp_path / "cut.pdf"
    whole = (shared / "real" / "docling_multi_page.pdf").read_bytes()
    path.write_bytes(whole[: -len(whole) // 20])
    told: list[str] = []
    doc = vchunk.Session(warn=told.append).read(path)
    assert "The concept of the word processor predates modern computers and has evolved through" in doc.text
    assert "damaged, its end is missing; text of 5 pages was recovered" in told[0]
