"""Atoms: runs of units that stay together wherever they fit.

A code block, a table, a list item, a heading with what follows it, a sentence: an atom that fits
the maximum of a level is not cut at that level, and one that does not has cuts at both of its
ends. So the cuts of a finer level always hold those of a coarser one where the atom is whole.
That argument needs atoms to be nested or apart, never to overlap in part; a heading before an
atom therefore widens it instead of making a group of its own with the atom's first piece. What is
said of headings here holds for all that *leads* to the next item: a caption before its table, the
sentence that introduces a list. Something that leads may lie inside an atom, but not at its end.
A heading is let go last: where it and an introduction do not fit with the block behind them, the
two stay together and the block stands apart.

A coarser level can have room for headings that a finer one let go; what it would then keep together
may overlap a chunk of the finer level. `vchunk.domain.levels` lets them go there as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST_CHAIN = 0.75
"""Share of the maximum that headings may take in front of a text before they are let go."""


@dataclass(frozen=True, slots=True)
class Atom:
    """Items ``[start, end)``; ``chain`` is where the headings directly before it begin."""

    start: int
    end: int
    chain: int
    block: bool
    """Whether it is a block of its own (code, table ...) and not a sentence."""
    turn: bool = False
    mixed: bool = False
    """Whether the chain holds a heading and, behind it, an introduction or a caption."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a level may and must cut, by item edge 0..k: two (k + 1,) bool arrays."""

    allowed: NDArray[np.bool_]
    forced: NDArray[np.bool_]


def chain_starts(leading: NDArray[np.bool_], begins: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """For each item the start of the run of leading items directly before it, (k,).

    A run ends where one of its items ``begins`` a block, which then has what is before it for itself.
    """
    out = np.arange(len(leading))
    for i in range(1, len(leading)):
        if leading[i - 1]:
            out[i] = i - 1 if begins is not None and begins[i - 1] else out[i - 1]
    return out


def level_rules(
    atoms: Sequence[Atom],
    sizes: NDArray[np.int64],
    maximum: int,
    limits: Sequence[int] = (),
    glued: NDArray[np.bool_] | None = None,
    tails: NDArray[np.int64] | None = None,
) -> Rules:
    """The rules of a level whose chunks hold at most ``maximum`` tokens.

    Parameters
    ----------
    atoms : sequence of Atom
        Nested or apart.
    sizes : (k,) int64
        Tokens of each item.
    limits : sequence of int
        Maxima of the coarser levels of the same family. A block that fits without its heading,
        but not with it, at one of them stands apart from the heading here as well: only so can
        that level keep the block whole.
    glued : (k + 1,) bool, optional
        Edges inside atoms that no level cuts: a fence and its line of code.
    tails : (k + 1,) int64, optional
        Of the tokens before each edge those of white space, which no chunk ends with.
    """
    count = len(sizes)
    free = np.flatnonzero(~glued) if glued is not None else np.arange(count + 1)
    total = np.concatenate(([0], np.cumsum(sizes)))
    ends = total if tails is None else total - tails
    parts = np.zeros(count + 1, bool)  # edges inside a unit that was split
    for atom in atoms:
        if not atom.block:
            parts[atom.start + 1 : atom.end] = True
    firsts = [int(total[free[np.searchsorted(free, a.start + 1, "left")]] - total[a.start]) for a in atoms]
    apart = _blocks_apart(atoms, firsts, total, ends, parts, (maximum, *limits))
    inside = np.zeros(count + 2, np.int64)
    held = np.zeros(count + 1, bool)
    forced = np.zeros(count + 1, bool)
    for atom, first in zip(atoms, firsts, strict=True):
        nearest = np.searchsorted(apart, atom.start, "right") - 1
        chain = max(atom.chain, int(apart[nearest])) if nearest >= 0 else atom.chain
        if atom.mixed and total[atom.start] - total[atom.chain] <= maximum:
            _fill(inside, atom.chain, atom.start)
        start = _kept(atom, chain, first, maximum, total, parts)
        # Headings that leave too little room are let go; a cut is where one of the levels begins.
        begins = {start, *(_kept(atom, chain, first, limit, total, parts) for limit in limits)} - {chain}
        forced[[at for at in begins if not parts[at]]] = True
        if ends[atom.end] - total[start] <= maximum:
            _fill(inside, start, atom.end)
            forced[chain] |= start > chain
        else:
            forced[[chain, atom.end]] = True
            held[start + 1 : atom.start + 1] = True
    forced[apart] = True
    allowed = (np.cumsum(inside)[: count + 1] == 0) & (forced | ~held)
    if glued is not None:
        allowed &= ~glued
    allowed[[0, count]] = True
    return Rules(allowed, forced & allowed)


def _kept(
    atom: Atom, chain: int, first: int, maximum: int, total: NDArray[np.int64], parts: NDArray[np.bool_]
) -> int:
    """Where the headings begin that stay with an atom whose first piece has ``first`` tokens."""
    longest = min(LONGEST_CHAIN * maximum, maximum - first)
    start = chain
    while start < atom.start and (total[atom.start] - total[start] > longest or parts[start]):
        start += 1
    return start


def _blocks_apart(
    atoms: Sequence[Atom],
    firsts: Sequence[int],
    total: NDArray[np.int64],
    ends: NDArray[np.int64],
    parts: NDArray[np.bool_],
    maxima: Sequence[int],
) -> NDArray[np.int64]:
    """Where blocks start that one of the maxima parts from what leads to them, rising.

    Such a block fits alone, but not with what leads to it; or a heading and an introduction would be
    parted, which fit without it.
    """

    def parted(atom: Atom, first: int, maximum: int) -> bool:
        chain, size = int(total[atom.start] - total[atom.chain]), int(ends[atom.end] - total[atom.start])
        if atom.block and size <= maximum < size + chain:
            return True
        if not atom.mixed or chain > maximum:
            return False
        return _kept(atom, atom.chain, first, maximum, total, parts) > atom.chain

    found = {
        atom.start
        for atom, first in zip(atoms, firsts, strict=True)
        if atom.chain < atom.start and any(parted(atom, first, m) for m in maxima)
    }
    return np.asarray(sorted(found), np.int64)


def _fill(inside: NDArray[np.int64], start: int, end: int) -> None:
    """Mark the edges strictly between the ends of an atom."""
    if end - start > 1:
        inside[start + 1] += 1
        inside[end] -= 1
