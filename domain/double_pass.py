"""Double pass: sentences are appended while they agree, then mini-chunks are merged with a look ahead.

First pass: an element (a sentence, or a block that stays whole) is appended to the mini-chunk before
it while the cosine of their mean vectors is at or above a threshold. Second pass: of the mini-chunks
i, i + 1, i + 2 all three are merged when i and i + 2 agree, else the first two when those agree; what
was merged is looked at again in the next sweep, until a sweep merges nothing. So the prose on both
sides of a block of code or a formula comes together around it.

The idea is that of LlamaIndex's semantic double-merging splitter. There thresholds are given; here
they can be found in the document as well, in the very similarities that they are compared with.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.errors import UsageError

STEPS = 100
"""Steps of 1: thresholds found in a document are rounded down, so that a far edit hardly ever moves them."""
_ROUNDS = 16
"""Most repetitions of the first pass."""
_DIGITS = 6
"""Of a cosine: the last bits depend on the order of a sum."""

_DEFAULTS = {
    "percentile": (40.0, 50.0),
    "gradient": (50.0, 50.0),
    "local-maxima": (50.0, 50.0),
    "fixed": (0.7, 0.7),
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How alike two neighbours must be to come together in the first pass and in the second.

    ``append`` and ``merge`` are cosines (-1 to 1) for the method ``fixed``, else percent (0 to 100):

    - ``percentile``: that percentile of the document's similarities;
    - ``gradient``: the median similarity at the steepest falls, that many percent of all falls;
    - ``local-maxima``: that percentile of the similarities at the local maxima of dissimilarity.

    More percent of ``gradient`` means more falls that count, of the other two a higher threshold.

    Raises
    ------
    UsageError
    """

    method: str = "percentile"
    append: float | None = None
    merge: float | None = None

    def __post_init__(self) -> None:
        if self.method not in _DEFAULTS:
            raise UsageError(f"--threshold-method {self.method}: choose from {', '.join(_DEFAULTS)}")
        low, high = (-1.0, 1.0) if self.method == "fixed" else (0.0, 100.0)
        what = "a cosine" if self.method == "fixed" else "a percentage"
        for option, value in (("--append-threshold", self.append), ("--merge-threshold", self.merge)):
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UsageError(f"{option} {value}: must be a number")
            if not (math.isfinite(value) and low <= value <= high):
                raise UsageError(
                    f"{option} {value:g}: with --threshold-method {self.method} it is {what}, {low:g} to {high:g}"
                )

    @property
    def numbers(self) -> tuple[float, float]:
        """``append`` and ``merge``, the method's defaults where they are not given."""
        append, merge = _DEFAULTS[self.method]
        return append if self.append is None else self.append, merge if self.merge is None else self.merge

    @property
    def name(self) -> str:
        """Short, for the ids of chunks."""
        append, merge = self.numbers
        return f"{self.method}-a{append:g}-m{merge:g}"

    def of(self, number: float, similarities: NDArray[np.float64]) -> float:
        """The threshold among similarities, in the order of the text; 0 where there are none."""
        if self.method == "fixed":
            return number
        if not len(similarities):
            return 0.0
        found = _FINDERS[self.method](similarities, number)
        return math.floor(found * STEPS + 1e-6) / STEPS


def _percentile(similarities: NDArray[np.float64], percent: float) -> float:
    return float(np.percentile(similarities, percent))


def _gradient(similarities: NDArray[np.float64], percent: float) -> float:
    """The median similarity behind the steepest falls; the least one where nothing falls."""
    steps = np.diff(similarities)
    falls = np.flatnonzero(steps < 0)
    if not len(falls):
        return float(similarities.min())
    count = max(1, math.ceil(len(falls) * percent / 100))
    steepest = falls[np.argsort(steps[falls], kind="stable")[:count]]
    return float(np.median(similarities[steepest + 1]))


def _local_maxima(similarities: NDArray[np.float64], percent: float) -> float:
    """A percentile of the valleys of similarity, plateaus and ends included."""
    before = np.concatenate(([np.inf], similarities[:-1]))
    after = np.concatenate((similarities[1:], [np.inf]))
    return float(np.percentile(similarities[(similarities <= before) & (similarities <= after)], percent))


_FINDERS: dict[str, Callable[[NDArray[np.float64], float], float]] = {
    "percentile": _percentile,
    "gradient": _gradient,
    "local-maxima": _local_maxima,
}


