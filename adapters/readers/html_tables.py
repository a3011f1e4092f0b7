"""Tables of HTML: which of them hold data, and their cells.

A table is data unless it says that it only arranges (``role="presentation"``), or has no header
cells and either one cell a row or cells that hold headings, code or much text in several paragraphs or
tables. What a data table holds in its cells, other tables too, is flattened to one line. Columns in which no cell
begins are left out: a ``colspan`` of 100 does not make a hundred columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vchunk.adapters.readers.html_tree import walk
from vchunk.adapters.readers.parsed_tables import Cell, spanned_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_BLOCKS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "article", "section"])
_MOST_PARAGRAPHS = 3
_LONG_CELL = 400  # characters
_WIDEST = 1000
_DEEPEST = 65_534  # HTML's own limits of colspan and rowspan


@dataclass(slots=True)
class _Facts:
    """What is known of a table whose end has not been seen."""

    headed: bool = False
    arranges: bool = False
    widest: int = 0
    cells: int = 0
    size: int = 0  # characters
    cell_from: int = 0
    parts: int = 0  # paragraphs and tables in a cell

    def see(self, tag: str) -> None:
        """An element begins in the table."""
        if tag in _BLOCKS:
            self.arranges = True
        elif tag == "tr":
            self.cells = 0
        elif tag in ("td", "th"):
            self.cells += 1
            self.widest = max(self.widest, self.cells)
            self.cell_from, self.parts = self.size, 0
        elif tag == "p":
            self.parts += 1
        elif tag == "table":
            self.parts += _MOST_PARAGRAPHS + 1
        self.headed = self.headed or tag in ("th", "caption", "thead")

    def end_cell(self) -> None:
        """A cell ends."""
        if self.parts > _MOST_PARAGRAPHS and self.size - self.cell_from > _LONG_CELL:
            self.arranges = True


def data_tables(root: LexborNode) -> set[int]:
    """The ``mem_id`` of each table that holds data; one pass over the tree."""
    found: set[int] = set()
    open_: list[_Facts] = []

    def enter(node: LexborNode) -> bool:
        tag = node.tag or ""
        if open_ and tag == "-text":
            open_[-1].size += len((node.text_content or "").strip())
        elif open_:
            open_[-1].see(tag)
        if tag == "table":
            open_.append(_Facts())
        return True

    def leave(node: LexborNode) -> None:
        if open_ and node.tag in ("td", "th"):
            open_[-1].end_cell()
        if node.tag != "table":
            return
        facts = open_.pop()
        if open_:
            open_[-1].size += facts.size
        only_arranges = node.attributes.get("role") in ("presentation", "none")
        if not only_arranges and (facts.headed or (facts.widest > 1 and not facts.arranges)):
            found.add(node.mem_id)

    walk(root, enter, leave)
    return found


@dataclass
class Grid:
    """The cells of a data table, put where HTML's table model puts them."""

    cells: list[Cell] = field(default_factory=list)
    _row: int = -1
    _column: int = 0
    _taken: dict[int, int] = field(default_factory=dict)  # column -> first row that is free again

    def row(self) -> None:
        """Begin a row."""
        self._row += 1
        self._column = 0

    def cell(self, text: str, across: int, down: int, header: bool) -> None:
        """Put a cell behind the one before it."""
        if self._row < 0:
            self.row()
        while self._taken.get(self._column, 0) > self._row:
            self._column += 1
        left, top = self._column, self._row
        across, down = min(max(across, 1), _WIDEST), min(max(down, 1), _DEEPEST)
        self.cells.append(Cell(text, top, left, top + down, left + across, header))
        if down > 1:
            for column in range(left, left + across):
                self._taken[column] = top + down
        self._column = left + across

    def text(self) -> str:
        """The table as text."""
        return spanned_text(self.cells)


def spans(node: LexborNode) -> tuple[int, int]:
    """How many columns and rows a cell says that it covers."""
    attributes = node.attributes
    return _number(attributes.get("colspan")), _number(attributes.get("rowspan"))


def _number(value: str | None) -> int:
    digits = "".join(_leading_digits(value or ""))
    return int(digits[:6]) if digits else 1


def _leading_digits(text: str) -> Iterator[str]:
    for char in text.strip():
        if not ("0" <= char <= "9"):
            return
        yield char
