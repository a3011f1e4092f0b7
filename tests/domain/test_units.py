"""Units: the text between boundaries, all of it, with its tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from fakes import FakeSplitter, FakeTokenizer
from strategies import documents
from vchunk.domain.boundaries import Boundaries, find_boundaries
from vchunk.domain.document import Document
from vchunk.domain.units import cut_units


def boundaries(*pairs: tuple[int, int]) -> Boundaries:
    return Boundaries(
        np.array([at for at, _ in pairs], np.int64), np.array([level for _, level in pairs], np.int8)
    )


def test_by_hand() -> None:
    text = "  One two. Three.\n\nFour."
    tokens = FakeTokenizer().tokenize(text)
    units = cut_units(text, boundaries((11, 0), (19, 2)), tokens.starts)
    assert units.edges.tolist() == [2, 11, 19, 24]
    assert units.levels.tolist() == [3, 0, 2]
    assert units.offsets.tolist() == [2, 11, 19]
    assert units.token_edges.tolist() == [0, 3, 5, 7]
    assert units.sizes.tolist() == [3, 2, 2]
    assert len(units) == 3
    assert units.means is None


def test_a_token_over_a_boundary_belongs_to_the_unit_in_which_it_starts() -> None:
    units = cut_units("abcdef", boundaries((3, 0)), np.array([0, 2, 4]))
    assert units.token_edges.tolist() == [0, 2, 3]


def test_a_unit_without_tokens() -> None:
    units = cut_units("a b c", boundaries((2, 0), (4, 0)), np.array([0, 4]))
    assert units.sizes.tolist() == [1, 0, 1]


def test_tokens_outside_go_to_the_units_at_the_ends() -> None:
    units = cut_units("  a b", boundaries((4, 0)), np.array([0, 1, 2, 4]))
    assert units.token_edges.tolist() == [0, 3, 4]


def test_a_blank_text_has_none() -> None:
    for text in ("", " \n "):
        units = cut_units(text, boundaries(), np.zeros(0, np.int64))
        assert len(units) == 0
        assert units.edges.tolist() == [0]
        assert units.token_edges.tolist() == [0]


@given(documents)
def test_units_hold_all_text_and_all_tokens(document: Document) -> None:
    tokens = FakeTokenizer().tokenize(document.text)
    units = cut_units(document.text, find_boundaries(document, FakeSplitter()), tokens.starts)
    if not len(units):
        assert not document.text.strip()
        return
    assert not document.text[: units.edges[0]].strip()
    assert units.edges[-1] == len(document.text)
    assert (np.diff(units.edges) > 0).all()
    assert units.sizes.sum() == len(tokens)
    assert (units.sizes >= 0).all()
    for start, end, low, high in zip(
        units.edges[:-1], units.edges[1:], units.token_edges[:-1], units.token_edges[1:], strict=True
    ):
        assert document.text[start:end].strip()
        assert all(start <= t < end for t in tokens.starts[low:high])
