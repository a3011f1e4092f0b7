"""Where the text changes its kind, and when that cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from materials import material_of
from strategies import read
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.companions import find_companions
from vchunk.domain.granularity import Granularity
from vchunk.domain.kinds import hard_kind_borders, kind_borders
from vchunk.wiring import make_hasher

TABLE = "| a | b |\n|---|---|\n| c | d |"
CODE = "```\nx\n```"


def borders(text: str) -> list[str]:
    """The first lines of the blocks at which the kind changes."""
    document = read(text)
    found = kind_borders(document, find_companions(document))
    return [document.slice(document.blocks[i].span).split("\n")[0] for i in found]


def chunks(text: str, **wanted: Any) -> list[Chunk]:
    return list(chunk(material_of(text), Granularity(method="structure", **wanted), make_hasher()).chunks)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\nTwo.\n\n- three\n\n> four\n\n$$\nfive\n$$\n\nSix.", []),
        (f"One.\n\n{CODE}\n\n{CODE}\n\nTwo.", ["```", "Two."]),
        (f"{CODE}\n\n{TABLE}\n\n![a](b.png)", ["| a | b |", "![a](b.png)"]),
        (f"# A\n\n{CODE}\n\n---\n\n{CODE}", []),
        ("- One.\n\n  ```\n  x\n  ```", []),
        ("One.[^1]\n\n[^1]: Two.", ["[^1]: Two."]),
        ("One.\n\n<table></table>\n\n<div>b</div>", ["<table></table>", "<div>b</div>"]),
        ('One.\n\n<p align="center"><img src="a.png"></p>', ['<p align="center"><img src="a.png"></p>']),
        (f"One.\n\nTable 1: Two.\n\n{TABLE}\n\nSource: three\n\nFour.", ["Table 1: Two.", "Four."]),
    ],
)  # fmt: skip
def test_where_the_kind_changes(text: str, expected: list[str]) -> None:
    assert borders(text) == expected


@pytest.mark.parametrize(("alone", "expected"), [(1, [1, 2, 4, 6]), (3, [1, 2]), (4, [2]), (5, [2]), (6, [])])
def test_a_border_is_hard_where_both_sides_are_large(alone: float, expected: list[int]) -> None:
    marks = np.array([0, 1, 1, 0, 1, 0, 1, 0], bool)
    found = hard_kind_borders(marks, np.array([0, 3]), np.array([3, 5, 5, 1, 1, 1, 3]), alone)
    assert found.tolist() == expected


def test_a_section_ends_a_side() -> None:
    marks, sizes = np.array([0, 1, 0, 0], bool), np.array([5, 2, 9])
    assert hard_kind_borders(marks, np.array([0]), sizes, 5).tolist() == [1]
    assert hard_kind_borders(marks, np.array([0, 2]), sizes, 5).tolist() == []


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count) + "."


def rows(count: int) -> str:
    return "| a | b |\n|---|---|\n" + "\n".join(["| c | d |"] * count)


@pytest.mark.parametrize("sections", ["auto", "hard"])
def test_what_could_stand_alone_does_not_share_a_chunk(sections: str) -> None:
    text = f"# A\n\n{words(20)}\n\n{rows(2)}\n\n{words(20)}"
    found = chunks(text, target_tokens=40, sections=sections)
    assert [(c.kinds[-1], c.boundary) for c in found] == [
        ("paragraph", "start"),
        ("table", "kind"),
        ("paragraph", "kind"),
    ]


def test_a_short_block_and_what_explains_it_may_share_a_chunk() -> None:
    text = f"{words(20)}\n\n```\nx = 1\n```\n\n{words(20)}"
    (found,) = chunks(text, target_tokens=50)
    assert found.kinds == ("paragraph", "code")


def test_soft_sections_leave_kinds_to_the_objective() -> None:
    text = f"{words(20)}\n\n{rows(2)}\n\n{words(20)}"
    assert len(chunks(text, target_tokens=90, max_tokens=100)) == 1
    assert len(chunks(text, target_tokens=40)) == 3
    assert len(chunks(text, target_tokens=40, sections="soft")) == 2


def test_an_introduction_goes_with_its_block() -> None:
    text = f"{words(20)} The wages are in this table:\n\n{rows(2)}"
    found = chunks(text, target_tokens=40)
    assert [c.text.split("\n")[0] for c in found] == [words(20), "The wages are in this table:"]
    assert found[1].boundary == "kind"


def test_a_short_chunk_joins_the_neighbour_of_its_kind() -> None:
    short = words(6, "s")
    code = "```\n" + "x " * 30 + "\n```"
    for text in (f"{code}\n\n{short}\n\n{words(36)}", f"{words(36)}\n\n{short}\n\n{code}"):
        (found,) = [c for c in chunks(text, target_tokens=44, sections="soft") if short in c.text]
        assert found.kinds == ("paragraph",)


def test_what_begins_each_chunk() -> None:
    text = (
        f"Start.\n\n# A\n\n{words(9)} {words(9, 'v')}\n\n{words(9, 'u')}\n\n{rows(12)}\n\n"
        "# References\n\n[1] Ada (1843). See [2] (1844)."
    )
    found = chunks(text, max_tokens=24, sections="hard")
    names = {c.boundary for c in found}
    assert names == {"start", "section", "soft", "kind", "limit"}
    for c in found:
        if c.boundary == "limit":
            assert c.kind == "table"
        if c.boundary == "section":
            assert c.text.startswith("#")
    assert found[0].boundary == "start"
