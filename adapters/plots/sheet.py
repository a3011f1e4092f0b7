"""A page that is filled from the top, measured in inches from its top left corner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vchunk.adapters.plots.ink import CUT, DPI, FAINT, INK, NOTE_SIZE, RULER_SIZE, SOFT, TITLE_SIZE
from vchunk.adapters.plots.labels import spaced
from vchunk.adapters.plots.lettering import Lettering, Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP = 0.14
LINE = 0.17


class Sheet:
    """A matplotlib figure of a given width whose height is what was put on it.

    Attributes
    ----------
    position : float
        Where the next thing goes, from the top.
    """

    def __init__(self, letters: Lettering, measure: Measure, width: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D, BboxTransformTo, ScaledTranslation

        self.figure: Figure = Figure(figsize=(width, 1.0), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self.width = width
        self.position = TOP
        self._letters = letters
        self._measure = measure
        down = Affine2D().scale(1, -1) + self.figure.dpi_scale_trans
        self._inches = down + ScaledTranslation(0, 1, BboxTransformTo(self.figure.bbox))

    def head(self, left: float, right: float, titles: Sequence[str], notes: Iterable[str]) -> None:
        """The first title that can be drawn, and lines of explanation, between two margins."""
        limit = self.width - left - right
        title = self._letters.title(titles)
        weight = self._letters.weight(title, "bold")
        shown = self._measure.shorten(title, limit, TITLE_SIZE, weight)
        if shown:
            self.text(left, self.position, shown, TITLE_SIZE, INK, weight, gid="title")
            self.position += 0.25
        for note in notes:
            if not (note := self._letters.parts(note)):
                continue
            for line in self._measure.wrap(note, limit, NOTE_SIZE):
                self.text(left, self.position, line, NOTE_SIZE, SOFT, gid="note")
                self.position += LINE

    def key(self, left: float, entries: Iterable[tuple[str, str]]) -> None:
        """Signs with their meanings, on one line."""
        x = left
        for sign, words in entries:
            self.text(x, self.position, sign, NOTE_SIZE, CUT)
            self.text(x + 0.14, self.position, words, NOTE_SIZE, SOFT, gid="note")
            x += 0.14 + self._measure.width(words, NOTE_SIZE) + 0.25
        self.position += LINE

    def finish(self, height: float) -> None:
        """Fix the height; axes can be put on the sheet from now on."""
        self.figure.set_size_inches(self.width, height)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes of an area."""
        _, whole = self.figure.get_size_inches()
        box = (left / self.width, 1 - (top + height) / whole, width / self.width, height / whole)
        return self.figure.add_axes(box, facecolor="none")

    def text(
        self,
        left: float,
        top: float,
        text: str,
        size: float,
        colour: str,
        weight: str = "normal",
        *,
        gid: str | None = None,
    ) -> None:
        """One line of text; ``$`` and ``_`` mean themselves."""
        # On the baseline: tops and bottoms of text differ with its letters.
        baseline = top + 0.8 * size / 72
        self.figure.text(
            left,
            baseline,
            text,
            transform=self._inches,
            fontsize=size,
            color=colour,
            fontweight=weight,
            va="baseline",
            ha="left",
            parse_math=False,
            gid=gid,
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 0.5) -> None:
        """A straight line between two places (x, y)."""
        from matplotlib.lines import Line2D

        xs, ys = zip(start, end, strict=True)
        line = Line2D(xs, ys, color=colour, linewidth=width, transform=self._inches, zorder=-1)  # behind the axes
        self.figure.add_artist(line)

    def ruler(
        self, left: float, top: float, first: str, places: list[tuple[float, str]], colour: str = FAINT
    ) -> None:
        """Numbers centred at places (x, number) where there is room, after a first one at the left."""

        def width(text: str) -> float:
            return self._measure.width(text, RULER_SIZE)

        self.text(left, top, first, RULER_SIZE, colour, gid="ruler")
        for i in spaced(places, width, 0.12, left + width(first)):
            x, number = places[i]
            self.text(x - width(number) / 2, top, number, RULER_SIZE, colour, gid="ruler")
