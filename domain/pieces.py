"""Pieces: the finest parts of a document that a given limit allows, and what keeps them together.

A unit that fits is one piece; one over the limit is as many as `vchunk.domain.splitting` finds
places in it. A block over the limit is cut where its grammar says (`vchunk.domain.inside`). All
granularities of one family choose among the edges of the same pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.atoms import LONGEST_CHAIN, Atom, Rules, chain_starts, level_rules
from vchunk.domain.boundaries import INSIDE, block_starts
from vchunk.domain.companions import Companions, find_companions, is_item_paragraph
from vchunk.domain.divisions import Divisions
from vchunk.domain.document import Document, Kind
from vchunk.domain.inline import InlineSpans
from vchunk.domain.inside import Inside, look_inside
from vchunk.domain.kinds import hard_kind_borders, kind_borders
from vchunk.domain.marks import mark_ends
from vchunk.domain.objective import KIND_WEIGHT, RANK_WEIGHT, Items
from vchunk.domain.sections import Section, Segments, find_sections, find_segments, forced_borders
from vchunk.domain.splitting import first_word_end, split_points
from vchunk.domain.units import Units, visible_end

UNBOUNDED = 1 << 40
"""A maximum that nothing reaches."""

WHOLE = frozenset(
    {
        Kind.CODE,
        Kind.TABLE,
        Kind.FORMULA,
        Kind.FIGURE,
        Kind.CAPTION,
        Kind.QUOTE,
        Kind.LIST_ITEM,
        Kind.FOOTNOTE,
        Kind.FRONT_MATTER,
        Kind.HTML,
        Kind.TURN,
        Kind.CUE,
    }
)
"""Kinds of blocks that stay whole where they fit."""


@dataclass(frozen=True)
class Pieces:
    """The pieces of a run of units.

    ``edges`` (k + 1,) int64 text offsets; ``levels`` (k,) of the boundary at the start of each;
    ``sizes`` (k,) tokens; ``units`` (k,) the unit that each lies in; ``sections`` and ``segments``
    of the run, the latter in piece numbers. ``ranks`` (k,): how well its grammar likes a cut at
    the start of each, 0 outside of divided blocks; ``glued`` (k + 1,) bool: edges that no level cuts;
    ``kinds`` (k + 1,) bool: edges at which the text changes its kind, inside a section.
    ``tails`` (k + 1,): of the size before each edge, what is white space and no chunk ends with.
    """

    edges: NDArray[np.int64]
    levels: NDArray[np.int8]
    sizes: NDArray[np.int64]
    units: NDArray[np.int64]
    atoms: tuple[Atom, ...]
    segments: Segments
    ranks: NDArray[np.int64]
    glued: NDArray[np.bool_]
    kinds: NDArray[np.bool_]
    tails: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def extents(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Size of what lies between neighbouring edges, without the white space that it ends with."""
        total = np.concatenate(([0], np.cumsum(self.sizes)))
        ends = total if self.tails is None else total - self.tails
        return np.asarray(ends[edges[1:]] - total[edges[:-1]], np.int64)

    def open_rules(self, speech: int) -> Rules:
        """The rules where there is no maximum; turns of more than ``speech`` tokens may be divided."""
        total = np.concatenate(([0], np.cumsum(self.sizes)))
        held = [a for a in self.atoms if not (a.turn and total[a.end] - total[a.start] > speech)]
        return level_rules(held, self.sizes, UNBOUNDED, (), self.glued, self.tails)

    def inner_edges(self, speech: int) -> NDArray[np.int64]:
        """Edges where meaning may cut: of level 0 or more, in no block but a turn over ``speech`` tokens."""
        allowed = self.open_rules(speech).allowed[:-1] & (self.levels >= 0)
        allowed[:1] = False
        return np.flatnonzero(allowed)

    def rules(self, maximum: int, limits: Sequence[int] = ()) -> Rules:
        """What a level with this maximum may and must cut; see `level_rules`."""
        return level_rules(self.atoms, self.sizes, maximum, limits, self.glued, self.tails)

    def borders(self, min_tokens: float, sections: str, alone: float) -> NDArray[np.bool_]:
        """Edges at which a heading or a change of kind forces a cut, (k + 1,) bool.

        ``sections`` is as in `SECTIONS`; ``alone`` is what both sides of a change of kind must hold.
        """
        out = np.zeros(len(self) + 1, bool)
        if sections != "soft":
            out[forced_borders(self.segments, self.sizes, min_tokens, hard=sections == "hard")] = True
            out[hard_kind_borders(self.kinds, self.segments.starts, self.sizes, alone)] = True
        return out

    def items(self, units: Units, reward: NDArray[np.float64], semantic: bool, sections: str) -> Items:
        """The pieces as the objective sees them.

        ``reward`` (u,) is that of a cut at the start of each unit; without ``semantic`` only sizes
        and structure count.
        """
        mass = None
        if semantic and units.means is not None:
            norms = np.linalg.norm(units.means, axis=1, keepdims=True)
            directions = np.divide(units.means, norms, out=np.zeros_like(units.means), where=norms > 0)
            mass = directions[self.units] * self.sizes[:, None].astype(np.float32)
        first = np.append(True, self.units[1:] != self.units[:-1])[: len(self)]
        border = self.segments.border_depths(len(self))
        if sections == "soft":
            border[1:-1] = self.segments.border_depths(len(self)).max()
        return Items(
            edges=np.arange(len(self) + 1),
            sizes=self.sizes,
            mass=mass,
            reward=np.where(first, reward[self.units], 0.0)
            + RANK_WEIGHT * np.maximum(self.ranks, 0)
            + KIND_WEIGHT * self.kinds[:-1]
            if len(self)
            else np.zeros(0),
            border=border,
            forced=np.zeros(len(self) + 1, bool),
        )