@dataclass(frozen=True)
class Elements:
    """What is put together: elements in the order of the text, or runs of them.

    ``sizes`` (e,) tokens; ``mass`` (e, dim) sums of vectors of length 1 times tokens; ``joins`` (e,)
    bool: whether each may share a chunk with the one before it.
    """

    sizes: NDArray[np.int64]
    mass: NDArray[np.float32]
    joins: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sizes)

    def grouped(self, starts: NDArray[np.int64]) -> Elements:
        """The runs that begin at ``starts``, rising from 0."""
        if not len(self):
            return self
        return Elements(
            np.add.reduceat(self.sizes, starts), np.add.reduceat(self.mass, starts, axis=0), self.joins[starts]
        )

    def directions(self) -> NDArray[np.float32]:
        """Vectors of length 1, (e, dim); 0 where there is none."""
        norms = np.linalg.norm(self.mass, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(self.mass, norms, out=np.zeros_like(self.mass), where=norms > 0)
        return unit

    def likeness(self, ahead: int) -> NDArray[np.float64]:
        """Cosine of each element and the one ``ahead``, (e - ahead,); 1 where one has no vector."""
        if len(self) <= ahead:
            return np.zeros(0)
        unit = self.directions()
        cosines = np.einsum("ij,ij->i", unit[:-ahead], unit[ahead:]).astype(np.float64)
        known = np.asarray(unit.any(axis=1))
        cosines[~(known[:-ahead] & known[ahead:])] = 1.0
        rounded: NDArray[np.float64] = np.round(cosines, _DIGITS)
        return rounded


def double_pass(
    elements: Elements, thresholds: Thresholds, maximum: int, min_tokens: int = 0
) -> NDArray[np.int64]:
    """The elements that begin a chunk, rising from 0.

    Where the second pass has a single similarity to compare, its threshold is that of the first.
    No chunk that holds more than one element is above ``maximum`` tokens. One below ``min_tokens``
    joins the neighbour that it is more like, where it fits.
    """
    starts, threshold = settle(elements, thresholds, maximum)
    chunks = elements.grouped(starts)
    compared = compared_by_merging(chunks)
    if len(compared) > 1 or thresholds.method == "fixed":  # one alone is neither high nor low
        threshold = thresholds.of(thresholds.numbers[1], compared)
    while True:
        kept = _sweep(chunks, threshold, maximum)
        if len(kept) == len(chunks):
            break
        starts, chunks = starts[kept], chunks.grouped(kept)
    return _enlarged(chunks, starts, min_tokens, maximum)


def compared_by_merging(chunks: Elements) -> NDArray[np.float64]:
    """Similarities that the second pass compares: of neighbours and of next but one, in text order."""
    near, far = chunks.joins[1:], chunks.joins[1:-1] & chunks.joins[2:]
    at = np.concatenate((2 * np.flatnonzero(near), 2 * np.flatnonzero(far) + 1))
    similarities = np.concatenate((chunks.likeness(1)[near], chunks.likeness(2)[far]))
    return similarities[np.argsort(at, kind="stable")]


def settle(elements: Elements, thresholds: Thresholds, maximum: int) -> tuple[NDArray[np.int64], float]:
    """The first pass and its threshold, which is that of the very similarities that the pass compares.

    These depend on the threshold: it starts from those of neighbours, and the pass is repeated until
    the threshold stays. Where it comes back to an earlier one the lowest of those it goes through counts.
    """
    number = thresholds.numbers[0]
    seen = [thresholds.of(number, elements.likeness(1)[elements.joins[1:]])]
    while True:
        starts, compared = append(elements, seen[-1], maximum)
        found = thresholds.of(number, compared)
        if found == seen[-1] or len(seen) == _ROUNDS:
            return starts, seen[-1]
        if found in seen:
            lowest = min(seen[seen.index(found) :])
            return append(elements, lowest, maximum)[0], lowest
        seen.append(found)


def append(elements: Elements, threshold: float, maximum: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """One first pass: where mini-chunks begin, and the similarities that were compared."""
    starts: list[int] = []
    compared: list[float] = []
    joins, sizes = elements.joins.tolist(), elements.sizes.tolist()
    held, size = np.zeros(elements.mass.shape[1], np.float32), 0
    for i in range(len(elements)):
        if i and joins[i]:
            compared.append(_cosine(held, elements.mass[i]))
            if compared[-1] >= threshold and size + sizes[i] <= maximum:
                held = held + elements.mass[i]
                size += sizes[i]
                continue
        starts.append(i)
        held, size = elements.mass[i], sizes[i]
    return np.asarray(starts, np.int64), np.asarray(compared)


def _sweep(chunks: Elements, threshold: float, maximum: int) -> NDArray[np.int64]:
    """One sweep of the second pass from left to right: the chunks that still begin one."""
    near, far = chunks.likeness(1) >= threshold, chunks.likeness(2) >= threshold
    total = np.concatenate(([0], np.cumsum(chunks.sizes)))
    fits_two = chunks.joins[1:] & near & (total[2:] - total[:-2] <= maximum)
    fits_three = chunks.joins[1:-1] & chunks.joins[2:] & far & (total[3:] - total[:-3] <= maximum)
    two, three = fits_two.tolist(), fits_three.tolist()
    kept = []
    i = 0
    while i < len(chunks):
        kept.append(i)
        if i < len(three) and three[i]:
            i += 3
        elif i < len(two) and two[i]:
            i += 2
        else:
            i += 1
    return np.asarray(kept, np.int64)


def _enlarged(chunks: Elements, starts: NDArray[np.int64], min_tokens: int, maximum: int) -> NDArray[np.int64]:
    """Chunks below the minimum joined to a neighbour, the smallest first, of equals the earlier."""
    sizes, mass = chunks.sizes.tolist(), list(chunks.mass)
    count = len(sizes)
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    small = [(size, i) for i, size in enumerate(sizes) if size < min_tokens]
    heapq.heapify(small)
    gone = np.zeros(count, bool)
    while small:
        size, i = heapq.heappop(small)
        if gone[i] or sizes[i] != size:
            continue
        left = before[i] if chunks.joins[i] else -1
        right = after[i] if after[i] < count and chunks.joins[after[i]] else -1
        likeness = {j: _cosine(mass[i], mass[j]) for j in (left, right) if j >= 0 and size + sizes[j] <= maximum}
        if not likeness:
            continue
        other = max(likeness, key=lambda j: likeness[j])
        first, second = min(i, other), max(i, other)
        gone[second] = True
        sizes[first] += sizes[second]
        mass[first] = mass[first] + mass[second]
        after[first] = after[second]
        if after[first] < count:
            before[after[first]] = first
        if sizes[first] < min_tokens:
            heapq.heappush(small, (sizes[first], first))
    return starts[~gone]


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return round(float(a @ b) / scale, _DIGITS) if scale > 0 else 1.0
