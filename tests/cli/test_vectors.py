"""Index vectors from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import models

WANTED = ("chunk", "a.txt", "--max-tokens", "40", "--vectors")


@pytest.fixture
def vchunk(vchunk, tmp_path: Path, model: Path):
    """With a document, and the tiny encoder."""
    (tmp_path / "a.txt").write_text(models.sentences(12), encoding="utf-8")
    return lambda *arguments: vchunk(*arguments, "--encoder", model)


def test_vectors_in_records_in_a_sidecar_and_as_parquet(tmp_path: Path, vchunk) -> None:
    records = vchunk(*WANTED, "blend").records
    assert len(records) > 2
    rows = np.array([record["vector"] for record in records], np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)

    plain = vchunk(*WANTED, "blend", "--vectors-out", "v.npy").records
    assert plain == [{name: record[name] for name in record if name != "vector"} for record in records]
    beside = np.load(tmp_path / "v.npy")
    assert beside.dtype == np.float32
    assert np.array_equal(beside, rows)

    embedded = vchunk(*WANTED, "blend", "--format", "embed-text").records
    assert [record["vector"] for record in embedded] == [record["vector"] for record in records]
    assert set(embedded[0]) == {"id", "embed_text", "vector"}

    parquet = pytest.importorskip("pyarrow.parquet")
    vchunk(*WANTED, "blend", "-o", "c.parquet")
    table = parquet.read_table(tmp_path / "c.parquet")
    assert np.array_equal(np.array(table["vector"].to_pylist(), np.float32), rows)
    (tmp_path / "d.parquet").write_bytes(vchunk(*WANTED[:-1], "--format", "parquet").output)
    assert parquet.read_table(tmp_path / "d.parquet").drop_columns(["embed_text"]).to_pylist() == plain


def test_a_second_run_gives_the_same_bytes_and_loads_no_model(
    vchunk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = vchunk(*WANTED, "text").output

    def refuse(*_: object) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr("vchunk.adapters.encoders.torch_model.load_module", refuse)
    assert vchunk(*WANTED, "text").output == first
    (tmp_path / "a.txt").write_text(models.sentences(12, seed=3), encoding="utf-8")
    assert vchunk(*WANTED, "text").code == 1


def test_rows_stand_in_the_order_of_the_records_of_all_documents(tmp_path: Path, vchunk) -> None:
    (tmp_path / "b.txt").write_text("The river.", encoding="utf-8")
    done = vchunk("chunk", "b.txt", "missing.txt", "a.txt", "--vectors", "late", "--vectors-out", "v.npy")
    assert done.code == 1
    one = vchunk("chunk", "a.txt", "--vectors", "late").records
    rows = np.load(tmp_path / "v.npy")
    assert len(rows) == len(done.records) == 1 + len(one)
    assert np.array_equal(rows[1:], np.array([record["vector"] for record in one], np.float32))
