"""PDFs without their end: what is there is read, and that is said."""

from __future__ import annotations

import pytest

from document_laws import hold_laws
from pdf_builder import build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.adapters.readers.pdf_mend import with_trailer
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

TEXT = ["The keeper of the lighthouse wrote down the wind each", "morning and each evening."]
WHOLE = build([lines(72, 100, TEXT), lines(72, 100, TEXT)])


def cut_behind(mark: bytes) -> bytes:
    return WHOLE[: WHOLE.index(mark) + len(mark)]


def test_a_file_without_its_trailer_is_read_whole() -> None:
    told: list[str] = []
    cut = cut_behind(b"103 0 obj") + WHOLE.split(b"103 0 obj", 1)[1].split(b"endobj")[0]
    document = PdfReader().read(Source("a.pdf", cut), told.append)
    hold_laws(document)
    assert document.text.count(TEXT[1]) == 2
    assert [page.number for page in document.pages] == [1, 2]
    said = "a.pdf: damaged, its end is missing; text of 2 pages was recovered, download it again for the rest"
    assert told[0] == said


def test_a_file_without_its_catalog_gets_one() -> None:
    pages = WHOLE[WHOLE.index(b"10 0 obj") : WHOLE.index(b"xref")]
    document = PdfReader().read(Source("a.pdf", b"%PDF-1.4\n" + pages), no_warning)
    assert document.text.count(TEXT[1]) == 2


def test_no_page_no_document() -> None:
    assert with_trailer(WHOLE[:300]) is None
    with pytest.raises(ReadError, match=r"^a\.pdf: not a readable PDF"):
        PdfReader().read(Source("a.pdf", WHOLE[: WHOLE.index(b"101 0 obj")]), no_warning)


def test_encrypted_files_are_left_alone() -> None:
    locked = build([lines(72, 100, TEXT)], password="winds")
    assert with_trailer(locked) is None
