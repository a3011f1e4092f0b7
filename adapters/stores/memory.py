"""A store that lives as long as its process: for tests and for callers who want no files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from vchunk.adapters.stores.drafts import Draft, Slab, encode_json
from vchunk.adapters.stores.intervals import Triple, held_intervals, triples
from vchunk.adapters.stores.prefixes import choose, missing, split_prefix
from vchunk.domain.keys import Key
from vchunk.domain.ports import Array, Artifact, StoredInterval

_WHERE = "in memory"


class MemoryStore:
    """Keeps artifacts in this process, with the rules of the store on disk."""

    def __init__(self) -> None:
        self._artifacts: dict[Key, Artifact] = {}
        self._written: dict[Key, float] = {}
        self._intervals: dict[bytes, list[StoredInterval]] = {}
        self._last: dict[str, Key] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._artifacts

    def read(self, key: Key) -> Artifact:
        """The artifact; its arrays cannot be written to."""
        try:
            return self._artifacts[key]
        except KeyError:
            raise missing(str(key), _WHERE) from None

    @contextmanager
    def write(self, key: Key) -> Iterator[Draft]:
        """Build an artifact; it is published when the block ends without an error."""
        arrays: dict[str, Array] = {}

        def begin(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Slab:
            arrays[name] = np.empty(shape, dtype)
            return _filler(arrays[name])

        draft = Draft(key, begin)
        yield draft
        attributes = draft.finish()
        if key in self._artifacts:
            return  # the first one stands
        for array in arrays.values():
            array.flags.writeable = False
        self._artifacts[key] = Artifact(key, attributes, arrays)
        self._written[key] = time.time()

    def keys(self) -> Iterator[Key]:
        """All keys, sorted."""
        return iter(sorted(self._artifacts))

    def resolve(self, prefix: str) -> Key:
        """The key that begins so; the kind and its dash may be left out."""
        parts = split_prefix(prefix)
        kinds, digits = parts or ((), "")
        return choose(prefix, [k for k in self.keys() if k.kind in kinds and k.digest.startswith(digits)], _WHERE)

    def size(self, key: Key) -> int:
        """Bytes of the arrays and of the attributes as JSON."""
        artifact = self.read(key)
        return sum(int(a.nbytes) for a in artifact.arrays.values()) + len(encode_json(artifact.attributes))

    def modified(self, key: Key) -> float:
        """When the artifact was published, in seconds since the epoch."""
        self.read(key)
        return self._written[key]

    def verify(self, key: Key) -> None:
        """Nothing can be damaged here; raises MissingArtifact all the same."""
        self.read(key)

    def discard(self, key: Key) -> None:
        """Let go of an artifact; nothing happens where there is none."""
        self._artifacts.pop(key, None)
        self._written.pop(key, None)

    def remove(self, key: Key) -> None:
        """Delete an artifact."""
        self.read(key)
        self.discard(key)

    def find_intervals(self, names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals (16-byte names) some artifact of the store holds."""
        held: dict[Key, set[Triple]] = {}
        found: dict[bytes, StoredInterval] = {}
        for name in names:
            for place in sorted(self._intervals.get(name, ()), key=lambda place: place.key):
                if place.key not in held:
                    there = self._artifacts.get(place.key)
                    held[place.key] = set(held_intervals(there)) if there else set()
                if (name, place.start, place.stop) in held[place.key]:
                    found.setdefault(name, place)
        return found

    def add_intervals(self, key: Key, names: Sequence[bytes], edges: Sequence[int]) -> None:
        """Index the intervals of an artifact: the rows of names[i] are edges[i]..edges[i+1]."""
        for name, start, stop in triples(names, edges):
            self._intervals.setdefault(name, []).append(StoredInterval(key, start, stop))

    def remember(self, directory: str, key: Key) -> None:
        """Note the document embedded last from a directory."""
        self._last[str(Path(directory).resolve())] = key

    def last(self, directory: str) -> Key | None:
        """The key that was noted last for a directory."""
        return self._last.get(str(Path(directory).resolve()))


def _filler(array: Array) -> Slab:
    done = 0

    def take(rows: Array) -> None:
        nonlocal done
        array[done : done + len(rows)] = rows
        done += len(rows)

    return take
