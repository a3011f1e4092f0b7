"""Chunks as Parquet, read back by another library's reader."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import vchunk
from vchunk.adapters.tables.parquet import ParquetTable

pyarrow = pytest.importorskip("pyarrow")

TEXT = """# Boats

A sentence about boats. Another one about harbours, masts and sails.

Table 1: All boats.

| boat | masts |
|------|-------|
| yawl | 2     |
| ketch | 2    |
"""


def chunks_of(text: str = TEXT, name: str = "a.md") -> vchunk.Chunks:
    source = vchunk.Source(name, text.encode())
    return vchunk.Session().read(source).chunks(method="structure", max_tokens=14, skip=())


def written(*tables: tuple[vchunk.Chunks, np.ndarray | None]) -> pyarrow.Table:
    import pyarrow.parquet

    stream = io.BytesIO()
    table = ParquetTable(stream)
    for chunks, vectors in tables:
        table.add(chunks, vectors)
    table.close()
    return pyarrow.parquet.read_table(io.BytesIO(stream.getvalue()))


def test_rows_are_the_records() -> None:
    boats = chunks_of()
    spoken = chunks_of("WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ada>Hello, all.\n", "a.vtt")
    assert any(c.context for c in boats)
    assert any(c.part for c in boats)
    rows = written((boats, None), (spoken, None)).to_pylist()
    assert rows == [{**c.as_dict(), "embed_text": c.embed_text} for c in [*boats, *spoken]]


def test_vectors_are_lists_of_fixed_size() -> None:
    chunks = chunks_of()
    vectors = np.random.default_rng(1).standard_normal((len(chunks), 5)).astype(np.float32)
    table = written((chunks, vectors), (chunks, vectors + 1))
    assert table.schema.field("vector").type == pyarrow.list_(pyarrow.float32(), 5)
    assert table.num_rows == 2 * len(chunks)
    assert np.array_equal(np.array(table["vector"].to_pylist(), np.float32), np.vstack([vectors, vectors + 1]))


def test_no_documents_and_no_chunks_give_a_table_with_the_same_columns() -> None:
    chunks = chunks_of()
    names = [*chunks[0].as_dict(), "embed_text"]
    for table in (written(), written((chunks_of("  \n"), None))):
        assert (table.num_rows, table.column_names) == (0, names)
    empty = written((chunks_of("  \n"), np.zeros((0, 4), np.float32)))
    assert empty.column_names == [*names, "vector"]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    from dataclasses import replace

    [chunk] = chunks_of("one sentence")
    odd = vchunk.Chunks([replace(chunk, text="a\ud800b", speaker="\udfff")], [])
    [row] = written((odd, None)).to_pylist()
    assert (row["text"], row["speaker"]) == ("a\ufffdb", "\ufffd")


def test_without_pyarrow_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(vchunk.MissingExtra, match=r"Parquet needs .* pip install 'vchunk\[parquet\]'"):
        ParquetTable(io.BytesIO())
