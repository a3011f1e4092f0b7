"""The path of a document through meaning space, as a map with its chunks numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.plots.ink import (
    CYCLE,
    DPI,
    FAINT,
    HAIR,
    INK,
    NOTE_SIZE,
    PAPER,
    POSITION_MAP,
    RULER_SIZE,
    SOFT,
    heading_style,
)
from vchunk.adapters.plots.labels import by_weight, clear_of
from vchunk.adapters.plots.lettering import Lettering, Measure
from vchunk.adapters.plots.projection import Projection
from vchunk.adapters.plots.sheet import Sheet
from vchunk.domain.figures import CutMark, TrajectoryFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, but for the counts.
LEFT, RIGHT, BELOW = 0.55, 0.3, 0.55
SIDE = 6.4
BAR = 0.45
LIST_GAP, LIST_WIDTH, LIST_LINE = 0.3, 3.4, 0.185
MOST_LISTED = 30
NUMBER_SIZE = 7.5
MANY_CUTS = 400
"""With more, circles would hide the path: only the numbered cuts get one."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A cut whose chunk's ``index`` is written at (x, y), inches from the map's lower left."""

    cut: CutMark
    index: int
    left: float
    bottom: float


class TrajectoryMap:
    """One figure being composed; ``colour`` is ``chunk`` or ``position``."""

    def __init__(self, figure: TrajectoryFigure, projection: Projection, colour: str, letters: Lettering) -> None:
        self.figure = figure
        self.projection = projection
        self.colour = colour
        self.letters = letters
        self.measure = Measure(letters.families, DPI)
        self.low, self.span = _square(projection.points)
        self.numbered = self._numbers()

    # What is shown

    def _inches(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        placed: NDArray[np.float64] = (points - self.low) / self.span * SIDE
        return placed

    def _point_of(self, cut: CutMark) -> int:
        """The point at a cut, or the first after it."""
        return min(int(np.searchsorted(self.figure.tokens, cut.token)), len(self.figure.tokens) - 1)

    def _numbers(self) -> list[Numbered]:
        """The most telling cuts whose numbers find room on the map."""
        if not len(self.figure.tokens):
            return []
        places = self._inches(self.projection.points)
        order = {id(cut): index for index, cut in enumerate(self.figure.cuts, 1)}
        taken = [_box(*places[end], "start", self.measure) for end in (0, -1)] if len(places) else []
        listed: list[Numbered] = []
        for cut in by_weight(self.figure.cuts)[: 4 * MOST_LISTED]:
            if len(listed) == MOST_LISTED:
                break
            x, y = places[self._point_of(cut)]
            wide = self.measure.width(str(order[id(cut)]), NUMBER_SIZE, "bold")
            box = clear_of(float(x), float(y), wide, NUMBER_SIZE / 72, taken, SIDE)
            if box is not None:
                taken.append(box)
                listed.append(Numbered(cut, order[id(cut)], box[0], box[1]))
        return sorted(listed, key=lambda n: n.index)
