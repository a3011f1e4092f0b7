"""Ancestors: what encloses each chunk one and two levels up the tree, whatever cut the chunks.

The tree's levels have 1024 and 256 tokens, and so on by four. The chunks are taken for the finest
step of a ladder; its coarser steps, each twice the one before, choose among the chunks' own starts
by the objective of `vchunk.domain.levels`. So every chunk lies in one parent and that in one
grandparent, and for the presets these are chunks of coarser presets and passages of the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.cutting import kept_runs, unit_roles
from vchunk.domain.document import Span
from vchunk.domain.granularity import Granularity
from vchunk.domain.levels import Level, solve_levels
from vchunk.domain.material import Material


@dataclass(frozen=True, slots=True)
class Generation:
    """One step up: ``spans`` in order, and for each chunk the number of the one that it lies in, (c,)."""

    spans: tuple[Span, ...]
    of: NDArray[np.int64]


def find_ancestors(
    material: Material, wanted: Granularity, chunks: Sequence[Span], count: int = 2
) -> list[Generation]:
    """The generations above the chunks of ``material`` at the granularity ``wanted``, the nearest first.

    Chunks by prominence are as large as they are on average.
    """
    if not chunks or not count:
        return [Generation((), np.zeros(0, np.int64)) for _ in range(count)]
    size = wanted.target or _mean_size(material, chunks)
    sizes = ancestor_sizes(size, count)
    ladder = steps_between(size, sizes[-1])
    levels = [Level.of(step) for step in ladder]
    begins: list[list[NDArray[np.bool_]]] = [[] for _ in levels]
    units = material.units
    maximum = wanted.maximum if wanted.target is None else wanted.ladder()[0].maximum
    at = 0
    for first, last in kept_runs(unit_roles(material.document, units), wanted.skip)[0]:
        pieces = material.pieces(first, last, maximum, wanted.stride(size))
        inside = at
        while at < len(chunks) and chunks[at].start < pieces.edges[-1]:
            at += 1
        edge_of = _edges_of(pieces.edges, chunks[inside:at])
        among = np.zeros(len(pieces) + 1, bool)
        among[edge_of[edge_of >= 0]] = True
        among[[0, -1]] = True
        masks = solve_levels(
            pieces,
            units,
            material.reward,
            levels,
            material.scales,
            wanted.sections,
            among=among,
            per_token=material.per_token,
        )
        for begin, mask in zip(begins, masks, strict=True):
            begin.append(np.where(edge_of >= 0, mask[edge_of], False))
    return [_generation(chunks, np.concatenate(begins[ladder.index(size)])) for size in sizes]


def ancestor_sizes(size: float, count: int) -> list[int]:
    """Tokens of the ancestors of chunks of a size: the next powers of four from twice the size on."""
    nearest = next(power for power in range(64) if 4**power >= 2 * size)
    return [4 ** (nearest + step) for step in range(count)]


def steps_between(size: float, last: int) -> list[int]:
    """The steps from chunks of a size to their last ancestors, each twice the one before."""
    return [2**power for power in range(128) if math.sqrt(2) * size < 2**power <= last]


def _mean_size(material: Material, chunks: Sequence[Span]) -> float:
    """Size of a chunk on average."""
    starts = material.token_starts if material.counted_starts is None else material.counted_starts
    edges = [offset for span in chunks for offset in (span.start, span.end)]
    sizes = np.diff(np.searchsorted(starts, edges, "left"))[::2]
    return max(float(sizes.mean()), 1.0)


def _edges_of(edges: NDArray[np.int64], chunks: Sequence[Span]) -> NDArray[np.int64]:
    """The edge at which each chunk begins, -1 for one that begins inside a piece.

    A line of code belongs to its chunk with the blanks in front of the edge.
    """
    starts = np.array([span.start for span in chunks], np.int64)
    ends = np.array([span.end for span in chunks], np.int64)
    at = np.searchsorted(edges, starts, "left")
    return np.where(edges[np.minimum(at, len(edges) - 1)] < ends, at, -1)


def _generation(chunks: Sequence[Span], begins: NDArray[np.bool_]) -> Generation:
    first = np.flatnonzero(begins).tolist()
    spans = tuple(Span(chunks[a].start, chunks[b - 1].end) for a, b in pairwise([*first, len(chunks)]))
    return Generation(spans, np.cumsum(begins) - 1)
