"""Tables with cells, from liteparse (extra ``pdf-tables``): Apache-2.0, no model, no network.

It says where cells are; the text is ours, so that offsets, pages and boxes stay exact. A table is
taken only if its cells hold all that we read in its place, and nothing but cells: else the rows that
geometry finds (`vchunk.adapters.readers.pdf_tables`) stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_figures import Place
from vchunk.adapters.readers.pdf_lines import Line, lines_of
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.domain.document import Kind
from vchunk.domain.errors import MissingExtra

_SLACK = 1.5  # points by which the boxes of two libraries differ
_LEAST_ROWS, _LEAST_COLUMNS = 2, 2
_LONGEST_CELL = 60  # words
_SHORT = 3  # words
_FILLED = 0.5


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a page: rows of cells, None where a cell is empty; the first row is its header."""

    page: int
    place: Place
    rows: list[list[Place | None]]


class LiteparseTables:
    """Finds tables with liteparse.

    Raises
    ------
    MissingExtra
        If liteparse is not installed.
    """

    def __init__(self) -> None:
        try:
            import liteparse
        except ImportError:
            raise MissingExtra("tables with cells", "pdf-tables") from None
        self._parser = liteparse.LiteParse
        self.identity = f"liteparse/{liteparse.__version__}"

    def find(self, data: bytes, password: str | None) -> list[Grid]:
        """The tables of a PDF, those of a page from its top; none if liteparse cannot read it."""
        parser = self._parser(
            ocr_enabled=False,
            extract_blocks=True,
            output_format="markdown",
            image_mode="off",
            max_pages=1_000_000,
            continue_on_page_error=True,
            password=password,
            quiet=True,
        )
        try:
            result = parser.parse(data)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            return []
        found = [_grid(page.page_num, block) for page in result.pages for block in page.blocks or ()]
        return [grid for grid in found if grid is not None]


def _grid(page: int, block: Any) -> Grid | None:
    if block.kind != "table" or block.bbox is None or not block.rows:
        return None
    rows = ([block.header] if block.header else []) + block.rows
    width = len(rows[0])
    if len(rows) < _LEAST_ROWS or width < _LEAST_COLUMNS or any(len(row) != width for row in rows):
        return None
    if not _is_header(rows[0], stated=bool(block.header)):
        return None
    filled = sum(bool(cell.text.strip()) for row in rows for cell in row)
    longest = max(len(cell.text.split()) for row in rows for cell in row)
    if filled < _FILLED * width * len(rows) or longest > _LONGEST_CELL:
        return None
    places = [[_place(cell.bbox) if cell.bbox and cell.text else None for cell in row] for row in rows]
    return Grid(page, _place(block.bbox), places)


def _is_header(row: Sequence[Any], *, stated: bool) -> bool:
    """Whether a first row names columns: it is called a header, or all of it is words."""
    words = all(any(char.isalpha() for char in cell.text) for cell in row)
    return words or (stated and sum(bool(cell.text.strip()) for cell in row) >= len(row) - 1)


def _place(box: Any) -> Place:
    return box.x, box.y, box.x + box.width, box.y + box.height


def take_tables(runs: Sequence[Run], grids: Sequence[Grid]) -> tuple[list[Run], list[Draft]]:
    """The runs outside of all tables, and a table for each grid whose cells hold all runs in its place."""
    rest, tables = list(runs), []
    for grid in grids:
        x0, y0, x1, y1 = grid.place
        inside = [r for r in rest if x0 - _SLACK <= (r.x0 + r.x1) / 2 <= x1 + _SLACK and y0 <= r.middle <= y1]
        taken = {id(run) for run in inside}
        rows = _fill(grid, inside)
        if rows is None or all(run.mono > 0.5 for run in inside) or _lacks_column(grid, rest, taken):
            continue
        rest = [run for run in rest if id(run) not in taken]
        tables.append(Draft(Kind.TABLE, lines_of(inside), rows=rows, grid=True))
    return rest, tables


