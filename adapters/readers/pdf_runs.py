"""Runs of text: characters that PDFium gives one after the other on one baseline without a wide gap.

Within a run PDFium's order stands (it is the logical order in right-to-left scripts); where runs
belong is decided by geometry alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.readers.pdf_chars import PageChars, Type

WIDE_GAP = 0.7
"""A blank of this many ems ends a run; it may be a gutter, a column of a table or a loose line."""
_BASELINE_SHIFT = 0.6
_STROKES = 8


@dataclass(frozen=True, slots=True)
class Run:
    """Text on one baseline.

    x0, y0, x1, y1 and ``base`` are in the reading frame, in which this text runs to the right;
    ``box`` is the place on the displayed page. ``edges`` (len(text), 2) holds the left and right
    edge of each character in the reading frame. ``bold`` etc. are shares of the characters.
    """

    page: int
    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    bold: float
    italic: float
    mono: float
    box: tuple[float, float, float, float]
    edges: NDArray[np.float64]

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def middle(self) -> float:
        """Height of the middle of the run's letters."""
        return (self.y0 + self.y1) / 2


def page_runs(chars: PageChars) -> list[list[Run]]:
    """The runs of a page, one list a reading direction, the direction of most characters first."""
    if not len(chars.codes):
        return []
    turns = np.array([kind.turn for kind in chars.kinds] + [0], np.int32)[chars.types]
    known = np.flatnonzero(chars.types >= 0)
    if not len(known):
        return []
    # a blank or line break that PDFium made up reads in the direction of what stands before it
    last = np.maximum.accumulate(np.where(chars.types >= 0, np.arange(len(turns)), -1))
    turns = np.where(last >= 0, turns[np.maximum(last, 0)], turns[known[0]])
    counts = np.bincount(turns[known], minlength=4)
    order = [int(turn) for turn in np.argsort(-counts, kind="stable") if counts[turn]]
    return [_runs_of(chars, np.flatnonzero(turns == turn), turn) for turn in order]


