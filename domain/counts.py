"""Exactly K chunks: the objective with a price on each chunk.

A short document is divided by a dynamic programme over the number of chunks, a long one by a price:
``minimise cost(cuts) + price * chunks`` gives fewer chunks the higher the price is; what is best at
a price is best among all divisions into as many chunks (Everett 1963). The price is searched for
with many prices a pass. Where the number jumps over K, two divisions of nearly equal worth are left,
one with too many chunks and one with too few; they share most of their cuts. Between shared cuts one
of the two is taken, and in the last stretch a dynamic programme over the number of chunks decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.kinds import STANDALONE
from vchunk.domain.levels import Level
from vchunk.domain.objective import SHORT_SHARE, Goal, Items, chunk_costs, solve
from vchunk.domain.pieces import Pieces
from vchunk.domain.plurals import counted
from vchunk.domain.units import Units

LOOSENESS = (4, 2, 1)
"""Largest chunk in mean sizes, where no maximum is given: topics vary more than passages. The smaller
ones are tried where blocks that fit leave too few chunks."""
GAMMA = 0.2
"""Looser than at a target: the evenness that finds headings and turns of meetings best is .1 to .3."""
_PRICES = 15
_PASSES = 12
_LARGEST_TABLE = 20_000_000
_EXACT_STEPS = 20_000_000
"""Up to here the dynamic programme over the number of chunks decides all; about a tenth of a second."""
_WIDEST = 512
_FINER = 32


class CountOutOfReach(Exception):
    """Fewer chunks are asked for than the rules allow; ``least`` is what they allow."""

    def __init__(self, least: int) -> None:
        super().__init__(f"at least {counted(least, 'chunk')} {'is' if least == 1 else 'are'} needed")
        self.least = least


@dataclass(frozen=True)
class _Problem:
    """Runs of items end to end: what chunks cost, from each start on, and what a cut earns."""

    costs: list[NDArray[np.float64]]
    count: int

    @classmethod
    def of(cls, runs: Sequence[tuple[Items, Goal]]) -> _Problem:
        costs: list[NDArray[np.float64]] = []
        for items, goal in runs:
            reward = items.reward.copy()
            reward[:1] = 0.0
            costs += [c - reward[start] for start, c in chunk_costs(items, goal)]
        return cls(costs, len(costs))

    def divide(self, prices: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Chunks at each price (m,), and where the chunk before each edge begins (m, n + 1)."""
        m = len(prices)
        best = np.full((self.count + 1, m), np.inf)
        best[0] = 0.0
        chunks = np.zeros((self.count + 1, m), np.int64)
        previous = np.zeros((self.count + 1, m), np.int32)
        for start, costs in enumerate(self.costs):
            ends = slice(start + 1, start + 1 + len(costs))
            total = costs[:, None] + (best[start] + prices)
            better = total < best[ends]
            np.copyto(best[ends], total, where=better)
            np.copyto(chunks[ends], np.broadcast_to(chunks[start] + 1, total.shape), where=better)
            np.copyto(previous[ends], start, where=better)
        return chunks[self.count], previous.T

    def exactly(self, first: int, last: int, chunks: int) -> list[int] | None:
        """The best starts that divide items ``[first, last)`` into so many chunks; None for no way."""
        n = last - first
        if not 1 <= chunks <= n or n * chunks > _LARGEST_TABLE:
            return None
        best = np.full((n + 1, chunks + 1), np.inf)
        best[0, 0] = 0.0
        previous = np.zeros((n + 1, chunks + 1), np.int32)
        for start in range(n):
            costs = self.costs[first + start][: n - start]
            ends = slice(start + 1, start + 1 + len(costs))
            total = costs[:, None] + best[start, :-1]
            better = total < best[ends, 1:]
            np.copyto(best[ends, 1:], total, where=better)
            np.copyto(previous[ends, 1:], start, where=better)
        if not np.isfinite(best[n, chunks]):
            return None
        starts, at = [], n
        for k in range(chunks, 0, -1):
            at = int(previous[at, k])
            starts.append(first + at)
        return starts[::-1]


