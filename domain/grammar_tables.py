"""Tables: between rows only, and never with a header at the end of a piece."""

from __future__ import annotations

import re

from vchunk.domain.grammar_lines import divide_lines, lines_of
from vchunk.domain.ports import Division, InnerCut, Lost

ROW, UNDER_HEADER = 3, -1

_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_TAG = re.compile(r"<(/?)(table|tr|th|td|thead|tbody|tfoot)\b[^<>]*>", re.IGNORECASE)


def divide_table(text: str) -> Division:
    """A table of one row a line; where a delimiter row follows the first, that is the header."""
    lines = lines_of(text)
    if len(lines) < 2 or not _DELIMITER.fullmatch(lines[1].content):
        return Division()
    header_end = lines[1].start + len(lines[1].text.rstrip())
    if len(lines) == 2:
        return Division((), (lines[1].visible,))
    first = lines[2].start
    lost = Lost("table_header", 0, header_end, first, len(text))
    return Division((InnerCut(lines[2].visible, UNDER_HEADER),), (lines[1].visible,), (lost,))


def divide_html(text: str) -> Division:
    """HTML: between the rows of its outer tables; without tables between lines."""
    cuts: list[InnerCut] = []
    lost: list[Lost] = []
    depth = 0
    table = _OuterTable(0)
    for tag in _TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2].lower()
        if name == "table":
            depth = max(depth + (-1 if closing else 1), 0)
            if depth == 1 and not closing:
                table = _OuterTable(tag.start())
            elif depth == 0 and closing:
                table.close(tag.end(), cuts, lost)
        elif depth == 1:
            table.see(name, closing, tag.start(), tag.end())
    if depth:
        table.close(len(text), cuts, lost)
    return Division(tuple(cuts), (), tuple(lost)) if cuts else divide_lines(text)


class _OuterTable:
    """The rows of one table: where each may begin, and how far the header reaches."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.rows: list[int] = []
        self.header_rows = 0
        self.header_end = 0
        self.gap: int | None = None
        self.in_head = False
        self.plain_cells = False

    def see(self, name: str, closing: bool, start: int, end: int) -> None:
        """Take the next tag of the table itself."""
        if name == "thead":
            self.in_head = not closing
        if closing and name in ("tr", "thead", "tbody", "tfoot"):
            if name == "tr":
                self._row_ended(end)
            elif self.header_rows == len(self.rows):
                self.header_end = end
            self.gap = None
        elif not closing and name in ("tbody", "tfoot", "thead"):
            self.gap = start
        elif not closing and name == "tr":
            self.rows.append(start if self.gap is None else self.gap)
            self.gap = None
            self.plain_cells = False
        elif not closing and name == "td":
            self.plain_cells = True

    def _row_ended(self, end: int) -> None:
        first_rows = self.header_rows == len(self.rows) - 1
        if first_rows and (self.in_head or not self.plain_cells):
            self.header_rows = len(self.rows)
            self.header_end = end

    def close(self, end: int, cuts: list[InnerCut], lost: list[Lost]) -> None:
        """Report the table, which ends here."""
        headed = 0 < self.header_rows < len(self.rows)
        for number, row in enumerate(self.rows[1:], start=1):
            under = headed and number <= self.header_rows
            cuts.append(InnerCut(row, UNDER_HEADER if under else ROW))
        if headed:
            first = self.rows[self.header_rows]
            lost.append(Lost("table_header", self.start, self.header_end, first, end))
