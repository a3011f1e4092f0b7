"""Pieces: units that fit, parts of those that do not, and what keeps them together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from materials import material_of
from strategies import documents
from vchunk.domain.document import Document
from vchunk.domain.material import Material
from vchunk.domain.pieces import Pieces, cut_pieces, heading_units
from vchunk.domain.sections import NO_BORDER


def pieces_of(material: Material, maximum: int | None) -> Pieces:
    units = material.units
    return cut_pieces(material.document, units, material.token_starts, 0, len(units), maximum)


def texts(material: Material, pieces: Pieces) -> list[str]:
    return [material.document.text[a:b].strip() for a, b in zip(pieces.edges[:-1], pieces.edges[1:], strict=True)]


def together(material: Material, maximum: int) -> list[str]:
    """What a level with this maximum may not part, as texts."""
    pieces = pieces_of(material, maximum)
    edges = pieces.edges[pieces.rules(maximum).allowed]
    return [material.document.text[a:b].strip() for a, b in pairwise(edges)]


def test_without_a_limit_pieces_are_units() -> None:
    material = material_of("# A\n\nOne. Two.\n\n- b\n- c")
    pieces = pieces_of(material, None)
    assert pieces.edges.tolist() == material.units.edges.tolist()
    assert pieces.levels.tolist() == material.units.levels.tolist()
    assert pieces.sizes.tolist() == material.units.sizes.tolist()
    assert pieces.units.tolist() == list(range(len(material.units)))


def test_a_unit_over_the_limit_is_split_and_no_other() -> None:
    material = material_of("Short one.\n\nA b, c d e f g h, i j.")
    pieces = pieces_of(material, 5)
    assert texts(material, pieces) == ["Short one.", "A b,", "c", "d", "e", "f", "g", "h,", "i j."]
    assert pieces.levels.tolist() == [3, 2, -2, -3, -3, -3, -3, -3, -2]
    assert pieces.units.tolist() == [0] + [1] * 8
    assert pieces.sizes.sum() == material.units.sizes.sum()


def test_a_text_behind_a_heading_is_split_to_leave_it_room() -> None:
    # 3 + 5 tokens: each fits 6 alone, but they may not be parted.
    material = material_of("# A b\n\nC d, e.")
    assert texts(material, pieces_of(material, 6)) == ["# A b", "C d,", "e."]
    assert together(material, 6) == ["# A b\n\nC d,", "e."]


def test_headings_that_leave_too_little_room_are_let_go() -> None:
    material = material_of("# A b c\n\nD e f g.")
    assert together(material, 5) == ["# A b c", "D e f g."]


def test_blocks_that_fit_stay_together() -> None:
    material = material_of("One. Two.\n\n```\na\nb\n```\n\n- c. D.\n- e\n\n> f. G.\n> h")
    assert together(material, 9) == [
        "One.",
        "Two.",
        "```\na\nb\n```",
        "- c. D.",
        "- e",
        "> f. G.\n> h",
    ]
    # A fence stays with its line of code as long as that leaves the line its room.
    assert together(material, 4)[2:4] == ["```\na", "b\n```"]
    assert together(material, 3)[2:6] == ["```", "a", "b", "```"]


def test_a_heading_goes_with_the_first_sentence_only() -> None:
    assert together(material_of("# A\n\nOne. Two.\n\n## B\n\n### C\n\nThree."), 30) == [
        "# A\n\nOne.",
        "Two.",
        "## B\n\n### C\n\nThree.",
    ]


def test_a_run_of_units_by_itself() -> None:
    material = material_of("One.\n\n# A\n\nTwo. Three.\n\nFour.")
    pieces = cut_pieces(material.document, material.units, material.token_starts, 1, 4, 50)
    assert texts(material, pieces) == ["# A", "Two.", "Three."]
    assert pieces.units.tolist() == [1, 2, 3]
    assert all(0 <= atom.start < atom.end <= 3 for atom in pieces.atoms)


def test_heading_units() -> None:
    material = material_of("# A\n\nOne. Two.\n\n## B\n\n> # C")
    assert heading_units(material.document, material.units).tolist() == [True, False, False, True, False]


@pytest.mark.parametrize(("sections", "expected"), [("auto", [2]), ("hard", [2, 4]), ("soft", [])])
def test_borders_force_cuts_as_asked(sections: str, expected: list[int]) -> None:
    material = material_of("# A\n\n" + "a " * 9 + "\n\n# B\n\n" + "b " * 9 + "\n\n# C\n\nc")
    assert np.flatnonzero(pieces_of(material, None).borders(10, sections, 10)).tolist() == expected


def test_items_carry_mass_reward_and_borders() -> None:
    material = material_of("# A\n\nOne two, three four.\n\n# B\n\nFive.")
    means = np.array([[3, 4], [0, 0], [0, 2], [1, 0]], np.float32)
    units = replace(material.units, means=means)
    pieces = pieces_of(material, 5)
    assert pieces.units.tolist() == [0, 1, 1, 2, 3]
    reward = np.array([1.0, 2.0, 3.0, 4.0])
    items = pieces.items(units, reward, True, "auto")
    assert items.mass is not None
    np.testing.assert_allclose(items.mass, [[1.2, 1.6], [0, 0], [0, 0], [0, 2], [2, 0]], rtol=1e-6)
    assert items.reward.tolist() == [1.0, 2.0, 0.0, 3.0, 4.0]  # a cut inside a unit earns nothing
    assert items.border.tolist() == [-1, NO_BORDER, NO_BORDER, 0, NO_BORDER, -1]
    assert pieces.items(units, reward, False, "auto").mass is None
    assert (pieces.items(units, reward, True, "soft").border[1:-1] == NO_BORDER).all()


@given(documents, st.one_of(st.none(), st.integers(1, 40)))
def test_laws(document: Document, maximum: int | None) -> None:
    material = material_of(document)
    if not len(material.units):
        return
    pieces = pieces_of(material, maximum)
    assert (np.diff(pieces.edges) > 0).all()
    assert (pieces.edges[0], pieces.edges[-1]) == (material.units.edges[0], material.units.edges[-1])
    assert set(material.units.edges.tolist()) <= set(pieces.edges.tolist())
    assert pieces.sizes.sum() == len(material.token_starts)
    assert (np.diff(pieces.units) >= 0).all()
    split = pieces.levels < -1
    assert (np.flatnonzero(split) > 0).all() or not split.any()
    for atom in pieces.atoms:
        assert 0 <= atom.chain <= atom.start < atom.end <= len(pieces)
    for one in pieces.atoms:
        for other in pieces.atoms:
            apart = one.end <= other.start or other.end <= one.start
            inside = (one.start <= other.start and other.end <= one.end) or (
                other.start <= one.start and one.end <= other.end
            )
            assert apart or inside
    if maximum is not None:
        # What a level may not part fits, but for a single character of many tokens.
        for limit in (maximum, 2 * maximum):
            edges = np.flatnonzero(pieces.rules(limit).allowed).tolist()
            for a, b in pairwise(edges):
                assert pieces.sizes[a:b].sum() <= limit or b - a == 1
