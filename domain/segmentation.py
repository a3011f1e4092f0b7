"""The use case of evaluating cuts against given boundaries.

Places are compared by the number of characters before them that are not white space: a cut before
a blank line and one after it are the same cut, and scores need no tokenizer or sentence splitter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Document, Kind
from vchunk.domain.errors import ReadError
from vchunk.domain.plurals import counted
from vchunk.domain.segmentation_scores import boundary_f1, pk, window_diff

_NON_SPACE = re.compile(r"\S")

SCORES = ("pk", "window_diff", "f1", "precision", "recall", "f1_exact")


@dataclass(frozen=True, slots=True)
class Segmented:
    """A text and the offsets at which its segments after the first begin.

    ``place`` says where it was found, for messages; ``media_type`` what the text is.
    """

    name: str
    text: str
    boundaries: tuple[int, ...]
    place: str
    media_type: str = "text/plain"


class Line:
    """The characters of a text that are not white space, as a line on which boundaries lie."""

    def __init__(self, text: str) -> None:
        self._offsets = np.array([m.start() for m in _NON_SPACE.finditer(text)], np.int64)

    def __len__(self) -> int:
        return len(self._offsets)

    def positions(self, offsets: Iterable[int]) -> list[int]:
        """Offsets into the text as positions, rising; those at the ends separate nothing and go."""
        found = np.unique(np.searchsorted(self._offsets, np.fromiter(offsets, np.int64), "left"))
        return [p for p in found.tolist() if 0 < p < len(self)]


def truth_of(segmented: Segmented) -> tuple[Line, list[int]]:
    """The line of a text with its given boundaries.

    Raises
    ------
    ReadError
        If a boundary lies outside the text.
    """
    for offset in segmented.boundaries:
        if not 0 <= offset <= len(segmented.text):
            size = counted(len(segmented.text), "character")
            raise ReadError(f"{segmented.place}: the boundary {offset} is outside its text, which has {size}")
    line = Line(segmented.text)
    return line, line.positions(segmented.boundaries)


def compare(line: Line, given: list[int], made: list[int], tolerance: int) -> dict[str, float]:
    """All scores of made boundaries, by the names in `SCORES`."""
    near = boundary_f1(given, made, tolerance)
    return {
        "pk": pk(given, made, len(line)),
        "window_diff": window_diff(given, made, len(line)),
        "f1": near.f1,
        "precision": near.precision,
        "recall": near.recall,
        "f1_exact": boundary_f1(given, made).f1,
    }


def without_headings(document: Document, name: str) -> Segmented:
    """A document's text with its headings cut out, and where they stood: truth that no chunker sees.

    Headings that follow one another are one boundary, one in front of everything is none.
    """
    headings = [b.span for b in document.blocks if b.kind is Kind.HEADING and b.parent is None]
    text = document.text
    parts: list[str] = []
    boundaries: list[int] = []
    at = length = 0
    for span in headings:
        parts.append(text[at : span.start])
        length += span.start - at
        boundaries.append(length)
        at = span.end
    parts.append(text[at:])
    return Segmented(name, "".join(parts), tuple(boundaries), name, document.media_type)


def mean_scores(rows: list[dict[str, float]]) -> dict[str, NDArray[np.float64]]:
    """One array (documents,) for each score."""
    return {name: np.array([row[name] for row in rows]) for name in SCORES}
