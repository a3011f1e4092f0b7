"""Index vectors: what a chunk is found by.

``late`` is the mean of the meshed token vectors over the chunk's span, which have seen what stands
around it (late chunking, Guenther et al. 2024) and are there anyway. ``text`` is the chunk's embed
text, encoded by itself. ``blend`` is

    normalise( sum over generations g of w_g [ 2/3 text(g) + 1/3 late(g) ] ),    w = .6, .2, .2

over the chunk and what encloses it one and two levels up the tree, each vector at length 1. Scores are linear
in vectors, so one plain search weighs a chunk together with its surroundings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Span
from vchunk.domain.errors import UsageError
from vchunk.domain.rows import StoredRows
from vchunk.domain.texts import unit_rows
from vchunk.domain.units import Units

KINDS = ("late", "text", "blend")
ANCESTOR_VECTORS = ("both", "late", "text")
"""Which vectors of its ancestors a blend takes in."""
WEIGHTS = (0.6, 0.2, 0.2)
"""Of the chunk itself, what encloses it one level up the tree, and two."""
SHARES = {"text": 2 / 3, "late": 1 / 3}
"""Of the text and the late vector of one generation; one by itself has it all."""


@dataclass(frozen=True, slots=True)
class VectorWish:
    """Which vectors a user asks for.

    Raises
    ------
    UsageError
    """

    kind: str
    ancestors: str = "both"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"--vectors {self.kind}: choose from {', '.join(KINDS)}")
        if self.ancestors not in ANCESTOR_VECTORS:
            raise UsageError(f"--blend-ancestors {self.ancestors}: choose from {', '.join(ANCESTOR_VECTORS)}")
        if self.ancestors != "both" and self.kind != "blend":
            raise UsageError(f"--blend-ancestors is for --vectors blend, not {self.kind}")

    @property
    def ancestors_needed(self) -> int:
        """How many generations above the chunks take part."""
        return len(WEIGHTS) - 1 if self.kind == "blend" else 0

    def takes_late(self, generation: int) -> bool:
        """Whether late vectors of a generation (0: the chunks) are needed."""
        return self.kind != "text" and (generation == 0 or self.ancestors != "text")

    def takes_text(self, generation: int) -> bool:
        """Whether text vectors of a generation are needed."""
        return self.kind != "late" and (generation == 0 or self.ancestors != "late")


def late_vectors(
    spans: Sequence[Span],
    token_starts: NDArray[np.int64],
    units: Units,
    rows: Callable[[], StoredRows],
) -> NDArray[np.float32]:
    """Mean token vectors of spans of the text at length 1, (k, dim); 0 for spans without tokens.

    Where a span is whole units, their means are enough, weighted by their tokens; ``rows`` is called
    for the token vectors only when one is not.
    """
    assert units.means is not None
    at = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
    edges = np.searchsorted(token_starts, at, "left")
    first = np.searchsorted(units.token_edges, edges[:, 0], "right") - 1
    last = np.searchsorted(units.token_edges, edges[:, 1], "left")
    exact = (units.token_edges[first] == edges[:, 0]) & (
        units.token_edges[np.minimum(last, len(units))] == edges[:, 1]
    )
    out = np.zeros((len(spans), units.means.shape[1]))
    stored: StoredRows | None = None
    for number, (start, end) in enumerate(edges.tolist()):
        if start >= end:
            continue
        if exact[number]:
            some = slice(int(first[number]), int(last[number]))
            out[number] = units.sizes[some].astype(np.float64) @ units.means[some].astype(np.float64)
        else:
            stored = rows() if stored is None else stored
            out[number] = stored(start, end).sum(axis=0, dtype=np.float64)
    return unit_rows(out.astype(np.float32))


@dataclass(frozen=True, slots=True)
class Layer:
    """One generation: its vectors at length 1 by kind, and which of them is each chunk's, (c,)."""

    vectors: Mapping[str, NDArray[np.float32]]
    of: NDArray[np.int64]

    def mixed(self) -> NDArray[np.float64]:
        """One vector a chunk: the weighted mean over the kinds, (c, dim)."""
        whole = sum(SHARES[kind] for kind in self.vectors)
        parts = [SHARES[kind] / whole * rows[self.of].astype(np.float64) for kind, rows in self.vectors.items()]
        return np.asarray(sum(parts), np.float64)


def blend(layers: Sequence[Layer], weights: Sequence[float] = WEIGHTS) -> NDArray[np.float32]:
    """Weighted sums over the generations at length 1, (c, dim); the first layer is the chunks'.

    Where nothing wider encloses a chunk its ancestors are the chunk once more.
    """
    total = sum(weight * layer.mixed() for layer, weight in zip(layers, weights, strict=True))
    return unit_rows(np.asarray(total, np.float32))


def frozen(vector: Sequence[float] | NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector that cannot be written to."""
    out = np.array(vector, np.float32)
    out.flags.writeable = False
    return out


def decimals(vector: NDArray[np.float32]) -> list[float]:
    """Short decimal numbers that are read back as exactly these float32."""
    exact = vector.astype(np.float64)
    out = exact.round(8)
    for digits in (9, 10, 11, 12, None):
        wrong = out.astype(np.float32) != vector
        out[wrong] = exact[wrong] if digits is None else exact[wrong].round(digits)
    numbers: list[float] = out.tolist()
    return numbers
