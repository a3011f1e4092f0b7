"""The velocity curve as lines of a page, with its cuts and what begins there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.plots.ink import (
    CURVE,
    CUT,
    DPI,
    FAINT,
    HAIR,
    PAPER,
    RULER_SIZE,
    SOFT,
    heading_style,
)
from vchunk.adapters.plots.labels import (
    Label,
    Lanes,
    by_weight,
    lengthen,
    nice_step,
    place,
    place_of,
    thin,
    words_of,
)
from vchunk.adapters.plots.lettering import UNDRAWN, Lettering, Measure
from vchunk.adapters.plots.sheet import Sheet
from vchunk.domain.figures import CutMark, VelocityFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, but for the counts.
WIDEST, NARROWEST = 11.0, 7.0
TOKENS_A_ROW = 1200
MOST_ROWS = 12
ROUND_TENTHS = (10, 12, 15, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)
MOST_LANES, MOST_LANES_IN_FEW_ROWS, FEW_ROWS = 5, 8, 3
LEFT, RIGHT = 0.62, 0.35
ENDS_IN_SIGMAS = 3
DWARFING = 1.6
LANE = 0.155
FOOT = 0.06
"""Between the top of the curve and the lowest label."""
FEWEST = 3
"""Tokens of a curve."""
RULER = 0.17
GAP_BELOW = 0.16
HEADING_LIMITS, WORDS_LIMIT = (3.2, 2.3, 1.8), 2.0
LABELS_APART = 0.12
"""Between two stems; also bounds how many labels are tried."""
MARKERS_APART = 0.035
"""Nearer circles would run into a bar; the strongest of them stays."""


@dataclass(frozen=True, slots=True)
class Row:
    """The tokens [start, stop) with the cuts that are marked among them, and their labels."""

    start: int
    stop: int
    marks: tuple[CutMark, ...]
    lanes: Lanes


def row_length(tokens: int) -> int:
    """Tokens a row: all of them, or a round number that makes at most `MOST_ROWS` rows."""
    rows = min(math.ceil(tokens / TOKENS_A_ROW), MOST_ROWS)
    if tokens <= 1.25 * TOKENS_A_ROW:
        return max(tokens, 1)
    least = math.ceil(tokens / rows)
    scale = int(10 ** (len(str(least)) - 1))
    return min(tenths * scale // 10 for tenths in ROUND_TENTHS if tenths * scale // 10 >= least)


def decimate(
    x: NDArray[np.int64], y: NDArray[np.float64], columns: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The least and the greatest point of each of some columns: the same picture with fewer points."""
    if len(y) <= 4 * columns:
        return x, y
    edges = np.linspace(0, len(y), columns + 1).astype(np.int64)
    kept = {0, len(y) - 1}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        kept |= {low + int(y[low:high].argmin()), low + int(y[low:high].argmax())}
    index = np.array(sorted(kept))
    return x[index], y[index]