SECTIONS = ("auto", "soft", "hard")
"""How headings cut: where both sides are large enough; as the objective likes; always."""


def cut_pieces(
    document: Document,
    units: Units,
    token_starts: NDArray[np.int64],
    first: int,
    last: int,
    maximum: int | None,
    divisions: Divisions | None = None,
    stride: int | None = None,
) -> Pieces:
    """Cut the units ``[first, last)`` into pieces of at most ``maximum`` tokens (None: no limit).

    ``divisions`` says how blocks are divided; by default without any knowledge of languages.
    ``stride`` is how far apart they are in a long word (see `split_points`).
    """
    headings = heading_units(document, units)
    companions = find_companions(document)
    leading = headings | _leading_units(document, units, companions)
    begins = _block_begins(document, companions, units)
    chains = chain_starts(leading[first:last], begins[first:last]) + first
    mixed = _mixed_chains(headings[first:last], chains - first)
    cutter = _Cutter(document, units, token_starts, (first, last), chains, maximum, divisions, stride)
    edges = np.asarray(cutter.edges, np.int64)
    owners = np.asarray(cutter.owners, np.int64)
    before = np.searchsorted(token_starts, edges, "left").astype(np.int64)
    seen = [visible_end(document.text, low, high) for low, high in pairwise([0, *cutter.edges])]
    tails = before - np.searchsorted(token_starts, seen, "left")
    sizes = np.diff(before)
    piece_of_unit = np.searchsorted(owners, np.arange(first, last + 1), "left")
    segments = _segments(find_sections(document), units, headings, first, last, piece_of_unit)
    atoms = (
        *_block_atoms(document, companions, units, (first, last), chains, mixed, piece_of_unit),
        *cutter.atoms(leading, mixed),
    )
    inside = cutter.inside
    ranks = np.array([inside.ranks.get(at, 0) for at in cutter.edges[:-1]], np.int64)
    glued = np.array([at in inside.glued for at in cutter.edges], bool)
    kinds = np.zeros(len(edges), bool)
    kinds[piece_of_unit[_kind_units(document, companions, units, chains, first, last) - first]] = True
    kinds[segments.starts] = False
    levels = np.asarray(cutter.levels, np.int8)
    return Pieces(edges, levels, sizes, owners, atoms, segments, ranks, glued, kinds, tails)


