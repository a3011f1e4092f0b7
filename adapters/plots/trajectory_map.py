"""The path of a document through meaning space, as a map on which chunks are numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.plots.ink import (
    CYCLE,
    DPI,
    HAIR,
    INK,
    NOTE_SIZE,
    PAPER,
    POSITION_MAP,
    POSITION_RANGE,
    RULER_SIZE,
    SOFT,
    heading_style,
)
from vchunk.adapters.plots.labels import Box, beside, by_weight, nice_step, overlap, place_of, words_of
from vchunk.adapters.plots.lettering import UNDRAWN, Lettering, Measure
from vchunk.adapters.plots.projection import Projection
from vchunk.adapters.plots.sheet import Sheet
from vchunk.domain.figures import CutMark, TrajectoryFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

# Inches, but for the counts.
LEFT, RIGHT, BELOW = 0.45, 0.3, 0.4
WIDE, LOWEST = 6.6, 4.4
"""Of the map; its height follows the path's, between `LOWEST` and `WIDE`."""
MARGIN = 0.3
BAR = 0.5
LIST_GAP, LIST_WIDTH, LIST_LINE = 0.3, 3.3, 0.19
NUMBER_SIZE = 7.5
AWAY = 0.06
RADIUS = 0.04
"""Of a circle, its edge included."""
MOST_CIRCLES = 250
"""With more cuts circles would hide the path: only those with a number get one."""


@dataclass(frozen=True, slots=True)
class Written:
    """A short text on the map in its box, inches from the map's lower left corner."""

    text: str
    box: Box