def _reading_frame(
    chars: PageChars, which: NDArray[np.int64], turn: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Boxes and baselines turned so that the text runs to the right."""
    x0, y0, x1, y1 = chars.boxes[which].T
    bx, by = chars.base[which].T
    width, height = chars.width, chars.height
    if turn == 0:
        return np.stack([x0, y0, x1, y1], 1), by
    if turn == 1:
        return np.stack([y0, width - x1, y1, width - x0], 1), width - bx
    if turn == 2:
        return np.stack([width - x1, height - y1, width - x0, height - y0], 1), height - by
    return np.stack([height - y1, x0, height - y0, x1], 1), bx


def _runs_of(chars: PageChars, which: NDArray[np.int64], turn: int) -> list[Run]:
    codes, types = chars.codes[which], chars.types[which]
    boxes, base = _reading_frame(chars, which, turn)
    newline = (codes == 0x0A) | (codes == 0x0D)
    blank = newline | np.isin(codes, (0x20, 0xA0, 0x3000, 0x09)) | ((codes >= 0x2000) & (codes <= 0x200A))
    ink = np.flatnonzero(~blank & (types >= 0) | (~blank & (boxes[:, 2] > boxes[:, 0])) | (codes == 2))
    if not len(ink):
        return []
    table = np.array([kind.size for kind in chars.kinds] + [0.0])
    size = table[types]
    height = boxes[:, 3] - boxes[:, 1]
    size = np.where((size < 0.5) & (height > 0), height * 0.9, size)
    size = np.maximum(size, 0.5)
    _mend_boxes(boxes, base, size, types)
    breaks, space = _breaks(ink, newline, blank, boxes, base, size, types)
    starts = np.flatnonzero(breaks)
    ends = np.append(starts[1:], len(ink))
    runs = [
        _run(chars, which[ink[a:b]], codes[ink[a:b]], space[a:b], boxes[ink[a:b]], base[ink[a:b]], size[ink[a:b]])
        for a, b in zip(starts, ends, strict=True)
    ]
    return [run for run in runs if run.text]


def _mend_boxes(
    boxes: NDArray[np.float64],
    base: NDArray[np.float64],
    size: NDArray[np.float64],
    types: NDArray[np.int32],
) -> None:
    """Replace heights that a font states wrongly by the usual ascent and descent, in place.

    Invented hyphens stand where the character before them ends.
    """
    height = boxes[:, 3] - boxes[:, 1]
    wrong = (height < 0.4 * size) | (height > 2.2 * size) | (base < boxes[:, 1]) | (base > boxes[:, 3] + size)
    boxes[:, 1] = np.where(wrong, base - 0.75 * size, boxes[:, 1])
    boxes[:, 3] = np.where(wrong, base + 0.25 * size, boxes[:, 3])
    for i in np.flatnonzero((types < 0) & (boxes[:, 2] <= boxes[:, 0])):
        if i:
            boxes[i] = boxes[i - 1]
            boxes[i, 0] = boxes[i, 2]
            base[i], size[i] = base[i - 1], size[i - 1]


def _breaks(
    ink: NDArray[np.int64],
    newline: NDArray[np.bool_],
    blank: NDArray[np.bool_],
    boxes: NDArray[np.float64],
    base: NDArray[np.float64],
    size: NDArray[np.float64],
    types: NDArray[np.int32],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each visible character: whether a run begins here, and whether a blank stands before it."""
    a, b = ink[:-1], ink[1:]
    lines, blanks = np.cumsum(newline), np.cumsum(blank)
    em = np.maximum(size[a], size[b])
    # to the right, or to the left in right-to-left scripts
    gap = np.maximum(boxes[b, 0] - boxes[a, 2], boxes[a, 0] - boxes[b, 2])
    jump = np.abs(base[b] - base[a]) > _BASELINE_SHIFT * em
    cut = (lines[b] > lines[a]) | jump | (gap > WIDE_GAP * em)
    cut &= types[b] >= 0  # an invented character belongs to what stands before it
    head = np.ones(1, np.bool_)
    return np.concatenate([head, cut]), np.concatenate([~head, blanks[b] > blanks[a]])


def _run(
    chars: PageChars,
    places: NDArray[np.int64],
    codes: NDArray[np.uint32],
    space: NDArray[np.bool_],
    boxes: NDArray[np.float64],
    base: NDArray[np.float64],
    size: NDArray[np.float64],
) -> Run:
    space = space.copy()
    space[0] = False
    # a blank takes the room between its neighbours
    at = np.arange(len(codes)) + np.cumsum(space)
    text = np.full(len(codes) + int(space.sum()), 0x20, np.uint32)
    text[at] = codes
    edges = np.empty((len(text), 2))
    edges[at] = boxes[:, [0, 2]]
    holes = at[space] - 1
    edges[holes, 0], edges[holes, 1] = edges[holes - 1, 1], edges[holes + 1, 0]
    sizes, counts = np.unique(np.round(size, 1), return_counts=True)
    kinds = [chars.kinds[t] if t >= 0 else _PLAIN for t in chars.types[places]]
    shown = chars.boxes[places]
    shown = shown[shown[:, 2] > shown[:, 0]] if (shown[:, 2] > shown[:, 0]).any() else shown
    main = np.abs(size - sizes[counts.argmax()]) < 0.3
    return Run(
        page=chars.number,
        text=text.astype("<u4").tobytes().decode("utf-32-le"),
        x0=float(boxes[:, 0].min()),
        y0=float(boxes[main, 1].min()),
        x1=float(boxes[:, 2].max()),
        y1=float(boxes[main, 3].max()),
        base=float(np.median(base)),
        size=float(sizes[counts.argmax()]),
        bold=sum(kind.bold for kind in kinds) / len(kinds),
        italic=sum(kind.italic for kind in kinds) / len(kinds),
        mono=sum(kind.mono for kind in kinds) / len(kinds),
        box=(
            float(shown[:, 0].min()),
            float(shown[:, 1].min()),
            float(shown[:, 2].max()),
            float(shown[:, 3].max()),
        ),
        edges=edges,
    )


_PLAIN = Type(0.0, False, False, False, 0)
