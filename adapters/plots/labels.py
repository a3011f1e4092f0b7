"""Which labels are drawn and where, so that none touches another or a line to another.

Labels stand in lanes above a row, each over the thin line (its stem) that leads down to its place.
A stem passes through the lanes under its label, so a label over another's stem must be higher.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.figures import CutMark

GAP = 0.09
"""Inches between two labels, and between a label and another's stem."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label over ``stem``, from ``left`` to ``right``, all in inches; ``mark`` says whose it is."""

    mark: CutMark
    text: str
    stem: float
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Lanes:
    """Labels that fit, with the lane of each, from 0 at the bottom."""

    labels: tuple[Label, ...] = ()
    lanes: tuple[int, ...] = ()
    count: int = field(default=0)


def by_weight(marks: Sequence[CutMark]) -> list[CutMark]:
    """Most telling first: headings by level, then the strongest cuts."""
    return sorted(
        marks,
        key=lambda m: (
            math.inf if m.heading_level is None else m.heading_level,
            -m.strength if math.isfinite(m.strength) else 0.0,
            m.token,
        ),
    )


def place(candidates: Sequence[Label], most_lanes: int) -> Lanes:
    """As many labels as fit, tried in the order given."""
    chosen: list[Label] = []
    lanes = np.zeros(0, np.int64)
    for label in candidates:
        tried = [*chosen, label]
        found = _lanes_of(tried, most_lanes)
        if found is not None:
            chosen, lanes = tried, found
    return Lanes(tuple(chosen), tuple(lanes.tolist()), int(lanes.max()) + 1 if len(lanes) else 0)


def lengthen(found: Lanes, longer: Sequence[Label], most_lanes: int) -> Lanes:
    """The same labels, each in its longer form where all still fit; one after the other."""
    labels, lanes = list(found.labels), np.array(found.lanes, np.int64)
    for i, label in enumerate(longer):
        tried = [*labels[:i], label, *labels[i + 1 :]]
        if (moved := _lanes_of(tried, most_lanes)) is not None:
            labels, lanes = tried, moved
    return Lanes(tuple(labels), tuple(lanes.tolist()), int(lanes.max()) + 1 if len(lanes) else 0)


def _lanes_of(labels: Sequence[Label], most: int) -> NDArray[np.int64] | None:
    """The lowest lane each label can have, or None where they do not fit together."""
    above = _must_be_above(labels)
    lanes = np.zeros(len(labels), np.int64)
    for _ in range(most):
        raised = np.where(above, lanes[None, :] + 1, 0).max(axis=1)
        if (raised == lanes).all():
            return lanes
        lanes = raised
    return None  # too high, or two labels that must be above one another


def _must_be_above(labels: Sequence[Label]) -> NDArray[np.bool_]:
    """Entry [i, j] tells that label i must be higher than label j."""
    left = np.array([label.left for label in labels])
    right = np.array([label.right for label in labels])
    stem = np.array([label.stem for label in labels])
    over = (left[:, None] - GAP < stem[None, :]) & (stem[None, :] < right[:, None] + GAP)
    touch = (left[:, None] < right[None, :] + GAP) & (left[None, :] < right[:, None] + GAP)
    neither = touch & ~over & ~over.T & (stem[:, None] < stem[None, :])
    above: NDArray[np.bool_] = over | neither
    np.fill_diagonal(above, False)
    return above


def thin(positions: Sequence[float], ranks: Sequence[int], apart: float) -> list[int]:
    """Indices of the positions to keep, in order, so that no two are nearer than ``apart``.

    Of two that are, the one of lower rank stays.
    """
    order = sorted(range(len(positions)), key=lambda i: ranks[i])
    cells: dict[int, list[float]] = {}
    kept = []
    for i in order:
        cell = math.floor(positions[i] / apart) if apart > 0 else i
        near = [x for k in (cell - 1, cell, cell + 1) for x in cells.get(k, ())]
        if apart <= 0 or all(abs(positions[i] - x) >= apart for x in near):
            cells.setdefault(cell, []).append(positions[i])
            kept.append(i)
    return sorted(kept)


def nice_step(at_least: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is not under a value."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if step * factor >= at_least:
                return step * factor
        step *= 10


def words_of(mark: CutMark) -> str:
    """The label without the marks of a list, quote, table or heading in front."""
    return mark.label.lstrip("-*+>#|=•· \t") or mark.label


def place_of(mark: CutMark) -> str:
    """Where a cut is, for want of a label."""
    token = f"token {mark.token:,}"
    return token if mark.page is None else f"page {mark.page}, {token}"


Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def beside(x: float, y: float, wide: float, tall: float, away: float) -> list[Box]:
    """Where a box can stand around a place, the best first."""
    boxes = []
    for dx, dy in ((1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)):
        left = x + dx * away - wide * (1 - dx) / 2
        bottom = y + dy * away - tall * (1 - dy) / 2
        boxes.append((left, bottom, left + wide, bottom + tall))
    return boxes


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share an area."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


WidthOf = Callable[[str], float]


def spaced(places: Sequence[tuple[float, str]], width: WidthOf, gap: float, taken: float = -math.inf) -> list[int]:
    """Indices of the centred labels that stay clear of each other and of what ends at ``taken``."""
    kept = []
    for i, (x, text) in enumerate(places):
        half = width(text) / 2
        if x - half >= taken + gap:
            kept.append(i)
            taken = x + half
    return kept
