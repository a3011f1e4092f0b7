"""What is on its way into the store can be counted on, until it is there or will never be."""

from __future__ import annotations

from typing import Any

import numpy as np

from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.keys import Key
from vchunk.domain.ports import StoredInterval
from vchunk.domain.underway import Underway

A, B, C = (Key("embedding", digit * 32) for digit in "abc")
NAMES = [bytes([i]) * 16 for i in range(4)]


def write(store: MemoryStore, key: Key, names: list[bytes]) -> None:
    arrays: dict[str, Any] = {
        "interval_names": np.frombuffer(b"".join(names), np.uint8).reshape(-1, 16),
        "interval_edges": np.arange(len(names) + 1, dtype=np.int32) * 10,
        "vectors": np.zeros((10 * len(names), 3), np.int8),
    }
    with store.write(key) as out:
        for name, data in arrays.items():
            out.array(name, data)
    store.add_intervals(key, names, arrays["interval_edges"].tolist())


def test_an_interval_is_found_where_it_will_be() -> None:
    underway = Underway(MemoryStore())
    assert underway.begin(A)
    assert not underway.begin(A)
    underway.note(A, NAMES[:2], [0, 10, 30])
    underway.note(A, NAMES[2:3], [30, 35])
    assert underway.begin(B)
    assert underway.find(B, NAMES) == {
        NAMES[0]: StoredInterval(A, 0, 10),
        NAMES[1]: StoredInterval(A, 10, 30),
        NAMES[2]: StoredInterval(A, 30, 35),
    }
    assert underway.find(A, NAMES) == {}


def test_of_two_that_hold_it_the_first_is_meant_and_either_may_end_first() -> None:
    underway = Underway(MemoryStore())
    for key, start in ((A, 0), (B, 100)):
        underway.begin(key)
        underway.note(key, NAMES[:1], [start, start + 10])
    assert underway.find(C, NAMES) == {NAMES[0]: StoredInterval(A, 0, 10)}
    underway.end(B)
    assert underway.find(C, NAMES) == {NAMES[0]: StoredInterval(A, 0, 10)}
    underway.end(A)
    assert underway.find(C, NAMES) == {}


def test_what_arrived_is_found_in_the_store_and_what_did_not_has_failed() -> None:
    store = MemoryStore()
    underway = Underway(store)
    for key in (A, B):
        underway.begin(key)
    underway.note(A, NAMES[:2], [0, 10, 20])
    underway.note(B, NAMES[2:], [0, 10, 20])
    assert not underway.failed(A)
    write(store, A, NAMES[:2])
    underway.end(A)
    underway.end(B)
    underway.note(B, NAMES[2:], [0, 10, 20])  # what still comes of it counts no more
    assert set(underway.find(C, NAMES)) == set(NAMES[:2])
    assert (underway.failed(A), underway.failed(B), underway.failed(C)) == (False, True, False)
    assert underway.begin(A)


def test_artifacts_can_be_left_aside() -> None:
    store = MemoryStore()
    write(store, A, NAMES[:2])
    write(store, B, NAMES[2:])
    underway = Underway(store)
    assert set(underway.find_stored({A}, NAMES)) == set(NAMES[2:])
