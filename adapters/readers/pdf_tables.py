"""Tables: neighbouring lines whose cells stand under one another."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from vchunk.adapters.readers.pdf_lines import Line, gap, joined
from vchunk.adapters.readers.pdf_runs import WIDE_GAP, Run

_EDGE = 0.5  # ems by which edges of cells in one column may differ
_MAX_STEP = 3.4  # ems between baselines inside a table
_MAX_BETWEEN = 6
_TIGHT = 0.87
_LOOSE = 1.3
MARKER = regex.compile(r"[•‣▪◦●○■□▸►➢✓✔·*–—-]|\d{1,3}\.|\(?\d{1,2}\)|\([\p{Ll}ivx]{1,4}\)|\p{L}[.)]|\[\d{1,3}\]")
"""What stands before a list item."""
CAPTION = regex.compile(
    r"(?:Figure|Fig\.|FIGURE|FIG\.|Table|TABLE|Listing|Algorithm|Scheme|Exhibit|Example|Abbildung|Tabelle)"
    r"\s*\p{Lu}?\d+(?:[.\-–]\d+)*[a-z]?(?<stop>[.:|])?(?:\s|$)"
)
"""How a caption begins."""
_LEADS = regex.compile(r"\b(?:follows?|following|below|tables?|figures?)\b.*:$", regex.IGNORECASE)
"""What leads to a table stands in none."""
RULE = regex.compile(r"[_\-–—=*~.\s]{5,}")
"""A line drawn with characters."""
_MIN_GAP = 1.2  # ems; a loose line of justified text has narrower gaps

Cell = list[Run]


@dataclass(frozen=True, slots=True)
class Table:
    """Lines ``[start, stop)`` of a region; ``rows`` hold cells, a cell the runs of its lines."""

    start: int
    stop: int
    rows: list[list[list[Cell]]]


def cells_of(line: Line) -> list[Cell]:
    """The runs of a line grouped where no wide gap parts them."""
    cells: list[Cell] = [[line.runs[0]]]
    for a, b in zip(line.runs, line.runs[1:], strict=False):
        if gap(a, b) < WIDE_GAP:
            cells[-1].append(b)
        else:
            cells.append([b])
    return cells


def find_tables(lines: Sequence[Line]) -> list[Table]:
    """The tables among the lines of one region, from top to bottom."""
    cells = [cells_of(line) for line in lines]
    wide = [_is_wide(line, row) for line, row in zip(lines, cells, strict=True)]
    tables: list[Table] = []
    i = 0
    while i < len(lines):
        if wide[i]:
            rows = _chain(lines, cells, wide, i)
            if _is_table(cells, rows):
                start, stop = _extent(lines, cells, rows, tables[-1].stop if tables else 0)
                if tables and _is_heading_of(cells, tables[-1], start, stop):
                    start = tables.pop().start
                tables.append(Table(start, stop, _rows(lines[start:stop], cells[start:stop])))
                i = stop
                continue
        i += 1
    return tables


def _is_heading_of(cells: list[list[Cell]], above: Table, start: int, stop: int) -> bool:
    """Whether the table above holds only the headings of the columns of lines ``[start, stop)``."""
    wide = [row for row in cells[start:stop] if len(row) > 1]
    label_right = statistics.median(_right(row[0]) for row in wide)
    beside = all(_left(row[0]) > label_right for row in cells[above.start : above.stop])
    return beside and start - above.stop <= 1 and all(len(row) == 1 for row in cells[above.stop : start])


def _is_wide(line: Line, row: list[Cell]) -> bool:
    """Whether a line may be a row: of several cells, and no sentence with a box to tick behind it."""
    if len(row) < 2 or line.mono or line.level or CAPTION.match(line.text):
        return False
    first = joined(row[0])
    item = len(row) == 2 and MARKER.fullmatch(first) is not None
    return not item and not (first[-1] in ".?!" and first.count(" ") >= 8)


def _chain(lines: Sequence[Line], cells: list[list[Cell]], wide: list[bool], first: int) -> list[int]:
    """Indices of lines of several cells, each aligned with one before it."""
    rows = [first]
    j = first + 1
    while j < len(lines) and j - rows[-1] <= _MAX_BETWEEN:
        if lines[j].base - lines[j - 1].base > _MAX_STEP * lines[j].size or lines[j].level or lines[j].mono:
            break
        if wide[j] and any(_aligned(cells[i], cells[j]) for i in rows[-3:]):
            rows.append(j)
        elif not _between(lines[j], [cells[i] for i in rows]):
            break
        j += 1
    return rows


def _left(cell: Cell) -> float:
    return min(run.x0 for run in cell)


def _right(cell: Cell) -> float:
    return max(run.x1 for run in cell)


def _aligned(a: list[Cell], b: list[Cell]) -> bool:
    """Whether at least half of the cells after the first share an edge or the middle."""
    fewer, more = sorted((a[1:], b[1:]), key=len)
    em = max(a[0][0].size, b[0][0].size)
    same = 0
    for cell in fewer:
        for other in more:
            left, right = _left(cell) - _left(other), _right(cell) - _right(other)
            if min(abs(left), abs(right), abs(left + right) / 2) < _EDGE * em:
                same += 1
                break
    return same >= max(1, len(fewer) / 2)


def _between(line: Line, rows: list[list[Cell]]) -> bool:
    """Whether a line may stand between rows: in the label's column, or beside it."""
    if RULE.fullmatch(line.text) or _LEADS.search(line.text):
        return False
    label_right = statistics.median(_right(row[0]) for row in rows)
    second_left = min(_left(row[1]) for row in rows)
    width = max(_right(row[-1]) for row in rows) - min(_left(row[0]) for row in rows)
    label = line.x1 <= second_left + line.size and line.x1 - line.x0 < 0.75 * width
    return label or line.x0 > label_right - _EDGE * line.size


