"""Windows: the runs of tokens that the encoder reads together, laid by a plan.

Windows begin and end at anchors, or a margin beyond them, so where they lie is decided by the text
near by. What a token's vectors depend on is bounded too: an interval between two anchors and what
its windows read around it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.anchors import find_anchors
from vchunk.domain.errors import UsageError
from vchunk.domain.ports import EncoderIdentity, Hasher

Edges = NDArray[np.int64]
"""The edges of the intervals between anchors, (m + 1,)."""


@dataclass(frozen=True, slots=True)
class WindowPlan(ABC):
    """How windows are laid. ``radius`` is that of the anchors: intervals hold 1 to 2 of it."""

    radius: int
    kind: ClassVar[str]
    settled_by: ClassVar[int] = 2
    """So many intervals behind one settle its windows and its name: nothing further plays a part in them."""

    @classmethod
    @abstractmethod
    def for_window(cls, window: int) -> WindowPlan:
        """The plan whose windows hold at most ``window`` tokens."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How the plan enters keys."""

    @abstractmethod
    def count(self, edges: Edges) -> int:
        """How many windows a document has."""

    @abstractmethod
    def bounds(self, edges: Edges, window: int) -> tuple[int, int]:
        """First and last token (exclusive) of a window."""

    @abstractmethod
    def covering(self, edges: Edges, interval: int) -> range:
        """The windows that read tokens of an interval."""

    @abstractmethod
    def taper(self, edges: Edges, window: int) -> NDArray[np.float32]:
        """The weight of each token of a window in the mesh, all above zero."""

    @property
    @abstractmethod
    def seam_shares(self) -> NDArray[np.float32]:
        """How much the tokens around a seam get of the half difference of its windows, (2 k,).

        The middle is that of the overlap. A share falls on tokens only whose intervals both windows cover.
        """

    @abstractmethod
    def reach(self, edges: Edges, interval: int) -> tuple[int, int]:
        """First and last token (exclusive) that the rows of an interval depend on."""

    @abstractmethod
    def near_ends(self, edges: Edges, interval: int) -> bytes:
        """Which windows over an interval are cut short by an end of the document."""

    def anchors(self, ids: NDArray[np.int32]) -> Edges:
        """The edges of the intervals of a token sequence."""
        return find_anchors(ids, self.radius)

    def needed(self, edges: Edges, missing: Sequence[int]) -> list[int]:
        """The windows that must run so that these intervals can be meshed, rising."""
        return sorted({window for interval in missing for window in self.covering(edges, interval)})


