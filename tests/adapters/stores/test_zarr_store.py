"""The store on disk: the contract, and what can be seen in its files."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from store_contract import ARRAYS, StoreContract, document, embedding, put, race, vectors

from vchunk.adapters.stores import files
from vchunk.adapters.stores.zarr_store import ZarrStore
from vchunk.domain.errors import MissingArtifact, StoreError

KEY = embedding(0xAB)


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


class TestZarrStore(StoreContract):
    def make(self, folder: Path) -> ZarrStore:
        return ZarrStore(folder / "artifacts")

    def test_nothing_is_left_in_tmp(self, store: ZarrStore) -> None:
        def fail() -> None:
            with store.write(KEY) as writer:
                writer.array("vectors", vectors(10))
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert list((store.root / "tmp").iterdir()) == []
        for _ in range(2):
            put(store, KEY, vectors=vectors(10))
        store.remove(KEY)
        assert list((store.root / "tmp").iterdir()) == []


def read_all(store: ZarrStore) -> None:
    for array in store.read(KEY).arrays.values():
        np.asarray(array)


@pytest.fixture
def store(tmp_path: Path) -> ZarrStore:
    return ZarrStore(tmp_path / "artifacts")


def test_the_layout_is_plain_zarr(store: ZarrStore) -> None:
    import zarr

    put(store, KEY, {"tokens": 9}, **ARRAYS)
    assert store.path(KEY) == store.root / "objects" / "embedding" / "ab" / str(KEY)
    group = zarr.open_group(store.path(KEY), mode="r")
    assert group.attrs["tokens"] == 9
    assert set(group.array_keys()) == set(ARRAYS)
    for name, data in ARRAYS.items():
        np.testing.assert_array_equal(group[name][:], data)


def test_wide_rows_lie_in_chunks_of_256_and_shards_of_4096(store: ZarrStore) -> None:
    put(store, KEY, vectors=vectors(9000, dim=384), narrow=np.arange(9000))
    folder = store.path(KEY) / "vectors"
    assert sorted(p.name for p in (folder / "c").iterdir()) == ["0", "1", "2"]
    meta = json.loads((folder / "zarr.json").read_bytes())
    assert meta["chunk_grid"]["configuration"]["chunk_shape"] == [4096, 384]
    sharding = meta["codecs"][0]["configuration"]
    assert sharding["chunk_shape"] == [256, 384]
    assert [codec["name"] for codec in sharding["codecs"]] == ["bytes", "zstd"]
    assert [p.name for p in sorted((store.path(KEY) / "narrow").iterdir())] == ["c.0", "zarr.json"]


def test_every_file_has_a_digest_that_names_its_algorithm(store: ZarrStore) -> None:
    put(store, KEY, vectors=vectors(9000), zeros=np.zeros((9000, 256), np.int8))
    header = json.loads((store.path(KEY) / "zarr.json").read_bytes())["attributes"]["vchunk_store"]
    assert set(header["files"]) == set(tree(store.path(KEY))) - {"zarr.json"}
    assert "zeros/c/2/0" in header["files"]
    assert all(digest.startswith("xxh3-128:") for digest in [header["digest"], *header["files"].values()])


def test_the_same_artifact_is_the_same_bytes(tmp_path: Path) -> None:
    data = vectors(9000)
    one, two = ZarrStore(tmp_path / "one"), ZarrStore(tmp_path / "two")
    with one.write(KEY) as writer:
        writer.attributes({"a": 1, "b": [2]})
        writer.array("vectors", data)
        writer.array("scales", np.ones(9000, np.float32))
    with two.write(KEY) as writer:
        writer.array("scales", np.ones(9000, np.float32))
        sink = writer.stream("vectors", (256,), "int8", 9000)
        for i in range(0, 9000, 777):
            sink.append(data[i : i + 777])
        writer.attributes({"b": [2]})
        writer.attributes({"a": 1})
    assert tree(one.root) == tree(two.root)
    assert len(tree(one.root)) == 7


def test_published_files_cannot_be_written(store: ZarrStore) -> None:
    put(store, KEY, vectors=vectors(300))
    paths = [path for path in store.path(KEY).rglob("*") if path.is_file()]
    assert len(paths) == 3
    assert all(path.stat().st_mode & 0o222 == 0 for path in paths)


def test_published_files_are_as_private_as_the_user_wants(store: ZarrStore) -> None:
    before = os.umask(0o077)
    try:
        put(store, KEY, vectors=vectors(3))
    finally:
        os.umask(before)
    assert all(path.stat().st_mode & 0o077 == 0 for path in store.path(KEY).rglob("*"))


def test_asking_makes_no_directory(store: ZarrStore) -> None:
    assert KEY not in store
    assert list(store.keys()) == []
    assert store.find_intervals([b"0" * 16]) == {}
    assert store.last(".") is None
    assert store.leftovers() == []
    store.add_intervals(KEY, [b"0" * 16], [0, 1])
    store.discard(KEY)
    for ask in (store.read, store.size, store.remove):
        with pytest.raises(MissingArtifact):
            ask(KEY)
    with pytest.raises(MissingArtifact):
        store.resolve("ab")
    assert not store.root.exists()


def test_what_needs_no_shards_needs_no_zarr(store: ZarrStore) -> None:
    put(store, KEY, {"tokens": 3}, vectors=vectors(3))
    store.remember(".", KEY)
    script = """if True:
        import sys
        from pathlib import Path
        from vchunk.adapters.stores.zarr_store import ZarrStore
        from vchunk.domain.keys import Key
        store = ZarrStore(Path(sys.argv[1]))
        [key] = store.keys()
        assert store.resolve("ab") == store.last(".") == key
        artifact = store.read(key)
        assert artifact.attributes == {"tokens": 3} and store.size(key) > 0
        assert len(artifact.arrays["vectors"][1:]) == 2
        with store.write(Key("document", "5" * 32)) as writer:
            writer.array("again", artifact.arrays["vectors"][:])
        store.verify(key)
        loaded = {"zarr", "torch", "transformers"} & sys.modules.keys()
        assert not loaded, loaded
    """
    subprocess.run([sys.executable, "-W", "error", "-c", script, str(store.root)], check=True, timeout=60)


def test_a_stream_holds_no_more_than_a_few_shards(store: ZarrStore) -> None:
    shard = vectors(4096)
    with store.write(KEY) as writer:
        sink = writer.stream("vectors", (256,), "int8", 20 * 4096)
        sink.append(shard)
        tracemalloc.start()
        for _ in range(19):
            sink.append(shard[:1000])
            sink.append(shard[1000:])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 6 * shard.nbytes


# Other processes


def test_of_eight_racers_one_wins_and_none_fails(store: ZarrStore) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(8), context.Queue()
    racers = [context.Process(target=race, args=(str(store.root), start, results)) for _ in range(8)]
    for racer in racers:
        racer.start()
    sums = [results.get(timeout=120) for _ in racers]
    for racer in racers:
        racer.join()
    assert sums == [int(vectors(5000).astype(np.int64).sum())] * 8
    assert list(store.keys()) == [KEY]
    assert list((store.root / "tmp").iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_writer_disturbs_nobody(store: ZarrStore) -> None:
    script = """if True:
        import os, signal, sys
        from pathlib import Path
        import numpy as np
        from vchunk.adapters.stores.zarr_store import ZarrStore
        from vchunk.domain.keys import Key
        with ZarrStore(Path(sys.argv[1])).write(Key.parse(sys.argv[2])) as writer:
            writer.array("vectors", np.zeros((5000, 256), np.int8))
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", script, str(store.root), str(KEY)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert KEY not in store
    assert list(store.keys()) == []
    put(store, KEY, vectors=vectors(3))
    read_all(store)
    [left] = store.leftovers(older_than=-1)
    assert left.parent == store.root / "tmp"
    assert store.leftovers() == []  # it may still be at work


