"""Families: several granularities of one document that nest, each chunk with its parent and children."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.chunks import Chunk, Chunking, Places, describe
from vchunk.domain.cutting import LeftOut, divided, runs_of, solve_sizes
from vchunk.domain.document import Kind, Span
from vchunk.domain.finishing import Cut, finish, line_of_code
from vchunk.domain.granularity import Granularity
from vchunk.domain.levels import LADDER, Level, maxima_beyond, unit_strength
from vchunk.domain.material import Material
from vchunk.domain.pieces import UNBOUNDED, Pieces
from vchunk.domain.ports import Hasher

Run = tuple[Pieces, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]


def chunk_family(material: Material, wanted: Granularity, hasher: Hasher) -> Chunking:
    """Cut a document at all of ``wanted.levels``: the use case ``chunk --levels``.

    The chunks are in the order of the text, parents before their children. Each coarser chunk is a
    run of whole chunks of the next finer level.
    """
    members = wanted.members()
    cuts, left_out = _cut(material, wanted, members)
    place = Places(material.document)
    levels = [describe(material, m, own, hasher, place) for m, own in zip(members, cuts, strict=True)]
    return Chunking(tuple(_linked(levels)), tuple(left_out))


def _cut(
    material: Material, wanted: Granularity, members: Sequence[Granularity]
) -> tuple[list[list[Cut]], list[LeftOut]]:
    """The cuts of each level, coarsest first."""
    out: list[list[Cut]] = [[] for _ in members]
    if not len(material.units):
        return out, []
    kept, left = divided(material, wanted)
    code = [block.span for block in material.document.blocks if block.kind is Kind.CODE]
    text = material.document.text
    solved = _peaks(material, members, kept) if wanted.by_prominence else _sizes(material, wanted, kept)
    for number in range(len(kept)):
        runs = solved(number)
        own = list(finish(material, members[-1], *runs[-1]))
        out[-1] += own
        for at in range(len(members) - 2, -1, -1):
            pieces, mask, _, _ = runs[at]
            starts = {line_of_code(text, int(edge), code) for edge in pieces.edges[:-1][mask[:-1]]}
            own = _grouped(material, own, starts, members[at].maximum)
            out[at] += own
    return out, left


def _peaks(
    material: Material, members: Sequence[Granularity], kept: Sequence[tuple[int, int]]
) -> Callable[[int], list[Run]]:
    signals = [runs_of(material, member, kept) for member in members]
    return lambda number: [run(number) for run in signals]


def _sizes(material: Material, wanted: Granularity, kept: Sequence[tuple[int, int]]) -> Callable[[int], list[Run]]:
    """Sizes on the presets' ladder are solved with all finer steps of it, so that presets are among them."""
    asked = [int(level) for level in wanted.levels or ()]
    steps = [t * wanted.per_token for t in LADDER]
    on_ladder = all(t in steps for t in asked)
    targets = [t for t in steps if t <= asked[0]] if on_ladder else asked[::-1]
    levels = [Level(t, wanted.max_tokens or 2 * t, wanted.min_tokens if t in asked else None) for t in targets]
    beyond = maxima_beyond(asked[0], wanted.per_token) if on_ladder and wanted.max_tokens is None else []
    strength = unit_strength(material.units, material.constants)

    def runs(number: int) -> list[Run]:
        pieces, masks = solve_sizes(material, wanted, levels, beyond, kept[number])
        finer = [np.ones(len(pieces) + 1, bool), *masks]
        return [(pieces, masks[i], finer[i], strength[pieces.units]) for i in (targets.index(t) for t in asked)]

    return runs


def _grouped(material: Material, fine: Sequence[Cut], starts: set[int], maximum: int | None) -> list[Cut]:
    """Runs of finer chunks, a new one at each of the starts; one over the maximum is divided again."""
    heads = [i for i, cut in enumerate(fine) if i == 0 or cut.span.start in starts]
    todo = list(zip(heads, [*heads[1:], len(fine)], strict=True))[::-1]
    limit = UNBOUNDED if maximum is None else maximum
    out: list[Cut] = []
    while todo:
        low, high = todo.pop()
        span = Span(fine[low].span.start, fine[high - 1].span.end)
        size = fine[low].tokens if high - low == 1 else material.size(span)
        if size > limit and high - low > 1:
            middle = (span.start + span.end) / 2
            at = min(range(low + 1, high), key=lambda i: abs(fine[i].span.start - middle))
            todo += [(at, high), (low, at)]
            continue
        out.append(replace(fine[low], span=span, tokens=size))
    return out


def _linked(levels: Sequence[Sequence[Chunk]]) -> list[Chunk]:
    """All chunks, parents before children, who know one another."""
    children: list[list[list[Chunk]]] = []
    for coarse, fine in pairwise(levels):
        firsts = np.searchsorted([c.start for c in fine], [c.start for c in coarse], "left").tolist()
        children.append([list(fine[a:b]) for a, b in pairwise([*firsts, len(fine)])])
    numbers = [{c.id: i for i, c in enumerate(level)} for level in levels]
    out: list[Chunk] = []

    def add(chunk: Chunk, depth: int, parent: str | None) -> None:
        below = children[depth][numbers[depth][chunk.id]] if depth < len(children) else []
        ids = tuple(child.id for child in below)
        out.append(replace(chunk, index=len(out), parent=parent, children=ids, depth=depth))
        for child in below:
            add(child, depth + 1, chunk.id)

    for chunk in levels[0]:
        add(chunk, 0, None)
    return out