class TrajectoryMap:
    """One figure being composed; ``colour`` is ``chunk`` or ``position``."""

    def __init__(self, figure: TrajectoryFigure, projection: Projection, colour: str, letters: Lettering) -> None:
        self.figure = figure
        self.axes_names = projection.axes
        self.colour = colour
        self.letters = letters
        self.measure = Measure(letters.families, DPI)
        self.tall, self.places = _on_map(projection.points)
        self.ends: list[Written] = []
        self.numbers: list[tuple[Written, CutMark]] = []
        self._write()

    @property
    def words(self) -> list[str]:
        """What its list stands for, as the document has it."""
        return [words_of(cut) for _, cut in self.numbers]

    def _place_of(self, cut: CutMark) -> tuple[float, float]:
        """Where a cut is on the map: at its token, or the next that was sampled."""
        index = min(int(np.searchsorted(self.figure.tokens, cut.token)), len(self.places) - 1)
        return float(self.places[index, 0]), float(self.places[index, 1])

    def _write(self) -> None:
        """Find room for start and end, then for the numbers of the most telling cuts."""
        if not len(self.places):
            return
        crowded = len(self.figure.cuts) > MOST_CIRCLES
        # Circles that are drawn whether they get a number or not: no text covers one.
        taken = [] if crowded else [self._circle(cut) for cut in self.figure.cuts]
        ends = list(zip(self.places[[0, -1]].tolist(), ("start", "end"), strict=True))[: len(self.places)]
        taken += [(x - AWAY, y - AWAY, x + AWAY, y + AWAY) for (x, y), _ in ends]
        for (x, y), text in ends:
            if box := self._room(x, y, text, taken):
                self.ends.append(Written(text, box))
                taken.append(box)
        index_of = {id(cut): index for index, cut in enumerate(self.figure.cuts, 1)}
        most = int((self.tall - LIST_LINE) / LIST_LINE)
        for cut in by_weight(self.figure.cuts)[: 5 * most]:
            if len(self.numbers) == most:
                break
            circle = self._circle(cut)
            if crowded and any(overlap(circle, box) for box in taken):
                continue
            text = str(index_of[id(cut)])
            if box := self._room(*self._place_of(cut), text, taken):
                self.numbers.append((Written(text, box), cut))
                taken += [box, circle]
        self.numbers.sort(key=lambda one: index_of[id(one[1])])

    def _circle(self, cut: CutMark) -> Box:
        x, y = self._place_of(cut)
        return x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS

    def _room(self, x: float, y: float, text: str, taken: list[Box]) -> Box | None:
        """The box beside a place that hides least of the path."""
        wide = self.measure.width(text, NUMBER_SIZE, "bold") + 0.03
        best, least = None, len(self.places) + 1
        for box in beside(x, y, wide, NUMBER_SIZE / 72 + 0.02, AWAY):
            left, bottom, right, top = box
            if left < 0 or bottom < 0 or right > WIDE or top > self.tall:
                continue
            if any(overlap(box, other) for other in taken):
                continue
            inside = (self.places > (left, bottom)) & (self.places < (right, top))
            hidden = int(inside.all(axis=1).sum())
            if hidden < least:
                best, least = box, hidden
        return best

    def compose(self) -> Figure:
        """The figure: the map, and beside it what the numbers stand for."""
        listed = LIST_GAP + LIST_WIDTH if self.numbers else 0.0
        sheet = Sheet(self.letters, self.measure, LEFT + WIDE + listed + RIGHT)
        undrawn = any(not self.letters.tells(words) for words in self.words)
        notes = [self.figure.subtitle, self._note(), UNDRAWN if undrawn else ""]
        sheet.head(LEFT, RIGHT, [self.figure.title, *self.figure.names], notes)
        top = sheet.position + 0.1
        bar = BAR if self.colour == "position" and len(self.places) > 1 else 0.0
        sheet.finish(top + self.tall + BELOW + bar)
        if len(self.places):
            axes = sheet.axes(LEFT, top, WIDE, self.tall)
            self._frame(axes)
            self._path(axes)
            self._circles(axes)
            self._texts(axes)
        if bar:
            self._colour_bar(sheet.axes(LEFT, top + self.tall + BELOW, WIDE, 0.09))
        self._list(sheet, LEFT + WIDE + LIST_GAP, top)
        return sheet.figure

    def _note(self) -> str:
        if not len(self.places):
            return "The document has no tokens: there is no path."
        if len(self.places) == 1:
            return "The document has one token: a single point."
        if np.ptp(self.places, axis=0).max() == 0:
            return "The path stands still: all of the text means the same here."
        colours = "; its colour changes with the chunk" if self.colour == "chunk" else ""
        path = f"The smoothed path through meaning space{colours}."
        if not self.figure.cuts:
            return f"{path} The document is one chunk."
        if (cuts := len(self.figure.cuts)) > MOST_CIRCLES:
            return f"{path} Dots: where {len(self.numbers)} of {cuts + 1:,} chunks begin, as listed."
        return f"{path} Circles: where chunks begin; the dots are numbered and listed."

    def _frame(self, axes: Axes) -> None:
        axes.set(xlim=(0, WIDE), ylim=(0, self.tall), xticks=[], yticks=[])
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set(color=HAIR, linewidth=0.6)
        axes.set_xlabel(self.axes_names[0], fontsize=NOTE_SIZE, color=SOFT, labelpad=5)
        axes.set_ylabel(self.axes_names[1], fontsize=NOTE_SIZE, color=SOFT, labelpad=5)

    def _path(self, axes: Axes) -> None:
        from matplotlib.collections import LineCollection

        if len(self.places) < 2:
            return
        steps = np.stack([self.places[:-1], self.places[1:]], axis=1)
        lines = LineCollection(list(steps), linewidths=1.1, capstyle="round", zorder=2, gid="path")
        if self.colour == "chunk":
            lines.set_color([CYCLE[int(chunk) % len(CYCLE)] for chunk in self.figure.chunks[1:]])
        else:
            lines.set(cmap=_position_map(), array=self.figure.tokens[1:], clim=self._token_range())
        axes.add_collection(lines, autolim=False)

    def _token_range(self) -> tuple[int, int]:
        return int(self.figure.tokens[0]), int(self.figure.tokens[-1])

    def _circles(self, axes: Axes) -> None:
        numbered = [cut for _, cut in self.numbers]
        told = {id(cut) for cut in numbered}
        others = [cut for cut in self.figure.cuts if id(cut) not in told]
        if len(self.figure.cuts) > MOST_CIRCLES:
            others = []
        size = 3.5 if len(self.figure.cuts) <= 100 else 2.5
        for cuts, face, gid in ((others, PAPER, "cuts"), (numbered, INK, "numbered cuts")):
            at = np.array([self._place_of(cut) for cut in cuts]).reshape(-1, 2)
            (circles,) = axes.plot(*at.T, "o", color=INK, zorder=4, gid=gid)
            circles.set(markerfacecolor=face, markeredgewidth=0.8, markersize=size if face == PAPER else 4)
        for place, sign in list(zip(self.places[[0, -1]], (">", "s"), strict=True))[: len(self.places)]:
            axes.plot(*place, sign, color=INK, markersize=6, zorder=5, gid="ends")

    def _texts(self, axes: Axes) -> None:
        from matplotlib.patheffects import withStroke

        for written in [*self.ends, *(number for number, _ in self.numbers)]:
            left, bottom, _, _ = written.box
            axes.text(
                left + 0.015,
                bottom + 0.02,
                written.text,
                fontsize=NUMBER_SIZE,
                fontweight="bold",
                color=INK,
                parse_math=False,
                path_effects=[withStroke(linewidth=2, foreground=PAPER)],
                zorder=6,
                gid="end" if written in self.ends else "number",
            )

    def _colour_bar(self, axes: Axes) -> None:
        first, last = self._token_range()
        axes.imshow(np.linspace(0, 1, 256)[None], aspect="auto", cmap=_position_map(), extent=(first, last, 0, 1))
        step = nice_step((last - first) / 8)
        axes.set_yticks([])
        axes.set_xticks(range(-(-first // step) * step, last + 1, step))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.tick_params(labelsize=RULER_SIZE, labelcolor=SOFT, color=HAIR, length=2, width=0.5)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("token", fontsize=RULER_SIZE, color=SOFT, labelpad=1)

    def _list(self, sheet: Sheet, left: float, top: float) -> None:
        """Number and first words of each numbered chunk."""
        if not self.numbers:
            return
        digits = max(self.measure.width(number.text, NUMBER_SIZE, "bold") for number, _ in self.numbers)
        for number, cut in self.numbers:
            size, weight, colour = heading_style(cut.heading_level)
            text = self.letters.label(words_of(cut), place_of(cut))
            weight = self.letters.weight(text, weight)
            text = self.measure.shorten(text, LIST_WIDTH - digits - 0.1, size, weight)
            flush = left + digits - self.measure.width(number.text, NUMBER_SIZE, "bold")
            level = top + (size - NUMBER_SIZE) * 0.8 / 72  # on one baseline with the words
            sheet.text(flush, level, number.text, NUMBER_SIZE, INK, "bold", gid="listed")
            sheet.text(left + digits + 0.1, top, text, size, colour, weight, gid="label")
            top += LIST_LINE


def _position_map() -> ListedColormap:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps[POSITION_MAP](np.linspace(*POSITION_RANGE, 256)))


def _on_map(points: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Height of the map and the points on it, in inches; one scale for both axes."""
    if not len(points):
        return 0.0, points
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    across = WIDE - 2 * MARGIN
    ratio = float(extent[1] / extent[0]) if extent[0] > 0 else 0.0
    tall = float(np.clip(across * ratio + 2 * MARGIN, LOWEST, WIDE))
    scale = max(float(extent[0]) / across, float(extent[1]) / (tall - 2 * MARGIN))
    centred = (points - (low + high) / 2) / (scale or 1.0)
    return tall, centred + np.array([WIDE / 2, tall / 2])
