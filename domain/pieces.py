"""Pieces: the finest parts of a document that a given limit allows, and what keeps them together.

A unit that fits is one piece; one over the limit is as many as `vchunk.domain.splitting` finds
places in it. All granularities of one family choose among the edges of the same pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.atoms import LONGEST_CHAIN, Atom, Rules, chain_starts, level_rules
from vchunk.domain.boundaries import INSIDE
from vchunk.domain.document import Document, Kind
from vchunk.domain.objective import Items
from vchunk.domain.sections import Section, Segments, find_sections, find_segments, forced_borders
from vchunk.domain.splitting import split_points
from vchunk.domain.transcripts import label_ends
from vchunk.domain.units import Units

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
    of the run, the latter in piece numbers.
    """

    edges: NDArray[np.int64]
    levels: NDArray[np.int8]
    sizes: NDArray[np.int64]
    units: NDArray[np.int64]
    atoms: tuple[Atom, ...]
    segments: Segments

    def __len__(self) -> int:
        return len(self.sizes)

    def open_rules(self, speech: int) -> Rules:
        """The rules where there is no maximum; turns of more than ``speech`` tokens may be divided."""
        total = np.concatenate(([0], np.cumsum(self.sizes)))
        held = [a for a in self.atoms if not (a.turn and total[a.end] - total[a.start] > speech)]
        return level_rules(held, self.sizes, UNBOUNDED)

    def rules(self, maximum: int, limits: Sequence[int] = ()) -> Rules:
        """What a level with this maximum may and must cut; see `level_rules`."""
        return level_rules(self.atoms, self.sizes, maximum, limits)

    def borders(self, min_tokens: float, sections: str) -> NDArray[np.bool_]:
        """Edges at which a heading forces a cut, (k + 1,) bool; ``sections`` as in `SECTIONS`."""
        out = np.zeros(len(self) + 1, bool)
        if sections != "soft":
            out[forced_borders(self.segments, self.sizes, min_tokens, hard=sections == "hard")] = True
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
            reward=np.where(first, reward[self.units], 0.0) if len(self) else np.zeros(0),
            border=border,
            forced=np.zeros(len(self) + 1, bool),
        )


SECTIONS = ("auto", "soft", "hard")
"""How headings cut: where both sides are large enough; as the objective likes; always."""


def cut_pieces(
    document: Document, units: Units, token_starts: NDArray[np.int64], first: int, last: int, maximum: int | None
) -> Pieces:
    """Cut the units ``[first, last)`` into pieces of at most ``maximum`` tokens (None: no limit)."""
    text = document.text
    headings = heading_units(document, units)
    chains = chain_starts(headings[first:last]) + first
    edges: list[int] = []
    levels: list[int] = []
    owner: list[int] = []

    def measure(start: int, end: int) -> int:
        low, high = np.searchsorted(token_starts, (start, end), "left")
        return int(high - low)

    labels = dict(label_ends(document))
    for unit in range(first, last):
        start, end = int(units.edges[unit]), int(units.edges[unit + 1])
        edges.append(start)
        levels.append(int(units.levels[unit]))
        owner.append(unit)
        if maximum is None:
            continue
        chain = int(units.token_edges[unit] - units.token_edges[chains[unit - first]])
        room = maximum - chain if chain <= LONGEST_CHAIN * maximum else maximum
        if int(units.token_edges[unit + 1] - units.token_edges[unit]) > room:
            for at, level in split_points(text, start, end, room, measure, labels.get(start, start)):
                edges.append(at)
                levels.append(level)
                owner.append(unit)
    edges.append(int(units.edges[last]))
    cuts = np.asarray(edges, np.int64)
    owners = np.asarray(owner, np.int64)
    sizes = np.diff(np.searchsorted(token_starts, cuts, "left")).astype(np.int64)
    piece_of_unit = np.searchsorted(owners, np.arange(first, last + 1), "left")
    sections = find_sections(document)
    segments = _segments(sections, units, headings, first, last, piece_of_unit)
    atoms = _atoms(document, units, first, last, chains, headings, piece_of_unit)
    return Pieces(cuts, np.asarray(levels, np.int8), sizes, owners, atoms, segments)


def heading_units(document: Document, units: Units) -> NDArray[np.bool_]:
    """Which units are headings, (u,)."""
    out = np.zeros(len(units), bool)
    for block in document.blocks:
        if block.kind is Kind.HEADING:
            low, high = np.searchsorted(units.offsets, (block.span.start, block.span.end), "left")
            out[low:high] = True
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


def _atoms(
    document: Document,
    units: Units,
    first: int,
    last: int,
    chains: NDArray[np.int64],
    headings: NDArray[np.bool_],
    piece_of_unit: NDArray[np.int64],
) -> tuple[Atom, ...]:
    """Blocks that stay whole, units that were split, and what follows a heading."""
    atoms = []
    parents: set[int | None] = set()
    for block in document.blocks:
        led = block.parent is not None and block.parent not in parents
        parents.add(block.parent)
        if block.kind not in WHOLE:
            continue
        # What a turn begins with has no boundary before it: the label belongs to it.
        turn = document.blocks[block.parent] if led and block.parent is not None else block
        begin = turn.span.start if turn.kind is Kind.TURN else block.span.start
        low, high = np.searchsorted(units.offsets, (begin, block.span.end), "left")
        low, high = max(int(low), first), min(int(high), last)
        if low < high:
            chain = piece_of_unit[chains[low - first] - first]
            start, end = int(piece_of_unit[low - first]), int(piece_of_unit[high - first])
            atoms.append(Atom(start, end, int(chain), block=True, turn=block.kind is Kind.TURN))
    for low, high in _cue_runs(document, units):
        low, high = max(low, first), min(high, last)
        if low < high:
            start, end = int(piece_of_unit[low - first]), int(piece_of_unit[high - first])
            atoms.append(Atom(start, end, int(piece_of_unit[chains[low - first] - first]), block=True))
    for unit in range(first, last):
        low, high = int(piece_of_unit[unit - first]), int(piece_of_unit[unit + 1 - first])
        chain = int(piece_of_unit[chains[unit - first] - first])
        if high - low > 1 or (chain < low and not headings[unit]):
            atoms.append(Atom(low, high, chain, block=False))
    return tuple(atoms)


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
