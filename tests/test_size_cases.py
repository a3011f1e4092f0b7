"""Faults of size, overlap, merging and identity that users of other chunkers met."""

from __future__ import annotations

import string
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import FakeEncoder, FakeTokenizer
from models import byte_bpe, sentences
from vchunk import wiring
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.chunks import Chunks
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.ports import Tokenizer
from vchunk.domain.prominence import find_peaks
from vchunk.domain.windows import make_plan
from vchunk.session import Session


@pytest.fixture(scope="module")
def inputs(shared: Path) -> Path:
    return shared / "cases" / "inputs"


@cache
def reader() -> Session:
    return Session(store=MemoryStore())


def document(text: str, name: str = "a.txt") -> Doc:
    return reader().read(Source(name, text.encode()))


def cut(doc: Doc, **wanted: Any) -> Chunks:
    """Chunks by structure alone, whose laws hold."""
    chunks = doc.chunks(method="structure", **wanted)
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end, "no chunk lies in its neighbour"
        assert wanted.get("overlap_in_text") or before.end <= after.start
    for chunk in chunks:
        assert chunk.text == doc.text[chunk.start : chunk.end] != ""
    return chunks


def overlaps(doc: Doc, chunks: Chunks) -> list[str]:
    """The overlap of each chunk, which is the text directly before it."""
    out = []
    for chunk in chunks:
        found = [part.text for part in chunk.context if part.kind == "overlap"]
        assert doc.text[: chunk.start].endswith("".join(found))
        out.append("".join(found))
    return out


@cache
def counter() -> Tokenizer:
    return wiring.make_tokenizer()


def count(text: str) -> int:
    return len(counter().tokenize(text))


@pytest.mark.parametrize("overlap", [0, 8])
def test_repeated_sentences_have_places_of_their_own(inputs: Path, overlap: int) -> None:  # F001
    doc = reader().read(inputs / "repeat_sentences.txt")
    chunks = cut(doc, max_tokens=40, overlap=overlap)
    assert len({chunk.start for chunk in chunks}) == len(chunks) > 2
    assert sum("valve" in chunk.text for chunk in chunks) == 1
    assert all(count(chunk.text) <= 40 for chunk in chunks)


@pytest.mark.parametrize("in_text", [False, True])
def test_overlaps_are_whole_and_no_longer_than_asked(inputs: Path, in_text: bool) -> None:  # F002
    doc = reader().read(inputs / "units_overlap.txt")
    chunks = cut(doc, max_tokens=10, target_tokens=9, overlap=5, overlap_in_text=in_text)
    assert all(chunk.tokens == count(chunk.text) <= 10 for chunk in chunks)
    shared = (
        [doc.text[b.start : a.end] for a, b in pairwise(chunks) if b.start < a.end]
        if in_text
        else [text for text in overlaps(doc, chunks) if text]
    )
    assert all(count(text) <= 5 for text in shared)


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_starts_do_not_drift(overlap: int) -> None:  # F008
    doc = document("Alpha one two three. Beta one two three. Gamma one two three. Delta one two three.")
    for in_text in (False, True):
        cut(doc, target_tokens=4, max_tokens=4, overlap=overlap, overlap_in_text=in_text)


def test_a_paragraph_of_cjk_is_measured(inputs: Path) -> None:  # F022
    doc = reader().read(inputs / "cjk.txt")
    chunks = cut(doc, max_tokens=40)
    assert len(chunks) > 1
    assert all(chunk.tokens == count(chunk.text) <= 40 for chunk in chunks)


