"""Lines: the runs of one column that share a baseline."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import regex
from numpy.typing import NDArray

from vchunk.adapters.readers.pdf_chars import HYPHEN, UNKNOWN
from vchunk.adapters.readers.pdf_runs import Run

_RTL = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303F\uFF00-\uFFEF]")
_UNKNOWN = chr(UNKNOWN)
_WORD = 6  # letters
_SMALL = 20  # letters times points: below, a run does not begin a line while words are left
_GLUE = 0.16  # ems between two runs that are closer than any blank


@dataclass(eq=False)
class Line:
    """A line of a column.

    ``entry`` is the number, from 1, of the outline's entry that names this line as a heading,
    ``level`` that entry's level; 0 where there is none. ``left`` and ``right`` are the column's edges.
    """

    runs: list[Run]
    level: int = 0
    entry: int = 0
    region: int = 0
    left: float = 0.0
    right: float = 0.0
    x0: float = field(init=False)
    x1: float = field(init=False)
    y0: float = field(init=False)
    y1: float = field(init=False)

    def __post_init__(self) -> None:
        self.x0, self.x1 = min(run.x0 for run in self.runs), max(run.x1 for run in self.runs)
        self.y0, self.y1 = min(run.y0 for run in self.runs), max(run.y1 for run in self.runs)

    @property
    def page(self) -> int:
        return self.runs[0].page

    @cached_property
    def _main(self) -> Run:
        return max(self.runs, key=lambda run: len(run.text))

    @cached_property
    def base(self) -> float:
        return self._main.base

    @cached_property
    def size(self) -> float:
        weight: dict[float, int] = {}
        for run in self.runs:
            weight[run.size] = weight.get(run.size, 0) + len(run.text)
        return max(weight, key=lambda size: (weight[size], size))

    def _share(self, name: str) -> float:
        total = sum(len(run.text) for run in self.runs)
        return sum(float(getattr(run, name)) * len(run.text) for run in self.runs) / total

    @cached_property
    def bold(self) -> bool:
        return self._share("bold") > 0.9

    @cached_property
    def italic(self) -> bool:
        return self._share("italic") > 0.9

    @cached_property
    def mono(self) -> bool:
        return self._share("mono") > 0.8

    @cached_property
    def text(self) -> str:
        """The line as one string; blanks between runs are one space."""
        return joined(self.runs)

    @cached_property
    def words(self) -> int:
        """Words; two CJK characters count as one, as do six glyphs without letters."""
        words = len(self.text.split())
        if self.text.isascii():
            return words
        return words + len(_CJK.findall(self.text)) // 2 + self.text.count(_UNKNOWN) // _WORD

    @cached_property
    def letters(self) -> int:
        return sum(run.letters for run in self.runs)

    @property
    def box(self) -> tuple[float, float, float, float]:
        return union(self.runs)

    def edges(self) -> NDArray[np.float64] | None:
        """Left and right edges (len(text), 2) of the characters on the page; None for turned or mixed text."""
        upright = all(abs(run.box[0] - run.x0) < 1 and abs(run.box[2] - run.x1) < 1 for run in self.runs)
        if not upright or (not self.text.isascii() and _RTL.search(self.text)):
            return None
        parts = [self.runs[0].edges]
        for a, b in itertools.pairwise(self.runs):
            if not touches(a, b):
                parts.append(np.array([[a.edges[-1, 1], b.edges[0, 0]]]))
            parts.append(b.edges)
        found = np.concatenate(parts)
        return found if len(found) == len(self.text) else None

    def first_word_width(self) -> float:
        """Width of the first word in points."""
        first = self.runs[0]
        word = first.text.split(" ", 1)[0]
        return float(abs(first.edges[: len(word), 1].max() - first.edges[: len(word), 0].min()))


def union(runs: Iterable[Run]) -> tuple[float, float, float, float]:
    """The box around runs on the displayed page."""
    x0, y0, x1, y1 = zip(*(run.box for run in runs), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def is_cjk(char: str) -> bool:
    """Whether a character is written without blanks between words (Han, kana, their marks)."""
    return _CJK.match(char) is not None


def gap(left: Run, right: Run) -> float:
    """The blank between two runs in ems."""
    return max(right.x0 - left.x1, left.x0 - right.x1) / max(left.size, right.size)


def joined(runs: Sequence[Run]) -> str:
    """The text of neighbouring runs: a space between two unless they touch."""
    parts = [runs[0].text]
    for a, b in itertools.pairwise(runs):
        parts.append(b.text if touches(a, b) else " " + b.text)
    return "".join(parts)


def touches(a: Run, b: Run) -> bool:
    """Whether no blank parts two neighbouring runs."""
    return gap(a, b) < _GLUE or (is_cjk(a.text[-1]) and is_cjk(b.text[0]) and gap(a, b) < 1)


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """Runs grouped by baseline, from top to bottom."""
    reach = 0.7 * max((run.size for run in runs), default=0.0)
    groups: list[list[Run]] = []
    bases: list[float] = []
    small = []
    for run in sorted(runs, key=lambda run: run.base):
        if len(run.text) * run.size <= _SMALL:
            small.append(run)
            continue
        home = _nearest(groups, bases, run, reach)
        if home is None:
            groups.append([run])
            bases.append(run.base)
        else:
            home.append(run)
    for run in small:  # marks, numbers and raised letters go where the words are
        home = _nearest(groups, bases, run, reach)
        if home is None:
            place = bisect(bases, run.base)
            groups.insert(place, [run])
            bases.insert(place, run.base)
        else:
            home.append(run)
    lines = [Line(_in_reading_order(group) if len(group) > 1 else group) for group in groups]
    lines.sort(key=lambda line: (line.base, line.x0))
    return [_with_bullet(line) for line in lines]


def _nearest(groups: list[list[Run]], bases: list[float], run: Run, reach: float) -> list[Run] | None:
    """The line to which a run belongs: least distance of baselines, with most of its height shared.

    ``bases`` are those of the groups' first runs, rising; none farther than ``reach`` can be it.
    """
    best, distance = None, 0.0
    for i in range(bisect(bases, run.base + reach) - 1, -1, -1):
        if bases[i] < run.base - reach:
            break
        lead = groups[i][0]
        small, large = sorted((lead.size, run.size))
        shift = abs(lead.base - run.base)
        if best is not None and shift >= distance:
            continue
        limit = 0.35 * large if small > 0.85 * large else 0.7 * lead.size
        if shift <= limit and min(lead.y1, run.y1) - max(lead.y0, run.y0) > 0.4 * small:
            best, distance = groups[i], shift
    return best


def _in_reading_order(runs: list[Run]) -> list[Run]:
    rtl = sum(len(_RTL.findall(run.text)) for run in runs if not run.text.isascii())
    if rtl * 2 > sum(run.letters for run in runs):
        return sorted(runs, key=lambda run: -run.x1)
    return sorted(runs, key=lambda run: run.x0)


def _with_bullet(line: Line) -> Line:
    """A glyph without a known letter alone at the start of a line is a bullet."""
    first = line.runs[0]
    mark, _, rest = first.text.partition(" ")
    if mark not in (chr(HYPHEN), _UNKNOWN, 2 * _UNKNOWN) or not (rest or len(line.runs) > 1):
        return line
    if _UNKNOWN in (rest or line.runs[1].text):
        return line
    edges = np.concatenate([first.edges[:1], first.edges[len(mark) :]])
    bullet = replace(first, text="\u2022" + first.text[len(mark) :], letters=0, edges=edges)
    return Line([bullet, *line.runs[1:]])