def _is_table(cells: list[list[Cell]], rows: list[int]) -> bool:
    if len(rows) < 2:
        return False
    counts = [len(cells[i]) for i in rows]
    if len(rows) < 3 and min(counts) < 3:
        return False
    widest = [max(gap(a[-1], b[0]) for a, b in zip(cells[i], cells[i][1:], strict=False)) for i in rows]
    return statistics.median(widest) >= _MIN_GAP and not _is_prose([cells[i] for i in rows])


def _is_prose(rows: list[list[Cell]]) -> bool:
    """Whether rows run on into one another as the loose lines of a paragraph do."""
    runs_on = 0
    for a, b in itertools.pairwise(rows):
        end, begin = a[-1][-1].text.rsplit(" ", 1)[-1], b[0][0].text[0]
        runs_on += begin.islower() and (end.isalpha() or end[-1] in ",-\x02") and len(end) > 1
    return runs_on >= 0.4 * (len(rows) - 1)


def _extent(lines: Sequence[Line], cells: list[list[Cell]], rows: list[int], floor: int) -> tuple[int, int]:
    """The table's lines with the headings of its columns above and what wraps below."""
    stop = rows[-1] + 1
    start = _headings_start(lines, cells, rows, floor)
    pitch = _pitch(lines[start:stop], cells[start:stop])
    last = [[cell] for cell in cells[rows[-1]]]
    while stop < len(lines) and not lines[stop].level:
        line, above = lines[stop], lines[stop - 1]
        tight = line.base - above.base < _TIGHT * pitch and _between(line, [cells[i] for i in rows])
        if not tight and not _goes_on(above, last, line, cells[stop]):
            break
        stop += 1
    return start, stop


def _headings_start(lines: Sequence[Line], cells: list[list[Cell]], rows: list[int], floor: int) -> int:
    """Where the headings of the columns begin; a label may stand between them and the first row."""
    start, em = rows[0], lines[rows[0]].size
    table = [cells[i] for i in rows]
    label_right = max(_right(row[0]) for row in table)
    second_left = min(_left(row[1]) for row in table)
    edge = max(_right(row[-1]) for row in table) + em
    i = start
    while i > floor:
        line, row = lines[i - 1], cells[i - 1]
        if lines[i].base - line.base > 2.0 * em or line.level or line.mono or line.x1 > edge:
            break
        if CAPTION.match(line.text):
            break
        i -= 1
        beside = line.x0 > label_right - _EDGE * em
        if beside or (len(row) > 1 and any(_aligned(other, row) for other in table[:3])):
            start = i
        elif start - i > 2 or not (line.x1 < second_left and len(row) == 1):
            break
    return start


def _pitch(lines: Sequence[Line], cells: list[list[Cell]]) -> float:
    """The usual step from one row to the next."""
    steps = [b.base - a.base for a, b in itertools.pairwise(lines)]
    both = [i for i in range(len(steps)) if len(cells[i]) > 1 and len(cells[i + 1]) > 1]
    loose = [steps[i] for i in both if steps[i] > _LOOSE * lines[i].size]
    if len(loose) * 3 < len(both):  # the headings of the columns alone stand apart
        loose = []
    return statistics.median(loose or [steps[i] for i in both] or steps) if steps else 0.0


def _rows(lines: Sequence[Line], cells: list[list[Cell]]) -> list[list[list[Cell]]]:
    """Rows of cells; lines closer than the rows' step are one row whose cells wrap."""
    pitch = _pitch(lines, cells)
    rows: list[list[list[Cell]]] = []
    for i, row in enumerate(cells):
        alike = i > 0 and abs(lines[i].size - lines[i - 1].size) < 0.3 and lines[i].bold == lines[i - 1].bold
        near = alike and lines[i].base - lines[i - 1].base < _TIGHT * pitch
        near = near or (i > 0 and _goes_on(lines[i - 1], rows[-1], lines[i], row))
        if not (near and _wraps(rows[-1], row)):
            rows.append([[cell] for cell in row])
    return rows


def _goes_on(above: Line, row: list[list[Cell]], line: Line, more: list[Cell]) -> bool:
    """Whether a line is the rest of a cell to the right of the label: under it, close, lower case."""
    close = line.base - above.base < _LOOSE * line.size and line.text[0].islower()
    return close and len(more) == 1 and _under(row, more[0]) not in (None, 0)


def _wraps(row: list[list[Cell]], more: list[Cell]) -> bool:
    """Add the cells of a further line to those of a row that they stand under, if they go on there.

    They do when each stands under one, or when the label goes on and the row's numbers are new.
    """
    homes = [_under(row, cell) for cell in more]
    label = homes[0] == 0 and len(row) == 1
    if None in homes and not label:
        return False
    for home, cell in zip(homes, more, strict=True):
        if home is None:
            row.append([cell])
        else:
            row[home].append(cell)
    row.sort(key=lambda home: min(_left(c) for c in home))
    return True


def _under(row: list[list[Cell]], cell: Cell) -> int | None:
    """The index of the cell of a row that a cell stands under."""
    shared = [
        min(_right(cell), max(_right(c) for c in home)) - max(_left(cell), min(_left(c) for c in home))
        for home in row
    ]
    best = max(range(len(row)), key=shared.__getitem__)
    return best if shared[best] > 0 else None
