"""CSV and TSV: a table, written as GitHub's, its first row the header.

White space in a cell, line ends included, becomes one space. Rows without content are left out.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence

from vchunk.adapters.readers.decoding import decode
from vchunk.adapters.readers.parsed import Draft, compose
from vchunk.adapters.readers.parsed_tables import rows_text
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn

_SAMPLE_ROWS = 20
_DELIMITERS = ",;\t|"


class DelimitedReader:
    """Reads rows whose cells are parted by a character.

    Parameters
    ----------
    name
        ``csv`` or ``tsv``; that of CSV is found: comma, semicolon, tab or bar.
    encoding
        The encoding of the bytes; None finds it.
    """

    version = 1

    def __init__(self, name: str = "csv", encoding: str | None = None) -> None:
        self.name = name
        self.encoding = encoding

    def read(self, source: Source, warn: Warn) -> Document:
        """The document: one table.

        Raises
        ------
        ReadError
            If a quoted cell is never closed, or the rows are no table.
        """
        text = decode(source, warn, self.encoding)
        delimiter = "\t" if self.name == "tsv" else find_delimiter(text)
        csv.field_size_limit(min(sys.maxsize, (1 << 31) - 1))
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
        except csv.Error as error:
            raise ReadError(f"{source.name}: not {self.name.upper()} ({error})") from None
        return compose(
            [Draft(Kind.TABLE, rows_text(rows))],
            reader=f"{self.name}/{self.version}",
            media_type="text/tab-separated-values" if self.name == "tsv" else "text/csv",
            title=None,
        )


def find_delimiter(text: str) -> str:
    """The delimiter that parts the first rows into the same number of cells, the most of them."""
    best = (0.0, 0)
    found = ","
    for delimiter in _DELIMITERS:
        widths = _widths(text, delimiter)
        common = max(set(widths), key=widths.count, default=0)
        score = (widths.count(common) / max(len(widths), 1) if common > 1 else 0.0, common)
        if score > best:
            best, found = score, delimiter
    return found


def _widths(text: str, delimiter: str) -> Sequence[int]:
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(text[: 1 << 16], newline=""), delimiter=delimiter):
            if any(row):
                widths.append(len(row))
            if len(widths) == _SAMPLE_ROWS:
                break
    except csv.Error:
        return ()
    return widths
