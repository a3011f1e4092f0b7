"""Which artifact holds an encoded interval: an index in SQLite.

The index is a cache and never believed: what it says is looked up in the artifact itself. It is
filled from the artifacts where it is missing, damaged or behind, and it may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.errors import StoreError
from vchunk.domain.keys import Key
from vchunk.domain.ports import Artifact, StoredInterval, Warn

NAMES = "interval_names"
"""(m, 16) uint8: the names of an embedding's intervals."""
EDGES = "interval_edges"
"""(m + 1,) integers: where their rows begin, and where the last ends."""
ROWS = "vectors"
"""The array whose rows are meant."""
HOLDERS = ("embedding", "texts")
"""Kinds of artifacts that hold intervals; a text's vector is one of a single row."""

_T = TypeVar("_T")
_VERSION = 1
_TABLES = (
    "CREATE TABLE artifacts (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)",
    "CREATE TABLE intervals (name BLOB, artifact INTEGER, start INTEGER NOT NULL, stop INTEGER NOT NULL,"
    " PRIMARY KEY (name, artifact)) WITHOUT ROWID",
    "CREATE INDEX by_artifact ON intervals (artifact)",
    f"PRAGMA user_version = {_VERSION}",
)
_FIND = "SELECT name, key, start, stop FROM intervals JOIN artifacts ON artifact = id WHERE name IN ({})"
_BATCH = 500  # names a query; SQLite allows 999 parameters everywhere
_PATIENCE = 60.0  # seconds to wait for another writer
_BEYOND_REPAIR = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR)
_UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM)

Triple = tuple[bytes, int, int]
"""Name, first row, row after the last."""


class Artifacts(Protocol):
    """What the index asks of its store."""

    def keys(self) -> Iterator[Key]:
        """All keys."""

    def read(self, key: Key) -> Artifact:
        """One artifact."""


def held_intervals(artifact: Artifact) -> list[Triple]:
    """The intervals whose rows an artifact holds, in order; none where it keeps no vectors."""
    if not {NAMES, EDGES, ROWS} <= artifact.arrays.keys():
        return []
    return triples(split_names(np.asarray(artifact.arrays[NAMES])), np.asarray(artifact.arrays[EDGES]).tolist())


def split_names(names: NDArray[np.uint8]) -> list[bytes]:
    """The 16-byte names in the rows of an array."""
    raw = np.ascontiguousarray(names).tobytes()
    return [raw[i : i + 16] for i in range(0, len(raw), 16)]


def triples(names: Sequence[bytes], edges: Sequence[int]) -> list[Triple]:
    """Names with their rows.

    Raises
    ------
    ValueError
        If there is not one edge more than names.
    """
    if len(edges) != len(names) + 1:
        raise ValueError(f"{len(names)} intervals have {len(names) + 1} edges, not {len(edges)}")
    return [(name, int(a), int(b)) for name, a, b in zip(names, edges, edges[1:], strict=False)]


