"""The arrays that a store on disk gives index as numpy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_contract import embedding, put, vectors

from vchunk.adapters.stores.zarr_store import ZarrStore

KEY = embedding(0xAB)


@pytest.fixture(scope="module")
def lazy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = ZarrStore(tmp_path_factory.mktemp("artifacts"))
    wide = vectors(9000)
    put(store, KEY, wide=wide)
    return wide, store.read(KEY).arrays["wide"]


bounds = st.none() | st.integers(-9100, 9100) | st.sampled_from([0, 4095, 4096, 4097, 8192, 9000])
slices = st.builds(slice, bounds, bounds, st.none() | st.sampled_from([1, 2, 4096, -1, -3]))


@given(rows=slices | st.integers(-9000, 8999), column=st.none() | st.integers(-256, 255) | st.just(slice(3, 9)))
def test_rows_are_indexed_as_numpy_does(lazy: Any, rows: Any, column: Any) -> None:
    data, array = lazy
    item = rows if column is None else (rows, column)
    np.testing.assert_array_equal(array[item], data[item])


def test_other_ways_of_indexing(lazy: Any) -> None:
    data, array = lazy
    for item in (..., np.array([5, 8999, 5]), data[:, 0] > 100, (..., 3), None):
        np.testing.assert_array_equal(array[item], data[item])
    for row in (9000, -9001):
        with pytest.raises(IndexError):
            array[row]
    assert np.asarray(array, np.float32).dtype == np.float32
    assert array.ndim == 2
    with pytest.raises(ValueError, match="copy"):
        np.array(array, copy=False)


def test_what_was_read_is_the_readers_own(lazy: Any) -> None:
    data, array = lazy
    rows = array[10:20]
    rows[:] = 0
    np.testing.assert_array_equal(array[10:20], data[10:20])
