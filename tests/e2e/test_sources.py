"""Files of many formats, folders and standard input, as a user gives them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from reader_samples import samples

STRUCTURE = ("--method", "structure")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    for name, data in samples().items():
        (folder / "deep" / name).write_bytes(data)
    (folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (folder / "noise.log").write_text("x", encoding="utf-8")
    (folder / ".hidden.md").write_text("x", encoding="utf-8")
    (folder / "z.bin").write_bytes(b"\0\1\2" * 20)
    return folder


def test_a_folder_of_every_format_is_read_and_a_bad_file_is_named(vchunk, docs: Path):
    (docs / "bad.docx").write_bytes(b"PK\x03\x04 cut off")
    done = vchunk("chunk", "docs", *STRUCTURE)
    assert done.returncode == 1
    assert len({record["document"] for record in done.records}) == len(samples())
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1
    assert "bad.docx: a Word document that is damaged or cut off" in errors[0]
    told = f"docs: {len(samples()) + 1} files; left out: "
    (line,) = [line for line in done.stderr.splitlines() if told in line]
    assert {"2 hidden", "1 ignored by .gitignore", "1 of formats that are not read"} == set(
        line.partition("left out: ")[2].split(", ")
    )
    quiet = vchunk("chunk", "-q", "docs", *STRUCTURE)
    assert "left out" not in quiet.stderr
    assert quiet.output == done.output


@pytest.mark.usefixtures("docs")
def test_include_and_exclude(vchunk):
    done = vchunk(
        "chunk", "-q", "docs", *STRUCTURE, "--include", "*.md", "--include", "*.rst", "--exclude", "a.rst"
    )
    assert len({record["document"] for record in done.checked().records}) == 1
    glob = vchunk("chunk", "-q", "docs/**/a.*", *STRUCTURE, env={"VCHUNK_EXCLUDE": "*.pdf"}).checked()
    assert len({record["document"] for record in glob.records}) == len(samples()) - 1
    none = vchunk("chunk", "docs", *STRUCTURE, "--include", "*.nothing")
    assert none.returncode == 1
    assert "docs: no document in this folder (left out: " in none.stderr


@pytest.mark.usefixtures("docs")
def test_a_folder_that_is_empty_does_not_stop_the_others(vchunk, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    done = vchunk("chunk", "empty", "docs/deep/a.md", "nothing/*.md", *STRUCTURE)
    assert done.returncode == 1
    assert done.records
    assert done.stderr.count("error:") == 2


@pytest.mark.parametrize("name", ["a.html", "a.docx", "a.jsonl"])
def test_standard_input_is_known_by_its_content(vchunk, name: str):
    shown = vchunk("show", "-", "--blocks", "--format", "json", input=samples()[name]).checked()
    assert len(json.loads(shown.output)) > 1


def test_every_format_is_shown(vchunk, docs: Path):
    for what in ("--text", "--blocks", "--pages"):
        assert vchunk("show", docs / "deep", what, "--format", "json").checked().output
    wrong = vchunk("show", docs / "deep" / "a.md", "--input-format", "klingon", "--text")
    assert wrong.returncode == 2
    assert "no such format" in wrong.stderr


def test_the_format_and_the_field_that_are_named(vchunk, tmp_path: Path):
    (tmp_path / "a.html").write_text("<p>x</p>", encoding="utf-8")
    assert vchunk("show", "a.html", "--text", "--input-format", "text").checked().stdout == "<p>x</p>"
    (tmp_path / "a.jsonl").write_text('{"q": {"said": "Words."}}\n', encoding="utf-8")
    assert vchunk("show", "a.jsonl", "--text", "--text-field", "q.said").checked().stdout == "Words."
    packed = gzip.compress("Größe".encode("utf-16"))
    assert vchunk("show", "-", "--text", input=packed).checked().stdout == "Größe"
    assert (
        vchunk("show", "-", "--text", "--encoding", "cp1251", input="Мир".encode("cp1251")).checked().stdout
        == "Мир"
    )


def test_the_formats_that_are_read(vchunk):
    records = vchunk("formats").checked().records
    known = {record["format"]: record for record in records}
    assert known["docx"]["endings"] == [".docx", ".docm", ".dotx", ".dotm"]
    assert known["web"]["extra"] == "web"
    assert all(isinstance(record["installed"], bool) for record in records)
    assert {record["extra"] for record in records if record["format"] is None} >= {"code"}
    assert "AsciiDoc" in vchunk("formats", "--format", "pretty").checked().stdout
