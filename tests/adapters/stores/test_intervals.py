"""The index of intervals: a cache that may be lost, damaged, behind or wrong."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from store_contract import embedding, name, put, put_intervals, vectors

from vchunk.adapters.stores import intervals
from vchunk.adapters.stores.zarr_store import ZarrStore
from vchunk.domain.keys import Key
from vchunk.domain.ports import StoredInterval

FOUND = {name(1): StoredInterval(embedding(1), 0, 10), name(2): StoredInterval(embedding(1), 10, 15)}


class Lines(list[str]):
    """A Warn that remembers."""

    def __call__(self, message: str) -> None:
        self.append(message)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def store(tmp_path: Path, lines: Lines) -> ZarrStore:
    store = ZarrStore(tmp_path / "artifacts", warn=lines)
    put_intervals(store, embedding(1), [name(1), name(2)], [0, 10, 15])
    return store


def again(store: ZarrStore, lines: Lines) -> ZarrStore:
    """The store as another process sees it."""
    return ZarrStore(store.root, warn=lines)


def index(store: ZarrStore) -> Path:
    return store.root / "intervals.sqlite"


def execute(store: ZarrStore, *statements: str) -> list[Any]:
    with closing(sqlite3.connect(index(store), isolation_level=None)) as connection:
        return [connection.execute(statement).fetchall() for statement in statements]


def test_a_missing_index_is_made_from_the_artifacts(store: ZarrStore, lines: Lines) -> None:
    index(store).unlink()
    put(store, embedding(2), vectors=vectors(3))  # without intervals
    assert again(store, lines).find_intervals([name(1), name(2), name(3)]) == FOUND
    index(store).unlink()
    assert store.find_intervals([name(1)]).keys() == {name(1)}
    assert lines == []


def test_vectors_of_texts_are_in_a_new_index_too(store: ZarrStore, lines: Lines) -> None:
    texts = Key("texts", "7" * 32)
    put_intervals(store, texts, [name(7)], [0, 1])
    index(store).unlink()
    assert again(store, lines).find_intervals([name(7)]) == {name(7): StoredInterval(texts, 0, 1)}


@pytest.mark.parametrize("content", [b"", b"not a database at all " * 400])
def test_a_damaged_index_is_made_again(store: ZarrStore, lines: Lines, content: bytes) -> None:
    index(store).write_bytes(content)
    assert again(store, lines).find_intervals([name(1), name(2)]) == FOUND
    index(store).write_bytes(content)
    put_intervals(store, embedding(2), [name(3)], [0, 4])
    expected = FOUND | {name(3): StoredInterval(embedding(2), 0, 4)}
    assert again(store, lines).find_intervals([name(1), name(2), name(3)]) == expected
    assert lines == []


def test_damage_inside_the_index_is_mended(store: ZarrStore, lines: Lines) -> None:
    data = bytearray(index(store).read_bytes())
    data[100:] = b"\xff" * (len(data) - 100)
    index(store).write_bytes(bytes(data))
    assert again(store, lines).find_intervals([name(1), name(2)]) == FOUND
    assert lines == []


def test_an_index_of_another_version_is_made_again(store: ZarrStore, lines: Lines) -> None:
    execute(store, "ALTER TABLE intervals RENAME COLUMN start TO first", "PRAGMA user_version = 7")
    assert again(store, lines).find_intervals([name(1), name(2)]) == FOUND
    assert lines == []


def test_an_index_without_its_tables_is_made_again(store: ZarrStore, lines: Lines) -> None:
    execute(store, "DROP TABLE intervals")
    assert again(store, lines).find_intervals([name(1), name(2)]) == FOUND
    assert lines == []


def test_artifacts_that_came_by_another_way_are_found(store: ZarrStore, lines: Lines, tmp_path: Path) -> None:
    other = ZarrStore(tmp_path / "other")
    put_intervals(other, embedding(2), [name(3)], [0, 4])
    store.path(embedding(2)).parent.mkdir(parents=True)
    other.path(embedding(2)).rename(store.path(embedding(2)))
    assert again(store, lines).find_intervals([name(3)]) == {name(3): StoredInterval(embedding(2), 0, 4)}


def test_what_the_index_says_is_proven_by_the_artifact(store: ZarrStore, lines: Lines) -> None:
    execute(
        store,
        f"UPDATE intervals SET start = 1 WHERE name = x'{name(1).hex()}'",
        f"INSERT INTO intervals VALUES (x'{name(9).hex()}', 1, 0, 10)",
    )
    assert again(store, lines).find_intervals([name(1), name(2), name(9)]) == {name(2): FOUND[name(2)]}


def test_the_index_forgets_what_is_gone(store: ZarrStore, lines: Lines) -> None:
    store.remove(embedding(1))
    put_intervals(store, embedding(2), [name(1)], [0, 4])
    assert again(store, lines).find_intervals([name(1)]) == {name(1): StoredInterval(embedding(2), 0, 4)}
    assert execute(store, "SELECT key FROM artifacts", "SELECT count(*) FROM intervals") == [
        [(str(embedding(2)),)],
        [(1,)],
    ]


def test_a_damaged_artifact_hides_no_other(store: ZarrStore, lines: Lines) -> None:
    put_intervals(store, embedding(2), [name(1)], [0, 4])
    header = store.path(embedding(1)) / "zarr.json"
    header.chmod(0o644)
    header.write_bytes(b"{}")
    expected = {name(1): StoredInterval(embedding(2), 0, 4)}
    assert store.find_intervals([name(1), name(2)]) == expected
    index(store).unlink()
    assert again(store, lines).find_intervals([name(1), name(2)]) == expected


def test_an_index_that_cannot_be_opened_costs_only_reuse(store: ZarrStore, lines: Lines) -> None:
    index(store).unlink()
    index(store).mkdir()
    for _ in range(2):
        assert store.find_intervals([name(1)]) == {}
        store.add_intervals(embedding(1), [name(1)], [0, 10])
    [line] = lines
    assert str(index(store)) in line
    assert "\n" not in line


def test_an_index_that_cannot_be_written_serves_as_it_is(
    store: ZarrStore, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_intervals(store, embedding(2), [name(3)], [0, 4])
    execute(store, f"DELETE FROM artifacts WHERE key = '{embedding(2)}'")
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    monkeypatch.setattr(intervals.sqlite3, "connect", read_only)
    before = index(store).read_bytes()
    assert again(store, lines).find_intervals([name(1), name(2), name(3)]) == FOUND
    assert index(store).read_bytes() == before
    assert lines == []


def test_many_writers_at_once_all_find_their_way_in(store: ZarrStore, lines: Lines) -> None:
    index(store).unlink()
    start = threading.Barrier(8)

    def write(writer: int) -> None:
        mine = again(store, lines)
        start.wait()
        for i in range(4):
            number = 16 * writer + i + 3
            put_intervals(mine, embedding(number), [name(number)], [0, 2])

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines == []
    noted = {key for (key,) in execute(store, "SELECT key FROM artifacts")[0]}
    assert len(noted) == 32
    numbers = [16 * writer + i + 3 for writer in range(8) for i in range(4)]
    expected = {name(n): StoredInterval(embedding(n), 0, 2) for n in numbers}
    assert store.find_intervals([name(n) for n in numbers]) == expected
