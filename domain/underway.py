"""What need not be encoded: intervals in the store, and those on their way into it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from vchunk.domain.keys import Key
from vchunk.domain.ports import Store, StoredInterval


class Underway:
    """Embeddings on their way into a store, whose intervals can be counted on as those in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[Key, list[bytes]] = {}
        self._places: dict[bytes, StoredInterval] = {}
        self._ended: set[Key] = set()
        self._lock = threading.Lock()

    def begin(self, key: Key) -> bool:
        """An embedding sets out; False where it is on its way already."""
        with self._lock:
            if key in self._names:
                return False
            self._names[key] = []
            return True

    def note(self, key: Key, names: Sequence[bytes], edges: Sequence[int]) -> None:
        """The next intervals of an embedding: the rows of names[i] will be edges[i]..edges[i+1]."""
        with self._lock:
            if key not in self._names:
                return
            for name, start, stop in zip(names, edges, edges[1:], strict=False):
                self._places.setdefault(name, StoredInterval(key, start, stop))
            self._names[key] += names

    def end(self, key: Key) -> None:
        """An embedding is in the store, or will never be."""
        with self._lock:
            self._ended.add(key)
            for name in self._names.pop(key, ()):
                if name in self._places and self._places[name].key == key:
                    del self._places[name]

    def failed(self, key: Key) -> bool:
        """Whether an embedding was on its way and did not arrive."""
        return key in self._ended and key not in self._store

    def find(self, key: Key, names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals of an embedding are held by one before it, or by the store."""
        # In this order: what ends its way meanwhile is in the store by then.
        with self._lock:
            places = {name: self._places[name] for name in names if name in self._places}
        found = {name: place for name, place in places.items() if place.key != key}
        return found | self._store.find_intervals([name for name in names if name not in found])

    def find_stored(self, avoid: Collection[Key], names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals the store holds in other artifacts than these."""
        return {name: at for name, at in self._store.find_intervals(names).items() if at.key not in avoid}
