"""Index vectors from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vchunk as library

TEXT = (
    "# Ships\n\nBoats sail on the sea. Masts carry sails.\n\n# Clocks\n\nClocks tick. Springs drive the hands.\n"
)
WANTED = ("chunk", "a.md", "--max-tokens", "16", "--vectors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_vectors_in_records_kept_in_a_sidecar_and_as_parquet(folder: Path, vchunk):
    records = vchunk(*WANTED, "blend").checked().records
    assert len(records) > 2
    rows = np.array([record["vector"] for record in records], np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)

    assert vchunk(*WANTED, "blend").checked().records == records
    kinds = [record["kind"] for record in vchunk("store", "ls").checked().records]
    assert kinds.count("texts") == 1

    plain = vchunk(*WANTED, "blend", "--vectors-out", "v.npy").checked().records
    assert [{**record, "vector": None} for record in plain] == [{**record, "vector": None} for record in records]
    assert "vector" not in plain[0]
    beside = np.load(folder / "v.npy")
    assert beside.dtype == np.float32
    assert np.array_equal(beside, rows)

    embedded = vchunk(*WANTED, "blend", "--format", "embed-text").checked().records
    assert [record["vector"] for record in embedded] == [record["vector"] for record in records]

    parquet = pytest.importorskip("pyarrow.parquet")
    vchunk(*WANTED, "blend", "-o", "c.parquet").checked()
    table = parquet.read_table(folder / "c.parquet")
    assert np.array_equal(np.array(table["vector"].to_pylist(), np.float32), rows)
    piped = vchunk(*WANTED[:-1], "--format", "parquet").checked().output
    (folder / "d.parquet").write_bytes(piped)
    assert parquet.read_table(folder / "d.parquet").drop_columns(["embed_text"]).to_pylist() == plain

    # The library's question finds the chunk that answers it.
    question = library.encode_query("What makes a clock go?")
    assert "Clocks" in records[int(np.argmax(rows @ question))]["text"]


def test_rows_stand_in_the_order_of_the_records_of_all_documents(folder: Path, vchunk):
    (folder / "b.md").write_text("Another document.", encoding="utf-8")
    done = vchunk("chunk", "b.md", "missing.md", "a.md", "--vectors", "late", "--vectors-out", "v.npy")
    assert done.returncode == 1
    one = vchunk("chunk", "a.md", "--vectors", "late").checked().records
    rows = np.load(folder / "v.npy")
    assert len(rows) == len(done.records) == 1 + len(one)
    assert np.array_equal(rows[1:], np.array([record["vector"] for record in one], np.float32))