class _Cutter:
    """Cuts the units of a run at what their blocks' grammars add, and those cells that are too long."""

    def __init__(
        self,
        document: Document,
        units: Units,
        token_starts: NDArray[np.int64],
        run: tuple[int, int],
        chains: NDArray[np.int64],
        maximum: int | None,
        divisions: Divisions | None,
        stride: int | None,
    ) -> None:
        self._text = document.text
        self._inline = InlineSpans(document)
        self._marks = mark_ends(document)
        self._maximum = maximum
        self._stride = stride
        self._starts = token_starts
        self._units = units
        self._first, self._last = run
        self._chains = chains
        self.inside = Inside()
        self.edges: list[int] = []
        self.levels: list[int] = []
        self.owners: list[int] = []
        self.cells: list[tuple[int, int]] = []
        """Of each cell its first piece and its unit."""
        rooms: list[int | None] = [None] * (self._last - self._first)
        if maximum is not None:
            leads = [self._kept_lead(unit, maximum) for unit in range(*run)]
            rooms = [maximum - lead for lead in leads]
            divisions = divisions or Divisions(document)
            self.inside = look_inside(document, divisions, units, token_starts, run, maximum, leads)
        for unit, room in zip(range(*run), rooms, strict=True):
            self._cut(unit, room)
        self.edges.append(int(units.edges[self._last]))

    def _kept_lead(self, unit: int, maximum: int) -> int:
        """Tokens of what leads to a unit, if it is kept with it."""
        edges = self._units.token_edges
        lead = int(edges[unit] - edges[self._chains[unit - self._first]])
        return lead if lead <= LONGEST_CHAIN * maximum else 0

    def _measure(self, start: int, end: int) -> int:
        low, high = np.searchsorted(self._starts, (start, visible_end(self._text, start, end)), "left")
        return int(high - low)

    def _cut(self, unit: int, room: int | None) -> None:
        start, end = int(self._units.edges[unit]), int(self._units.edges[unit + 1])
        for low, high in pairwise([start, *self.inside.between(start, end), end]):
            self.cells.append((len(self.edges), unit))
            self._add(low, int(self._units.levels[unit]) if low == start else INSIDE, unit)
            if room is None:
                continue
            limit = self.inside.room.get(low, room)
            if self._measure(low, high) > limit:
                whole, head = self._inline.within(low, high), self._marks.get(low, low)
                if head > low and self._measure(low, first_word_end(self._text, head, high)) > limit:
                    limit = self._maximum or limit  # what leads to it is let go instead
                text, measure, stride = self._text, self._measure, self._stride
                for at, level in split_points(text, low, high, limit, measure, whole, head, stride):
                    self._add(at, level, unit)

    def _add(self, edge: int, level: int, unit: int) -> None:
        self.edges.append(edge)
        self.levels.append(level)
        self.owners.append(unit)

    def atoms(self, leading: NDArray[np.bool_], mixed: NDArray[np.bool_]) -> Iterator[Atom]:
        """Cells that were split or have something leading to them, and the stretches inside blocks."""
        piece = {edge: number for number, edge in enumerate(self.edges)}
        stops = [low for low, _ in self.cells[1:]] + [len(self.edges) - 1]
        for (low, unit), high in zip(self.cells, stops, strict=True):
            if self.edges[low] in self.inside.joined:
                continue
            # What leads is let go by itself: only what follows it is held by what is before.
            chain = low if leading[unit] else self._chain(low, unit, piece)
            if high - low > 1 or chain < low:
                yield Atom(low, high, chain, block=False, mixed=chain < low and bool(mixed[unit - self._first]))
        for start, end in self.inside.stretches:
            low = piece[start]
            unit = self.owners[low]
            chain = self._chain(low, unit, piece)
            led = chain < low and bool(mixed[unit - self._first])
            yield Atom(low, piece[end], chain, block=False, mixed=led)

    def _chain(self, low: int, unit: int, piece: dict[int, int]) -> int:
        """The piece where what leads to piece ``low`` begins."""
        if self.edges[low] != self._units.edges[unit]:
            return low
        return piece[int(self._units.edges[self._chains[unit - self._first]])]


def heading_units(document: Document, units: Units) -> NDArray[np.bool_]:
    """Which units are headings, (u,)."""
    out = np.zeros(len(units), bool)
    for block in document.blocks:
        if block.kind is Kind.HEADING:
            low, high = np.searchsorted(units.offsets, (block.span.start, block.span.end), "left")
            out[low:high] = True
    return out


