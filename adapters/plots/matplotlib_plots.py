"""Pictures by matplotlib: its object interface only, so nothing of the user's is touched."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vchunk.adapters.plots.lettering import Lettering
from vchunk.domain.errors import UsageError
from vchunk.domain.figures import Figure, VelocityFigure
from vchunk.domain.ports import Warn, no_warning

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from vchunk.adapters.plots.trajectory_map import TrajectoryMap
    from vchunk.adapters.plots.velocity_page import VelocityPage

FORMATS = ("png", "svg")
COLOURS = ("chunk", "position")
PROJECTION_NAMES = ("pca", "umap")


class MatplotlibPlotter:
    """Draws figures as PNG or SVG; the same figure gives the same bytes.

    Parameters
    ----------
    colour : str
        What a trajectory's colour tells: ``chunk`` or ``position``.
    projection : str
        How a trajectory comes to the plane: ``pca``, or ``umap``, which needs that extra.

    warn : callable
        Told, once a picture, of letters that no installed font draws.

    Raises
    ------
    UsageError
    """

    def __init__(self, colour: str = "chunk", projection: str = "pca", warn: Warn = no_warning) -> None:
        _one_of("--colour", colour, COLOURS)
        _one_of("--projection", projection, PROJECTION_NAMES)
        self.colour = colour
        self.projection = projection
        self.warn = warn

    def draw(self, figure: Figure, file_format: str) -> bytes:
        """The picture's file.

        Raises
        ------
        UsageError
            If the format is not ``png`` or ``svg``.
        MissingExtra
            If the projection needs a package that is not installed.
        """
        _one_of("--format", file_format, FORMATS)
        letters = self._letters(figure)
        with _settings(letters.families):
            out = io.BytesIO()
            # Left out of the file: the date (SVG) and the version (PNG).
            empty: dict[str, Any] = {"Date": None} if file_format == "svg" else {"Software": None}
            self._compose(figure, letters).savefig(out, format=file_format, metadata=empty)
        return out.getvalue()

    def compose(self, figure: Figure) -> Canvas:
        """The picture as a matplotlib figure, to be changed or placed elsewhere."""
        letters = self._letters(figure)
        with _settings(letters.families):
            return self._compose(figure, letters)

    def _letters(self, figure: Figure) -> Lettering:
        return Lettering([figure.title, *figure.names, figure.subtitle, *(cut.label for cut in figure.cuts)])

    def _compose(self, figure: Figure, letters: Lettering) -> Canvas:
        from vchunk.adapters.plots.scripts import complaint

        page = self._page(figure, letters)
        if missing := letters.missing([figure.title, *page.words]):
            self.warn(complaint(missing))
        return page.compose()

    def _page(self, figure: Figure, letters: Lettering) -> VelocityPage | TrajectoryMap:
        if isinstance(figure, VelocityFigure):
            from vchunk.adapters.plots.velocity_page import VelocityPage

            return VelocityPage(figure, letters)
        from vchunk.adapters.plots.projection import PROJECTIONS
        from vchunk.adapters.plots.trajectory_map import TrajectoryMap

        return TrajectoryMap(figure, PROJECTIONS[self.projection](figure.points), self.colour, letters)


@contextmanager
def _settings(families: list[str]) -> Iterator[None]:
    """matplotlib's own defaults and ours; the user's come back afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {"font.family": families, "svg.hashsalt": "vchunk", "svg.fonttype": "path", "path.simplify": False}
        )
        yield


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"{option} {value}: choose from {', '.join(allowed)}")
