"""Runs of text: characters that PDFium gives one after the other on one baseline without a wide gap.

Within a run PDFium's order stands (it is the logical order in right-to-left scripts); where runs
belong is decided by geometry alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.readers.pdf_chars import HYPHEN, UNKNOWN, PageChars, is_space

WIDE_GAP = 0.7
"""A blank of this many ems ends a run; it may be a gutter, a column of a table or a loose line."""
_BASELINE_SHIFT = 0.6
_LETTERS = np.array([chr(code).isalpha() for code in range(0x600)] + [False])
_MANY_RUNS = 4000
_OVERPRINT = 0.35  # ems by which a shadow is off
_LEAST_OVERPRINT = 4  # letters; fewer must stand
_SAME_PLACE = 0.15  # ems near to the others


@dataclass(frozen=True, slots=True)
class Run:
    """Text on one baseline.

    x0, y0, x1, y1 and ``base`` are in the reading frame, in which this text runs to the right;
    ``box`` is the place on the displayed page. ``edges`` (len(text), 2) holds the left and right
    edge of each character in the reading frame. ``bold`` etc. are shares of the characters, ``letters`` how many
    of them are letters.
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
    letters: int
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
    blank = newline | is_space(codes)
    ink = np.flatnonzero(~blank & (types >= 0) | (~blank & (boxes[:, 2] > boxes[:, 0])) | (codes == HYPHEN))
    if not len(ink):
        return []
    table = np.array([kind.size for kind in chars.kinds] + [0.0])
    size = table[types]
    height = boxes[:, 3] - boxes[:, 1]
    size = np.where((size < 0.5) & (height > 0), height * 0.9, size)
    size = np.maximum(size, 0.5)
    _mend_boxes(boxes, base, size, types)
    breaks, space = _breaks(ink, newline, blank, boxes, base, size, types)
    glyphs = _Glyphs(codes[ink], boxes[ink], chars.boxes[which[ink]], base[ink], size[ink], types[ink])
    return without_overprints(_built(chars, glyphs, np.flatnonzero(breaks), space & ~breaks))


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


@dataclass(frozen=True, slots=True)
class _Glyphs:
    """What is seen of a page in PDFium's order; ``shown`` are the boxes on the displayed page."""

    codes: NDArray[np.uint32]
    boxes: NDArray[np.float64]
    shown: NDArray[np.float64]
    base: NDArray[np.float64]
    size: NDArray[np.float64]
    types: NDArray[np.int32]


def _built(chars: PageChars, glyphs: _Glyphs, starts: NDArray[np.int64], space: NDArray[np.bool_]) -> list[Run]:
    """Runs that begin at ``starts``; ``space`` tells before which glyphs a blank stands."""
    counts = np.diff(np.append(starts, len(glyphs.codes)))
    text, edges, at = _spaced(glyphs, space)
    size = _of_runs(np.round(glyphs.size, 1), starts, counts, _most)
    main = np.abs(glyphs.size - np.repeat(size, counts)) < 0.3
    drawn = glyphs.shown[:, 2] > glyphs.shown[:, 0]
    drawn |= ~np.repeat(np.logical_or.reduceat(drawn, starts), counts)
    low, high = np.minimum.reduceat, np.maximum.reduceat
    numbers = [
        low(glyphs.boxes[:, 0], starts),
        low(np.where(main, glyphs.boxes[:, 1], np.inf), starts),
        high(glyphs.boxes[:, 2], starts),
        high(np.where(main, glyphs.boxes[:, 3], -np.inf), starts),
        _of_runs(glyphs.base, starts, counts, np.median),
        size,
    ]
    for name in ("bold", "italic", "mono"):
        held = np.array([getattr(kind, name) for kind in chars.kinds] + [False], np.float64)[glyphs.types]
        numbers.append(np.add.reduceat(held, starts) / counts)
    numbers.append(np.add.reduceat(are_letters(glyphs.codes).astype(np.int64), starts))
    box = [low(np.where(drawn, glyphs.shown[:, i], np.inf), starts) for i in (0, 1)]
    box += [high(np.where(drawn, glyphs.shown[:, i], -np.inf), starts) for i in (2, 3)]
    begin = [*at[starts].tolist(), len(text)]
    rows: Iterable[tuple[Any, ...]] = zip(*(values.tolist() for values in numbers), strict=True)
    boxes = zip(*(edge.tolist() for edge in box), strict=True)
    return [
        Run(chars.number, text[a:b], *row, shown, edges[a:b])  # type: ignore[call-arg]
        for a, b, row, shown in zip(begin, begin[1:], rows, boxes, strict=False)
    ]


