"""What every adapter of the Store port owes its users; a test of an adapter subclasses it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from vchunk.domain.errors import MissingArtifact, StoreError, UsageError
from vchunk.domain.keys import Key
from vchunk.domain.ports import Array, StoredInterval


def embedding(number: int) -> Key:
    """A key whose digest begins with its number in hexadecimal."""
    return Key("embedding", f"{number:02x}".ljust(32, "0"))


def document(number: int) -> Key:
    """The same for a document."""
    return Key("document", f"{number:02x}".ljust(32, "0"))


def vectors(rows: int, seed: int = 0, dim: int = 256) -> Array:
    """Rows of a chunk of 256 rows and a shard of 4096."""
    return np.random.default_rng(seed).integers(-127, 128, (rows, dim), np.int8)


def put(store: Any, key: Key, attributes: dict[str, Any] | None = None, **arrays: Array) -> None:
    """Write an artifact."""
    with store.write(key) as writer:
        writer.attributes(attributes or {})
        for name, data in arrays.items():
            writer.array(name, data)


def put_intervals(store: Any, key: Key, names: list[bytes], edges: list[int]) -> None:
    """Write and index an embedding that holds these intervals."""
    put(
        store,
        key,
        vectors=vectors(edges[-1], dim=4),
        interval_names=np.frombuffer(b"".join(names), np.uint8).reshape(-1, 16),
        interval_edges=np.array(edges, np.int64),
    )
    store.add_intervals(key, names, edges)


def name(number: int) -> bytes:
    """The name of an interval."""
    return number.to_bytes(16, "big")


RACED = embedding(0xAB)


def race(root: str, start: Any, results: Any) -> None:
    """One of several writers of the same key."""
    from vchunk.adapters.stores.zarr_store import ZarrStore

    store = ZarrStore(Path(root))
    start.wait()
    try:
        put(store, RACED, {"tokens": 5000}, vectors=vectors(5000))
        results.put(int(np.asarray(store.read(RACED).arrays["vectors"], np.int64).sum()))
    except BaseException as error:
        results.put(repr(error))


ARRAYS = {
    "many_shards": vectors(9000),
    "floats": np.linspace(-1, 1, 700 * 96, dtype=np.float32).reshape(700, 96),
    "halves": np.arange(5, dtype=np.float16),
    "offsets": np.arange(300_000, dtype=np.int64) * 7,
    "flags": np.arange(1000) % 3 == 0,
    "bytes": np.frombuffer(b"text" * 50_000, np.uint8),
    "zeros": np.zeros((5000, 256), np.int8),
    "not_a_number": np.array([np.nan, np.inf, -0.0]),
    "no_rows": np.zeros((0, 8), np.int32),
    "no_columns": np.zeros((6, 0), np.int32),
    "cube": np.arange(600 * 2 * 3, dtype=np.uint16).reshape(600, 2, 3),
    "big_endian": np.arange(10, dtype=">i4"),
    "turned": np.asfortranarray(vectors(300, dim=300)).T,
}


class StoreContract:
    """Subclass it and give ``make``."""

    def make(self, folder: Path) -> Any:
        """A new, empty store."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path: Path) -> Any:
        return self.make(tmp_path)

    # Writing and reading

    @pytest.mark.parametrize("which", ARRAYS)
    def test_an_array_comes_back_as_it_was(self, store: Any, which: str) -> None:
        data = ARRAYS[which]
        put(store, embedding(1), **{which: data})
        lazy = store.read(embedding(1)).arrays[which]
        assert (lazy.shape, lazy.dtype, len(lazy)) == (data.shape, data.dtype.newbyteorder("="), len(data))
        for back in (lazy[:], np.asarray(lazy)):
            assert back.dtype == lazy.dtype
            np.testing.assert_array_equal(back, data)

    @pytest.mark.parametrize("piece", [1, 100, 4096, 5000, 9000])
    def test_a_streamed_array_is_the_whole_array(self, store: Any, piece: int) -> None:
        data = vectors(9000 if piece > 1 else 700)
        with store.write(embedding(1)) as writer:
            sink = writer.stream("vectors", (256,), "int8", len(data))
            for i in range(0, len(data), piece):
                sink.append(data[i : i + piece])
        np.testing.assert_array_equal(store.read(embedding(1)).arrays["vectors"][:], data)

    @pytest.mark.parametrize("first", [1, 4095, 4097, 8192])
    def test_pieces_may_end_anywhere(self, store: Any, first: int) -> None:
        data = vectors(9000)
        with store.write(embedding(1)) as writer:
            sink = writer.stream("vectors", (256,), "int8", len(data))
            sink.append(data[:first])
            sink.append(data[first:first])
            sink.append(data[first:])
        np.testing.assert_array_equal(store.read(embedding(1)).arrays["vectors"][:], data)

    def test_streams_may_be_fed_in_turns(self, store: Any) -> None:
        data = vectors(600)
        with store.write(embedding(1)) as writer:
            left = writer.stream("left", (256,), "int8", 600)
            right = writer.stream("right", (256,), "int8", 600)
            for i in range(0, 600, 50):
                left.append(data[i : i + 50])
                right.append(-data[i : i + 50])
        arrays = store.read(embedding(1)).arrays
        np.testing.assert_array_equal(arrays["left"][:], -arrays["right"][:])

    def test_a_stream_of_no_rows_is_an_array(self, store: Any) -> None:
        with store.write(embedding(1)) as writer:
            writer.stream("vectors", (4,), "int8", 0)
        assert store.read(embedding(1)).arrays["vectors"][:].shape == (0, 4)

    def test_a_sink_keeps_no_hold_on_what_it_was_given(self, store: Any) -> None:
        rows = vectors(10)
        with store.write(embedding(1)) as writer:
            sink = writer.stream("vectors", (256,), "int8", 20)
            for _ in range(2):
                sink.append(rows)
                rows[:] = 5
        back = store.read(embedding(1)).arrays["vectors"][:]
        np.testing.assert_array_equal(back[:10], vectors(10))
        assert (back[10:] == 5).all()

    def test_an_artifact_cannot_be_changed_through_what_was_read(self, store: Any) -> None:
        put(store, embedding(1), vectors=vectors(10))
        rows = store.read(embedding(1)).arrays["vectors"][2:4]
        if rows.flags.writeable:
            rows[:] = 0
        np.testing.assert_array_equal(store.read(embedding(1)).arrays["vectors"][:], vectors(10))

    def test_attributes_come_back_as_json_keeps_them(self, store: Any) -> None:
        given = {
            "title": 'a "title" \u00e9\u2028\U0001f600',
            "halves": "\ud83d\ude00 \ud800",  # two lone surrogates are not one character
            "none": None,
            "number": 0.1,
            "large": 2**70,
            "nested": {"list": (1, [2, {"three": True}])},
        }
        with store.write(document(1)) as writer:
            writer.attributes({"title": "another", "early": 1})
            writer.attributes(given)
        expected = given | {"early": 1, "nested": {"list": [1, [2, {"three": True}]]}}
        assert store.read(document(1)).attributes == expected

    def test_attributes_are_taken_when_they_are_given(self, store: Any) -> None:
        values = {"list": [1]}
        with store.write(document(1)) as writer:
            writer.attributes(values)
            values["list"].append(2)
        assert store.read(document(1)).attributes == {"list": [1]}

    def test_an_artifact_is_seen_only_when_it_is_complete(self, store: Any) -> None:
        key = embedding(1)
        with store.write(key) as writer:
            writer.array("vectors", vectors(5))
            assert key not in store
            assert list(store.keys()) == []
            with pytest.raises(MissingArtifact):
                store.read(key)
        assert key in store
        assert store.read(key).key == key

    @pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
    def test_an_error_leaves_nothing_and_passes_unchanged(self, store: Any, error: type[BaseException]) -> None:
        def interrupted() -> None:
            with store.write(embedding(1)) as writer:
                writer.array("vectors", vectors(5000))
                raise error("mine")

        with pytest.raises(error, match=r"^mine$") as caught:
            interrupted()
        assert type(caught.value) is error
        assert embedding(1) not in store
        put(store, embedding(1), vectors=vectors(3))
        assert len(store.read(embedding(1)).arrays["vectors"]) == 3

    def test_the_first_of_two_writers_stands(self, store: Any) -> None:
        with store.write(embedding(1)) as slow:
            put(store, embedding(1), {"who": "fast"}, vectors=vectors(5))
            slow.attributes({"who": "slow"})
            slow.array("vectors", vectors(5, seed=1))
        artifact = store.read(embedding(1))
        assert artifact.attributes == {"who": "fast"}
        np.testing.assert_array_equal(artifact.arrays["vectors"][:], vectors(5))

    # Mistakes of the caller

    @pytest.mark.parametrize("given", [0, 8, 12])
    def test_another_number_of_rows_than_announced_is_an_error(self, store: Any, given: int) -> None:
        def write() -> None:
            with store.write(embedding(1)) as writer:
                writer.stream("vectors", (256,), "int8", 10).append(vectors(given))

        with pytest.raises(StoreError, match=rf"vectors.*{embedding(1)}.* 10 rows.* {given}\b"):
            write()
        assert embedding(1) not in store

    @pytest.mark.parametrize(
        "rows", [vectors(10, dim=8), vectors(10).astype(np.int16), vectors(10)[0], vectors(10)[None]]
    )
    def test_rows_of_another_shape_or_dtype_are_an_error(self, store: Any, rows: Array) -> None:
        def write() -> None:
            with store.write(embedding(1)) as writer:
                writer.stream("vectors", (256,), "int8", 10).append(rows)

        with pytest.raises(StoreError, match="vectors"):
            write()

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("../up", np.zeros(3)),
            ("Upper", np.zeros(3)),
            ("", np.zeros(3)),
            ("taken", np.zeros(3)),
            ("scalar", np.array(3)),
            ("objects", np.array([None])),
            ("words", np.array(["a"])),
            ("dates", np.zeros(3, "datetime64[s]")),
        ],
    )
    def test_what_cannot_be_an_array_is_refused(self, store: Any, name: str, data: Array) -> None:
        def write() -> None:
            with store.write(embedding(1)) as writer:
                writer.array("taken", np.zeros(2))
                writer.array(name, data)

        with pytest.raises(ValueError, match=str(embedding(1))):
            write()

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), np.float32(1)])
    def test_what_is_not_json_is_refused(self, store: Any, value: object) -> None:
        def write() -> None:
            with store.write(embedding(1)) as writer:
                writer.attributes({"value": value})

        with pytest.raises((ValueError, TypeError)):
            write()
        assert embedding(1) not in store

    # Names

    def test_a_missing_artifact_is_named(self, store: Any) -> None:
        for ask in (store.read, store.size, store.modified, store.verify, store.remove):
            with pytest.raises(MissingArtifact, match=rf"{embedding(1)}.*--store") as caught:
                ask(embedding(1))
            assert "\n" not in str(caught.value)

    def test_keys_are_sorted(self, store: Any) -> None:
        keys = [embedding(0xF0), document(0xFF), embedding(0x0F), document(1), Key("tokenizer", "a" * 32)]
        for key in keys:
            put(store, key)
        assert list(store.keys()) == sorted(keys)

    def test_a_key_is_found_by_its_beginning(self, store: Any) -> None:
        near = Key("embedding", "ab1" + "0" * 29)
        other = Key("embedding", "ab2" + "0" * 29)
        far = Key("document", "ab3" + "0" * 29)
        for key in (near, other, far):
            put(store, key)
        for text in (str(near), near.digest, "embedding-ab1", "ab1", "ab1000"):
            assert store.resolve(text) == near
        for text in ("document-a", "document-", "ab3"):
            assert store.resolve(text) == far
        for text in ("ab", "embedding-ab", "a", ""):
            with pytest.raises(UsageError, match=rf"{near}, {other}"):
                store.resolve(text)
        for text in ("b", "ab4", "document-ab1", str(near)[:-1] + "1", "doc", "AB1", "x/y", str(near) + "0"):
            with pytest.raises(MissingArtifact, match=text):
                store.resolve(text)

    def test_an_ambiguous_beginning_names_some_candidates(self, store: Any) -> None:
        for i in range(9):
            put(store, embedding(0x10 + i))
        with pytest.raises(UsageError, match=rf"'1' begins 9 keys \({embedding(0x10)}, .*\.\.\.\)"):
            store.resolve("1")

    # Keeping house

    def test_a_discarded_artifact_can_be_made_again(self, store: Any) -> None:
        put(store, embedding(1), vectors=vectors(5))
        put(store, embedding(2))
        store.discard(embedding(1))
        assert list(store.keys()) == [embedding(2)]
        store.discard(embedding(1))  # another process was faster: no error
        put(store, embedding(1), vectors=vectors(6))
        assert len(store.read(embedding(1)).arrays["vectors"]) == 6

    def test_a_removed_artifact_is_gone(self, store: Any) -> None:
        put(store, embedding(1), vectors=vectors(5))
        put(store, embedding(2))
        store.remove(embedding(1))
        assert list(store.keys()) == [embedding(2)]
        with pytest.raises(MissingArtifact):
            store.read(embedding(1))

    def test_size_and_age(self, store: Any) -> None:
        before = time.time()
        put(store, embedding(1), vectors=vectors(5000))
        put(store, embedding(2), vectors=vectors(10))
        assert store.size(embedding(1)) > 5000 * 256 * 0.9 > 10 * 256 < store.size(embedding(2))
        assert before - 2 <= store.modified(embedding(1)) <= time.time() + 2
        store.verify(embedding(1))

    # Intervals

    def test_intervals_are_found_where_they_lie(self, store: Any) -> None:
        put_intervals(store, embedding(1), [name(1), name(2)], [0, 64, 200])
        put_intervals(store, embedding(2), [name(3), name(3), name(4)], [0, 5, 10, 10])
        found = store.find_intervals([name(4), name(9), name(2), name(3), name(2)])
        assert found == {
            name(4): StoredInterval(embedding(2), 10, 10),
            name(2): StoredInterval(embedding(1), 64, 200),
            name(3): StoredInterval(embedding(2), 0, 5),
        }
        assert store.find_intervals([]) == {}

    def test_many_intervals_are_found_at_once(self, store: Any) -> None:
        names = [name(i) for i in range(3000)]
        put_intervals(store, embedding(1), names, list(range(3001)))
        found = store.find_intervals(names + [name(i) for i in range(9000, 9100)])
        assert found == {n: StoredInterval(embedding(1), i, i + 1) for i, n in enumerate(names)}

    def test_of_several_artifacts_the_least_key_is_given(self, store: Any) -> None:
        for number in (2, 1, 3):
            put_intervals(store, embedding(number), [name(1)], [0, number])
        assert store.find_intervals([name(1)]) == {name(1): StoredInterval(embedding(1), 0, 1)}

    def test_an_empty_store_holds_no_intervals(self, store: Any) -> None:
        assert store.find_intervals([name(1)]) == {}

    @pytest.mark.parametrize("way", ["discard", "remove"])
    def test_intervals_of_an_artifact_that_is_gone_are_not_found(self, store: Any, way: str) -> None:
        put_intervals(store, embedding(1), [name(1), name(2)], [0, 10, 20])
        put_intervals(store, embedding(2), [name(2)], [0, 10])
        getattr(store, way)(embedding(1))
        assert store.find_intervals([name(1), name(2)]) == {name(2): StoredInterval(embedding(2), 0, 10)}

    def test_intervals_without_vectors_are_not_found(self, store: Any) -> None:
        names = np.frombuffer(name(1), np.uint8).reshape(1, 16)
        put(store, embedding(1), interval_names=names, interval_edges=np.array([0, 10]))
        store.add_intervals(embedding(1), [name(1)], [0, 10])
        assert store.find_intervals([name(1)]) == {}

    def test_threads_may_use_it_at_once(self, store: Any) -> None:
        written: SimpleQueue[int] = SimpleQueue()

        def write(numbers: range) -> None:
            for number in numbers:
                put_intervals(store, embedding(number), [name(number), name(1000 + number)], [0, 3, 7 + number])
                written.put(number)

        def find() -> None:
            for _ in range(8):
                number = written.get(timeout=60)
                found = store.find_intervals([name(number), name(999)])
                assert found == {name(number): StoredInterval(embedding(number), 0, 3)}
                assert len(np.asarray(store.read(embedding(number)).arrays["vectors"])) == 7 + number

        with ThreadPoolExecutor(3) as threads:
            work = [threads.submit(write, range(4)), threads.submit(write, range(4, 8)), threads.submit(find)]
            for one in work:
                one.result()
        assert list(store.keys()) == [embedding(number) for number in range(8)]

    def test_intervals_need_one_edge_more(self, store: Any) -> None:
        with pytest.raises(ValueError, match="2 intervals have 3 edges, not 2"):
            store.add_intervals(embedding(1), [name(1), name(2)], [0, 5])

    # The last document

    def test_the_last_document_is_remembered_by_directory(self, store: Any, tmp_path: Path) -> None:
        here, there = str(tmp_path / "here"), str(tmp_path / "there")
        assert store.last(here) is None
        store.remember(here, document(1))
        store.remember(there, document(2))
        store.remember(here, embedding(3))
        assert (store.last(here), store.last(there)) == (embedding(3), document(2))
        assert store.last(str(tmp_path)) is None

    def test_a_directory_is_known_by_every_name(
        self, store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        store.remember(".", document(1))
        assert store.last(str(tmp_path)) == document(1)
        assert store.last(str(tmp_path / "x" / "..")) == document(1)
