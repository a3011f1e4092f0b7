"""Pages without text: read by a command of the user's, or told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from document_laws import hold_laws
from pdf_builder import Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Role, Source
from vchunk.domain.errors import ReadError, UsageError

TEXT = ["The keeper of the lighthouse wrote down the wind each", "morning and each evening."]


@pytest.fixture
def command(tmp_path: Path) -> str:
    """A command that prints how its file begins, and a text of two paragraphs."""
    script = tmp_path / "read it.py"
    script.write_text(
        "import pathlib, sys\n"
        "data = pathlib.Path(sys.argv[1]).read_bytes()\n"
        "print('PNG' if data[1:4] == b'PNG' else data[:4].decode(), 'of a recog-')\n"
        "print('nised\\x00 page.', end='\\n\\n')\n"
        "print('Another paragraph.')\n",
        "utf-8",
    )
    return f'"{sys.executable}" "{script}"'


def read(pages: list[list[Put]], command: str, told: list[str] | None = None) -> Document:
    reader = PdfReader(ocr_command=command)
    document = reader.read(Source("a.pdf", build(pages, pictures=True)), (told if told is not None else []).append)
    hold_laws(document)
    return document


def test_pages_without_text_are_recognised_in_their_place(command: str) -> None:
    told: list[str] = []
    document = read([[], lines(72, 100, TEXT), []], command, told)
    recognised = "PNG of a recognised page.\n\nAnother paragraph."
    assert document.text == f"{recognised}\n\n{' '.join(TEXT)}\n\n{recognised}"
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert {(b.page, b.x0, b.y0, b.x1, b.y1) for b in document.boxes if b.page != 2} == {
        (1, 0, 0, 612, 792),
        (3, 0, 0, 612, 792),
    }
    assert {b.role for b in document.blocks} == {Role.BODY}
    assert told == []


def test_the_command_may_ask_for_a_pdf_of_the_page(command: str) -> None:
    assert read([[]], command + " {pdf}").text.startswith("%PDF of a recognised page.")


def test_a_command_that_finds_nothing_leaves_the_page_out() -> None:
    silent = f'"{sys.executable}" -c ""'
    told: list[str] = []
    assert read([lines(72, 100, TEXT), []], silent, told).text == " ".join(TEXT)
    assert told == ["a.pdf: no text on page 2 (pictures or scans), left out"]
    with pytest.raises(ReadError, match=r"^a\.pdf: page 1 has text \(a scan\?\)|^a\.pdf: page 1 has"):
        read([[]], silent)


def test_a_command_that_fails_is_told_with_what_it_said() -> None:
    failing = f'"{sys.executable}" -c "import sys; sys.exit(\'no such language\')"'
    with pytest.raises(ReadError, match=r"^a\.pdf: --ocr-command failed on page 1 \(exit 1\): no such language$"):
        read([[]], failing)


@pytest.mark.parametrize(
    ("command", "said"),
    [("no-such-command-here", "no such command: no-such"), ('"', "No closing quotation"), (" ", "name a command")],
)
def test_a_command_that_cannot_run_is_a_users_mistake(command: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^--ocr-command.*{said}"):
        read([[]], command)


def test_no_command_runs_where_all_pages_have_text() -> None:
    assert read([lines(72, 100, TEXT)], "no-such-command-here").text == " ".join(TEXT)