def _spaced(glyphs: _Glyphs, space: NDArray[np.bool_]) -> tuple[str, NDArray[np.float64], NDArray[np.int64]]:
    """All glyphs as one text, with their edges, and the place of each; a blank fills what it parts."""
    at = np.arange(len(glyphs.codes)) + np.cumsum(space)
    codes = np.full(len(glyphs.codes) + int(space.sum()), 0x20, np.uint32)
    codes[at] = glyphs.codes
    edges = np.empty((len(codes), 2))
    edges[at] = glyphs.boxes[:, [0, 2]]
    holes = at[space] - 1
    edges[holes, 0], edges[holes, 1] = edges[holes - 1, 1], edges[holes + 1, 0]
    return codes.astype("<u4").tobytes().decode("utf-32-le"), edges, at


def are_letters(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are letters; glyphs of which the file does not tell the letter are taken for some."""
    found: NDArray[np.bool_] = _LETTERS[np.minimum(codes, len(_LETTERS) - 1)]
    for i in np.flatnonzero(codes >= len(_LETTERS)):
        found[i] = codes[i] == UNKNOWN or chr(codes[i]).isalpha()
    return found


def _of_runs(
    values: NDArray[np.float64],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    choose: Callable[[NDArray[np.float64]], Any],
) -> NDArray[np.float64]:
    """One value a run: the one that all its glyphs have, else the one chosen of theirs."""
    chosen = values[starts]
    mixed = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts) > 1e-3
    for i in np.flatnonzero(mixed):
        chosen[i] = choose(values[starts[i] : starts[i] + counts[i]])
    return chosen


def _most(values: NDArray[np.float64]) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])


def without_overprints(runs: list[Run]) -> list[Run]:
    """The runs without those that set the text of another one again in its place (shadows, fake bold)."""
    if not 1 < len(runs) <= _MANY_RUNS:
        return runs
    x0, y0, x1, y1 = (np.array([getattr(run, name) for run in runs]) for name in ("x0", "y0", "x1", "y1"))
    order = np.argsort(y0, kind="stable")
    dropped: set[int] = set()
    for p, i in enumerate(order.tolist()):
        stop = int(np.searchsorted(y0[order], y1[i] - 0.5 * (y1[i] - y0[i])))
        for j in order[p + 1 : stop].tolist():
            if min(x1[i], x1[j]) - max(x0[i], x0[j]) > 0.5 * min(x1[i] - x0[i], x1[j] - x0[j]):
                a, b = sorted((i, j), key=lambda k: (-len(runs[k].text.replace(" ", "")), k))
                if a not in dropped and _prints_again(runs[a], runs[b]):
                    dropped.add(b)
    return [run for i, run in enumerate(runs) if i not in dropped] if dropped else runs


def _prints_again(first: Run, second: Run) -> bool:
    """Whether most letters of the second run stand over the same letters of the first."""
    reach = (_OVERPRINT if second.letters >= _LEAST_OVERPRINT else _SAME_PLACE) * first.size
    if abs(first.size - second.size) > 0.1 * first.size or abs(first.base - second.base) > reach:
        return False
    seen: dict[str, list[float]] = {}
    for char, (left, _) in zip(first.text, first.edges.tolist(), strict=True):
        seen.setdefault(char, []).append(left)
    letters = [(c, left) for c, (left, _) in zip(second.text, second.edges.tolist(), strict=True) if c != " "]
    same = sum(any(abs(left - other) < reach for other in seen.get(char, ())) for char, left in letters)
    return same >= 0.8 * len(letters)
