"""Levels: solved from the finest up, each among the cuts of the one before it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from materials import material_of
from strategies import markdown
from vchunk.domain.constants import EncoderConstants
from vchunk.domain.levels import (
    LADDER,
    Level,
    ladder_to,
    maxima_beyond,
    solve_levels,
    unit_reward,
    unit_strength,
)
from vchunk.domain.material import Material
from vchunk.domain.pieces import cut_pieces
from vchunk.domain.sections import find_sections

CONSTANTS = EncoderConstants((8, 64), (2.0, 9.0), 0.3, 0.1)


def with_meaning(material: Material, seed: int) -> Material:
    """Means that keep a direction for some units, and contrasts."""
    dice = np.random.default_rng(seed)
    count = len(material.units)
    means = np.repeat(dice.standard_normal((count, 3)), dice.integers(1, 6, count), axis=0)[:count]
    contrast = dice.random(count).astype(np.float32)
    contrast[:1] = np.nan
    return replace(
        material,
        units=replace(material.units, means=means.astype(np.float32), contrast=contrast),
        constants=CONSTANTS,
    )


def solve(material: Material, levels: list[Level], sections: str = "auto") -> list[NDArray[np.bool_]]:
    units = material.units
    pieces = cut_pieces(material.document, units, material.token_starts, 0, len(units), levels[0].maximum)
    reward = unit_reward(units, material.constants)
    return solve_levels(pieces, units, reward, levels, material.constants, sections)


@given(
    markdown,
    st.lists(st.integers(2, 40), min_size=2, max_size=4, unique=True).map(sorted),
    st.sampled_from(["auto", "soft", "hard"]),
    st.one_of(st.none(), st.integers(0, 50)),
)
def test_levels_nest_and_keep_their_maximum(
    text: str, targets: list[int], sections: str, seed: int | None
) -> None:
    material = material_of(text)
    if not len(material.units):
        return
    if seed is not None:
        material = with_meaning(material, seed)
    levels = [Level.of(target) for target in targets]
    pieces = cut_pieces(
        material.document, material.units, material.token_starts, 0, len(material.units), levels[0].maximum
    )
    masks = solve(material, levels, sections)
    for finer, coarser in pairwise(masks):
        assert not (coarser & ~finer).any()
    for level, mask in zip(levels, masks, strict=True):
        assert mask[[0, -1]].all()
        edges = np.flatnonzero(mask).tolist()
        total = np.concatenate(([0], np.cumsum(pieces.sizes)))
        for a, b in pairwise(edges):
            assert total[b] - total[a] <= level.maximum or b - a == 1
        for atom in pieces.atoms:
            begin = atom.start if atom.block else atom.chain
            if total[atom.end] - total[begin] <= level.maximum:
                assert not mask[atom.start + 1 : atom.end].any()


@pytest.mark.parametrize("seed", range(6))
def test_a_chunk_lies_in_one_section_or_holds_whole_siblings(seed: int) -> None:
    dice = np.random.default_rng(seed)
    text = "".join(f"{'#' * dice.integers(1, 4)} H\n\n{'w. ' * dice.integers(1, 20)}\n\n" for _ in range(25))
    material = with_meaning(material_of(text), seed)
    sections = find_sections(material.document)
    for mask in solve(material, [Level.of(8), Level.of(32), Level.of(64)]):
        units = material.units
        pieces = cut_pieces(material.document, units, material.token_starts, 0, len(units), 16)
        edges = pieces.edges[mask].tolist()
        for start, end in pairwise(edges):
            inside = [s for s in sections if start <= s.start < end]
            begun = [s for s in inside if s.end > end]
            # A section that begins inside and goes on behind: only if the chunk begins with it.
            assert all(s.start == start or material.document.text[start : s.start].count("w") == 0 for s in begun)


def test_even_text_gets_chunks_of_the_target() -> None:
    material = material_of("One two three. " * 60)
    for level, mask in zip((16, 32), solve(material, [Level.of(16), Level.of(32)]), strict=True):
        sizes = np.diff(np.flatnonzero(mask)) * 4
        assert np.median(sizes) == level


def test_a_limit_of_a_coarser_level_reaches_down() -> None:
    """A block that fits a coarser maximum without its heading alone stands apart at every level."""
    code = "```\n" + "x\n" * 20 + "```"  # 26 tokens
    material = material_of(f"a. b. c.\n\n# H h h\n\n{code}\n\nd. e.")
    units = material.units
    pieces = cut_pieces(material.document, units, material.token_starts, 0, len(units), 8)
    reward = unit_reward(units, None)
    at = int(np.searchsorted(pieces.edges, material.document.text.index("```")))
    (alone,) = solve_levels(pieces, units, reward, [Level.of(4)], None)
    (among,) = solve_levels(pieces, units, reward, [Level.of(4)], None, limits=[28])
    both = solve_levels(pieces, units, reward, [Level.of(4), Level.of(14)], None)
    assert not alone[at]
    assert among[at]
    assert (both[0] == among).all()
    assert both[1][at]


def test_a_heading_that_a_finer_level_let_go_may_not_come_back() -> None:
    # Heading 5, sentence 7: at most 6 lets the heading go and makes 4 of the sentence's words one chunk;
    # at most 8 would keep the heading with the first word.
    material = material_of("## River river.\n\nRiver river river river river river.\n")
    pieces = cut_pieces(material.document, material.units, material.token_starts, 0, 2, 4)
    total = np.concatenate(([0], np.cumsum(pieces.sizes)))
    levels = [Level.of(2), Level.of(3), Level.of(4)]
    for level, mask in zip(levels, solve(material, levels), strict=True):
        assert np.diff(total[mask]).max() <= level.maximum


def test_a_hard_minimum_is_that_of_its_level() -> None:
    material = material_of("One two three. " * 40)
    masks = solve(material, [Level.of(8), Level(16, 32, 12)])
    assert np.diff(np.flatnonzero(masks[1])).min() * 4 >= 12


def test_the_ladder() -> None:
    assert [level.target for level in ladder_to(256)] == [64, 128, 256]
    assert [level.maximum for level in ladder_to(1024)] == [128, 256, 512, 1024, 2048]
    assert ladder_to(10) == []
    assert maxima_beyond(256) == [1024, 2048]
    assert maxima_beyond(LADDER[-1]) == []


def test_rewards_by_hand() -> None:
    material = material_of("# A\n\nOne. Two.")
    assert unit_strength(material.units, CONSTANTS).tolist() == [0, 0, 0]  # no encoder
    units = replace(material.units, contrast=np.array([np.nan, 0.3 + 0.14826, 0.1], np.float32))
    np.testing.assert_allclose(unit_strength(units, CONSTANTS), [0, np.log(2), 0], atol=1e-5)
    # The boundaries inside are of levels 2 and 0: P(level >= 2) is a half, on the grid 1.2^-4.
    expected = [0, 0.15 * 4 * np.log(1.2) + 0.1 * np.log(2), 0]
    np.testing.assert_allclose(unit_reward(units, CONSTANTS), expected, atol=1e-5)
    assert unit_strength(units, None).tolist() == [0, 0, 0]


def test_the_text_without_its_meaning_is_cut_by_size_and_structure() -> None:
    text = "One two three. " * 8 + "\n\n" + "Four five six. " * 8
    material = with_meaning(material_of(text), 0)
    bare = replace(material, constants=None)
    (mask,) = solve(bare, [Level.of(32)])
    starts = material.units.offsets[np.flatnonzero(mask[:-1])]
    assert starts.tolist() == [0, material.document.text.index("Four")]
