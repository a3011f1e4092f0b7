"""Batches: what goes together, how many are under way, and what happens when memory is full."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vchunk.adapters.encoders.batches import Pending, run_batches
from vchunk.adapters.encoders.framing import Frame
from vchunk.domain.errors import ModelError

FRAME = Frame(before=(2,), after=(3,), pad_id=0, positions=100, window=98)


class Full(Exception):
    """The memory of the model below."""


class Model:
    """Says of each token its id, and takes so many tokens at once; fails late if it is ``lazy``."""

    def __init__(self, tokens: int = 10**9, lazy: bool = False) -> None:
        self.tokens = tokens
        self.lazy = lazy
        self.shapes: list[tuple[int, ...]] = []
        self.flying = 0
        self.most = 0

    def __call__(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Pending:
        assert ((ids != 0) == (mask == 1)).all()
        self.shapes.append(ids.shape)
        used = (self.flying + 1) * ids.size if self.lazy else ids.size
        if used > self.tokens and not self.lazy:
            raise Full
        self.flying += 1
        self.most = max(self.most, self.flying)

        def collect() -> NDArray[np.float32]:
            self.flying -= 1
            if used > self.tokens:
                raise Full
            return ids[:, :, None].astype(np.float32)

        return collect


def run(windows: Sequence[NDArray[np.int32]], model: Model, tokens: int, in_flight: int = 1) -> int:
    """Run the windows and hold the rows against them; gives the batch that fitted."""
    freed: list[int] = []
    rows, fitting = run_batches(
        windows, FRAME, model, tokens, in_flight=in_flight, memory_full=Full, free_memory=lambda: freed.append(1)
    )
    assert [row[:, 0].tolist() for row in rows] == [window.tolist() for window in windows]
    return fitting


def some(lengths: Sequence[int]) -> list[NDArray[np.int32]]:
    return [np.arange(5 + i, 5 + i + length, dtype=np.int32) for i, length in enumerate(lengths)]


def test_batches_are_halved_when_memory_is_full() -> None:
    windows = some([12, 60] * 8)
    model = Model(130)
    fitting = run(windows, model, 1024)
    assert fitting <= 130
    assert model.shapes[:3] == [(8, 64), (4, 64), (2, 64)]
    assert run(windows, model, fitting) == fitting


def test_only_windows_of_one_padded_length_share_a_batch() -> None:
    model = Model()
    run(some([5, 40, 6, 97, 98, 46]), model, 10**6)
    assert model.shapes == [(2, 100), (2, 48), (2, 16)]


def test_a_window_that_fits_no_memory_says_what_to_do() -> None:
    with pytest.raises(ModelError, match="--device cpu"):
        run(some([50] * 3), Model(60), 1024)


def test_a_model_that_gives_one_vector_a_text_is_refused() -> None:
    def pooled(ids: NDArray[np.int64], _: NDArray[np.int64]) -> Pending:
        return lambda: np.ones((len(ids), 1, 4), np.float32)

    with pytest.raises(ModelError, match="no token encoder"):
        run_batches(some([5]), FRAME, pooled, 100)


@given(st.lists(st.integers(1, 98), max_size=30), st.integers(1, 400), st.integers(1, 5))
def test_every_window_comes_back_in_its_place(lengths: list[int], tokens: int, in_flight: int) -> None:
    model = Model()
    run(some(lengths), model, tokens, in_flight)
    assert model.most <= in_flight
    assert model.flying == 0


@given(st.lists(st.integers(1, 98), min_size=1, max_size=30), st.integers(1, 5), st.booleans())
def test_a_memory_for_one_window_is_enough(lengths: list[int], in_flight: int, lazy: bool) -> None:
    model = Model(100, lazy)
    run(some(lengths), model, 1024, in_flight)
    assert model.flying == 0


def test_as_many_batches_are_under_way_as_asked() -> None:
    model = Model()
    run(some([60] * 12), model, 64, in_flight=3)
    assert model.most == 3