@dataclass(frozen=True, slots=True)
class FullPlan(WindowPlan):
    """Each window covers two intervals, so each token but those at the ends is read twice."""

    kind: ClassVar[str] = "full"

    @classmethod
    def for_window(cls, window: int) -> FullPlan:
        """The plan whose windows hold at most ``window`` tokens: ``4 * radius + 2``."""
        if window < 6:
            raise UsageError(f"a window of {window} tokens is too short: at least 6 are needed")
        return cls((window - 2) // 4)

    @property
    def name(self) -> str:
        """How the plan enters keys."""
        return f"minima-{self.radius}"

    def count(self, edges: Edges) -> int:
        """One fewer than intervals; one where there is one interval."""
        intervals = len(edges) - 1
        return max(intervals - 1, min(intervals, 1))

    def bounds(self, edges: Edges, window: int) -> tuple[int, int]:
        """Window ``i`` covers the intervals ``i`` and ``i + 1``."""
        return int(edges[window]), int(edges[min(window + 2, len(edges) - 1)])

    def covering(self, edges: Edges, interval: int) -> range:
        """Two windows, one at the ends."""
        return range(max(interval - 1, 0), min(interval, self.count(edges) - 1) + 1)

    def taper(self, edges: Edges, window: int) -> NDArray[np.float32]:
        """Hann: ``sin^2(pi (k + 1/2) / L)``."""
        low, high = self.bounds(edges, window)
        return hann(high - low)

    @property
    def seam_shares(self) -> NDArray[np.float32]:
        """None: windows take a whole interval to fade into each other."""
        return np.zeros(0, np.float32)

    def reach(self, edges: Edges, interval: int) -> tuple[int, int]:
        """The interval and its neighbours."""
        return int(edges[max(interval - 1, 0)]), int(edges[min(interval + 2, len(edges) - 1)])

    def near_ends(self, edges: Edges, interval: int) -> bytes:
        """Whether the document begins or ends with the interval."""
        return bytes((interval == 0, interval == len(edges) - 2))


@dataclass(frozen=True, slots=True)
class LightPlan(WindowPlan):
    """Each window covers one interval and a margin on both sides: about 1.3 readings a token.

    All vectors of a window lean towards what that window is about, so two windows differ by much
    the same vector at every token that both read. A mesh as narrow as the margins would make a
    jump of it, and velocity a peak. It is spread instead over the intervals on both sides, as a
    window that slides along the text would have it; see `spread`.
    """

    margin: int = 0
    kind: ClassVar[str] = "light"

    @classmethod
    def for_window(cls, window: int) -> LightPlan:
        """The plan whose windows hold at most ``window`` tokens: ``2 (radius + margin) + 1``.

        For 254 tokens: a radius of 105 and a margin of 21.
        """
        if window < 16:
            raise UsageError(f"--windows light needs windows of 16 tokens or more, not {window}")
        margin = window * 21 // 254
        return cls((window - 2 * margin - 1) // 2, margin)

    @property
    def name(self) -> str:
        """How the plan enters keys."""
        return f"aligned-{self.radius}-{self.margin}"

    def count(self, edges: Edges) -> int:
        """As many as intervals."""
        return len(edges) - 1

    def bounds(self, edges: Edges, window: int) -> tuple[int, int]:
        """Window ``i`` covers the interval ``i``, and a margin on both sides as far as there is text."""
        return max(int(edges[window]) - self.margin, 0), min(int(edges[window + 1]) + self.margin, int(edges[-1]))

    def covering(self, edges: Edges, interval: int) -> range:
        """Its own window and those beside it, which reach into it."""
        return range(max(interval - 1, 0), min(interval + 2, self.count(edges)))

    def taper(self, edges: Edges, window: int) -> NDArray[np.float32]:
        """A trapezoid that rises over two margins; beside an end of the document it is 1."""
        low, high = self.bounds(edges, window)
        weights = np.ones(high - low)
        ramp = (np.arange(2 * self.margin) + 0.5) / (2 * self.margin)
        if window > 0:
            weights[: len(ramp)] = np.minimum(weights[: len(ramp)], ramp[: len(weights)])
        if window < self.count(edges) - 1:
            weights[-len(ramp) :] = np.minimum(weights[-len(ramp) :], ramp[::-1][-len(weights) :])
        return weights.astype(np.float32)

    @property
    def seam_shares(self) -> NDArray[np.float32]:
        """As far as no interval is shorter, so that it ends before the next seam."""
        return spread(self.radius, self.margin)

    def reach(self, edges: Edges, interval: int) -> tuple[int, int]:
        """The interval, its neighbours, and their margins."""
        around = self.covering(edges, interval)
        return self.bounds(edges, around[0])[0], self.bounds(edges, around[-1])[1]

    def near_ends(self, edges: Edges, interval: int) -> bytes:
        """Whether the interval or the one beside it begins or ends the document."""
        last = len(edges) - 2
        return bytes((min(interval, 2), min(last - interval, 2)))


PLANS: dict[str, type[WindowPlan]] = {plan.kind: plan for plan in (FullPlan, LightPlan)}


def make_plan(windows: str, window: int) -> WindowPlan:
    """The plan of a name for windows of at most ``window`` tokens.

    Raises
    ------
    UsageError
        If there is none of this name, or none that short.
    """
    if windows not in PLANS:
        raise UsageError(f"--windows {windows}: choose from {', '.join(PLANS)}")
    return PLANS[windows].for_window(window)


@cache
def hann(length: int) -> NDArray[np.float32]:
    """The taper of a window of ``length`` tokens, all of it above zero."""
    k = np.arange(length, dtype=np.float64)
    taper: NDArray[np.float64] = np.sin(np.pi * (k + 0.5) / length) ** 2
    out = taper.astype(np.float32)
    out.flags.writeable = False
    return out


@cache
def spread(radius: int, margin: int) -> NDArray[np.float32]:
    """How much of a seam's half difference each token around it gets, (2 * radius,).

    ``(l - r) (1 - |s| / radius)`` at ``s`` tokens from the seam, ``l`` and ``r`` the weights of the two
    windows there: each window is moved half way to the other at the seam, less and less away from
    it, and not at all from ``radius`` on. The sum is 0, so the seam's surroundings keep their mean.
    """
    s = np.arange(2 * radius) + 0.5 - radius
    shares: NDArray[np.float64] = -np.clip(s / margin, -1.0, 1.0) * (1.0 - np.abs(s) / radius)
    out = shares.astype(np.float32)
    out.flags.writeable = False
    return out


def interval_names(
    ids: NDArray[np.int32],
    edges: Edges,
    identity: EncoderIdentity,
    plan: WindowPlan,
    hasher: Hasher,
    intervals: range | None = None,
) -> list[bytes]:
    """A name for the rows of each interval, or of some: a hash of all that they depend on.

    That are the tokens of the interval, those that its windows read before and after it, which of
    these windows an end of the document cuts short, the encoder and the window plan.
    """
    frame = [p.encode("utf-8", "surrogatepass") for p in (*identity.parts(), plan.name)]
    data = np.ascontiguousarray(ids, "<i4")
    last = len(edges) - 2
    names = []
    for i in range(len(edges) - 1) if intervals is None else intervals:
        low, high = plan.reach(edges, i)
        start, end = int(edges[i]), int(edges[i + 1])
        before = data[low:start].tobytes() if i else b"start"
        after = data[end:high].tobytes() if i < last else b"end"
        names.append(hasher.digest([*frame, plan.near_ends(edges, i), before, data[start:end].tobytes(), after]))
    return names
