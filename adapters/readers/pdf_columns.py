"""The reading order of a page: its runs cut into columns along empty gutters.

A gutter is an upright stripe, empty over a stretch of the page, with text on both sides. The
stretch with the most text beside it is cut first: what is above is read first, then the left
column, the right one, and what is below; each of the four is cut again (recursive X-Y cut, Nagy
and Seth 1984, with the longest gutter in place of a fixed order of cuts). A gutter between the
columns of a table is left alone: see `_is_prose`.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.readers.pdf_lines import Line, gap, lines_of
from vchunk.adapters.readers.pdf_runs import WIDE_GAP, Run

_CELL = 2.0  # points
_MAX_CANDIDATES = 8
_MIN_LINES = 3
_MIN_WORDS = 3
_MIN_EMS = 8.0


def regions(runs: Sequence[Run]) -> list[list[Line]]:
    """The page's columns in reading order, each as lines from top to bottom."""
    return [lines_of(part) for part in _cut(list(runs), 0) if part]


def _cut(runs: list[Run], depth: int) -> list[list[Run]]:
    found = _gutter(runs) if depth < 12 and len(runs) >= 2 * _MIN_LINES else None
    if found is None:
        return [runs]
    above, left, right, below = found
    return [part for group in (above, left, right, below) if group for part in _cut(group, depth + 1)]


def _gutter(runs: list[Run]) -> tuple[list[Run], list[Run], list[Run], list[Run]] | None:
    em = statistics.median(run.size for run in runs)
    x_min, y_min = min(run.x0 for run in runs), min(run.y0 for run in runs)
    for x, top, bottom in _candidates(runs, em, x_min, y_min):
        above = [run for run in runs if run.middle < top]
        below = [run for run in runs if run.middle >= bottom]
        band = [run for run in runs if top <= run.middle < bottom]
        left = [run for run in band if (run.x0 + run.x1) / 2 < x]
        right = [run for run in band if (run.x0 + run.x1) / 2 >= x]
        above, left = _hand_back(above, left, right)
        if _may_be_prose(left) and _may_be_prose(right) and _is_prose(lines_of(left), lines_of(right), em):
            return above, left, right, below
    return None


def _hand_back(above: list[Run], left: list[Run], right: list[Run]) -> tuple[list[Run], list[Run]]:
    """Give the last short lines of a full-width paragraph, which end left of the gutter, back to it."""
    if not above or not right:
        return above, left
    top = min(run.y0 for run in right)
    last = max(above, key=lambda run: run.base)
    moved: list[Run] = []
    for run in sorted(left, key=lambda run: run.base):
        goes_on = run.base - last.base < 1.4 * last.size and abs(run.size - last.size) < 0.5
        if run.y1 > top or not (goes_on or abs(run.base - last.base) < 0.3 * last.size):
            break
        moved.append(run)
        last = run
    taken = {id(run) for run in moved}
    return above + moved, [run for run in left if id(run) not in taken]


def _candidates(runs: list[Run], em: float, x_min: float, y_min: float) -> list[tuple[float, float, float]]:
    """Gutters as (x, top, bottom), those with the most text on both sides first."""
    covered = _occupied(runs, em, x_min, y_min)
    before = np.zeros_like(covered)
    before[:, 1:] = np.logical_or.accumulate(covered, axis=1)[:, :-1]
    after = np.zeros_like(covered)
    after[:, :-1] = np.logical_or.accumulate(covered[:, ::-1], axis=1)[:, ::-1][:, 1:]
    good = ~covered & before & after
    enough = int(_MIN_LINES * em / _CELL)
    changes = (covered[:, 1:] != covered[:, :-1]) | (good[:, 1:] != good[:, :-1])
    alike = np.concatenate([[False], ~changes.any(axis=0)])
    found: list[tuple[int, int, int, int]] = []
    mine: list[tuple[int, int, int]] = []
    last = -2
    for x in np.flatnonzero(good.sum(axis=0) >= enough).tolist():
        if x - 1 != last or not alike[x]:
            mine = _stretches(covered[:, x], good[:, x], enough)
        found += [(score, x, top, bottom) for score, top, bottom in mine]
        last = x
    return [
        (x_min + (x + 0.5) * _CELL, y_min + top * _CELL, y_min + bottom * _CELL)
        for x, top, bottom in _widest(found)
    ]


def _stretches(covered: NDArray[np.bool_], good: NDArray[np.bool_], enough: int) -> list[tuple[int, int, int]]:
    """The empty stretches of one stripe as (score, top, bottom); the score counts text on both sides."""
    free = np.concatenate([[False], ~covered, [False]])
    edges = np.flatnonzero(free[1:] != free[:-1]).tolist()
    sums = np.concatenate([[0], np.cumsum(good)]).tolist()
    spans = zip(edges[::2], edges[1::2], strict=True)
    return [(sums[b] - sums[a], a, b) for a, b in spans if sums[b] - sums[a] >= enough]