def _mixed_chains(headings: NDArray[np.bool_], chains: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each unit whether both headings and other things lead to it, (u,)."""
    before = np.concatenate(([0], np.cumsum(headings)))
    length = np.arange(len(headings)) - chains
    found = before[:-1] - before[chains]
    return (found > 0) & (found < length)


def _leading_units(document: Document, units: Units, companions: Companions) -> NDArray[np.bool_]:
    """Units that stay with what follows though they are no headings, (u,): captions, introductions."""
    out = np.zeros(len(units), bool)
    starts = block_starts(document)
    for index in companions.before | companions.introductions:
        low, high = np.searchsorted(units.offsets, (starts[index], document.blocks[index].span.end), "left")
        out[low if index in companions.before else max(high - 1, low) : high] = True
    return out


def _segments(
    sections: tuple[Section, ...],
    units: Units,
    headings: NDArray[np.bool_],
    first: int,
    last: int,
    piece_of_unit: NDArray[np.int64],
) -> Segments:
    run = Units(units.edges[first : last + 1], units.levels[first:last], units.token_edges[first : last + 1])
    segments = find_segments(sections, run, headings[first:last])
    return Segments(piece_of_unit[segments.starts], segments.depths)


def _kind_units(
    document: Document, companions: Companions, units: Units, chains: NDArray[np.int64], first: int, last: int
) -> NDArray[np.int64]:
    """Units of a run at which the text changes its kind, what leads to the new kind included."""
    starts = [document.blocks[index].span.start for index in kind_borders(document, companions)]
    found = np.searchsorted(units.offsets, np.asarray(starts, np.int64), "left")
    return chains[found[(found >= first) & (found < last)] - first]


def _block_begins(document: Document, companions: Companions, units: Units) -> NDArray[np.bool_]:
    """Units that begin a block which stays whole, (u,)."""
    out = np.zeros(len(units) + 1, bool)
    for index, (block, start) in enumerate(zip(document.blocks, block_starts(document), strict=True)):
        if block.kind in WHOLE and index not in companions.before:
            out[np.searchsorted(units.offsets, start, "left")] = True
    return out[:-1]


def _block_atoms(
    document: Document,
    companions: Companions,
    units: Units,
    run: tuple[int, int],
    chains: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    piece_of_unit: NDArray[np.int64],
) -> Iterator[Atom]:
    """Blocks that stay whole, alone and with what stands behind them; paragraphs of list items."""
    first, last = run
    starts = block_starts(document)

    def atom(start: int, end: int, short: int = 0, *, block: bool = True, turn: bool = False) -> Iterator[Atom]:
        low, high = np.searchsorted(units.offsets, (start, end), "left")
        low, high = max(int(low), first), min(int(high) - short, last)
        if low < high:
            chain = int(piece_of_unit[chains[low - first] - first])
            begin, stop = int(piece_of_unit[low - first]), int(piece_of_unit[high - first])
            yield Atom(begin, stop, chain, block=block, turn=turn, mixed=bool(mixed[low - first]))

    for index, block in enumerate(document.blocks):
        start, end = starts[index], block.span.end
        if index in companions.before:
            continue
        if block.kind in WHOLE:
            yield from atom(start, end, turn=block.kind is Kind.TURN)
        elif is_item_paragraph(document, block):
            yield from atom(start, end, int(index in companions.introductions), block=False)
        if index in companions.behind:
            yield from atom(start, document.blocks[companions.behind[index]].span.end)
    for low, high in _cue_runs(document, units):
        yield from atom(int(units.edges[low]), int(units.edges[high]))


def _cue_runs(document: Document, units: Units) -> list[tuple[int, int]]:
    """Units of cues that a sentence runs through, as (first, last) exclusive."""
    runs: list[tuple[int, int]] = []
    for block in document.blocks:
        if block.kind is not Kind.CUE:
            continue
        low, high = map(int, np.searchsorted(units.offsets, (block.span.start, block.span.end), "left"))
        if runs and low < len(units) and units.levels[low] == INSIDE and low == runs[-1][1]:
            runs[-1] = (runs[-1][0], high)
        else:
            runs.append((low, high))
    return runs