class VelocityPage:
    """One figure being composed."""

    def __init__(self, figure: VelocityFigure, letters: Lettering) -> None:
        self.figure = figure
        self.letters = letters
        self.measure = Measure(letters.families, DPI)
        curve = np.nan_to_num(np.asarray(figure.curve, np.float64))
        middle = float(np.median(curve)) if len(curve) else 0.0
        self.height = (curve - middle) / figure.mad
        self.height[:1] = self.height[1:2] if len(curve) > 1 else 0.0  # no step leads to the first token
        self.tokens = len(curve)
        self.limits = self._limits()
        self.step = row_length(self.tokens)
        whole = min(1.0, self.tokens / TOKENS_A_ROW)
        self.width = NARROWEST + (WIDEST - NARROWEST) * whole
        self.scale = (self.width - LEFT - RIGHT) / self.step
        self.rows = self._rows()

    # What is shown

    @property
    def words(self) -> list[str]:
        """What its labels stand for, as the document has it."""
        return [words_of(label.mark) for row in self.rows for label in row.lanes.labels]

    def _rows(self) -> list[Row]:
        starts = range(0, self.tokens, self.step)
        if not starts:
            return []
        most_lanes = MOST_LANES_IN_FEW_ROWS if len(starts) <= FEW_ROWS else MOST_LANES
        # A cut at the very end belongs to the last row.
        cuts: list[list[CutMark]] = [[] for _ in starts]
        for cut in self.figure.cuts:
            cuts[min(max(cut.token, 0) // self.step, len(cuts) - 1)].append(cut)
        return [self._row(start, marks, most_lanes) for start, marks in zip(starts, cuts, strict=True)]

    def _row(self, start: int, cuts: Sequence[CutMark], most_lanes: int) -> Row:
        order = {id(cut): rank for rank, cut in enumerate(by_weight(cuts))}
        kept = thin([cut.token * self.scale for cut in cuts], [order[id(cut)] for cut in cuts], MARKERS_APART)
        marks = tuple(cuts[i] for i in kept)
        return Row(start, min(start + self.step, self.tokens), marks, self._placed(marks, start, most_lanes))

    def _placed(self, marks: Sequence[CutMark], start: int, most_lanes: int) -> Lanes:
        """The labels, headings shortened only as far as gives more of them room."""
        ranked = by_weight(marks)
        near = thin([cut.token * self.scale for cut in ranked], range(len(ranked)), LABELS_APART)
        told = [ranked[i] for i in near]
        headings = sum(cut.heading_level is not None for cut in told)
        best, most = Lanes(), -1
        for limit in HEADING_LIMITS:
            found = place([label for cut in told if (label := self._label(cut, start, limit))], most_lanes)
            shown = sum(label.mark.heading_level is not None for label in found.labels)
            if shown > most:
                best, most = found, shown
            if most == headings:
                break
        full = [self._label(label.mark, start, HEADING_LIMITS[0]) or label for label in best.labels]
        return lengthen(best, full, most_lanes)

    def _x(self, token: int, start: int) -> float:
        """Inches from the left edge; a token is drawn at its middle."""
        return LEFT + (token - start + 0.5) * self.scale

    def _label(self, cut: CutMark, start: int, heading_limit: float) -> Label | None:
        size, weight, _ = heading_style(cut.heading_level)
        text = self.letters.label(words_of(cut), place_of(cut))
        weight = self.letters.weight(text, weight)
        limit = WORDS_LIMIT if cut.heading_level is None else heading_limit
        text = self.measure.shorten(text, limit, size, weight)
        if not text:
            return None
        stem = self._x(cut.token, start)
        wide = self.measure.width(text, size, weight)
        left = min(stem, self.width - 0.08 - wide)
        return Label(cut, text, stem, left, left + wide)

    def _limits(self) -> tuple[float, float]:
        """Lowest and highest value shown.

        The document's very ends are left out where they would dwarf the rest.
        """
        if not self.tokens:
            return -1.0, 1.0
        edge = round(ENDS_IN_SIGMAS * self.figure.sigma)
        inner = self.height[edge : self.tokens - edge] if self.tokens > 4 * edge else self.height
        at_cuts = [self._height_at(cut) for cut in self.figure.cuts]
        low, high = min([float(inner.min()), *at_cuts]), max([float(inner.max()), *at_cuts])
        if np.ptp(self.height) <= DWARFING * (high - low):
            low, high = float(self.height.min()), float(self.height.max())
        if low == high:
            return low - 1.0, high + 1.0
        return low - 0.06 * (high - low), high + 0.06 * (high - low)

    def _note(self) -> str:
        if self.tokens < FEWEST:
            have = ("no tokens", "one token", "two tokens")[self.tokens]
            return f"The document has {have}: too few for a curve."
        marked, cuts = sum(len(row.marks) for row in self.rows), len(self.figure.cuts)
        notes = []
        if marked < cuts:
            notes.append(f"{marked:,} of {cuts:,} cuts are marked, headings and the strongest first.")
        if np.ptp(self.height) == 0:
            notes.append("The curve is flat: the meaning moves evenly, or not at all.")
        if (top := self.height.max(initial=0.0)) > self.limits[1]:
            notes.append(
                f"At the document's ends, where there is little to smooth over, the curve goes to {top:,.0f}."
            )
        if self._undrawn():
            notes.append(UNDRAWN)
        return " ".join(notes)

    def _undrawn(self) -> bool:
        """Whether a label gives its place because its letters cannot be drawn."""
        return any(not self.letters.tells(words) for words in self.words)

    # Drawing

    def compose(self) -> Figure:
        """The figure with all its rows."""
        sheet = Sheet(self.letters, self.measure, self.width)
        titles = [self.figure.title, *self.figure.names]
        sheet.head(LEFT, RIGHT, titles, [self.figure.subtitle, self._unit(), self._note()])
        headed = any(cut.heading_level is not None for cut in self.figure.cuts)
        bare = any(cut.heading_level is None for cut in self.figure.cuts)
        if self.rows and (headed or bare):
            told = ("a heading", "other text") if self._undrawn() else ("this heading", "these words")
            entries = [(sign, f"a chunk begins with {what}") for sign, what in zip("●○", told, strict=True)]
            sheet.key(LEFT, entries[not headed : 1 + bare])
        tall = 1.7 if len(self.rows) == 1 else 1.1 if len(self.rows) <= FEW_ROWS else 0.8
        below = RULER * (2 if self.figure.pages else 1) + GAP_BELOW
        tops, end = [], sheet.position + 0.1
        for row in self.rows:
            tops.append(end + row.lanes.count * LANE + FOOT)
            end = tops[-1] + tall + below
        sheet.finish(end)
        for row, top in zip(self.rows, tops, strict=True):
            axes = sheet.axes(LEFT, top, self.step * self.scale, tall)
            self._curve(axes, row)
            self._cuts(axes, row)
            self._labels(sheet, row, top, tall)
            self._rulers(sheet, row, top + tall)
        return sheet.figure

    def _unit(self) -> str:
        figure = self.figure
        if self.tokens < FEWEST:
            return ""
        return (
            f"Height: how fast the meaning moves, in MADs above its median (1 MAD = {figure.mad:.3g}); "
            f"smoothed over σ = {figure.sigma:g} tokens."
        )

    def _curve(self, axes: Axes, row: Row) -> None:
        from matplotlib.ticker import MaxNLocator

        left, right = row.start - 0.5, row.stop - 0.5
        axes.set_xlim(left, left + self.step)
        axes.set_ylim(*self.limits)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.spines["bottom"].set_bounds(left, max(right, left + 1))
        axes.spines["bottom"].set(color=FAINT, linewidth=0.6)
        axes.set_xticks([])
        low, high = self.limits
        heights = [h for h in MaxNLocator(3, integer=True).tick_values(low, high) if low <= h <= high]
        axes.set_yticks(heights, [mads(h) for h in heights])
        axes.tick_params(axis="y", labelsize=RULER_SIZE, labelcolor=SOFT, color=HAIR, length=2, width=0.5)
        if self.tokens < FEWEST:
            axes.set_yticks([])
        axes.plot([left, right], [0, 0], color=HAIR, linewidth=0.5, zorder=1, gid="median")
        tokens = np.arange(row.start, row.stop)
        columns = max(1, round(len(tokens) * self.scale * DPI))
        x, y = decimate(tokens, self.height[row.start : row.stop], columns)
        dot = "o" if len(tokens) == 1 else "None"
        thick = 0.8 if len(tokens) < 8 * TOKENS_A_ROW else 0.6
        axes.plot(x, y, color=CURVE, linewidth=thick, marker=dot, markersize=3, zorder=3, gid="curve")

    def _height_at(self, cut: CutMark) -> float:
        return float(self.height[min(max(cut.token, 0), self.tokens - 1)])

    def _cuts(self, axes: Axes, row: Row) -> None:
        if not row.marks:
            return
        low, _ = self.limits
        axes.vlines(
            [cut.token for cut in row.marks],
            low,
            [self._height_at(cut) for cut in row.marks],
            color=HAIR,
            linewidth=0.6,
            zorder=2,
        )
        for headed in (False, True):
            marks = [cut for cut in row.marks if (cut.heading_level is not None) == headed]
            axes.plot(
                [cut.token for cut in marks],
                [self._height_at(cut) for cut in marks],
                linestyle="None",
                marker="o",
                markersize=self._diameter(row),
                markeredgewidth=0.9,
                color=CUT,
                markerfacecolor=CUT if headed else PAPER,
                zorder=5,
                clip_on=False,
                gid="headings" if headed else "cuts",
            )

    def _diameter(self, row: Row) -> float:
        """Of a marker, in points: smaller where cuts stand close."""
        if len(row.marks) < 2:
            return 4.5
        apart = np.diff([cut.token for cut in row.marks]) * self.scale * 72
        return float(np.clip(np.median(apart) * 0.6, 2.0, 4.5))

    def _labels(self, sheet: Sheet, row: Row, top: float, tall: float) -> None:
        low, high = self.limits
        for label, lane in zip(row.lanes.labels, row.lanes.lanes, strict=True):
            size, weight, colour = heading_style(label.mark.heading_level)
            weight = self.letters.weight(label.text, weight)
            bottom = top - FOOT - lane * LANE
            share = (self._height_at(label.mark) - low) / (high - low)
            sheet.line((label.stem, bottom), (label.stem, top + tall * (1 - share)), HAIR, 0.6)
            sheet.text(label.left, bottom - 0.03 - size / 72, label.text, size, colour, weight, gid="label")

    def _rulers(self, sheet: Sheet, row: Row, bottom: float) -> None:
        """Pages where there are any, and tokens below them."""
        line = bottom + 0.05
        if self.figure.pages:
            began = [number for token, number in self.figure.pages if token <= row.start]
            pages = {token: number for token, number in self.figure.pages if row.start < token < row.stop}
            if pages or began:
                places = [(self._x(token, row.start), f"{number}") for token, number in sorted(pages.items())]
                shown = thinned(places)
                for x, _ in shown:
                    sheet.line((x, bottom), (x, bottom + 0.05), SOFT)
                first = f"page {began[-1]}" if began else "pages"
                sheet.ruler(LEFT, line, first, shown, SOFT)
            line += RULER
        step = nice_step(0.7 / self.scale)
        tokens = range(-(-row.start // step) * step, row.stop, step)
        places = [(self._x(token, row.start), f"{token:,}") for token in tokens]
        for x, _ in places:
            sheet.line((x, bottom - 0.04), (x, bottom), FAINT)
        sheet.ruler(LEFT, line, f"token {row.start:,}", places)


def mads(value: float) -> str:
    """A height as it stands at the axis."""
    return (f"{value:,.0f}" if abs(value) < 1e5 else f"{value:.1g}").replace("-", "\u2212")


def thinned(places: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Every page, or every 2nd, 5th, 10th ..., so that their numbers stand apart."""
    if len(places) < 2:
        return places
    apart = (places[-1][0] - places[0][0]) / (len(places) - 1)
    step = nice_step(0.3 / max(apart, 1e-6))
    return places if step == 1 else [(x, number) for x, number in places if int(number) % step == 0]
