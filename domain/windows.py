"""Windows: the runs of tokens that the encoder reads together.

A window runs from one anchor to the second next, so every token is in exactly two windows (in
one in the first and the last interval), and what a token's vectors depend on is its own interval
between two anchors and the intervals beside it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.anchors import find_anchors
from vchunk.domain.ports import EncoderIdentity, Hasher


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """How windows are laid: the anchors' radius, chosen for the longest window allowed."""

    radius: int

    @classmethod
    def for_window(cls, window: int) -> WindowPlan:
        """The plan whose windows hold at most ``window`` tokens: ``4 * radius + 2``."""
        if window < 6:
            raise ValueError(f"a window of {window} tokens is too short; at least 6 are needed")
        return cls(radius=(window - 2) // 4)

    @property
    def name(self) -> str:
        """How the plan enters keys."""
        return f"minima-{self.radius}"

    def anchors(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """The edges of the intervals, (m + 1,)."""
        return find_anchors(ids, self.radius)


def window_bounds(edges: NDArray[np.int64], window: int) -> tuple[int, int]:
    """First and last token (exclusive) of a window.

    Window ``i`` covers the intervals ``i`` and ``i + 1``; where there is only one interval,
    window 0 is that interval.
    """
    return int(edges[window]), int(edges[min(window + 2, len(edges) - 1)])


def window_count(edges: NDArray[np.int64]) -> int:
    """How many windows a document with these interval edges has."""
    intervals = len(edges) - 1
    return max(intervals - 1, min(intervals, 1))


def interval_names(
    ids: NDArray[np.int32],
    edges: NDArray[np.int64],
    identity: EncoderIdentity,
    plan: WindowPlan,
    hasher: Hasher,
) -> list[bytes]:
    """A name for the rows of each interval: a hash of all that they depend on.

    That is the tokens of the interval before, its own and the next, whether the document starts
    or ends beside it, the encoder and the window plan.
    """
    pieces = [np.ascontiguousarray(ids[a:b], "<i4").tobytes() for a, b in itertools.pairwise(edges)]
    last = len(pieces) - 1
    frame = [p.encode("utf-8", "surrogatepass") for p in (*identity.parts(), plan.name)]
    names = []
    for i, own in enumerate(pieces):
        before = pieces[i - 1] if i else b"start"
        after = pieces[i + 1] if i < last else b"end"
        flags = bytes((i == 0, i == last))
        names.append(hasher.digest([*frame, flags, before, own, after]))
    return names


def windows_needed(missing: Sequence[int], count: int) -> list[int]:
    """The windows that must run so that these intervals can be meshed, rising."""
    needed = {w for i in missing for w in (i - 1, i) if 0 <= w < count}
    return sorted(needed)
