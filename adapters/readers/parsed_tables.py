"""Tables as GitHub writes them: one row a line, ``| a | b |``, a delimiter row behind the header.

What a cell spans is shown so: across columns its text stands in the first of them, in a header in
each; down rows it stands in each row, so that a row says by itself what it belongs to. The rows of a
header that has several become one, the texts of a column joined by spaces.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vchunk.adapters.readers.parsed import one_line

MOST_CELLS = 1_000_000
"""A grid beyond this is no table but damage."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text and the rows and columns ``[top, bottom) x [left, right)`` that it covers."""

    text: str
    top: int
    left: int
    bottom: int
    right: int
    header: bool = False


def grid_text(cells: Iterable[Cell], rows: int, columns: int) -> str:
    """The table of some cells; empty where no cell has text.

    Raises
    ------
    ValueError
        If the grid has more than `MOST_CELLS` cells.
    """
    if rows * columns > MOST_CELLS or max(rows, columns) > MOST_CELLS:
        raise ValueError(f"a table of {rows} x {columns} cells")
    cells = [cell for cell in cells if cell.text.strip()]
    if not cells:
        return ""
    grid = [[""] * columns for _ in range(rows)]
    starts = [[False, False] for _ in range(rows)]  # whether a header cell, another cell starts in the row
    for cell in cells:
        if 0 <= cell.top < rows:
            starts[cell.top][not cell.header] = True
        across = range(cell.left, min(cell.right, columns)) if cell.header else (cell.left,)
        for r in range(max(cell.top, 0), min(max(cell.bottom, cell.top + 1), rows)):
            for c in across:
                if 0 <= c < columns:
                    grid[r][c] = cell.text
    heads = 0
    while heads < rows and starts[heads] == [True, False]:
        heads += 1
    heads = heads if heads < rows else 1
    if heads > 1:
        merged = [
            " ".join(dict.fromkeys(t for t in map(one_line, column) if t))
            for column in zip(*grid[:heads], strict=True)
        ]
        grid[:heads] = [merged]
    return rows_text(grid)


def spanned_text(cells: Sequence[Cell]) -> str:
    """The table of some cells, without the rows and columns in which none with text begins.

    One whose spans cover more than there can be is written as if they spanned nothing.
    """
    cells = [cell for cell in cells if cell.text.strip()]
    rows = sorted({cell.top for cell in cells})
    columns = sorted({cell.left for cell in cells})
    packed = [
        Cell(
            cell.text,
            bisect_left(rows, cell.top),
            bisect_left(columns, cell.left),
            bisect_left(rows, cell.bottom),
            bisect_left(columns, cell.right),
            cell.header,
        )
        for cell in cells
    ]
    try:
        return grid_text(packed, len(rows), len(columns))
    except ValueError:
        plain: list[list[str]] = [[] for _ in rows]
        for cell in packed:
            plain[cell.top].append(cell.text)
        return rows_text(plain)


def rows_text(rows: Sequence[Sequence[Any]]) -> str:
    """The table of some rows, the first its header; rows that are short are filled up."""
    width = max((len(row) for row in rows), default=0)
    if not width or not any(str(cell).strip() for row in rows for cell in row if cell is not None):
        return ""
    # Few cells in many wide rows would become many: GitHub fills short rows up itself.
    full = width if len(rows) * width <= MOST_CELLS else 0
    lines = [_row([*row, *[""] * ((width if i == 0 else full) - len(row))]) for i, row in enumerate(rows)]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _row(cells: Sequence[Any]) -> str:
    texts = (one_line("" if cell is None else str(cell)).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(texts) + " |"


def table_text(content: object) -> str:
    """The table of a JSON value: text as it stands, rows, records, or ``{"header": ..., "rows": ...}``.

    What is none of these is written as rows of names and values.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _mapping_text(content)
    if isinstance(content, Sequence):
        if content and all(isinstance(row, Mapping) for row in content):
            names = list(dict.fromkeys(name for row in content for name in row))
            return rows_text([names, *([row.get(name) for name in names] for row in content)])
        return rows_text([row if isinstance(row, list | tuple) else [row] for row in content])
    return "" if content is None else str(content)


def _mapping_text(content: Mapping[str, Any]) -> str:
    for name in ("markdown", "html", "text", "content", "value"):
        if isinstance(content.get(name), str) and content[name].strip():
            return str(content[name])
    rows = next((content[n] for n in ("rows", "data", "body", "grid") if isinstance(content.get(n), list)), None)
    header = next(
        (content[n] for n in ("header", "headers", "columns", "head") if isinstance(content.get(n), list)), None
    )
    if rows is None:
        return table_text([[str(name), value] for name, value in content.items()])
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = header or list(dict.fromkeys(name for row in rows for name in row))
        return rows_text([names, *([row.get(name) for name in names] for row in rows)])
    lead = [] if header is None else header if header and isinstance(header[0], list) else [header]
    return table_text([*lead, *rows])