# A store that cannot be used


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = ZarrStore(tmp_path / "file" / "artifacts")
    for write in (lambda: put(store, KEY), lambda: store.remember(".", KEY)):
        with pytest.raises(StoreError, match=rf"{store.root}.*--store or VCHUNK_STORE") as caught:
            write()
        assert "\n" not in str(caught.value)


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("")
    store = ZarrStore(tmp_path)
    for ask in (store.keys, lambda: put(store, KEY, vectors=vectors(2))):
        with pytest.raises(StoreError, match="--store"):
            ask()


@pytest.mark.parametrize("which", range(4))
def test_a_full_disk_is_told_in_one_line(store: ZarrStore, monkeypatch: pytest.MonkeyPatch, which: int) -> None:
    real, calls = files.write_read_only, iter(range(99))

    def full(path: Path, data: bytes) -> None:
        if next(calls) == which:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        real(path, data)

    monkeypatch.setattr(files, "write_read_only", full)
    with pytest.raises(StoreError, match=rf"{store.root} \(No space left on device\).*--store") as caught:
        put(store, KEY, vectors=vectors(5000))
    assert "\n" not in str(caught.value)
    assert KEY not in store
    assert list((store.root / "tmp").iterdir()) == []


def test_the_stores_own_attribute_is_not_for_others(store: ZarrStore) -> None:
    with pytest.raises(ValueError, match="vchunk_store"):
        put(store, KEY, {"vchunk_store": 1})


def test_strangers_among_the_objects_are_passed_over(store: ZarrStore) -> None:
    put(store, document(1))
    folder = store.path(document(1)).parent
    (folder / ".DS_Store").write_text("")
    (folder / str(KEY)).mkdir()  # of another kind
    (store.root / "objects" / "document" / "notes.txt").mkdir()
    assert list(store.keys()) == [document(1)]


@pytest.mark.parametrize("content", ["", "[]", "{}", '["directory", "key"]', "\x00"])
def test_a_note_that_makes_no_sense_is_no_note(store: ZarrStore, tmp_path: Path, content: str) -> None:
    store.remember(str(tmp_path), KEY)
    [note] = (store.root / "last").iterdir()
    note.write_text(content or note.read_text().replace(str(tmp_path), str(tmp_path / "else")))
    assert store.last(str(tmp_path)) is None
    store.remember(str(tmp_path), KEY)
    assert store.last(str(tmp_path)) == KEY
    assert len(list((store.root / "last").iterdir())) == 1
