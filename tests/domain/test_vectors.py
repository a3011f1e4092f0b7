"""Index vectors against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.document import Span
from vchunk.domain.errors import UsageError
from vchunk.domain.rows import StoredRows
from vchunk.domain.texts import unit_rows
from vchunk.domain.units import Units
from vchunk.domain.vectors import Layer, VectorWish, blend, late_vectors

X, Y, Z = np.eye(3, dtype=np.float32)


def units(sizes: list[int], means: list[np.ndarray]) -> Units:
    edges = np.concatenate(([0], np.cumsum(sizes)))
    return Units(edges, np.zeros(len(sizes), np.int8), edges, np.array(means, np.float32))


def no_rows() -> StoredRows:
    raise AssertionError("the token vectors are not needed")


def stored(rows: np.ndarray) -> StoredRows:
    return StoredRows(rows.astype(np.int8), np.ones(len(rows), np.float32))


def test_rows_are_brought_to_length_one() -> None:
    rows = unit_rows(np.array([[3, 4, 0], [0, 0, 0], [np.nan, 1, 0], [np.inf, 0, 0], [1e-40, 0, 0]], np.float32))
    np.testing.assert_allclose(rows, [[0.6, 0.8, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], atol=1e-7)
    assert rows.dtype == np.float32


def test_late_vectors_of_whole_units_weigh_them_by_their_tokens() -> None:
    of = units([1, 3, 0, 2], [X, Y, 0 * Z, Z])
    starts = np.arange(6)
    rows = late_vectors([Span(0, 4), Span(4, 6), Span(0, 6), Span(2, 2)], starts, of, no_rows)
    expected = np.array([[1, 3, 0], [0, 0, 1], [1, 3, 2], [0, 0, 0]], float)
    expected[:3] /= np.linalg.norm(expected[:3], axis=1, keepdims=True)
    np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_late_vectors_of_parts_of_units_read_the_tokens() -> None:
    tokens = np.array([X, Y, Y, Z])
    of = units([3, 1], [(X + 2 * Y) / 3, Z])
    starts = np.array([0, 5, 10, 15])
    # Token 1 starts at 5: a span from 3 on begins with it.
    rows = late_vectors([Span(3, 12), Span(15, 20)], starts, of, lambda: stored(tokens))
    np.testing.assert_allclose(rows, [Y, Z], atol=1e-6)
    with pytest.raises(AssertionError, match="not needed"):
        late_vectors([Span(3, 12)], starts, of, no_rows)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.data())
def test_units_and_tokens_give_the_same_late_vectors(sizes: list[int], data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 1000))
    tokens = np.random.default_rng(seed).integers(-9, 10, (sum(sizes), 3)) + np.array([20, 0, 0])
    of = units(sizes, [part.mean(axis=0) for part in np.split(tokens, np.cumsum(sizes)[:-1])])
    low = data.draw(st.integers(0, len(sizes) - 1))
    high = data.draw(st.integers(low + 1, len(sizes)))
    span = Span(int(of.token_edges[low]), int(of.token_edges[high]))
    starts = np.arange(len(tokens))
    fine = units([1] * len(tokens), list(tokens))
    np.testing.assert_allclose(
        late_vectors([span], starts, of, no_rows), late_vectors([span], starts, fine, no_rows), atol=1e-5
    )


def layer(of: list[int], **vectors: list[np.ndarray] | np.ndarray) -> Layer:
    return Layer({kind: np.array(v, np.float32) for kind, v in vectors.items()}, np.array(of, np.int64))


def test_a_blend_is_the_weighted_sum_at_length_one() -> None:
    chunks = layer([0, 1, 2], text=[X, Y, Z], late=[X, X, Z])
    above = layer([0, 0, 1], late=[Z, Y])
    rows = blend([chunks, above], (0.6, 0.3))
    expected = np.array([0.6 * X + 0.3 * Z, 0.4 * Y + 0.2 * X + 0.3 * Z, 0.6 * Z + 0.3 * Y])
    np.testing.assert_allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)


def test_a_blend_of_no_chunks() -> None:
    none = layer([], text=np.zeros((0, 3)))
    assert blend([none, none], (0.6, 0.2)).shape == (0, 3)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (("dense",), "--vectors dense: choose from"),
        (("blend", "all"), "--blend-ancestors all: choose from"),
        (("late", "late"), "is for --vectors blend, not late"),
    ],
)
def test_wishes_that_cannot_be_met(wish: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        VectorWish(*wish)
