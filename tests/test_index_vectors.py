"""Index vectors of a document, from Python."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest

import vchunk
from fakes import FakeEncoder, FakeSentenceEncoder, FakeSplitter
from vchunk.adapters.stores.memory import MemoryStore

SENTENCES = [f"Boats number {i} sail past the {i * i % 7} harbours." for i in range(40)]
TEXT = "# Boats\n\n" + "\n\n".join(" ".join(SENTENCES[i : i + 4]) for i in range(0, 40, 4)) + "\n"
SOURCE = vchunk.Source("a.md", TEXT.encode())


def session(encoder: FakeEncoder | None = None, **more: object) -> vchunk.Session:
    return vchunk.Session(encoder=encoder or FakeEncoder(), store=MemoryStore(), splitter=FakeSplitter(), **more)


def lengths(rows: np.ndarray) -> np.ndarray:
    return np.linalg.norm(rows, axis=1)


@pytest.mark.parametrize("kind", ["late", "text", "blend"])
def test_each_chunk_has_its_row(kind: str) -> None:
    doc = session().embed(SOURCE)
    plain = doc.chunks(target_tokens=20)
    chunks = doc.chunks(target_tokens=20, vectors=kind)
    assert chunks.vectors is not None
    assert (chunks.vectors.shape, chunks.vectors.dtype) == ((len(plain), 16), np.float32)
    np.testing.assert_allclose(lengths(chunks.vectors), 1, atol=1e-6)
    assert all(np.array_equal(c.vector, row) for c, row in zip(chunks, chunks.vectors, strict=True))
    assert plain.vectors is None
    assert plain[0].vector is None
    assert "vector" not in plain[0].as_dict()
    # Vectors play no part in what is equal.
    assert chunks == plain
    assert hash(chunks) == hash(plain)
    assert set(chunks) == set(plain)
    assert chunks.without_vectors()[0].vector is None


def test_vectors_cannot_be_written_to_and_travel_with_the_record() -> None:
    chunks = session().embed(SOURCE).chunks(target_tokens=20, vectors="late")
    with pytest.raises(ValueError, match="read-only"):
        chunks[0].vector[0] = 1
    again = vchunk.Chunk.from_dict(chunks[0].as_dict())
    assert np.array_equal(again.vector, chunks[0].vector)
    assert again.vector.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        again.vector[0] = 1
    assert np.array_equal(pickle.loads(pickle.dumps(chunks[0])).vector, chunks[0].vector)


def test_vectors_that_the_store_does_not_keep_are_encoded_once_more_at_most() -> None:
    encoder = FakeEncoder()
    doc = session(encoder).embed(SOURCE, keep="units")
    once = len(encoder.windows)
    curves = [doc.chunks(prominence=1.0, f_sig=f_sig) for f_sig in (2.0, 2.0, 1.0)]
    assert len(encoder.windows) == 2 * once
    kept = session().embed(SOURCE).chunks(prominence=1.0, f_sig=2.0)
    assert [c.text for c in curves[0]] == [c.text for c in curves[1]] == [c.text for c in kept]


def test_numbers_in_a_record_are_read_back_as_the_same_float32() -> None:
    [chunk] = session().embed(vchunk.Source("a.txt", b"One.")).chunks()
    values = np.array([0, 1, -1, 1 / 3, 1e-3, 3e-9, -2e-20, 0.1, np.float32(1e-45)], np.float32)
    written = replace(chunk, vector=values).as_dict()["vector"]
    assert np.array_equal(np.array(written, np.float32), values)
    assert max(len(repr(number)) for number in written[:5]) <= 12


def test_a_blend_draws_neighbours_together() -> None:
    doc = session().embed(SOURCE)
    late, text, blend = (doc.chunks(target_tokens=12, vectors=k).vectors for k in ("late", "text", "blend"))
    own = late + text
    own /= lengths(own)[:, None]
    neighbours = np.einsum("ij,ij->i", own[1:], own[:-1])
    assert (np.einsum("ij,ij->i", blend[1:], blend[:-1]) - neighbours).mean() > 0.03
    assert (np.einsum("ij,ij->i", blend, own) > 0.6).all()


def test_ancestors_can_be_late_only() -> None:
    encoder = FakeEncoder()
    doc = session(encoder).embed(SOURCE)
    encoder.forget()
    chunks = doc.chunks(target_tokens=12, vectors="blend", blend_ancestors="late")
    assert len(encoder.windows) == len(chunks)
    both = doc.chunks(target_tokens=12, vectors="blend")
    assert len(encoder.windows) > len(chunks)
    text = doc.chunks(target_tokens=12, vectors="blend", blend_ancestors="text")
    rows = [chunks.vectors, both.vectors, text.vectors]
    assert not any(np.array_equal(a, b) for a, b in itertools.pairwise(rows))


def test_a_second_time_nothing_is_encoded() -> None:
    encoder = FakeEncoder()
    doc = session(encoder).embed(SOURCE)
    first = doc.chunks(target_tokens=20, vectors="blend")
    encoder.forget()
    assert np.array_equal(doc.chunks(target_tokens=20, vectors="blend").vectors, first.vectors)
    doc.chunks(target_tokens=20, vectors="text")
    doc.chunks(target_tokens=20, vectors="late")
    assert encoder.windows == []


@pytest.mark.parametrize("kind", ["late", "blend"])
def test_kept_units_are_enough_where_chunks_are_whole_units(kind: str) -> None:
    encoder, said = FakeEncoder(), []
    there = session(encoder, warn=said.append)
    doc = there.embed(SOURCE, keep="units")
    full = there.embed(SOURCE).chunks(target_tokens=20, vectors=kind)
    encoder.forget()
    said.clear()
    kept = doc.chunks(target_tokens=20, vectors=kind)
    assert np.array_equal(kept.vectors, full.vectors)
    assert not any("encoding the document again" in line for line in said)
    # Sentences of 9 tokens in pieces of 4 are none: then it is said.
    encoder.forget()
    doc.chunks(max_tokens=4, vectors="blend", blend_ancestors="late")
    windows = doc.report.windows
    assert sum(len(window) > 10 for window in encoder.windows) == windows  # once, not once a generation
    pieces = doc.chunks(max_tokens=4, vectors="late")
    assert any("encoding the document again" in line for line in said)
    assert np.array_equal(pieces.vectors, there.embed(SOURCE).chunks(max_tokens=4, vectors="late").vectors)


def test_structure_needs_an_encoder_for_vectors_only() -> None:
    encoder = FakeEncoder()
    doc = session(encoder).read(SOURCE)
    chunks = doc.chunks(method="structure", target_tokens=20)
    assert encoder.windows == []
    text = doc.chunks(method="structure", target_tokens=20, vectors="text")
    assert len(encoder.windows) == len(chunks)
    late = doc.chunks(method="structure", target_tokens=20, vectors="late")
    assert text == late == chunks


@pytest.mark.parametrize(
    "wanted", [{"prominence": 0, "f_sig": 0.05, "min_tokens": 8}, {"target_tokens": 20, "skip": ("none",)}]
)
def test_vectors_go_with_every_way_to_cut(wanted: dict[str, object]) -> None:
    doc = session().embed(SOURCE)
    chunks = doc.chunks(**wanted, vectors="blend")
    assert len(chunks) == len(chunks.vectors) > 1


def test_documents_without_words() -> None:
    for text in ("", "  \n", "\u200b"):
        doc = session().embed(vchunk.Source("a.txt", text.encode()))
        for kind in ("late", "text", "blend"):
            chunks = doc.chunks(vectors=kind)
            assert chunks.vectors.shape == (len(chunks), 16)
            assert np.isfinite(chunks.vectors).all()


def test_texts_are_not_encoded_by_another_encoder_than_the_documents() -> None:
    store = MemoryStore()
    there = vchunk.Session(encoder=FakeEncoder(name="first"), store=store, splitter=FakeSplitter())
    key = str(there.embed(SOURCE).embedding.key)
    other = vchunk.Session(encoder=FakeEncoder(content="others"), store=store, splitter=FakeSplitter())
    there._keep_tokenizer = None  # the fake's tokenizer is not stored
    doc = other.open(key)
    with pytest.raises(vchunk.ModelError, match=r"made by another encoder than fake.*--encoder first"):
        doc.chunks(target_tokens=20, vectors="text")
    assert len(doc.chunks(target_tokens=20, vectors="late").vectors) > 1


def test_texts_are_led_by_the_prefix_that_the_documents_windows_had() -> None:
    store = MemoryStore()
    first = FakeSentenceEncoder("passage : ")
    there = vchunk.Session(encoder=first, store=store, splitter=FakeSplitter())
    key = str(there.embed(SOURCE).embedding.key)
    second = FakeSentenceEncoder()
    other = vchunk.Session(encoder=second, store=store, splitter=FakeSplitter())
    assert second.tokenizer.identity == other.encoder.tokenizer.identity
    other.open(key).chunks(target_tokens=20, vectors="text")
    passage = FakeEncoder().tokenizer.tokenize("passage :").ids.tolist()
    assert second.pooled
    assert all(text[:2] == passage for text in second.pooled)


def test_queries() -> None:
    there = session()
    one = there.encode_query("boats sail")
    several = vchunk.encode_query(["boats sail", "clocks"], session=there)
    assert (one.shape, one.dtype, several.shape) == ((16,), np.float32, (2, 16))
    np.testing.assert_allclose(lengths(several), 1, atol=1e-6)
    assert np.array_equal(several[0], one)
    assert not np.array_equal(there.encode_query("boats sail", prefix="query: "), one)
    assert there.encode_query([]).shape == (0, 16)


def test_a_question_finds_its_chunk() -> None:
    there = session()
    chunks = there.embed(SOURCE).chunks(max_tokens=14, vectors="text")
    best = int(np.argmax(chunks.vectors @ there.encode_query("boats number 17 sail past")))
    assert "number 17" in chunks[best].text


@pytest.mark.parametrize("wish", [{"vectors": "dense"}, {"vectors": "late", "blend_ancestors": "late"}])
def test_wrong_wishes_are_refused(wish: dict[str, str]) -> None:
    with pytest.raises(vchunk.UsageError, match="--"):
        session().read(SOURCE).chunks(method="structure", **wish)
