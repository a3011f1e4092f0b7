"""Damage to the files of an artifact is found, named and mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_contract import embedding, put, vectors

from vchunk.adapters.stores.zarr_store import ZarrStore
from vchunk.domain.errors import DamagedArtifact, StoreError

KEY = embedding(0xAB)


@pytest.fixture
def store(tmp_path: Path) -> ZarrStore:
    return ZarrStore(tmp_path / "artifacts")


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def empty(path: Path) -> None:
    overwrite(path, b"")


def truncate(path: Path) -> None:
    overwrite(path, path.read_bytes()[:-1])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    overwrite(path, bytes(data))


def other_json(path: Path) -> None:
    overwrite(path, b'["an", "array"]')


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def read_all(store: ZarrStore) -> None:
    for array in store.read(KEY).arrays.values():
        np.asarray(array)


@pytest.mark.parametrize("damage", [empty, truncate, flip, other_json, folder_instead, Path.unlink])
@pytest.mark.parametrize("file", ["zarr.json", "vectors/zarr.json", "vectors/c/1/0", "scales/c.0"])
def test_damage_is_found_named_and_mended(store: ZarrStore, file: str, damage: Callable[[Path], None]) -> None:
    arrays = {"vectors": vectors(5000), "scales": np.ones(5000, np.float32)}
    put(store, KEY, {"tokens": 5}, **arrays)
    put(store, embedding(1), {"tokens": 5}, **arrays)
    damage(store.path(KEY) / file)
    assert KEY in store
    for check in (lambda: read_all(store), lambda: store.verify(KEY)):
        with pytest.raises(DamagedArtifact, match=rf"{KEY}.*{file}.*embed its source again") as caught:
            check()
        assert "\n" not in str(caught.value)
    store.verify(embedding(1))
    store.discard(KEY)
    assert KEY not in store
    assert [path.name[: len(str(KEY))] for path in (store.root / "damaged").iterdir()] == [str(KEY)]
    put(store, KEY, {"tokens": 5}, **arrays)
    read_all(store)
    damage(store.path(KEY) / file)
    store.discard(KEY)
    assert len(list((store.root / "damaged").iterdir())) == 2


def test_only_the_shards_that_are_touched_are_read(store: ZarrStore) -> None:
    put(store, KEY, vectors=vectors(12_000))
    for shard in (0, 2):
        (store.path(KEY) / "vectors" / "c" / str(shard) / "0").unlink()
    array = store.read(KEY).arrays["vectors"]
    np.testing.assert_array_equal(array[4096:8192], vectors(12_000)[4096:8192])
    for rows in (slice(4095, 4097), slice(8191, 8193), slice(None)):
        with pytest.raises(DamagedArtifact):
            array[rows]


def test_shards_that_changed_places_are_damage(store: ZarrStore) -> None:
    put(store, KEY, vectors=vectors(9000))
    one, two = (store.path(KEY) / "vectors" / "c" / str(i) / "0" for i in range(2))
    first, second = one.read_bytes(), two.read_bytes()
    overwrite(one, second)
    overwrite(two, first)
    with pytest.raises(DamagedArtifact):
        store.read(KEY).arrays["vectors"][:10]


def test_an_artifact_in_the_place_of_another_is_damage(store: ZarrStore) -> None:
    put(store, embedding(1), vectors=vectors(10))
    store.path(KEY).parent.mkdir(parents=True)
    store.path(embedding(1)).rename(store.path(KEY))
    with pytest.raises(DamagedArtifact, match=str(KEY)):
        store.read(KEY)


def test_a_file_in_the_place_of_an_artifact_is_damage(store: ZarrStore) -> None:
    store.path(KEY).parent.mkdir(parents=True)
    store.path(KEY).write_text("mine")
    with pytest.raises(DamagedArtifact, match=str(KEY)):
        store.read(KEY)
    store.discard(KEY)
    put(store, KEY, vectors=vectors(3))
    read_all(store)


@settings(max_examples=150)
@given(place=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_no_flipped_bit_of_the_header_changes_what_is_read(place: int, bit: int, flipped: Any) -> None:
    store, artifact, original = flipped
    data = bytearray(original)
    data[place % len(data)] ^= 1 << bit
    overwrite(store.path(KEY) / "zarr.json", bytes(data))
    try:
        back = store.read(KEY)
    except DamagedArtifact:
        return
    assert (back.attributes, set(back.arrays)) == (artifact.attributes, set(artifact.arrays))


@pytest.fixture(scope="module")
def flipped(tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = ZarrStore(tmp_path_factory.mktemp("artifacts"))
    put(store, KEY, {"tokens": 5, "title": "caf\u00e9"}, vectors=vectors(10))
    return store, store.read(KEY), (store.path(KEY) / "zarr.json").read_bytes()


def test_an_artifact_of_a_later_format_is_not_called_damaged(
    store: ZarrStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vchunk.adapters.stores.zarr_store.FORMAT", 3)
    put(store, KEY, vectors=vectors(3))
    monkeypatch.undo()
    with pytest.raises(StoreError, match=rf"{KEY}.* format 3.*update vchunk") as caught:
        store.read(KEY)
    assert not isinstance(caught.value, DamagedArtifact)


def test_an_artifact_of_an_earlier_format_is_read(store: ZarrStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vchunk.adapters.stores.zarr_store.FORMAT", 1)
    put(store, KEY, {"tokens": 3}, vectors=vectors(3))
    monkeypatch.undo()
    assert store.read(KEY).attributes == {"tokens": 3}
    store.verify(KEY)


def test_an_artifact_that_was_mended_meanwhile_is_not_discarded(store: ZarrStore) -> None:
    slow = ZarrStore(store.root)
    put(store, KEY, vectors=vectors(3))
    flip(store.path(KEY) / "zarr.json")
    for one in (slow, store):
        with pytest.raises(DamagedArtifact):
            one.read(KEY)
    store.discard(KEY)
    put(store, KEY, vectors=vectors(3))
    slow.discard(KEY)
    read_all(slow)