class IntervalIndex:
    """The index of one store.

    Parameters
    ----------
    path
        The SQLite file; made when there is something to note.
    artifacts
        The store, which is asked for what the index does not know and for proof of what it does.
    warn
        Told once when the index cannot be used.
    """

    def __init__(self, path: Path, artifacts: Artifacts, warn: Warn) -> None:
        self._path = path
        self._artifacts = artifacts
        self._warn = warn
        self._warned = False
        self._reconciled = False

    def find(self, names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals an artifact holds, as the artifact itself says."""
        rows = self._attempt(lambda connection: self._query(connection, names)) or []
        held: dict[Key, set[Triple]] = {}
        found: dict[bytes, StoredInterval] = {}
        for name, text, start, stop in sorted(rows, key=lambda row: row[1]):
            key = Key.parse(text)
            if name in found or key is None:
                continue
            if key not in held:
                held[key] = self._proof(key)
            if (name, start, stop) in held[key]:
                found[name] = StoredInterval(key, start, stop)
        return found

    def add(self, key: Key, intervals: Sequence[Triple]) -> None:
        """Note the intervals of an artifact."""
        self._attempt(lambda connection: _insert(connection, str(key), intervals))

    def _query(self, connection: sqlite3.Connection, names: Sequence[bytes]) -> list[tuple[bytes, str, int, int]]:
        if not self._reconciled:
            # other processes add what they publish, so once is enough
            with _unless_unwritable():
                self._reconcile(connection)
            self._reconciled = True
        unique = list(dict.fromkeys(names))
        rows: list[tuple[bytes, str, int, int]] = []
        for i in range(0, len(unique), _BATCH):
            batch = unique[i : i + _BATCH]
            rows += connection.execute(_FIND.format(",".join("?" * len(batch))), batch)
        return rows

    def _reconcile(self, connection: sqlite3.Connection) -> None:
        """Index the artifacts that are not, and forget those that are gone."""
        known = {text for (text,) in connection.execute("SELECT key FROM artifacts")}
        present = {str(key): key for key in self._artifacts.keys() if key.kind in HOLDERS}  # noqa: SIM118
        for text in sorted(present.keys() - known):
            with contextlib.suppress(StoreError):  # whoever asks for the artifact itself hears of it
                _insert(connection, text, held_intervals(self._artifacts.read(present[text])))
        _forget(connection, sorted(known - present.keys()))

    def _proof(self, key: Key) -> set[Triple]:
        try:
            return set(held_intervals(self._artifacts.read(key)))
        except StoreError:
            return set()

    def _attempt(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Do some work on the index, on a new one where this is beyond repair; None if there is none."""
        for fresh in (False, True):
            try:
                with closing(sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)) as connection:
                    _prepare(connection)
                    return work(connection)
            except sqlite3.DatabaseError as error:
                if _code(error) not in _BEYOND_REPAIR or fresh or not self._start_over():
                    self._give_up(str(error))
                    return None
        return None

    def _start_over(self) -> bool:
        self._reconciled = False
        try:
            for path in (self._path, self._path.with_name(self._path.name + "-journal")):
                path.unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _give_up(self, reason: str) -> None:
        if not self._warned:
            self._warn(f"{self._path} cannot be used ({reason}): all is encoded again; it may be deleted")
        self._warned = True


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables where they are missing or of another version."""
    if _version(connection) == _VERSION:
        return
    connection.execute("PRAGMA synchronous = OFF")  # a cache: what a crash loses is found again
    with _transaction(connection):
        if _version(connection) == _VERSION:
            return  # another process was faster
        for table in ("intervals", "artifacts"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _TABLES:
            connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _insert(connection: sqlite3.Connection, key: str, intervals: Iterable[Triple]) -> None:
    with _transaction(connection):
        connection.execute("INSERT OR IGNORE INTO artifacts (key) VALUES (?)", (key,))
        (artifact,) = connection.execute("SELECT id FROM artifacts WHERE key = ?", (key,)).fetchone()
        connection.execute("DELETE FROM intervals WHERE artifact = ?", (artifact,))
        # a name that a document holds twice stands for the same rows: the first are enough
        rows = ((name, artifact, start, stop) for name, start, stop in intervals)
        connection.executemany("INSERT OR IGNORE INTO intervals VALUES (?, ?, ?, ?)", rows)


def _forget(connection: sqlite3.Connection, keys: Sequence[str]) -> None:
    if not keys:
        return
    with _transaction(connection):
        for key in keys:
            for (artifact,) in connection.execute("SELECT id FROM artifacts WHERE key = ?", (key,)).fetchall():
                connection.execute("DELETE FROM intervals WHERE artifact = ?", (artifact,))
                connection.execute("DELETE FROM artifacts WHERE id = ?", (artifact,))


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")  # waits its turn at once instead of failing half way
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def _unless_unwritable() -> Iterator[None]:
    """On a read-only medium the index serves as it is."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _code(error) not in _UNWRITABLE:
            raise


def _code(error: sqlite3.DatabaseError) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