def solve_count_of(
    pieces: Sequence[Pieces],
    units: Units,
    reward: NDArray[np.float64],
    level: Level,
    count: int,
    constants: EncoderConstants | None,
    sections: str,
    per_token: float,
) -> list[NDArray[np.bool_]]:
    """The cuts of runs of pieces in ``count`` chunks together: a (k + 1,) mask for each run.

    Headings cut as at any other granularity where that leaves room for them all; else only the
    objective counts them, or ``hard`` sections.

    Raises
    ------
    CountOutOfReach
    """
    scale = constants.scale(level.target) if constants else 1.0
    goal = Goal(level.target, level.maximum, scale, level.min_tokens, GAMMA, per_token)
    smallest = SHORT_SHARE * level.target if level.min_tokens is None else level.min_tokens
    alone = max(smallest, STANDALONE * level.target)

    def runs(forced: bool) -> list[tuple[Items, Goal]]:
        out = []
        for own in pieces:
            base = own.items(units, reward, constants is not None, sections)
            rules = own.rules(level.maximum)
            cuts = rules.forced | own.borders(smallest, sections, alone) if forced else rules.forced
            out.append((base.merge(rules.allowed, base.border, cuts & rules.allowed), goal))
        return out

    problem = runs(forced=True)
    try:
        starts = solve_count(problem, count)
    except CountOutOfReach:
        if sections != "auto":
            raise
        problem = runs(forced=False)
        starts = solve_count(problem, count)
    masks = []
    for own, (items, _), at in zip(pieces, problem, starts, strict=True):
        mask = np.zeros(len(own) + 1, bool)
        mask[items.edges[at]] = True
        mask[[0, len(own)]] = True
        masks.append(mask)
    return masks


def solve_count(runs: Sequence[tuple[Items, Goal]], count: int) -> list[NDArray[np.int64]]:
    """The best division of all runs together into ``count`` chunks, or as many as can be if less.

    Returns
    -------
    list of (c,) int64
        For each run the items that begin a chunk, rising.

    Raises
    ------
    CountOutOfReach
        If the rules need more chunks.
    """
    thin = [_thinned(items, goal) for items, goal in runs]
    problem = _Problem.of([(items, goal) for (items, _), (_, goal) in zip(thin, runs, strict=True)])
    starts = np.asarray(_starts(problem, count), np.int64)
    out = []
    first = 0
    for items, original in thin:
        last = first + len(items)
        mine = starts[(starts >= first) & (starts < last)] - first
        out.append(original[mine])
        first = last
    return out


def _thinned(items: Items, goal: Goal) -> tuple[Items, NDArray[np.int64]]:
    """Fewer items where a chunk may hold very many, with the number that each start had before."""
    total = int(items.sizes.sum())
    if len(items) * goal.maximum <= _WIDEST * total:
        return items, np.arange(len(items))
    fine = goal.target / _FINER
    at = solve(items, Goal(fine, int(2 * fine), max(goal.scale / _FINER, 1e-9)))
    keep = np.zeros(len(items) + 1, bool)
    keep[at] = True
    keep[[0, len(items)]] = True
    return items.merge(keep, items.border, items.forced), at


