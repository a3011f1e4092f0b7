"""Cuts by size: one objective, solved exactly.

For a target of T tokens, over chunks of L tokens whose units have the direction u_i and n_i tokens,

    minimise   sum over chunks [ SSE / lambda_T + 1 + gamma (L/T - 1)^2 + max(0, 1 - L / (0.2 T)) ]
             - sum over cuts   [ 0.15 info(b) + 0.1 s(b) + 0.1 kind(b) ]

kind(b) is 1 where the text changes its kind (`vchunk.domain.kinds`), so that a short chunk joins a
neighbour of its own kind, 0 elsewhere.
Inside a block over the limit a cut earns 0.04 rank(b) instead, the rank that its grammar gives it.
Here ``SSE = N - |sum n_i u_i|^2 / N``, the scatter of the chunk's units around their mean. The
optimum over all segmentations is found by dynamic programming, as in Fragkou, Petridis, Kehagias
(2004) for linear text segmentation; chunks are bounded, so the work is linear in the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.prominence import round_to_grid
from vchunk.domain.sections import NO_BORDER

INFO_WEIGHT = 0.15
CONTRAST_WEIGHT = 0.1
KIND_WEIGHT = 0.1
RANK_WEIGHT = 0.04
"""Of the rank that a block's grammar gives a cut inside it: .32 between two definitions."""
SHORT_SHARE = 0.2
SHORT_PENALTY = 1000.0
LARGE_TARGET = 400
INFO_FLOOR = 1e-3
_TOO_LARGE = 1e6
_BLOCK_FLOATS = 1 << 22
"""Numbers of one block of running sums, 16 MB."""


@dataclass(frozen=True)
class Items:
    """The pieces between the places where a level may cut.

    ``edges`` (k + 1,) int64 are unit edges of the document as the caller numbers them; ``sizes``
    (k,) tokens; ``mass`` (k, dim) float32, the sum of n_i u_i of each, None to judge by size
    alone; ``reward`` (k,) of a cut at the start of each; ``border`` (k + 1,) depth of the section
    border at each edge; ``forced`` (k + 1,) bool.
    """

    edges: NDArray[np.int64]
    sizes: NDArray[np.int64]
    mass: NDArray[np.float32] | None
    reward: NDArray[np.float64]
    border: NDArray[np.int64]
    forced: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sizes)

    def merge(self, keep: NDArray[np.bool_], border: NDArray[np.int64], forced: NDArray[np.bool_]) -> Items:
        """The items between the edges to keep, a (k + 1,) mask that is true at both ends."""
        at = np.flatnonzero(keep)
        starts = at[:-1]
        return Items(
            self.edges[at],
            np.add.reduceat(self.sizes, starts) if len(starts) else self.sizes,
            None
            if self.mass is None
            else np.add.reduceat(self.mass, starts, axis=0)
            if len(starts)
            else self.mass,
            self.reward[starts],
            border[at],
            forced[at],
        )


@dataclass(frozen=True, slots=True)
class Goal:
    """What a level is solved for. ``scale`` is lambda_T; ``min_tokens`` makes the minimum hard.

    ``gamma`` None is that of the target; ``per_token`` is how many units of size an encoder's token has.
    """

    target: float
    maximum: int
    scale: float
    min_tokens: int | None = None
    gamma: float | None = None
    per_token: float = 1.0

    @property
    def evenness(self) -> float:
        """gamma: sections may vary more in size than passages."""
        if self.gamma is not None:
            return self.gamma
        return 1.0 if self.target < LARGE_TARGET * self.per_token else 0.3


def info(levels: NDArray[np.int8]) -> NDArray[np.float64]:
    """``-ln P(level >= level(b))`` for each boundary: structure weighs what it tells here.

    P is taken over the boundaries of level 0 or more and rounded to steps of 20 %; below level 0
    a boundary tells nothing.
    """
    out = np.zeros(len(levels))
    ranked = levels[levels >= 0]
    for level in np.unique(ranked):
        share = round_to_grid(max(float((ranked >= level).mean()), INFO_FLOOR))
        out[levels == level] = -np.log(min(share, 1.0))
    return out


def contrast_strength(contrast: NDArray[np.float32], median: float, deviation: float) -> NDArray[np.float64]:
    """``s(b) = ln(1 + max(0, (c - m) / (1.4826 d)))``, 0 where the contrast is not defined."""
    z = (contrast.astype(np.float64) - median) / (1.4826 * deviation)
    return np.log1p(np.maximum(np.nan_to_num(z, nan=0.0), 0.0))


def solve(items: Items, goal: Goal) -> NDArray[np.int64]:
    """The best cuts: indices of items that begin a chunk, the first (0) included, rising.

    No chunk crosses a forced edge; one that crosses a section border is a run of whole sibling
    sections; none is above the maximum but for a single item that is. Of equally good cuts the
    earlier one is taken.
    """
    count = len(items)
    if count == 0:
        return np.zeros(0, np.int64)
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    previous = np.zeros(count + 1, np.int64)
    reward = np.append(items.reward, 0.0)
    reward[0] = 0.0
    for start, costs in chunk_costs(items, goal):
        ends = slice(start + 1, start + 1 + len(costs))
        total = best[start] + costs - reward[ends]
        better = total < best[ends]
        best[ends][better] = total[better]
        previous[ends][better] = start
    cuts = []
    at = count
    while at > 0:
        at = int(previous[at])
        cuts.append(at)
    return np.asarray(cuts[::-1], np.int64)


