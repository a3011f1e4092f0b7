"""Atoms: what a level may not cut, what it must, and why levels therefore nest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.atoms import Atom, Rules, chain_starts, level_rules


def rules(
    atoms: list[Atom], sizes: list[int], maximum: int, limits: tuple[int, ...] = ()
) -> tuple[list[int], list[int]]:
    """Edges that may not be cut, and edges that must be."""
    found = level_rules(atoms, np.array(sizes, np.int64), maximum, limits)
    return np.flatnonzero(~found.allowed).tolist(), np.flatnonzero(found.forced).tolist()


def test_chain_starts() -> None:
    headings = np.array([0, 1, 1, 0, 0, 1, 0, 1], bool)
    assert chain_starts(headings).tolist() == [0, 1, 1, 1, 4, 5, 5, 7]
    assert chain_starts(np.zeros(0, bool)).tolist() == []
    begins = np.array([0, 0, 1, 0, 0, 0, 0, 0], bool)
    assert chain_starts(headings, begins).tolist() == [0, 1, 1, 2, 4, 5, 5, 7]


def test_an_atom_that_fits_is_not_cut() -> None:
    assert rules([Atom(1, 4, 1, True)], [5, 5, 5, 5, 5], 15) == ([2, 3], [])


def test_an_atom_that_does_not_fit_has_cuts_at_both_ends() -> None:
    assert rules([Atom(1, 4, 1, True)], [5, 5, 5, 5, 5], 14) == ([], [1, 4])


def test_a_heading_goes_with_what_follows_it() -> None:
    assert rules([Atom(1, 2, 0, False)], [2, 10, 5], 12) == ([1], [])


def test_a_heading_before_an_atom_that_does_not_fit_holds_its_first_piece() -> None:
    # Heading 2; block 5 + 5 + 5: the cut is before the heading, not behind it.
    blocked, forced = rules([Atom(1, 4, 0, True)], [2, 5, 5, 5, 9], 10)
    assert blocked == [1]
    assert forced == [0, 4]


def test_a_block_that_fits_without_its_heading_stands_apart() -> None:
    blocked, forced = rules([Atom(1, 3, 0, True)], [3, 5, 5, 4], 12)
    assert blocked == [2]
    assert forced == [1]
    # A coarser level of the same family would have to.
    assert rules([Atom(1, 3, 0, True)], [3, 5, 5, 4], 4, limits=(12,))[1] == [1, 3]
    assert rules([Atom(1, 3, 0, True)], [3, 5, 5, 4], 9, limits=(13,))[1] == [0, 3]


def test_headings_that_take_too_much_room_are_let_go_one_by_one() -> None:
    # Headings 5 + 5 + 5 before a text of 8, at most 16: two headings may stay (10 <= 12).
    blocked, forced = rules([Atom(3, 4, 0, False)], [5, 5, 5, 8], 18)
    assert 1 in forced
    assert set(blocked) == {2, 3}


def test_a_heading_is_let_go_after_an_introduction() -> None:
    # Heading 3, introduction 5, block 6 + 6.
    mixed = Atom(2, 4, 0, True, mixed=True)
    assert rules([mixed], [3, 5, 6, 6], 20) == ([1, 2, 3], [])
    assert rules([mixed], [3, 5, 6, 6], 17) == ([1, 3], [2])
    assert rules([mixed], [3, 5, 6, 6], 11) == ([1], [2, 4])  # 8 + 6 do not fit
    assert rules([mixed], [3, 5, 6, 6], 7) == ([], [0, 2, 4])
    assert rules([Atom(2, 4, 0, True)], [3, 5, 6, 6], 11) == ([2], [0, 1, 4])
    assert rules([mixed], [3, 5, 6, 6], 11, limits=(20,))[1] == [2, 4]


def test_a_heading_that_does_not_fit_with_the_first_piece_is_let_go() -> None:
    assert rules([Atom(1, 2, 0, False)], [4, 3], 6) == ([], [0, 1])
    assert rules([Atom(1, 2, 0, False)], [4, 3], 7) == ([1], [])


def test_a_heading_that_was_split_is_let_go_as_a_whole() -> None:
    # Heading 2 + 2 + 2, one unit, then a text of 5.
    heading, text = Atom(0, 3, 0, False), Atom(3, 4, 0, False)
    assert rules([heading, text], [2, 2, 2, 5], 10) == ([1, 2], [0, 3])
    assert rules([heading, text], [2, 2, 2, 5], 11) == ([1, 2, 3], [])
    assert rules([heading, text], [2, 2, 2, 5], 5) == ([], [0, 3])


def test_inner_atoms_are_held_where_the_outer_one_is_too_large() -> None:
    outer, first, second = Atom(0, 4, 0, True), Atom(0, 2, 0, True), Atom(2, 4, 2, True)
    assert rules([outer, first, second], [5, 5, 5, 5], 20) == ([1, 2, 3], [])
    assert rules([outer, first, second], [5, 5, 5, 5], 10)[0] == [1, 3]


def test_nothing_to_rule() -> None:
    assert rules([], [], 10) == ([], [])
    assert rules([], [3, 4], 10) == ([], [])


@st.composite
def structures(draw: st.DrawFn, leading_inside: bool = False) -> tuple[list[Atom], list[int]]:
    """Nested atoms over random items, some of which are headings; those may lie in blocks, or not."""
    count = draw(st.integers(1, 14))
    sizes = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    headings = np.array(draw(st.lists(st.integers(0, 3).map(lambda n: n == 0), min_size=count, max_size=count)))
    spans: list[tuple[int, int]] = []

    def divide(low: int, high: int, depth: int) -> None:
        edges = sorted({low, high, *draw(st.lists(st.integers(low, high), max_size=3))})
        for a, b in pairwise(edges):
            # What leads to the next item may lie in a block, but not at its end.
            leads = headings[b - 1] if leading_inside else headings[a:b].any()
            if not leads and draw(st.booleans()):
                spans.append((a, b))
                if depth and b - a > 1:
                    divide(a, b, depth - 1)
            elif depth and b - a > 1:
                divide(a, b, depth - 1)

    divide(0, count, 2)
    begins = np.zeros(count, bool)
    begins[[a for a, _ in spans]] = True
    chains = chain_starts(headings, begins)
    other = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))

    def atom(start: int, end: int, *, block: bool) -> Atom:
        chain = other[chains[start] : start]
        return Atom(start, end, int(chains[start]), block=block, mixed=bool(chain.any() and not chain.all()))

    atoms = [atom(a, b, block=True) for a, b in spans]
    atoms += [atom(i, i + 1, block=False) for i in range(count) if chains[i] < i and not headings[i]]
    return atoms, sizes


_maxima = st.lists(st.integers(3, 60), min_size=2, max_size=4, unique=True).map(sorted)


@given(structures(), _maxima)
def test_what_a_coarser_level_must_cut_the_finer_one_must_too(
    structure: tuple[list[Atom], list[int]], maxima: list[int]
) -> None:
    """Then each level can be solved among the cuts of the one before it."""
    atoms, sizes = structure
    sizes_array = np.array(sizes, np.int64)
    found: list[Rules] = [level_rules(atoms, sizes_array, m, maxima[i + 1 :]) for i, m in enumerate(maxima)]
    for finer, coarser in pairwise(found):
        assert not (coarser.forced & ~finer.allowed).any()


@given(st.booleans().flatmap(lambda inside: structures(leading_inside=inside)), _maxima)
def test_blocks_are_whole_or_have_a_cut_behind_them(
    structure: tuple[list[Atom], list[int]], maxima: list[int]
) -> None:
    atoms, sizes = structure
    sizes_array = np.array(sizes, np.int64)
    found = [level_rules(atoms, sizes_array, m, maxima[i + 1 :]) for i, m in enumerate(maxima)]
    total = np.concatenate(([0], np.cumsum(sizes_array)))
    for maximum, level in zip(maxima, found, strict=True):
        assert level.allowed[[0, -1]].all()
        assert not (level.forced & ~level.allowed).any()
        edges = np.flatnonzero(level.allowed)
        for atom in atoms:
            inner = [e for e in edges.tolist() if atom.start < e < atom.end]
            if total[atom.end] - total[atom.start] > maximum and atom.block:
                assert atom.end in edges
            elif atom.block:
                assert not inner


@pytest.mark.parametrize("maximum", range(5, 40))
def test_no_stretch_between_allowed_edges_is_over_the_maximum_but_for_single_items(maximum: int) -> None:
    sizes = [2, 3, 3, 3, 1, 1, 3, 3, 2, 3]
    atoms = [
        Atom(1, 4, 0, True),
        Atom(1, 2, 0, True),
        Atom(2, 4, 2, True),
        Atom(6, 8, 4, True),
        Atom(9, 10, 8, False),
    ]
    found = level_rules(atoms, np.array(sizes, np.int64), maximum)
    total = np.concatenate(([0], np.cumsum(sizes)))
    for a, b in pairwise(np.flatnonzero(found.allowed).tolist()):
        assert total[b] - total[a] <= maximum


@given(structures(), st.integers(3, 60))
def test_nothing_over_the_maximum_is_held_together(structure: tuple[list[Atom], list[int]], maximum: int) -> None:
    atoms, sizes = structure
    found = level_rules(atoms, np.array(sizes, np.int64), maximum)
    for a, b in pairwise(np.flatnonzero(found.allowed).tolist()):
        assert b - a == 1 or sum(sizes[a:b]) <= maximum