def _starts(problem: _Problem, count: int) -> list[int]:
    if problem.count == 0:
        return []
    if count * sum(map(len, problem.costs)) <= _EXACT_STEPS:
        found = problem.exactly(0, problem.count, count)
        if found is not None:
            return found
    # Beyond all that chunks can cost: as many, and as few, as the rules allow.
    dearest = max(float(np.abs(costs[np.isfinite(costs)]).max(initial=1.0)) for costs in problem.costs)
    extreme = 2.0 * problem.count * dearest
    prices = np.concatenate(([-extreme], np.arange(-6, 7) / 2.0, [extreme]))
    many: tuple[float, list[int]] | None = None
    few: tuple[float, list[int]] | None = None
    for _ in range(_PASSES):
        chunks, previous = problem.divide(prices)
        if many is None and chunks[0] <= count:
            return _walk(previous[0])
        if few is None and chunks[-1] > count:
            raise CountOutOfReach(int(chunks[-1]))
        hit = np.flatnonzero(chunks == count)
        if len(hit):
            return _walk(previous[hit[0]])
        at = int(np.flatnonzero(chunks > count)[-1]) if (chunks > count).any() else -1
        if at >= 0:
            many = float(prices[at]), _walk(previous[at])
        if at + 1 < len(prices):
            few = float(prices[at + 1]), _walk(previous[at + 1])
        assert many is not None
        assert few is not None
        if few[0] - many[0] < 1e-9 * max(abs(few[0]), 1.0):
            break
        prices = _between(many[0], few[0])
    assert many is not None
    assert few is not None
    return _joined(problem, many[1], few[1], count)


def _between(low: float, high: float) -> NDArray[np.float64]:
    """Prices strictly between two, even where both are of one order, else even in their logs."""
    if high - low < 16:
        return np.linspace(low, high, _PRICES + 2)[1:-1]
    steps = np.geomspace(1.0, high - low, _PRICES + 2)[1:-1]
    return low + steps if abs(low) <= abs(high) else (high - steps)[::-1]


def _walk(previous: NDArray[np.int32]) -> list[int]:
    at = len(previous) - 1
    starts = []
    while at > 0:
        at = int(previous[at])
        starts.append(at)
    return starts[::-1]


def _joined(problem: _Problem, many: list[int], few: list[int], count: int) -> list[int]:
    """Of both divisions, stretch by stretch between shared cuts, so that ``count`` chunks come out."""
    shared = [*sorted(set(many) & set(few)), problem.count]
    excess = len(many) - count
    out: list[int] = []
    spare: list[tuple[int, int, list[int]]] = []
    for first, last in pairwise(shared):
        a = many[_at(many, first) : _at(many, last)]
        b = few[_at(few, first) : _at(few, last)]
        if 0 < len(a) - len(b) <= excess:
            excess -= len(a) - len(b)
            out += b
        else:
            out += a
            if len(a) - len(b) > 0:
                spare.append((first, last, a))
    for first, last, a in spare:
        if excess and (found := problem.exactly(first, last, len(a) - excess)) is not None:
            inside = set(a)
            out = sorted([*(x for x in out if x not in inside), *found])
            excess = 0
    return out if not excess else _split(problem, few, count)


def _at(starts: list[int], value: int) -> int:
    return int(np.searchsorted(starts, value, "left"))


def _split(problem: _Problem, starts: list[int], count: int) -> list[int]:
    """Divide chunks in two where that costs least, until there are ``count``."""
    edges = [*starts, problem.count]
    options = {a: _best_split(problem, a, b) for a, b in pairwise(edges)}
    while len(options) < count:
        start = min(options, key=lambda a: options[a][0])
        price, middle, end = options[start]
        if not np.isfinite(price):
            break
        options[start] = _best_split(problem, start, middle)
        options[middle] = _best_split(problem, middle, end)
    return sorted(options)


def _best_split(problem: _Problem, start: int, end: int) -> tuple[float, int, int]:
    """What the best division in two adds, where it is, and the chunk's end."""
    costs = problem.costs
    best = (np.inf, start, end)
    for middle in range(start + 1, end):
        if middle - start > len(costs[start]) or end - middle > len(costs[middle]):
            continue
        added = float(costs[start][middle - start - 1] + costs[middle][end - middle - 1])
        if added < best[0]:
            best = (added, middle, end)
    return best[0] - float(costs[start][end - start - 1]), best[1], best[2]
