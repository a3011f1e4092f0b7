"""Chunks as a Parquet table: one row a chunk, one column a field, for pandas, DuckDB, LanceDB.

Nested fields are Parquet's own lists and structs; ``vector`` is a list of fixed size, which vector
stores take as it is. ``embed_text`` is a column too. Row groups are documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.chunks import Chunk
from vchunk.domain.errors import MissingExtra


class ParquetTable:
    """Writes chunks to a stream, document by document (port ``ChunkTable``).

    Raises
    ------
    MissingExtra
        If pyarrow is not installed.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise MissingExtra("Parquet", "parquet") from None
        self._arrow: Any = pyarrow
        self._stream = stream
        self._writer: Any = None
        self._schema: Any = None

    def add(self, chunks: Sequence[Chunk], vectors: NDArray[np.float32] | None = None) -> None:
        """Write the chunks of a document, and their vectors (n, dim).

        All documents have vectors of one length, or none.
        """
        if self._writer is None:
            self._begin(None if vectors is None else vectors.shape[1])
        if not len(chunks):
            return
        arrow = self._arrow
        rows = [{**chunk.as_dict(), "embed_text": chunk.embed_text} for chunk in chunks]
        columns = [
            arrow.FixedSizeListArray.from_arrays(
                arrow.array(np.ascontiguousarray(vectors).ravel()), field.type.list_size
            )
            if field.name == "vector" and vectors is not None
            else arrow.array([_clean(row[field.name]) for row in rows], field.type)
            for field in self._schema
        ]
        self._writer.write_table(arrow.Table.from_arrays(columns, schema=self._schema))

    def close(self) -> None:
        """Finish the file; one without documents is an empty table."""
        if self._writer is None:
            self._begin(None)
        self._writer.close()

    def _begin(self, dim: int | None) -> None:
        arrow = self._arrow
        fields = dict(_fields(arrow))
        if dim is not None:
            fields["vector"] = arrow.list_(arrow.float32(), dim)
        self._schema = arrow.schema(fields)
        self._writer = arrow.parquet.ParquetWriter(self._stream, self._schema, compression="zstd")


def _fields(arrow: Any) -> Mapping[str, Any]:
    """The columns in the order of the JSON record."""
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    span = {"start": whole, "end": whole}
    box = {"page": whole, **dict.fromkeys(("x0", "y0", "x1", "y1"), real)}

    def rows(**columns: Any) -> Any:
        return arrow.list_(arrow.struct(columns))

    return {
        "id": text,
        "document": text,
        "embedding": text,
        "index": whole,
        **span,
        "line_start": whole,
        "line_end": whole,
        "text": text,
        "tokens": whole,
        "size_in": text,
        "title": text,
        "headings": rows(level=whole, title=text, **span),
        "context": rows(kind=text, text=text),
        "pages": arrow.list_(whole),
        "boxes": rows(**box),
        "kind": text,
        "kinds": arrow.list_(text),
        "language": text,
        "role": text,
        "method": text,
        "boundary": text,
        "strength": real,
        "part": arrow.struct({"parent": text, "index": whole, "count": whole}),
        "parent": text,
        "children": arrow.list_(text),
        "depth": whole,
        "time": arrow.list_(real),
        "speaker": text,
        "embed_text": text,
    }


def _clean(value: Any) -> Any:
    """Text as UTF-8 can hold it: half a surrogate pair becomes a replacement character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {name: _clean(item) for name, item in value.items()}
    return value
