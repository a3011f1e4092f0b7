"""Inside blocks over the limit: what is glued, what stays together, what is liked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from materials import material_of
from vchunk.domain.boundaries import INSIDE
from vchunk.domain.document import Block, Document, Kind, Span
from vchunk.domain.material import Material
from vchunk.domain.pieces import Pieces
from vchunk.domain.splitting import CLAUSE


def pieces_of(text: str, maximum: int) -> tuple[Material, Pieces]:
    material = material_of(text)
    return material, material.pieces(0, len(material.units), maximum)


def together(text: str, maximum: int, level: int | None = None) -> list[str]:
    """What a level with a maximum may not part, pieces being cut for ``maximum``."""
    _, pieces = pieces_of(text, maximum)
    edges = pieces.edges[pieces.rules(level or maximum).allowed]
    return [text[a:b].strip() for a, b in pairwise(edges)]


LONG = "```\na b c d e f, g h i j k l, m n\nx\n```"  # 3 + 7 + 7 + 2 + 1 + 3 tokens


def test_a_block_that_fits_is_not_looked_into() -> None:
    _, pieces = pieces_of("```\na\n\nb\n```", 8)
    assert not pieces.ranks.any()
    assert not pieces.glued.any()


@pytest.mark.parametrize("maximum", range(6, 20))
def test_no_level_cuts_a_fence_from_its_code(maximum: int) -> None:
    for part in together(LONG, maximum):
        assert part != "```"
        assert not part.endswith("```") or part.endswith("x\n```")


def test_a_line_makes_room_for_its_fence_and_its_heading() -> None:
    assert together(LONG, 10)[:2] == ["```\na b c d e f,", "g h i j k l,"]
    assert together(LONG, 9)[:2] == ["```\na", "b"]  # the clause would not fit with the fence
    assert together(f"# H h h\n\n{LONG}", 14)[0] == "# H h h\n\n```\na b c d e f,"
    assert together(f"# H h h\n\n{LONG}", 13)[0] == "# H h h\n\n```\na"


def test_a_line_that_was_split_is_whole_where_it_fits() -> None:
    assert together(LONG, 10, 19)[0] == "```\na b c d e f, g h i j k l, m n"
    assert together(LONG, 10, 18)[0] == "```\na b c d e f,"


def test_a_heading_is_let_go_where_fence_and_line_leave_it_no_room() -> None:
    text = "# H h h\n\n```\na b\nc d\ne f g h i j\n```"  # 4, 3 + 2, 2, 6, 3
    assert together(text, 9)[:2] == ["# H h h\n\n```\na b", "c d"]
    assert together(text, 10)[:2] == ["# H h h\n\n```\na b", "c d"]
    assert together(text, 8)[:2] == ["# H h h", "```\na b"]


@pytest.mark.parametrize("kind", [Kind.CAPTION, Kind.PARAGRAPH])
def test_a_caption_of_two_sentences_leads_as_a_whole(kind: Kind) -> None:
    text = "# H h\n\nTable 1. A b c d. E f.\n\ng h\ni j\nk l"
    places = [(Kind.HEADING, "# H h"), (kind, "Table 1. A b c d. E f."), (Kind.TABLE, "g h\ni j\nk l")]
    starts = [(kind, text.index(part), len(part)) for kind, part in places]
    document = Document(text, tuple(Block(kind, Span(at, at + size)) for kind, at, size in starts))
    material = material_of(document)
    for maximum in range(2, 30):
        pieces = material.pieces(0, len(material.units), maximum)
        for limit in (maximum, 2 * maximum):
            for a, b in pairwise(np.flatnonzero(pieces.rules(limit).allowed).tolist()):
                assert pieces.sizes[a:b].sum() <= limit
    assert not any(atom.block for atom in material.pieces(0, len(material.units), 30).atoms if atom.start < 3)


def test_stretches_between_blank_lines_stay_whole() -> None:
    text = "```\na a\nb b\n\nc c\nd d\n\n  e e\nf f\n```"
    assert together(text, 7) == ["```\na a\nb b", "c c\nd d", "e e\nf f\n```"]
    assert together(text, 5)[:3] == ["```\na a", "b b", "c c\nd d"]


def test_ranks_are_rewarded() -> None:
    material, pieces = pieces_of("Text.\n\n```\na a\nb b\n\nc c\nd {\n}\n\n  e e\nf f\n```", 8)
    found = dict(
        zip([material.document.text[at:][:3].strip() for at in pieces.edges[:-1]], pieces.ranks, strict=True)
    )
    assert {word: int(rank) for word, rank in found.items() if rank} == {"c c": 5, "}": -1, "e e": 3}
    items = pieces.items(material.units, np.zeros(len(material.units)), False, "auto")
    np.testing.assert_allclose(items.reward, 0.04 * np.maximum(pieces.ranks, 0) + 0.1 * pieces.kinds[:-1])


def test_places_that_a_grammar_adds_within_a_line() -> None:
    text = "$$\na = b \\\\ c = d \\\\ e = f\ng \\\\ h\n$$"
    material, pieces = pieces_of(text, 9)
    starts = [text[at] for at in pieces.edges[:-1]]
    assert starts == ["$", "a", "c", "e", "g", "h", "$"]
    assert pieces.levels.tolist() == [3, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE, INSIDE]
    assert pieces.units.tolist() == [0, 1, 1, 1, 2, 2, 3]
    assert pieces.sizes.sum() == len(material.token_starts)


def test_a_row_over_the_limit_is_split_around_its_links() -> None:
    row = "| see [one two three](http://a.b/c) now, then | x |"
    _, pieces = pieces_of(f"| a | b |\n|---|---|\n{row}", 20)
    text = f"| a | b |\n|---|---|\n{row}"
    parts = [text[a:b].strip() for a, b in pairwise(pieces.edges)]
    assert "[one two three](http://a.b/c)" in parts
    assert CLAUSE in pieces.levels


def test_an_item_is_cut_at_its_paragraphs_and_items_before_sentences() -> None:
    text = "- One. Two. Three.\n  - Four. Five.\n    - Six. Seven.\n  - Eight. Nine.\n\n  Ten. Eleven."
    assert together(text, 9) == [
        "- One. Two. Three.",
        "- Four. Five.",
        "- Six. Seven.",
        "- Eight. Nine.",
        "Ten. Eleven.",
    ]
    assert together(text, 4)[:3] == ["- One.", "Two.", "Three."]