def _fill(grid: Grid, runs: Sequence[Run]) -> list[list[list[list[Run]]]] | None:
    """The runs of each cell, as lines; None if some are in no cell."""
    cells = [(place, r, c) for r, row in enumerate(grid.rows) for c, place in enumerate(row) if place is not None]
    held: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        for part in _parts(run, [place for place, _, _ in cells]):
            home = _home(part, cells)
            if home is None:
                return None
            held.setdefault(home, []).append(part)
    if not held or max(sum(len(part.text.split()) for part in cell) for cell in held.values()) > _LONGEST_CELL:
        return None
    rows: list[list[list[list[Run]]]] = []
    for r, row in enumerate(grid.rows):
        rows.append([[line.runs for line in lines_of(held.get((r, c), []))] for c in range(len(row))])
    return [row for row in rows if any(row)]


def _lacks_column(grid: Grid, runs: Sequence[Run], taken: set[int]) -> bool:
    """Whether short runs stand beside most rows of a table, outside of it."""
    heights = [
        (min(cell[1] for cell in row if cell), max(cell[3] for cell in row if cell))
        for row in grid.rows
        if any(row)
    ]
    out = [r for r in runs if id(r) not in taken and len(r.text.split()) <= _SHORT]
    beside = sum(any(y0 <= r.middle <= y1 for r in out) for y0, y1 in heights)
    return beside > _FILLED * len(heights)


def _home(run: Run, cells: Sequence[tuple[Place, int, int]]) -> tuple[int, int] | None:
    x, y = (run.x0 + run.x1) / 2, run.middle
    for (x0, y0, x1, y1), row, column in cells:
        if x0 - _SLACK <= x <= x1 + _SLACK and y0 - _SLACK <= y <= y1 + _SLACK:
            return row, column
    return None


def _parts(run: Run, places: Sequence[Place]) -> list[Run]:
    """A run cut at blanks where the next cell of its height begins."""
    edges = sorted(
        x0 for x0, y0, _, y1 in places if run.x0 + _SLACK < x0 < run.x1 - _SLACK and y0 <= run.middle <= y1
    )
    parts, start = [], 0
    for edge in edges:
        at = int(np.searchsorted(run.edges[:, 0], edge - _SLACK))
        if start < at < len(run.text) and run.text[at - 1] == " ":
            parts.append(_slice(run, start, at - 1))
            start = at
    return [*parts, _slice(run, start, len(run.text))] if start else [run]


def _slice(run: Run, start: int, stop: int) -> Run:
    edges, text = run.edges[start:stop], run.text[start:stop]
    x0, x1 = float(edges[:, 0].min()), float(edges[:, 1].max())
    _, y0, _, y1 = run.box
    return replace(
        run, text=text, x0=x0, x1=x1, box=(x0, y0, x1, y1), edges=edges, letters=sum(map(str.isalpha, text))
    )


def place_tables(drafts: list[Draft], tables: Sequence[Draft]) -> None:
    """Put the tables of a page between what stands above and below them, in place."""
    for table in tables:
        above, below = _near(drafts, table.lines)
        drafts.insert(below if below is not None else above + 1 if above is not None else len(drafts), table)


def _near(drafts: Sequence[Draft], lines: Sequence[Line]) -> tuple[int | None, int | None]:
    """The nearest drafts above and below lines, among those that share a part of their width."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    top, bottom = min(line.base for line in lines), max(line.base for line in lines)
    over: list[tuple[float, int]] = []
    under: list[tuple[float, int]] = []
    for i, draft in enumerate(drafts):
        if min(line.x0 for line in draft.lines) > right or max(line.x1 for line in draft.lines) < left:
            continue
        if draft.lines[-1].base < top:
            over.append((top - draft.lines[-1].base, -i))
        elif draft.lines[0].base > bottom:
            under.append((draft.lines[0].base - bottom, i))
    return -min(over)[1] if over else None, min(under)[1] if under else None
