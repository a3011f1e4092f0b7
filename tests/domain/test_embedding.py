"""The use case embed: cached, reused interval by interval, mended where damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fakes import FakeEncoder, FakeSplitter, FakeTokenizer
from materials import KEY
from strategies import read
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.document import Document
from vchunk.domain.embedding import Embedding, EmbedReport, embedding_key
from vchunk.domain.embedding_job import Setup
from vchunk.domain.errors import DamagedArtifact, UsageError
from vchunk.domain.keys import Key
from vchunk.domain.pipeline import embed
from vchunk.domain.ports import Artifact
from vchunk.domain.velocity import velocity
from vchunk.wiring import make_hasher

TEXT = " ".join(f"w{i * i % 97} v{i % 31}." for i in range(400))
OTHER = Key("document", "1" * 32)


def text_with(change: str, at: int = 1_500) -> Document:
    return read(TEXT[:at] + change + TEXT[at:], "a.txt")


def run(
    store: Any,
    document: Document | None = None,
    key: Key = KEY,
    encoder: FakeEncoder | None = None,
    **more: Any,
) -> EmbedReport:
    told = {name: more.pop(name) for name in ("progress", "warn") if name in more}
    setup = Setup(encoder or FakeEncoder(window=30), FakeSplitter(), store, make_hasher(), **more)
    return embed(setup, document or read(TEXT, "a.txt"), key, **told)


def arrays(store: Any, key: Key) -> dict[str, bytes]:
    return {name: np.asarray(a[:]).tobytes() for name, a in store.read(key).arrays.items()}


def test_the_report() -> None:
    store, encoder = MemoryStore(), FakeEncoder(window=30)
    report = run(store, encoder=encoder)
    assert report.document == KEY
    assert report.tokens == FakeTokenizer().count(TEXT)
    assert report.windows == report.windows_encoded == len(encoder.windows)
    assert report.windows_reused == 0
    assert report.key in store


def test_what_is_stored() -> None:
    store = MemoryStore()
    report = run(store)
    found = Embedding(store.read(report.key))
    assert (found.key, found.document, found.tokens) == (report.key, KEY, report.tokens)
    assert found.token_starts.tolist() == FakeTokenizer().tokenize(TEXT).starts.tolist()
    assert found.interval_edges[[0, -1]].tolist() == [0, report.tokens]
    assert len(found.units()) > 300
    assert found.rows()(0, report.tokens).shape == (report.tokens, 16)
    assert found.keeps_vectors
    assert found.artifact.attributes["encoder"]["name"] == "fake"
    means = found.units().means
    assert means is not None
    low, high = found.units().token_edges[5:7]
    np.testing.assert_allclose(means[5], found.rows()(int(low), int(high)).mean(axis=0), atol=1e-3)


def test_the_curve_of_the_store_is_that_of_the_rows() -> None:
    store = MemoryStore()
    found = Embedding(store.read(run(store).key))
    assert found.velocity().tobytes() == velocity(found.rows(), found.interval_edges, 40.0).tobytes()
    assert found.velocity(0.1).tobytes() == velocity(found.rows(), found.interval_edges, 8.0).tobytes()


def test_a_second_run_encodes_nothing() -> None:
    store, encoder = MemoryStore(), FakeEncoder(window=30)
    first = run(store, encoder=encoder)
    encoder.forget()
    encoder.tokenizer.asked.clear()
    second = run(store, encoder=encoder)
    assert (second.key, second.tokens, second.windows) == (first.key, first.tokens, first.windows)
    assert second.windows_encoded == 0
    assert not encoder.windows
    assert not encoder.tokenizer.asked


@pytest.mark.parametrize("change", ["another thing ", "", "x " * 200])
def test_an_edit_encodes_only_what_it_touches_and_gives_the_same_bytes(change: str) -> None:
    store, encoder = MemoryStore(), FakeEncoder(window=30)
    whole = run(store, encoder=encoder)
    encoder.forget()
    report = run(store, text_with(change), OTHER, encoder)
    fresh = MemoryStore()
    assert arrays(store, report.key) == arrays(fresh, run(fresh, text_with(change), OTHER).key)
    assert report.windows_encoded == len(encoder.windows) <= (10 if len(change) < 50 else 60) < whole.windows


def test_text_that_moved_is_reused_too() -> None:
    store = MemoryStore()
    run(store)
    report = run(store, read("Quite another beginning of the text. " + TEXT, "a.txt"), OTHER)
    assert report.windows_reused > report.windows - 10


def test_without_vectors() -> None:
    store = MemoryStore()
    full, units = run(store), run(MemoryStore(), keep="units")
    assert units.key != full.key
    lean = MemoryStore()
    run(lean, keep="units")
    found = Embedding(lean.read(units.key))
    assert not found.keeps_vectors
    assert found.velocity().tobytes() == Embedding(store.read(full.key)).velocity().tobytes()
    with pytest.raises(UsageError, match="--keep units"):
        found.rows()
    with pytest.raises(UsageError, match="--keep units"):
        found.velocity(0.25)
    assert run(lean, text_with("x "), OTHER).windows_reused == 0


def test_units_are_kept_from_reused_vectors() -> None:
    store = MemoryStore()
    run(store)
    report = run(store, keep="units")
    assert report.windows_encoded == 0
    fresh = MemoryStore()
    run(fresh, keep="units")
    assert arrays(store, report.key) == arrays(fresh, report.key)


def test_a_key_depends_on_all_that_the_bytes_depend_on() -> None:
    other_splitter = FakeSplitter()
    other_splitter.identity = "fake-splitter-2"
    keys = {
        embedding_key(document, encoder, splitter, make_hasher(), keep)
        for document, encoder, splitter, keep in [
            (KEY, FakeEncoder(), FakeSplitter(), "vectors"),
            (OTHER, FakeEncoder(), FakeSplitter(), "vectors"),
            (KEY, FakeEncoder(content="other"), FakeSplitter(), "vectors"),
            (KEY, FakeEncoder(tokenizer=FakeTokenizer(identity="other")), FakeSplitter(), "vectors"),
            (KEY, FakeEncoder(window=30), FakeSplitter(), "vectors"),
            (KEY, FakeEncoder(), other_splitter, "vectors"),
            (KEY, FakeEncoder(), FakeSplitter(), "units"),
        ]
    }
    assert len(keys) == 7
    named = (embedding_key(KEY, FakeEncoder(name=n), FakeSplitter(), make_hasher()) for n in ("a", "b"))
    assert len(set(named)) == 1


def test_batches_are_bounded_and_progress_is_told() -> None:
    encoder = FakeEncoder(window=30)
    encoder.windows_at_once = 7
    told: list[tuple[int, int]] = []
    report = run(MemoryStore(), encoder=encoder, progress=lambda done, total: told.append((done, total)))
    assert max(encoder.batches) == 7
    assert sum(encoder.batches) == report.windows
    assert told[-1] == (report.windows, report.windows)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


class Broken(dict[str, Any]):
    """Arrays that cannot be read."""

    def __getitem__(self, name: str) -> Any:
        raise DamagedArtifact("shard 0 is damaged")


class DamagedStore(MemoryStore):
    """A store in which one artifact can be damaged, wholly or only its rows."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: set[Key] = set()
        self.rows_damaged: set[Key] = set()

    def read(self, key: Key) -> Artifact:
        found = super().read(key)
        if key in self.damaged:
            raise DamagedArtifact(f"{key} is damaged")
        return Artifact(key, found.attributes, Broken()) if key in self.rows_damaged else found

    def discard(self, key: Key) -> None:
        super().discard(key)
        self.damaged.discard(key)


