"""The store on disk against a dict, whatever is done to both."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from store_contract import document, embedding, name, put, put_intervals, vectors

from vchunk.adapters.stores.zarr_store import ZarrStore
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, UsageError
from vchunk.domain.keys import Key
from vchunk.domain.ports import Array, StoredInterval

KEYS = [embedding(0x10), embedding(0x11), document(0x10), document(0x20)]
keys = st.sampled_from(KEYS)
embeddings = st.sampled_from(KEYS[:2])
rows = st.sampled_from([0, 1, 5, 256, 4096, 4100])


class StoreMachine(RuleBasedStateMachine):
    """Every artifact that the dict holds, and no other, can be read from the store as it was written."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = ZarrStore(self.folder / "artifacts")
        self.model: dict[Key, tuple[dict[str, Any], dict[str, Array]]] = {}
        self.intervals: dict[Key, list[bytes]] = {}
        self.damaged: set[Key] = set()
        self.noted: dict[str, Key] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def gone(self, key: Key) -> None:
        for known in (self.model, self.intervals):
            known.pop(key, None)
        self.damaged.discard(key)

    @rule(key=keys, count=rows, seed=st.integers(0, 3))
    def write(self, key: Key, count: int, seed: int) -> None:
        data = vectors(count, seed)
        put(self.store, key, {"seed": seed}, vectors=data)
        self.model.setdefault(key, ({"seed": seed}, {"vectors": data}))

    @rule(key=embeddings, numbers=st.lists(st.integers(0, 5), max_size=4, unique=True))
    def write_intervals(self, key: Key, numbers: list[int]) -> None:
        if key in self.model:
            return
        names = [name(number) for number in numbers]
        put_intervals(self.store, key, names, list(range(len(names) + 1)))
        artifact = self.store.read(key)
        self.model[key] = ({}, {name: array[:] for name, array in artifact.arrays.items()})
        self.intervals[key] = names

    @rule(key=keys)
    def fail(self, key: Key) -> None:
        with pytest.raises(ZeroDivisionError), self.store.write(key) as writer:  # noqa: PT012
            writer.array("vectors", vectors(7))
            raise ZeroDivisionError

    @rule(key=keys)
    def damage(self, key: Key) -> None:
        if key in self.model:
            header = self.store.path(key) / "zarr.json"
            header.unlink(missing_ok=True)
            self.damaged.add(key)

    @rule(key=keys)
    def discard(self, key: Key) -> None:
        self.store.discard(key)
        self.gone(key)

    @rule(key=keys)
    def remove(self, key: Key) -> None:
        if key in self.model:
            self.store.remove(key)
            self.gone(key)

    @rule(key=keys, directory=st.sampled_from(["one", "two"]))
    def remember(self, key: Key, directory: str) -> None:
        self.store.remember(str(self.folder / directory), key)
        self.noted[directory] = key

    @rule()
    def reopen(self) -> None:
        self.store = ZarrStore(self.store.root)

    @rule()
    def lose_the_index(self) -> None:
        (self.store.root / "intervals.sqlite").unlink(missing_ok=True)
        self.reopen()

    @rule(key=keys)
    def read(self, key: Key) -> None:
        if key in self.damaged:
            with pytest.raises(DamagedArtifact):
                self.store.read(key)
        elif key in self.model:
            attributes, arrays = self.model[key]
            artifact = self.store.read(key)
            assert artifact.attributes == attributes
            assert artifact.arrays.keys() == arrays.keys()
            for name, data in arrays.items():
                np.testing.assert_array_equal(artifact.arrays[name][:], data)
        else:
            with pytest.raises(MissingArtifact):
                self.store.read(key)

    @rule(prefix=st.sampled_from(["1", "11", "2", "embedding-1", "document-1", "document-3"]))
    def resolve(self, prefix: str) -> None:
        right = [
            key for key in sorted(self.model) if prefix in (str(key)[: len(prefix)], key.digest[: len(prefix)])
        ]
        if len(right) == 1:
            assert self.store.resolve(prefix) == right[0]
        else:
            with pytest.raises(UsageError if right else MissingArtifact):
                self.store.resolve(prefix)

    @rule()
    def find_intervals(self) -> None:
        expected: dict[bytes, StoredInterval] = {}
        for key in sorted(self.intervals.keys() - self.damaged):
            for i, interval in enumerate(self.intervals[key]):
                expected.setdefault(interval, StoredInterval(key, i, i + 1))
        assert self.store.find_intervals([name(number) for number in range(7)]) == expected

    @invariant()
    def the_same_keys(self) -> None:
        assert list(self.store.keys()) == sorted(self.model)
        assert [key for key in KEYS if key in self.store] == [key for key in KEYS if key in self.model]

    @invariant()
    def the_same_notes(self) -> None:
        noted = {directory: self.store.last(str(self.folder / directory)) for directory in ("one", "two")}
        assert noted == {directory: self.noted.get(directory) for directory in ("one", "two")}

    @invariant()
    def nothing_in_tmp(self) -> None:
        tmp = self.store.root / "tmp"
        assert not tmp.exists() or list(tmp.iterdir()) == []


TestStoreAgainstDict = StoreMachine.TestCase
TestStoreAgainstDict.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
