"""Double pass on documents: what stays whole, where sections part, how the limits hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from materials import material_of
from vchunk.domain.cutting import Material, make_cuts
from vchunk.domain.document import Block, Document, Kind, Role, Span
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.granularity import Granularity

AXES = {"A": 0, "B": 1, "C": 2}


def with_meaning(document: Document | str, name: str = "a.md") -> Material:
    """A unit's vector is the axis of its first letter, A, B or C; others have none."""
    material = material_of(document, name)
    means = np.zeros((len(material.units), 3), np.float32)
    for i, at in enumerate(material.units.offsets.tolist()):
        axis = AXES.get(material.document.text[at])
        if axis is not None:
            means[i, axis] = 1.0
    return replace(material, units=replace(material.units, means=means))


def cut(material: Material, append: float = 0.5, merge: float = 0.5, **wanted: Any) -> list[str]:
    granularity = Granularity(
        method="double-pass", thresholds=Thresholds("fixed", append, merge), **{"min_tokens": 0, **wanted}
    )
    return [material.document.slice(c.span) for c in make_cuts(material, granularity)[0]]


def test_sentences_of_one_meaning_come_together_and_around_another() -> None:
    material = with_meaning("Ax one. Ax two. Bx one. Ax three. Cx one. Cx two.")
    assert cut(material) == ["Ax one. Ax two. Bx one. Ax three.", "Cx one. Cx two."]
    assert cut(material, merge=1.0, append=1.0, max_tokens=7)[:2] == ["Ax one. Ax two.", "Bx one."]


def test_the_strength_is_how_unlike_the_chunks_are() -> None:
    material = with_meaning("Ax one. Ax two. Bx one. Bx two.")
    cuts, _ = make_cuts(material, Granularity(method="double-pass", min_tokens=0))
    assert [c.strength for c in cuts] == [0.0, 1.0]


def test_a_heading_stays_with_what_follows_and_a_block_is_whole() -> None:
    text = "Ax one. Ax two.\n\n# Bx\n\nCx one.\n\n```\nAx\n\nBx\n\nCx\n```\n\nBx one."
    chunks = cut(with_meaning(text), append=1.0, merge=1.0, sections="soft")
    assert chunks == ["Ax one. Ax two.", "# Bx\n\nCx one.", "```\nAx\n\nBx\n\nCx\n```", "Bx one."]


def test_sections_part_what_is_alike() -> None:
    text = "# Ax\n\nAx one. Ax two.\n\n# Ax\n\nAx three. Ax four."
    assert len(cut(with_meaning(text))) == 2
    assert len(cut(with_meaning(text), sections="soft")) == 1
    assert len(cut(with_meaning(text), min_tokens=9)) == 1  # both are small: they may share a chunk
    assert len(cut(with_meaning(text), min_tokens=9, sections="hard")) == 2


def test_prose_comes_together_with_code_however_long() -> None:
    code = "```\n" + "Bx c d e\n" * 40 + "```"
    text = f"{'Ax one two. ' * 40}\n\n{code}\n\n{'Ax one two. ' * 40}"
    assert len(cut(with_meaning(text), max_tokens=10**4)) == 1
    assert len(cut(with_meaning(text))) > 3


def test_a_block_over_the_maximum_is_divided_by_itself() -> None:
    code = "```\n" + "\n\n".join(f"Ax{i} b c d" for i in range(8)) + "\n```"
    chunks = cut(with_meaning(f"Ax one. Ax two.\n\n{code}\n\nAx three. Ax four."), max_tokens=14)
    assert chunks[0] == "Ax one. Ax two."
    assert chunks[-1] == "Ax three. Ax four."
    assert 3 <= len(chunks) - 2 <= 6
    assert "\n\n".join(chunks[1:-1]) == code


def test_it_is_divided_where_its_grammar_likes_it_best() -> None:
    code = "```\nAx b c d\n\n" + "Ax e\n" * 9 + "\nAx f g h\n```"
    chunks = cut(with_meaning(code), max_tokens=26)
    assert len(chunks) > 1
    assert "\n\n".join(chunks) == code  # at blank lines, though the middle is at another


def test_a_sentence_over_the_maximum_is_divided_too() -> None:
    long = "A" + " word," * 30 + " end."
    chunks = cut(with_meaning(f"Ax one. {long} Ax two."), max_tokens=20)
    assert chunks[0] == "Ax one."
    assert chunks[-1] == "Ax two."
    assert len(chunks) > 4


def around_a_page_number(before: str, after: str) -> Material:
    text, blocks = "", []
    for part, role in ((before, Role.BODY), ("Page.", Role.FURNITURE), (after, Role.BODY)):
        blocks.append(Block(Kind.PARAGRAPH, Span(len(text), len(text) + len(part)), role=role))
        text += part + "\n\n"
    return with_meaning(Document(text, tuple(blocks)))


def test_nothing_is_merged_over_what_is_left_out() -> None:
    assert cut(around_a_page_number("Ax one. Bx one.", "Ax two.")) == ["Ax one.", "Bx one.", "Ax two."]


def test_thresholds_are_those_of_the_whole_document() -> None:
    # Of the similarities 1 and 0 the median cuts the second; each side alone has but one.
    material = around_a_page_number("Ax one. Ax two.", "Ax three. Bx one.")
    found = Granularity(method="double-pass", min_tokens=0, thresholds=Thresholds("percentile", 50, 50))
    assert len(make_cuts(material, found)[0]) == 3


def test_nothing_but_what_is_left_out() -> None:
    document = Document("Page.", (Block(Kind.PARAGRAPH, Span(0, 5), role=Role.FURNITURE),))
    assert make_cuts(with_meaning(document), Granularity(method="double-pass"))[0] == []
