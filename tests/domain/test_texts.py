"""Vectors of texts: kept one by one, and whatever else is encoded the same bits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fakes import FakeEncoder, FakeSentenceEncoder, FakeTokenizer
from materials import KEY
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain import texts as module
from vchunk.domain.errors import DamagedArtifact, StoreError
from vchunk.domain.ports import SentenceEncoder
from vchunk.domain.texts import TextEncoding, text_vectors
from vchunk.wiring import make_hasher

TEXTS = ["boats sail on the sea", "clocks tick", "boats sail on the sea", "a mast carries sails"]


def ids(text: str) -> list[int]:
    return FakeTokenizer().tokenize(text).ids.tolist()


def vectors(texts: list[str], encoder: FakeEncoder, store: Any, prefix: str | None = None, **more: Any) -> Any:
    return text_vectors(texts, TextEncoding(encoder, prefix), KEY, store, make_hasher(), **more)


def test_an_encoder_without_sentences_gives_the_mean_of_its_tokens() -> None:
    encoder = FakeEncoder()
    rows = vectors(TEXTS, encoder, MemoryStore())
    means = np.stack([encoder.encode([np.array(ids(text), np.int32)])[0].mean(axis=0) for text in TEXTS])
    np.testing.assert_allclose(rows, means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-6)
    assert np.array_equal(rows[0], rows[2])


def test_each_text_is_encoded_once() -> None:
    store, encoder = MemoryStore(), FakeEncoder()
    first = vectors(TEXTS, encoder, store)
    assert len(encoder.windows) == 3
    encoder.forget()
    assert np.array_equal(vectors(TEXTS, encoder, store), first)
    assert np.array_equal(vectors(TEXTS[1:2], encoder, store), first[1:2])
    assert encoder.windows == []
    more = vectors(["something new", *TEXTS], encoder, store)
    assert [window.tolist() for window in encoder.windows] == [ids("something new")]
    assert np.array_equal(more[1:], first)
    assert {key.kind for key in store.keys()} == {"texts"}  # noqa: SIM118


def test_the_order_of_texts_is_kept_and_batches_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_TOKENS", 8)
    encoder, done = FakeEncoder(), []
    texts = ["one", "two words", "three words here", "and four words here", "one more"]
    rows = vectors(texts, encoder, MemoryStore(), progress=lambda now, total: done.append((now, total)))
    assert encoder.batches == [2, 3]
    assert done == [(2, 5), (5, 5)]
    alone = [vectors([text], FakeEncoder(), MemoryStore())[0] for text in texts]
    assert np.array_equal(rows, np.stack(alone))


def test_sentence_models_get_the_prefix_and_the_first_window() -> None:
    encoder = FakeSentenceEncoder("passage : ")
    assert isinstance(encoder, SentenceEncoder)
    assert not isinstance(FakeEncoder(), SentenceEncoder)
    vectors(["a b c d e f g h"], encoder, MemoryStore())
    vectors(["a b"], encoder, MemoryStore(), "query : ")
    vectors(["a b"], encoder, MemoryStore(), "")
    assert encoder.pooled == [ids("passage : a b c d"), ids("query : a b"), ids("a b")]
    plain = FakeEncoder(window=3)
    vectors(["a b c d"], plain, MemoryStore())
    assert [window.tolist() for window in plain.windows] == [ids("a b c")]


def test_a_very_long_text_is_not_tokenised_to_its_end() -> None:
    encoder = FakeEncoder(window=4)
    vectors(["word " * 10_000], encoder, MemoryStore())
    assert encoder.tokenizer.characters < 500


@pytest.mark.parametrize("change", ["content", "device", "pooling"])
def test_vectors_of_another_encoder_are_not_taken(change: str) -> None:
    store, first, second = MemoryStore(), FakeSentenceEncoder(), FakeSentenceEncoder()
    vectors(TEXTS, first, store)
    if change == "pooling":
        second.pooling = "cls"
    else:
        second.identity = replace(second.identity, **{change: "another"})
    vectors(TEXTS, second, store)
    assert len(second.pooled) == 3


def test_damaged_vectors_are_made_again() -> None:
    class Damaged(MemoryStore):
        broken = False

        def read(self, key: Any) -> Any:
            if self.broken:
                raise DamagedArtifact("broken")
            return super().read(key)

        def find_intervals(self, names: Any) -> Any:
            self.broken, broken = False, self.broken
            found = super().find_intervals(names)
            self.broken = broken
            return found

        def discard(self, key: Any) -> None:
            self.broken = False
            super().discard(key)

    store, encoder, said = Damaged(), FakeEncoder(), []
    first = vectors(TEXTS, encoder, store)
    store.broken = True
    assert np.array_equal(vectors(TEXTS, encoder, store, warn=said.append), first)
    assert len(said) == 1
    assert "making it again" in said[0]
    encoder.forget()
    vectors(TEXTS, encoder, store)
    assert encoder.windows == []


def test_a_store_that_cannot_be_written_is_no_hindrance() -> None:
    class ReadOnly(MemoryStore):
        def write(self, key: Any) -> Any:  # noqa: ARG002
            raise StoreError("cannot write")

    said: list[str] = []
    rows = vectors(TEXTS, FakeEncoder(), ReadOnly(), warn=said.append)
    assert np.array_equal(rows, vectors(TEXTS, FakeEncoder(), MemoryStore()))
    assert said == ["the vectors are not kept: cannot write"]


def test_no_texts() -> None:
    assert vectors([], FakeEncoder(), MemoryStore()).shape == (0, 16)
