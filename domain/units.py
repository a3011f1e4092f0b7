"""Units: what lies between two neighbouring boundaries, with what the encoder knows of it.

Units know no size limit, so that a limit never changes a stored artifact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import Boundaries

CONTRAST_WINDOW = 32
"""Tokens on either side of a boundary whose means are compared."""


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a document.

    ``edges`` (u + 1,) int64: unit i is ``text[edges[i]:edges[i+1]]``, the first begins at the
    first character that is not white space, the last ends with the text. ``levels`` (u,) int8:
    the level of the boundary at the start of each; that of the first is 3. ``token_edges``
    (u + 1,) int64: tokens of unit i by the place where they start. ``means`` (u, dim) float32 of
    token vectors, 0 for a unit without tokens; ``contrast`` (u,) float32 at the start of each
    unit, NaN where it is not defined; both None without an encoder.
    """

    edges: NDArray[np.int64]
    levels: NDArray[np.int8]
    token_edges: NDArray[np.int64]
    means: NDArray[np.float32] | None = None
    contrast: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Tokens of each unit, (u,)."""
        return np.diff(self.token_edges)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each unit starts, (u,)."""
        return self.edges[:-1]


def cut_units(text: str, boundaries: Boundaries, token_starts: NDArray[np.int64]) -> Units:
    """The units between the boundaries; none for a text of white space."""
    first = re.search(r"\S", text)
    if first is None:
        return Units(np.zeros(1, np.int64), np.zeros(0, np.int8), np.zeros(1, np.int64))
    edges = np.concatenate(([first.start()], boundaries.offsets, [len(text)])).astype(np.int64)
    levels = np.concatenate(([3], boundaries.levels)).astype(np.int8)
    token_edges = np.searchsorted(token_starts, edges, "left").astype(np.int64)
    token_edges[0], token_edges[-1] = 0, len(token_starts)
    return Units(edges, levels, token_edges)


def visible_end(text: str, start: int, end: int) -> int:
    """``end`` without the white space before it, at least ``start``."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
