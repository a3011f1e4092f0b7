"""Turned words above the columns of a table: the headings of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_lines import Line, lines_of
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.domain.document import Kind

_LEAST = 2
_ABOVE = 3.0  # ems between the words and the first row
_BESIDE = 1.5  # ems between the middles of a heading and of its column


def as_shown(run: Run) -> Run:
    """A turned run in the frame of the page; its characters are not told apart there."""
    x0, y0, x1, y1 = run.box
    return replace(run, x0=x0, y0=y0, x1=x1, y1=y1, base=y1)


def add_headings(drafts: list[Draft], turned: Sequence[Run]) -> list[Run]:
    """Give the tables among the drafts of a page their turned headings, in place; the runs left over."""
    rest = list(turned)
    for i, table in enumerate(drafts):
        if table.kind is not Kind.TABLE or table.grid or len(rest) < _LEAST:
            continue
        found = [run for run in rest if _heads(run, table)]
        if sum(_stands_over_cells(run, table) for run in found) < _LEAST:
            continue
        rest = [run for run in rest if run not in found]
        label = drafts[i - 1] if i and _is_label(drafts[i - 1], found, table) else None
        head = [as_shown(run) for run in sorted(found, key=lambda run: run.box[0])]
        cells = [[line.runs for line in label.lines] if label else []]
        table.rows.insert(0, cells + [[[run]] for run in head])
        table.lines[:0] = (label.lines if label else []) + lines_of(head)
        if label:
            drafts.remove(label)
    return rest


def _heads(run: Run, table: Draft) -> bool:
    """Whether a turned run ends above the first row, within the width's cells."""
    x0, y0, x1, y1 = run.box
    em = run.size
    top = min(line.y0 for line in table.lines)
    if y1 - y0 <= x1 - x0 or not -em < top - y1 < _ABOVE * em:
        return False
    middle, left, right = (x0 + x1) / 2, table.lines[0].x0, max(line.x1 for line in table.lines)
    return left - em < middle < right + em


def _stands_over_cells(run: Run, table: Draft) -> bool:
    middle = (run.box[0] + run.box[2]) / 2
    cells = [cell for row in table.rows for cell in row[1:]]
    return any(abs(_middle(cell) - middle) < _BESIDE * run.size for cell in cells)


def _middle(cell: Sequence[Sequence[Run]]) -> float:
    return (min(r.x0 for line in cell for r in line) + max(r.x1 for line in cell for r in line)) / 2


def _is_label(draft: Draft, heads: Sequence[Run], table: Draft) -> bool:
    """Whether a block stands beside the headings, over the first column."""
    line: Line = draft.lines[0]
    beside = line.x1 <= min(run.box[0] for run in heads) and line.y1 > min(run.box[1] for run in heads)
    return draft.kind is Kind.PARAGRAPH and len(draft.lines) <= 2 and beside and line.x0 < table.lines[0].x1
