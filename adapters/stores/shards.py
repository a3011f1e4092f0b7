"""The arrays of an artifact as zarr v3 arrays, encoded and decoded in memory.

The bytes of a file are made and read here; the store moves them to and from the disk. So a digest is
taken over the very bytes that are written and checked over the very bytes that are decoded, and no
thread of zarr touches the disk when a write is interrupted. What lies on the disk is plain zarr v3.

An array of up to 16 times 256 rows is one chunk in one file; a longer one has shards of so many rows, with
inner chunks of 256. Rows under 256 bytes are so small that a chunk takes more of them, up to 64 KiB.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from vchunk.adapters.stores import single_chunk
from vchunk.domain.ports import Array

CHUNK_ROWS = 256
CHUNK_BYTES = 1 << 16
CHUNKS_PER_SHARD = 16

Put = Callable[[str, bytes], None]
"""Writes a file of the array, named by its path below the array's folder."""
Load = Callable[[str], bytes]
"""Reads such a file and checks it."""

METADATA = "zarr.json"


def grid(shape: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """Rows of an inner chunk and rows of a file for an array of this shape; equal for one that is one chunk."""
    row_bytes = max(1, int(np.prod(shape[1:], dtype=np.int64)) * itemsize)
    chunk = max(CHUNK_ROWS, CHUNK_BYTES >> (row_bytes - 1).bit_length())
    shard = CHUNKS_PER_SHARD * chunk
    return (chunk, shard) if shape[0] > shard else (max(1, shape[0]), max(1, shape[0]))


def shard_path(index: int, ndim: int) -> str:
    """The file of a shard: shards follow one another along the rows and span all other axes."""
    return "/".join(["c", str(index), *["0"] * (ndim - 1)])


class ShardWriter:
    """Encodes rows, file by file; holds the rows of one at most."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], put: Put) -> None:
        chunk, self._shard = grid(shape, dtype.itemsize)
        self._shape = shape
        self._dtype = dtype
        self._put = put
        self._held: Array | None = None
        self._filled = 0
        self._done = 0
        self._files: dict[str, Any] = {}
        self._array = None if chunk == self._shard else self._sharded(chunk)
        if self._array is None:
            put(METADATA, single_chunk.metadata(shape, dtype))
        self._flush_files()

    def _sharded(self, chunk: int) -> Any:
        import zarr
        from zarr.codecs import ZstdCodec
        from zarr.storage import MemoryStore

        rest = tuple(max(1, n) for n in self._shape[1:])
        return zarr.create_array(
            MemoryStore(self._files),
            shape=self._shape,
            dtype=self._dtype,
            chunks=(chunk, *rest),
            shards=(self._shard, *rest),
            filters=None,
            compressors=ZstdCodec(level=single_chunk.ZSTD_LEVEL),
            zarr_format=3,
            # every shard is a file, so that one which is not there can be told from one of zeros
            config={"write_empty_chunks": True},
        )

    def __call__(self, rows: Array) -> None:
        """Take the next rows."""
        if rows.size == 0:
            return  # rows without elements have no file
        while len(rows):
            room = min(self._shard, self._shape[0] - self._done)
            if self._filled == 0 and len(rows) >= room:
                self._encode(rows[:room])
                rows = rows[room:]
                continue
            if self._held is None:
                self._held = np.empty((self._shard, *self._shape[1:]), self._dtype)
            take = min(room - self._filled, len(rows))
            self._held[self._filled : self._filled + take] = rows[:take]
            self._filled += take
            rows = rows[take:]
            if self._filled == room:
                self._filled = 0
                self._encode(self._held[:room])

    def _encode(self, rows: Array) -> None:
        if self._array is None:
            self._put(single_chunk.path(rows.ndim), single_chunk.encode(rows))
            return
        self._array[self._done : self._done + len(rows)] = rows
        self._done += len(rows)
        self._flush_files()

    def _flush_files(self) -> None:
        while self._files:
            path, data = self._files.popitem()
            self._put(path, data.to_bytes())


class LazyArray:
    """An array of a stored artifact: read, checked and decoded a file at a time, when asked for.

    Indexing gives numpy arrays of the reader's own. The shard read last is kept, so that reading
    many short runs of rows in order decodes each shard once.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._lock = threading.RLock()
        self._opened: _SingleFile | _ShardedFiles | None = None
        self._held: tuple[int, Array] | None = None

    @property
    def _files(self) -> _SingleFile | _ShardedFiles:
        with self._lock:
            if self._opened is None:
                data = self._load(METADATA)
                plain = single_chunk.parse(data)
                self._opened = _SingleFile(*plain) if plain else _ShardedFiles(data)
            return self._opened

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows first."""
        return self._files.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._files.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, item: Any) -> Any:
        """Rows and parts of rows, as numpy indexes them; a slice reads no shard outside it."""
        first, *rest = item if isinstance(item, tuple) else (item,)
        if isinstance(first, slice):
            wanted = range(*first.indices(len(self)))
            low, high = (min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1]) + 1) if wanted else (0, 0)
            rows = self._rows(low, high)[:: first.step]
            return rows[(slice(None), *rest)] if rest else rows
        if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
            row = range(len(self))[int(first)]
            return self._rows(row, row + 1)[(0, *rest)]
        return self._rows(0, len(self))[item]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("a stored array cannot be had without copying it")
        rows = self._rows(0, len(self))
        return rows if dtype is None else rows.astype(dtype, copy=False)

    def _rows(self, low: int, high: int) -> Array:
        rows: Array = np.empty((high - low, *self.shape[1:]), self.dtype)
        if rows.size == 0:
            return rows
        size = self._files.rows
        for index in range(low // size, -(-high // size)):
            start = index * size
            begin, end = max(low, start), min(high, start + size)
            rows[begin - low : end - low] = self._shard(index)[begin - start : end - start]
        return rows

    def _shard(self, index: int) -> Array:
        with self._lock:
            if self._held is None or self._held[0] != index:
                path = self._files.path(index)
                self._held = (index, self._files.decode(index, self._load(path)))
            return self._held[1]


class _SingleFile:
    """An array that is one chunk."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.rows = max(1, shape[0])

    def path(self, _index: int) -> str:
        """The only file."""
        return single_chunk.path(len(self.shape))

    def decode(self, _index: int, data: bytes) -> Array:
        """All rows, of the bytes of that file."""
        return single_chunk.decode(data, self.shape, self.dtype)


class _ShardedFiles:
    """An array of several files, which zarr decodes."""

    def __init__(self, metadata: bytes) -> None:
        import zarr
        from zarr.buffer.cpu import Buffer
        from zarr.storage import MemoryStore

        self._buffer = Buffer.from_bytes
        self._held: dict[str, Any] = {METADATA: self._buffer(metadata)}
        self._array: Any = zarr.open_array(MemoryStore(self._held, read_only=True), mode="r")
        self.shape: tuple[int, ...] = tuple(self._array.shape)
        self.dtype: np.dtype[Any] = self._array.dtype
        self.rows: int = (self._array.shards or self._array.chunks)[0]

    def path(self, index: int) -> str:
        """The file of some rows."""
        return shard_path(index, len(self.shape))

    def decode(self, index: int, data: bytes) -> Array:
        """The rows of a file, of its bytes."""
        path = self.path(index)
        self._held[path] = self._buffer(data)
        try:
            rows: Array = self._array[index * self.rows : (index + 1) * self.rows]
        finally:
            del self._held[path]
        return rows
