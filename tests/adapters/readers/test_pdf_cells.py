"""Tables with cells: where another library says that they are, with the text that we read."""

from __future__ import annotations

import pytest

from document_laws import hold_laws
from pdf_builder import Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.adapters.readers.pdf_cells import Grid, LiteparseTables
from vchunk.adapters.readers.registry import reader_for
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning

ABOVE = ["The keeper of the lighthouse wrote down the wind each morning and", "each evening of the year."]
BELOW = ["Nobody read the book until a student found it in a cellar and", "copied it into a table of her own."]
WORDS = [["Lamp", "Oil used", "Nights"], ["north", "4 | 5", ""], ["south", "7.2", "31"]]
COLUMNS, ROWS = (72, 200, 330), (160, 180, 200)
PAGE = [
    *lines(72, 100, ABOVE),
    *(
        Put(x, y, text)
        for y, row in zip(ROWS, WORDS, strict=True)
        for x, text in zip(COLUMNS, row, strict=True)
        if text
    ),
    *lines(72, 240, BELOW),
]


class Told(LiteparseTables):
    """Says that there are the grids it was given."""

    identity = "told/1"

    def __init__(self, *grids: Grid) -> None:
        self.grids = list(grids)

    def find(self, data: bytes, password: str | None) -> list[Grid]:  # noqa: ARG002
        return self.grids


def grid(columns: int = 3, page: int = 1, top: float = 150) -> Grid:
    edges = [*COLUMNS, 400]
    rows = [
        [
            (x0, y - 9.0, x1 - 4.0, y + 3.0) if text else None
            for x0, x1, text in zip(edges, edges[1:], row, strict=False)
        ]
        for y, row in zip(ROWS, WORDS, strict=True)
    ]
    return Grid(page, (72, top, edges[columns], 204), rows)


def read(*grids: Grid) -> Document:
    document = PdfReader(tables=Told(*grids)).read(Source("a.pdf", build([PAGE])), no_warning)
    hold_laws(document)
    return document


def tables(document: Document) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.kind is Kind.TABLE]


def test_a_table_with_cells_is_a_github_table_in_its_place() -> None:
    document = read(grid())
    assert document.text == "\n\n".join(
        [
            " ".join(ABOVE),
            "| Lamp | Oil used | Nights |\n| --- | --- | --- |\n| north | 4 \\| 5 | |\n| south | 7.2 | 31 |",
            " ".join(BELOW),
        ]
    )
    (box,) = [box for box in document.boxes if document.slice(box.span) == "7.2"]
    assert (box.page, round(box.x0)) == (1, 200)
    assert document.reader == "pdf/3+told/1"


def test_cells_that_lack_words_of_their_place_are_not_taken() -> None:
    lacking = Grid(1, (72, 150, 400, 204), [[*row[:2], None] for row in grid().rows])
    assert read(lacking).text == read().text


def test_cells_that_lack_a_column_are_not_taken() -> None:
    assert read(grid(columns=2)).text == read().text


def test_cells_with_whole_paragraphs_are_not_taken() -> None:
    swollen = Grid(1, (70, 90, 500, 400), [[(70, 90, 500, 130), None], [(70, 130, 500, 400), None]])
    data = build([[*lines(72, 100, ABOVE), *lines(72, 150, ABOVE * 4)]])
    found = PdfReader(tables=Told(swollen)).read(Source("a.pdf", data), no_warning)
    assert tables(found) == []


def test_tables_of_other_pages_are_not_taken() -> None:
    assert read(grid(page=2)).text == read().text


def test_liteparse_finds_a_table() -> None:
    pytest.importorskip("liteparse")
    ruled = [
        (x0, y - 12.0, x1, y + 8.0) for y in ROWS for x0, x1 in zip((66, 194, 324), (194, 324, 420), strict=True)
    ]
    source = Source("a.pdf", build([PAGE], drawn={0: ruled}))
    reader = reader_for(source)
    document = reader.read(source, no_warning)
    assert tables(document) == [
        "| Lamp | Oil used | Nights |\n| --- | --- | --- |\n| north | 4 \\| 5 | |\n| south | 7.2 | 31 |"
    ]
    assert "+liteparse/" in document.reader


def test_liteparse_finds_nothing_in_what_is_no_pdf() -> None:
    pytest.importorskip("liteparse")
    assert LiteparseTables().find(b"%PDF-1.4 no", None) == []