def _widest(found: list[tuple[int, int, int, int]]) -> list[tuple[float, int, int]]:
    """One candidate for neighbouring stripes of about the same stretch, at their middle."""
    chosen: list[tuple[float, int, int]] = []
    left = sorted(found, key=lambda c: (-c[0], c[1]))
    while left and len(chosen) < _MAX_CANDIDATES:
        score, x, top, bottom = left[0]
        near = {c[1] for c in left if c[0] >= 0.97 * score and c[2] < bottom and c[3] > top}
        low = high = x
        while low - 1 in near:
            low -= 1
        while high + 1 in near:
            high += 1
        chosen.append(((low + high) / 2, top, bottom))
        left = [c for c in left if not (low - 1 <= c[1] <= high + 1 and c[2] < bottom and c[3] > top)]
    return chosen


def _occupied(runs: list[Run], em: float, x_min: float, y_min: float) -> NDArray[np.bool_]:
    """A grid of cells that hold text; runs are widened so that lines touch and word gaps close."""
    x_max, y_max = max(run.x1 for run in runs), max(run.y1 for run in runs)
    shape = int((y_max - y_min) / _CELL) + 2, int((x_max - x_min) / _CELL) + 2
    grid = np.zeros(shape, np.bool_)
    for run in runs:
        rise = 0.4 * min(run.size, 2 * em)
        top, bottom = int((run.y0 - rise - y_min) / _CELL), int((run.y1 + rise - y_min) / _CELL)
        left, right = int((run.x0 - x_min) / _CELL), int((run.x1 - x_min) / _CELL)
        grid[max(top, 0) : bottom + 1, max(left, 0) : right + 1] = True
    return grid


def _may_be_prose(side: list[Run]) -> bool:
    """Whether the runs on a side of a gutter are words, not numbers."""
    return len(side) >= _MIN_LINES and sum(r.letters for r in side) >= 0.6 * sum(len(r.text) for r in side)


def _is_prose(left: list[Line], right: list[Line], em: float) -> bool:
    """Whether two sides of a gutter are columns of running text, not columns of a table."""
    if min(len(left), len(right)) < _MIN_LINES:
        return False
    if _runs_past(left, right):
        return True
    if _are_cells(left, right) or _are_cells(right, left):
        return False
    for side in (left, right):
        if statistics.median(line.words for line in side) < _MIN_WORDS:
            return False
        if statistics.median(line.x1 - line.x0 for line in side) < _MIN_EMS * em:
            return False
    return not _rows_match(left, right)


def _runs_past(left: list[Line], right: list[Line]) -> bool:
    """Whether sentences on the right run on past paragraph starts on the left: no row ends there."""
    starts = _paragraph_starts(left)
    if len(starts) < 2 or statistics.median(line.words for line in right) < 5:
        return False
    past = 0
    for y in starts:
        near = min(range(len(right)), key=lambda i: abs(right[i].base - y))
        if near and right[near].text[0].islower() and right[near - 1].text[-1] not in ".!?:;":
            past += 1
    return past >= 0.5 * len(starts)


def _are_cells(side: list[Line], other: list[Line]) -> bool:
    """Whether a side is lines of several cells, each with its line on the other side, which is no prose."""
    wide = [line for line in side if any(gap(a, b) >= WIDE_GAP for a, b in itertools.pairwise(line.runs))]
    if len(wide) < 0.6 * len(side):
        return False
    beside = sum(any(abs(line.base - row.base) < 2 for row in other) for line in wide)
    runs_on = sum(b.text[0].islower() and a.text[-1].isalpha() for a, b in itertools.pairwise(other))
    return beside >= 0.9 * len(wide) and 2 * beside >= len(other) and runs_on < 0.3 * (len(other) - 1)


def _rows_match(left: list[Line], right: list[Line]) -> bool:
    """Whether wider gaps between lines stand at the same heights on both sides: rows of a table."""
    starts = [_paragraph_starts(side) for side in (left, right)]
    fewer, more = sorted(starts, key=len)
    if len(fewer) < 2:
        return False
    same = sum(any(abs(a - b) < 2 for b in more) for a in fewer)
    return same >= 0.7 * len(fewer) and same >= 0.4 * len(more)


def _paragraph_starts(side: list[Line]) -> list[float]:
    steps = [b.base - a.base for a, b in itertools.pairwise(side)]
    usual = statistics.median_low(steps)
    return [line.base for line, step in zip(side[1:], steps, strict=True) if step > 1.25 * usual]