@pytest.mark.parametrize("times", [1, 2, 40])
def test_text_without_delimiters_is_held_to_the_limit(inputs: Path, times: int) -> None:  # F031
    one = (inputs / "no_delims.json.txt").read_text("utf-8")[: 40_000 // times]
    doc = document("\n\n".join([one] * times))
    assert all(count(chunk.text) <= 256 for chunk in cut(doc, max_tokens=256))


@pytest.mark.parametrize("limit", [16, 32, 128])
@pytest.mark.parametrize("size_in", ["tokens", "chars", "file"])
def test_joined_paragraphs_are_counted_together(limit: int, size_in: str, tmp_path: Path) -> None:  # F032
    words = ["river", "ocean", "stock", "court", "piano", "garden", "kitchen"] * 40
    if size_in == "file":
        size_in = str(bpe_file(tmp_path))
    for more in (-1, 0, 1):
        half = limit // 2
        text = " ".join(words[: half - 1]) + ".\n\n" + " ".join(words[: limit - half + more - 1]) + "."
        chunks = cut(document(text * 3), max_tokens=limit, size_in=size_in)
        sizer = counter() if size_in == "tokens" else wiring.make_counter(size_in)
        for chunk in chunks:
            assert chunk.tokens == len(sizer.tokenize(chunk.text)) <= limit


def test_overlap_in_characters_keeps_the_limit() -> None:  # F035
    doc = document("aa  bb  cc  dd")
    chunks = cut(doc, max_tokens=4, target_tokens=4, overlap=2, overlap_in_text=True, size_in="chars")
    assert [chunk.text for chunk in chunks] == ["aa", "bb", "cc", "dd"]
    long = document("Ab cd. Ef gh. Ij kl. Mn op. Qr st. ")
    chunks = cut(long, max_tokens=14, target_tokens=13, overlap=7, overlap_in_text=True, size_in="chars")
    assert all(len(chunk.text) == chunk.tokens <= 14 for chunk in chunks)


def test_small_chunks_are_merged_to_either_side() -> None:  # F037
    full = "The harbour was full of boats and the market was full of fish and of people. " * 6
    for text in (full + "Tax is due.", "Tax is due. " + full):
        chunks = cut(document(text), target_tokens=50, min_tokens=12)
        assert min(chunk.tokens for chunk in chunks) >= 12
    tiny = f"# One\n\n{full}\n\n# Two\n\nTax.\n\n# Three\n\n{full}"
    assert min(chunk.tokens for chunk in cut(document(tiny, "a.md"), target_tokens=120, min_tokens=12)) >= 12
    two = cut(
        document("Hi. " + "The harbour was full of boats and of fish. " * 2), target_tokens=12, min_tokens=10
    )
    assert min(chunk.tokens for chunk in two) >= 10


@pytest.mark.parametrize("thresholds", [Thresholds("fixed", 0.0, 0.0), Thresholds("fixed", 0.99, 0.0), None])
def test_merging_keeps_the_limit(thresholds: Thresholds | None) -> None:  # F034
    text = " ".join(f"The sensor reads {n} degrees." for n in range(60))
    doc = Session(encoder=FakeEncoder("constant"), store=MemoryStore()).embed(Source("a.txt", text.encode()))
    chunks = doc.chunks(method="double-pass", thresholds=thresholds, max_tokens=100)
    assert all(chunk.tokens == FakeTokenizer().count(chunk.text) <= 100 for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks) == text
    assert all(a.tokens + b.tokens > 100 for a, b in pairwise(chunks)), "merging wants to join all"


@pytest.mark.parametrize("windows", ["full", "light"])
def test_a_book_is_tokenised_whole_without_a_warning(
    shared: Path, windows: str, capfd: pytest.CaptureFixture[str]
) -> None:  # F082
    text = (shared / "real" / "book_moby_dick_2701-0.txt").read_text("utf-8-sig")[:300_000]
    tokens = counter().tokenize(text)
    plan = make_plan(windows, 254)
    edges = plan.anchors(tokens.ids)
    bounds = [plan.bounds(edges, window) for window in range(plan.count(edges))]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(tokens) > 60_000
    assert all(after <= end for (_, end), (after, _) in pairwise(bounds))
    assert max(end - start for start, end in bounds) <= 254
    assert capfd.readouterr().err == ""


def test_there_is_a_vector_for_each_token_though_the_tokenizer_truncates() -> None:  # F089
    baked = byte_bpe()
    baked.enable_truncation(128)
    tokenizer = wiring.load_tokenizer(baked.to_str().encode(), "baked")
    text = sentences(60)
    doc = Session(encoder=FakeEncoder(tokenizer=tokenizer), store=MemoryStore()).embed(
        Source("a.txt", text.encode())
    )
    assert doc.embedding is not None
    count = len(tokenizer.tokenize(text))
    assert doc.embedding.rows()(0, count).any(axis=1).all()
    assert len(doc.embedding.token_starts) == count > 300
    assert doc.chunks(target_tokens=40)[-1].end == len(text)


@pytest.mark.parametrize("in_text", [False, True])
def test_no_chunk_is_overlap_alone(in_text: bool) -> None:  # F038
    doc = document("S one is here. S two is here. S three is here. S four is here.")
    chunks = cut(doc, target_tokens=15, overlap=10, overlap_in_text=in_text)
    assert chunks[-1].end == len(doc.text)
    assert all(b.end > a.end for a, b in pairwise(chunks))


@pytest.mark.parametrize("name", ["one_word.txt", "one_sentence.txt"])
def test_a_word_or_a_sentence_is_one_chunk(inputs: Path, name: str) -> None:  # F043
    doc = Session(encoder=FakeEncoder(dim=4), store=MemoryStore()).embed(inputs / name)
    for wanted in (
        {},
        {"prominence": 1.0},
        {"count": 1},
        {"count": 5},
        {"levels": (256, 64)},
        {"levels": "p4,p1"},
    ):
        texts = {chunk.text for chunk in doc.chunks(**wanted)}
        assert texts == {doc.text.strip()}


def test_as_many_chunks_as_asked_or_as_there_are_units() -> None:  # F044
    for text, units in (("First sentence. Second sentence.", 2), ("One here. Two here. Three here.", 3)):
        for wanted in (1, 2, 3, 9):
            assert len(cut(document(text), count=wanted)) == min(wanted, units)
    for length in (0, 1, 2):
        assert len(find_peaks(np.ones(length, np.float32))[0]) == 0


def test_blank_lines_are_no_units(inputs: Path) -> None:  # F046
    text = (inputs / "many_blank_lines.txt").read_text("utf-8")
    few = "\n\n".join(line.strip() for line in text.splitlines() if line.strip())
    many = few.replace("\n\n", "\n" * 12)
    session = Session(encoder=FakeEncoder(dim=4), store=MemoryStore())
    first, second = (session.embed(Source("a.txt", t.encode())) for t in (few, many))
    for wanted in ({"target_tokens": 20}, {"count": 3}, {"prominence": 0.5}):
        grouped = [[c.text.split() for c in doc.chunks(**wanted)] for doc in (first, second)]
        assert grouped[0] == grouped[1]


def test_shifts_at_either_end_are_seen() -> None:  # F047
    topics = {
        "garden": ["tulips", "soil", "seeds", "roses", "mulch"],
        "tax": ["levy", "audit", "duty", "fee", "tariff"],
    }
    grow = ["Tulips soil seeds roses mulch tulips soil seeds roses mulch tulips soil." for _ in range(8)]
    law = "Levy audit duty fee tariff levy audit duty fee tariff levy audit."
    encoder = FakeEncoder("topic", dim=4, window=60, topics=topics)
    doc = Session(encoder=encoder, store=MemoryStore()).embed(
        Source("a.txt", " ".join([law, *grow, law]).encode())
    )
    curve = doc.velocity(0.1)
    peaks, heights = find_peaks(curve)
    strongest = sorted(peaks[np.argsort(heights)[-2:]].tolist())
    length = FakeTokenizer().count(law)
    assert abs(strongest[0] - length) <= length
    assert abs(strongest[1] - (len(curve) - length)) <= length
    assert [chunk.text for chunk in doc.chunks(count=3)] == [law, " ".join(grow), law]


@pytest.mark.parametrize("limit", [1, 2, 4, 9])
def test_an_indented_line_over_the_limit_gives_no_empty_chunk(limit: int) -> None:
    doc = document("License.\n\n    http://creativecommons.org/licenses/by/4.0/\n\n\tindented by a tab\n", "a.md")
    for wanted in ({"max_tokens": limit}, {"max_tokens": 3 * limit, "size_in": "chars"}):
        chunks = cut(doc, **wanted)
        assert all(chunk.text.strip() and 0 < chunk.tokens <= wanted["max_tokens"] for chunk in chunks)
        assert "".join("".join(chunk.text for chunk in chunks).split()) == "".join(doc.text.split())


def test_a_count_leaves_room_for_the_minimum() -> None:
    doc = document("The harbour was full of boats and of fish. " * 20)
    with pytest.raises(
        UsageError, match=r"--count 4: --min-tokens 100 leaves room for \d at most in this document"
    ):
        cut(doc, count=4, min_tokens=100)
    room = count(doc.text) // 4
    assert min(chunk.tokens for chunk in cut(doc, count=3, min_tokens=room)) >= room
    assert len(cut(doc, count=1, min_tokens=10_000)) == 1


def test_no_overlap_shares_no_character() -> None:  # F049
    chunks = cut(document("a" * 30), max_tokens=10, target_tokens=10, overlap=0, size_in="chars")
    assert [chunk.text for chunk in chunks] == ["a" * 10] * 3


def test_ids_are_of_content_and_occurrence() -> None:  # F100
    body = [sentences(4, seed) for seed in range(8)]
    same = cut(document("\n\n".join([body[0], *body, body[0]])), target_tokens=30)
    assert len({chunk.id for chunk in same}) == len(same)
    before = cut(document("\n\n".join(body)), target_tokens=30)
    after = cut(document("A sentence that was put on top.\n\n" + "\n\n".join(body)), target_tokens=30)
    late = [chunk.id for chunk in before if chunk.text in "\n\n".join(body[2:])]
    assert late
    assert set(late) <= {chunk.id for chunk in after}


def test_pages_do_not_count_overlaps() -> None:  # F107
    doc = document("\f".join(f"Page {n} has a first sentence. Page {n} has a second one." for n in "abc"))
    for in_text in (False, True):
        for chunk in cut(doc, target_tokens=14, overlap=8, overlap_in_text=in_text):
            breaks = doc.text[: chunk.start].count("\f"), doc.text[: chunk.end].count("\f")
            assert chunk.pages in ((), tuple(range(breaks[0] + 1, breaks[1] + 2)))


def bpe_file(folder: Path) -> Path:
    path = folder / "bytes" / "tokenizer.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(byte_bpe().to_str())
    return path


@pytest.mark.parametrize(
    "text", [sentences(30), "Emoji 👩‍👩‍👧‍👦 and 日本語 and é. " * 12, string.ascii_letters * 9]
)
def test_any_tokenizer_counts_sizes(tmp_path: Path, text: str) -> None:
    path = bpe_file(tmp_path)
    sizer = wiring.make_counter(str(path))
    chunks = cut(document(text), max_tokens=40, size_in=str(path))
    assert len(chunks) > 1
    for chunk in chunks:
        assert (chunk.tokens, chunk.size_in) == (len(sizer.tokenize(chunk.text)), "bytes")
        assert chunk.tokens <= 40


def test_words_without_known_pieces_are_held_to_the_limit() -> None:
    word = "ทุกคนมีสิทธิและอิสรภาพ" * 3  # Thai, of which the bundled tokenizer knows nothing
    text = " ".join([word] * 40)
    chunks = cut(document(text), max_tokens=64)
    assert all(chunk.tokens <= 64 for chunk in chunks)
    assert max(len(chunk.text) for chunk in chunks) <= 4 * 64 + len(word)
    assert "".join("".join(chunk.text for chunk in chunks).split()) == word * 40
    key = cut(document("a1" * 10_000), max_tokens=50)
    assert all(chunk.tokens <= 50 for chunk in key)
    assert max(len(chunk.text) for chunk in key) <= 4 * 50