def chunk_costs(items: Items, goal: Goal) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """For each start the costs of the chunks of 1, 2, ... items that begin there."""
    total = np.concatenate(([0], np.cumsum(items.sizes)))
    count = len(items)
    reach = np.searchsorted(total, total[:-1] + goal.maximum, "right") - 1 - np.arange(count)
    reach = np.maximum(reach, 1)
    # Between the letters of one token are places too: what lies between them has no mass to sum.
    solid = float(np.mean(items.sizes > 0)) if count else 1.0
    dim = 1 if items.mass is None else items.mass.shape[1] * max(solid**2, 1 / 64)
    start = 0
    while start < count:
        # As many starts at once as their running sums take room for.
        rows = 1
        width = int(reach[start])
        while start + rows < count and rows < 4096:
            wider = max(width, int(reach[start + rows]))
            if wider * (rows + 1) * dim > _BLOCK_FLOATS:
                break
            width = wider
            rows += 1
        costs = _block_costs(items, goal, total, start, rows, width)
        for row in range(rows):
            yield start + row, costs[row, : reach[start + row]]
        start += rows


def _block_costs(
    items: Items, goal: Goal, total: NDArray[np.int64], start: int, rows: int, width: int
) -> NDArray[np.float64]:
    """Costs (rows, width) of the chunks that begin at items start..start+rows."""
    count = len(items)
    first = np.arange(start, start + rows)[:, None]
    last = np.minimum(first + np.arange(1, width + 1), count)
    size = (total[last] - total[first]).astype(np.float64)
    cost: NDArray[np.float64] = goal.evenness * (size / goal.target - 1.0) ** 2
    if goal.min_tokens is None:
        cost += np.maximum(0.0, 1.0 - size / (SHORT_SHARE * goal.target))
    else:
        cost += np.where(size < goal.min_tokens, SHORT_PENALTY, 0.0)
    if items.mass is not None:
        # The price of a chunk balances the scatter that a cut saves; without scatter there is none.
        cost += 1.0 + _scatter(items.mass, items.sizes, size, start, rows, width) / goal.scale
    cost += np.where(size > goal.maximum, _TOO_LARGE, 0.0)
    cost[~_valid(items, first, width)] = np.inf
    return cost


def _scatter(
    mass: NDArray[np.float32],
    sizes: NDArray[np.int64],
    size: NDArray[np.float64],
    start: int,
    rows: int,
    width: int,
) -> NDArray[np.float64]:
    """SSE of each chunk. The sums run from each start on their own: nothing far away is in them."""
    near = slice(start, start + rows + width - 1)
    solid = sizes[near] > 0
    if solid.all():
        squares = _squares(mass[near], rows, width)
    else:  # the sums are those of the items that hold something
        before = np.pad(np.cumsum(solid), (1, rows + width - 1 - len(solid)), mode="edge")
        before[0] = 0
        first = before[:rows, None]
        held = before[np.arange(rows)[:, None] + np.arange(1, width + 1)] - first
        sums = _squares(mass[near][solid], int(first[-1, 0]) + 1, max(int(held.max()), 1))
        squares = np.where(held > 0, sums[first, np.maximum(held - 1, 0)], 0.0)
    scatter: NDArray[np.float64] = np.maximum(size - squares / np.maximum(size, 1.0), 0.0)
    return scatter


def _squares(mass: NDArray[np.float32], rows: int, width: int) -> NDArray[np.float64]:
    """Squared lengths (rows, width) of the sums of 1, 2, ... rows of mass from each of the first rows on."""
    padded = mass
    if len(padded) < rows + width - 1:
        padded = np.pad(padded, ((0, rows + width - 1 - len(padded)), (0, 0)))
    running = np.zeros((rows, mass.shape[1]), np.float32)
    out = np.empty((rows, width))
    for k in range(width):
        running = running + padded[k : k + rows]
        out[:, k] = np.einsum("ij,ij->i", running, running)
    return out


def _valid(items: Items, first: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
    """Which chunks cross no forced edge and hold whole sibling sections or lie in one section."""
    count = len(items)
    edges = first + np.arange(width + 1)
    beyond = edges > count
    at = np.minimum(edges, count)
    border = np.where(beyond, NO_BORDER, items.border[at])
    crossed = np.minimum.accumulate(border[:, 1:-1], axis=1) if width > 1 else border[:, :0]
    weakest = np.concatenate((np.full((len(first), 1), NO_BORDER), crossed), axis=1)
    forced = np.logical_or.accumulate(np.where(beyond, False, items.forced[at])[:, 1:-1], axis=1)
    blocked = np.concatenate((np.zeros((len(first), 1), bool), forced), axis=1)
    whole = (weakest == NO_BORDER) | ((border[:, :1] <= weakest) & (border[:, 1:] <= weakest))
    valid: NDArray[np.bool_] = whole & ~blocked & ~beyond[:, 1:]
    return valid