def test_a_damaged_embedding_is_reported_and_made_again() -> None:
    store, said = DamagedStore(), list[str]()
    first = run(store)
    store.damaged.add(first.key)
    again = run(store, warn=said.append)
    assert again.windows_encoded == again.windows
    assert len(said) == 1
    assert str(first.key) in said[0]


def test_rows_that_cannot_be_read_are_encoded() -> None:
    store, said = DamagedStore(), list[str]()
    store.rows_damaged.add(run(store).key)
    report = run(store, text_with("x "), OTHER, warn=said.append)
    assert report.windows_encoded == report.windows
    assert said == ["shard 0 is damaged"]
    fresh = MemoryStore()
    assert arrays(store, report.key) == arrays(fresh, run(fresh, text_with("x "), OTHER).key)


@pytest.mark.parametrize("mode", ["zero", "constant", "nan"])
@pytest.mark.parametrize("text", ["", " ", "one", "one two", TEXT[:300]])
def test_degenerate_vectors_and_texts_give_finite_arrays(mode: Any, text: str) -> None:
    store = MemoryStore()
    report = run(store, read(text, "a.txt"), encoder=FakeEncoder(mode, window=30))
    found = Embedding(store.read(report.key))
    assert found.tokens == FakeTokenizer().count(text)
    assert np.isfinite(found.velocity()).all()
    assert len(found.velocity()) == found.tokens
    means = found.units().means
    assert means is not None
    assert np.isfinite(means).all()
    assert (found.velocity() < 1e-5).all()
