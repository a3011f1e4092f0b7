"""Columns of a table: which cells stand under one another, and where a row has none."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import regex

from vchunk.adapters.readers.pdf_lines import joined
from vchunk.adapters.readers.pdf_tables import Cell

_CURRENCY = regex.compile(r"[$€£¥₹]|US\$|\(")
_LEAST_COLUMNS = 3

Row = list[list[Cell]]
"""Cells of a row, each the runs of its lines; an empty cell has no lines."""


def in_columns(rows: Sequence[Row]) -> list[Row]:
    """The rows with an empty cell for each column that they lack, none at their ends.

    A sign of currency makes one cell with its amount. The columns are those of the rows with most
    cells; a row whose cells do not fit them one by one stays as it is.
    """
    whole = [_with_currency(row) for row in rows]
    columns = _columns(whole)
    if len(columns) < _LEAST_COLUMNS:
        return whole
    return [_padded(row, columns) for row in whole]


def _with_currency(row: Row) -> Row:
    done: Row = []
    for cell in row:
        before = done[-1] if done else []
        if len(before) == len(cell) == 1 and _CURRENCY.fullmatch(joined(before[0])):
            done[-1] = [before[0] + cell[0]]
        else:
            done.append(cell)
    return done


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Left and right edges of the columns; none where those of the fullest rows overlap."""
    most = max((len(row) for row in rows), default=0)
    full = [[_edges(cell) for cell in row if cell] for row in rows if len(row) == most]
    if any(not cell for row in rows if len(row) == most for cell in row[:1]):  # no heading for the labels
        labels = [_edges(row[0]) for row in rows if row[0]]
        full = [labels[:1] + edges if len(edges) < most else edges for edges in full]
    if any(len(edges) < most for edges in full):
        return []
    columns = [
        (min(left for left, _ in cells), max(right for _, right in cells)) for cells in zip(*full, strict=True)
    ]
    apart = all(a[1] <= b[0] for a, b in itertools.pairwise(columns))
    return columns if apart else []


def _padded(row: Row, columns: Sequence[tuple[float, float]]) -> Row:
    if len(row) < 2 or len(row) == len(columns):
        return row
    homes = []
    for cell in row:
        left, right = _edges(cell)
        shared = [min(right, x1) - max(left, x0) for x0, x1 in columns]
        best = max(range(len(columns)), key=shared.__getitem__)
        if shared[best] <= 0:
            return row
        homes.append(best)
    if any(a >= b for a, b in itertools.pairwise(homes)):
        return row
    padded: Row = [[] for _ in range(homes[-1] + 1)]
    for home, cell in zip(homes, row, strict=True):
        padded[home] = cell
    return padded


def _edges(cell: Sequence[Cell]) -> tuple[float, float]:
    return min(run.x0 for line in cell for run in line), max(run.x1 for line in cell for run in line)
