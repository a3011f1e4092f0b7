"""Arrays of one file: what is written directly is what zarr writes and reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from zarr.buffer.cpu import Buffer
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore

from vchunk.adapters.stores import shards, single_chunk

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64"]
SHAPES = arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=7)


def write(data: np.ndarray[Any, Any]) -> dict[str, bytes]:
    """The files of an array."""
    out: dict[str, bytes] = {}
    shards.ShardWriter(data.shape, data.dtype, out.__setitem__)(data)
    return out


@given(st.sampled_from(DTYPES).flatmap(lambda dtype: arrays.arrays(dtype, SHAPES)))
def test_zarr_reads_what_is_written_directly(data: np.ndarray[Any, Any]) -> None:
    files = write(data)
    buffers = {name: Buffer.from_bytes(content) for name, content in files.items()}
    opened: Any = zarr.open_array(MemoryStore(buffers, read_only=True), mode="r")
    assert opened.dtype == data.dtype
    np.testing.assert_array_equal(opened[...], data)
    again = shards.LazyArray(files.__getitem__)[:]
    assert again.dtype == data.dtype
    np.testing.assert_array_equal(again, data)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_metadata_are_those_that_zarr_gives(dtype: str) -> None:
    held: dict[str, Any] = {}
    zarr.create_array(
        MemoryStore(held),
        shape=(5, 3),
        dtype=dtype,
        chunks=(5, 3),
        filters=None,
        compressors=ZstdCodec(level=single_chunk.ZSTD_LEVEL),
        zarr_format=3,
        chunk_key_encoding={"name": "default", "separator": "."},
    )
    assert json.loads(single_chunk.metadata((5, 3), np.dtype(dtype))) == json.loads(held["zarr.json"].to_bytes())


@pytest.mark.parametrize("layout", [{"shards": (6,), "chunks": (2,)}, {"chunks": (4,)}])
def test_arrays_that_others_laid_out_are_read_by_zarr(tmp_path: Path, layout: dict[str, Any]) -> None:
    """As earlier versions wrote short arrays too."""
    data = np.arange(10, dtype=np.int32)
    zarr.create_array(tmp_path / "array", data=data, **layout)
    read = shards.LazyArray(lambda path: (tmp_path / "array" / path).read_bytes())
    assert single_chunk.parse((tmp_path / "array" / "zarr.json").read_bytes()) is None
    np.testing.assert_array_equal(read[1:9], data[1:9])


def test_the_bytes_are_little_endian() -> None:
    rows = np.arange(4, dtype=">i4")
    assert single_chunk.encode(rows) == single_chunk.encode(rows.astype("<i4"))
