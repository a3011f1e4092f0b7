"""The tree: sections by headings, passages by meaning or size."""

from __future__ import annotations

import json
from typing import Any

import pytest

from materials import material_of
from vchunk.domain.document import Page, Span
from vchunk.domain.errors import UsageError
from vchunk.domain.outline import Node, check_levels, first_words, grow_tree
from vchunk.wiring import make_hasher


def tree_of(text: str, name: str = "a.md", **more: Any) -> Node:
    return grow_tree(material_of(text, name), make_hasher(), **more)


def drawn(node: Node) -> list[str]:
    """One line a node, indented by depth."""
    return [f"{'  ' * n.depth}{n.kind} {n.label}" for n in node.walk()]


def test_headings_on_top() -> None:
    tree = tree_of("Start here.\n\n# A\n\nOf a.\n\n## B\n\nOf b.\n\n## C\n\nOf c.\n\n# D\n\nOf d.")
    assert tree.kind == "document"
    assert drawn(tree)[1:] == [
        "  passage Start here.",
        "  section A",
        "    passage Of a.",
        "    section B",
        "    section C",
        "  section D",
    ]
    assert [n.level for n in tree.walk()] == [None, None, 1, None, 2, 2, 1]


def test_a_heading_that_only_subsections_follow() -> None:
    assert drawn(tree_of("# A\n\n## B\n\nOf b.\n\n## C\n\nOf c."))[1:] == [
        "  section A",
        "    heading # A",
        "    section B",
        "    section C",
    ]


PARAGRAPHS = "\n\n".join(" ".join([f"P{i}", *["w"] * 8]) + "." for i in range(16))  # ten tokens each


def test_long_sections_are_divided_coarse_levels_first() -> None:
    tree = tree_of(PARAGRAPHS, levels=(20, 80))
    assert [n.level for n in tree.children] == [80, 80]
    assert [n.level for child in tree.children for n in child.children] == [20] * 8
    assert [n.tokens for n in tree.children] == [80, 80]
    assert tree.tokens == 160


def test_a_level_that_does_not_divide_is_left_out() -> None:
    tree = tree_of(PARAGRAPHS, levels=(1000, 40))
    assert [n.level for n in tree.children] == [40] * 4


def test_without_levels_only_headings_count() -> None:
    assert tree_of(PARAGRAPHS, levels=()).children == ()
    assert len(tree_of(f"# A\n\n{PARAGRAPHS}\n\n# B\n\nx", levels=()).children) == 2


def test_passages_lie_in_their_sections() -> None:
    tree = tree_of(f"# A\n\n{PARAGRAPHS}\n\n# B\n\n{PARAGRAPHS}", levels=(40,))
    one, two = tree.children
    assert (one.title, two.title) == ("A", "B")
    assert {n.kind for n in one.children} == {"passage"}
    assert one.children[0].start == one.start
    assert two.children[-1].end == two.end == tree.end


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_depth(depth: int) -> None:
    text = f"# A\n\nx\n\n## B\n\n{PARAGRAPHS}"
    whole = tree_of(text, levels=(40,))
    assert max(n.depth for n in whole.walk()) == 3
    cut = tree_of(text, levels=(40,), depth=depth)
    assert [(n.start, n.end, n.kind) for n in cut.walk()] == [
        (n.start, n.end, n.kind) for n in whole.walk() if n.depth <= depth
    ]


@pytest.mark.parametrize("text", ["", " \n", "One."])
def test_almost_nothing(text: str) -> None:
    tree = tree_of(text)
    assert tree.kind == "document"
    assert tree.children == ()
    assert tree.label == text.strip()


def test_a_node_is_json() -> None:
    tree = tree_of("# A\n\nx\n\n## B\n\ny")
    written = json.loads(json.dumps(tree.as_dict(), allow_nan=False))
    assert written["kind"] == "document"
    assert [child["title"] for child in written["children"]] == ["A"]
    assert written["children"][0]["children"][1] == {
        "id": tree.children[0].children[1].id,
        "kind": "section",
        "title": "B",
        "label": "B",
        "level": 2,
        "depth": 2,
        "start": 8,
        "end": 15,
        "tokens": 4,
        "pages": [],
        "children": [],
    }


def test_nodes_know_their_pages() -> None:
    material = material_of("One.\fTwo.", "a.txt")
    assert material.document.pages == (Page(1, Span(0, 5)), Page(2, Span(5, 9)))
    assert grow_tree(material, make_hasher()).pages == (1, 2)


def test_ids_are_unique_and_depend_on_the_text_not_on_the_place() -> None:
    here = tree_of("# A\n\nx\n\n# A\n\nx\n\n# B\n\ny")
    there = tree_of("# C\n\nmore\n\n# B\n\ny")
    ids = [n.id for n in here.walk()]
    assert len(set(ids)) == len(ids)
    assert here.children[-1].id == there.children[-1].id


@pytest.mark.parametrize("levels", [(0,), (-4, 8), (8, 8)])
def test_wrong_levels(levels: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match=r"--levels: give different sizes in tokens"):
        tree_of("x", levels=levels)


def test_levels_are_sorted() -> None:
    assert check_levels([20, 90, 40]) == (90, 40, 20)
    assert check_levels([]) == ()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", ""),
        ("One two", "One two"),
        ("One\n  two\tthree", "One two three"),
        ("a b c d e f g h i", "a b c d e f g h i"),
        ("a b c d e f g h i j", "a b c d e f g h i …"),
        ("x" * 100, "x" * 72 + " …"),
        ("short " + "x" * 100, "short …"),
    ],
)
def test_first_words(text: str, label: str) -> None:
    assert first_words(text) == label


def test_a_heading_with_blanks_before_it_lies_in_the_root() -> None:
    tree = tree_of("  # River\n\nOf rivers.\n")
    (section,) = tree.children
    assert tree.start == section.start == 0
