"""Rows in bounded memory: the same rows, whatever is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain import rows as rows_module
from vchunk.domain.quantize import dequantize, quantize
from vchunk.domain.rows import RollingRows, StoredRows


def test_rolling_rows_drop_what_is_behind() -> None:
    path = np.arange(20, dtype=np.float32).reshape(10, 2)
    rows = RollingRows(2)
    rows.append(path[:4], 0)
    rows.append(path[4:7], 2)
    assert (rows.start, rows.stop) == (2, 7)
    assert (rows(2, 7) == path[2:7]).all()
    assert (rows(5, 6) == path[5:6]).all()
    rows.append(path[7:], 100)  # drops all that there was, never more
    assert (rows.start, rows.stop) == (7, 10)
    assert (rows(8, 10) == path[8:10]).all()
    rows.append(path[:1], -5)
    assert rows.start == 7


class Recorder:
    """An array that notes which slices were read."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data
        self.shape = data.shape
        self.read: list[tuple[int, int]] = []

    def __getitem__(self, part: slice) -> np.ndarray:
        self.read.append((part.start, part.stop))
        return self.data[part]


@given(st.data())
def test_stored_rows_are_those_that_were_stored(data: st.DataObject) -> None:
    quantized, scales = quantize(np.random.default_rng(0).standard_normal((25, 3)).astype(np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "SLAB", data.draw(st.integers(1, 30)))
        rows = StoredRows(quantized, scales)
        for _ in range(data.draw(st.integers(1, 5))):
            start = data.draw(st.integers(0, 25))
            stop = data.draw(st.integers(start, 25))
            if start < 25:
                assert (rows(start, stop) == dequantize(quantized, scales)[start:stop]).all()


def test_reading_forwards_touches_each_slab_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "SLAB", 10)
    quantized, scales = quantize(np.random.default_rng(0).standard_normal((95, 3)).astype(np.float32))
    vectors = Recorder(quantized)
    rows = StoredRows(vectors, scales)
    for start in range(0, 90, 3):
        rows(max(start - 8, 0), start + 5)
    assert vectors.read == [(i, min(i + 10, 95)) for i in range(0, 100, 10)]
