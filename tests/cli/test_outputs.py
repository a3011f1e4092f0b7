"""What is read is never written over, and standard input is read once."""

from __future__ import annotations

from pathlib import Path

import pytest

TEXT = "A document of one sentence."


@pytest.mark.parametrize(
    "command",
    [
        ("chunk", "a.md", "--method", "structure", "-o"),
        ("embed", "./a.md", "-o"),
        ("show", "a.md", "--text", "-o"),
        ("tree", "b.md", "a.md", "--method", "structure", "-o"),
        ("eval", "b.md", "--questions", "a.md", "-o"),
    ],
)
def test_an_output_never_takes_the_place_of_what_is_read(tmp_path: Path, vchunk, command: tuple[str, ...]) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    (tmp_path / "link.md").symlink_to("a.md")
    for output in ("a.md", tmp_path / "a.md", "link.md"):
        done = vchunk(*command, output)
        assert (done.code, done.output) == (2, b"")
        assert "a.md: is read, and the output would take its place" in done.said
        assert (tmp_path / "a.md").read_text("utf-8") == TEXT


def test_an_output_in_the_folder_that_is_read_is_no_document(tmp_path: Path, vchunk) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(TEXT, encoding="utf-8")
    written = []
    for name in ("docs", "docs", "docs/*"):
        assert vchunk("chunk", name, "--method", "structure", "-o", "docs/chunks.md").code == 0
        written.append((tmp_path / "docs" / "chunks.md").read_bytes())
    assert written[0].count(b"\n") == 1
    assert set(written) == {written[0]}


def test_standard_input_is_given_once(vchunk) -> None:
    done = vchunk("embed", "-", "a.md", "-")
    assert (done.code, done.output) == (2, b"")
    assert "- is given 2 times: standard input can be read once" in done.said


def test_a_document_without_text_is_told(tmp_path: Path, model: Path, vchunk) -> None:
    (tmp_path / "empty.txt").write_bytes(b"\n \n")
    done = vchunk("embed", "empty.txt", "--encoder", model)
    assert done.code == 0
    assert "empty.txt: no text" in done.said
    assert vchunk("embed", "empty.txt", "--encoder", model, "--quiet").said == ""
