"""What holds for any document, through the session: reading, embedding, cutting, growing the tree."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import FakeEncoder, FakeSplitter, FakeTokenizer, Mode
from strategies import TOPICS, small, sources
from vchunk import wiring
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.chunks import Chunks
from vchunk.doc import Doc
from vchunk.domain.constants import EncoderConstants
from vchunk.domain.document import Kind, Role, Source
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.granularity import DEFAULT_SKIP
from vchunk.domain.outline import Node
from vchunk.domain.splitting import grapheme_starts
from vchunk.domain.windows import FullPlan
from vchunk.session import Session

KNOWN = EncoderConstants((64, 128, 256, 512, 1024), (4.0, 9.0, 20.0, 40.0, 80.0), 0.3, 0.1)
"""Constants of no encoder; without any they are measured on the document, and no edit is local."""

MODES: tuple[Mode, ...] = ("topic", "topic", "zero", "constant", "nan")


@pytest.fixture
def known_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the fake encoder were one whose constants ship."""
    monkeypatch.setattr(wiring, "shipped_constants", lambda *_: KNOWN)


def session(mode: Mode = "topic", window: int = 30, store: MemoryStore | None = None) -> Session:
    """A session of fakes; a short window makes many windows of a short text."""
    encoder = FakeEncoder(mode, dim=4, window=window, topics=TOPICS)
    return Session(encoder=encoder, store=store or MemoryStore(), splitter=FakeSplitter())


def source(text: str, name: str = "a.md") -> Source:
    return Source(name, text.encode())


def starts(chunks: Sequence[Any]) -> set[int]:
    return {chunk.start for chunk in chunks}


docs = st.builds(lambda mode, file: session(mode).embed(file), st.sampled_from(MODES), sources)

sizes = st.one_of(
    st.builds(lambda n: {"target_tokens": n}, st.integers(1, 60)),
    st.builds(lambda n: {"max_tokens": n}, st.integers(1, 60)),
    st.builds(
        lambda t, more: {"target_tokens": t, "max_tokens": t + more}, st.integers(1, 30), st.integers(0, 40)
    ),
    st.builds(lambda t, m: {"target_tokens": t, "min_tokens": min(m, t)}, st.integers(2, 30), st.integers(0, 20)),
    st.sampled_from([{}, {"preset": "fine"}, {"preset": "coarse"}, {"method": "structure", "target_tokens": 12}]),
    st.builds(
        lambda p, low, high: {"prominence": p, "min_tokens": low, "max_tokens": high},
        st.sampled_from([0.0, 0.5, 2.0]),
        st.integers(0, 10),
        st.one_of(st.none(), st.integers(10, 60)),
    ),
)
double_passes = st.builds(
    lambda thresholds, low, high: {
        "method": "double-pass",
        "thresholds": thresholds,
        "min_tokens": low,
        "max_tokens": high,
    },
    st.one_of(
        st.none(),
        st.builds(
            Thresholds, st.sampled_from(["percentile", "gradient", "local-maxima"]), st.sampled_from([20, 80])
        ),
        st.builds(Thresholds, st.just("fixed"), st.sampled_from([-1, 0.5, 1]), st.sampled_from([-1, 0.5, 1])),
    ),
    st.integers(0, 10),
    st.one_of(st.none(), st.integers(10, 60)),
)
requests = st.builds(
    lambda size, sections, skip: {**size, "sections": sections, "skip": skip},
    st.one_of(sizes, sizes, double_passes),
    st.sampled_from(["auto", "soft", "hard"]),
    st.sampled_from([DEFAULT_SKIP, (), (Role.BACKMATTER, *DEFAULT_SKIP)]),
)


@given(docs, requests)
def test_1_chunks_are_slices_in_order(doc: Doc, wanted: dict[str, Any]) -> None:
    chunks = doc.chunks(**wanted)
    for i, chunk in enumerate(chunks):
        assert chunk.text == doc.text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert chunk.text == chunk.text.rstrip()
        assert chunk.index == i
    for before, after in pairwise(chunks):
        assert before.start < after.start
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def outside(text: str, spans: list[tuple[int, int]]) -> str:
    """The text that lies in none of the spans, which are apart."""
    at, out = 0, ""
    for start, end in sorted(spans):
        assert at <= start
        out += text[at:start]
        at = end
    return out + text[at:]


@given(docs, requests)
def test_2_chunks_and_what_is_left_out_tile_the_document(doc: Doc, wanted: dict[str, Any]) -> None:
    chunks = doc.chunks(**wanted)
    left = [(gap.span.start, gap.span.end) for gap in chunks.left_out]
    assert not outside(doc.text, [(c.start, c.end) for c in chunks] + left).strip()
    assert all(gap.role in wanted["skip"] for gap in chunks.left_out)


@given(docs, requests)
def test_2_untrimmed_chunks_join_to_the_text(doc: Doc, wanted: dict[str, Any]) -> None:
    wanted = {**wanted, "skip": ()}
    chunks = doc.chunks(**wanted, trim=False)
    if doc.text.strip():
        assert "".join(chunk.text for chunk in chunks) == doc.text
    else:
        assert not len(chunks)


def no_way_to_be_smaller(text: str, tokens: int, maximum: int) -> bool:
    return len(list(grapheme_starts(text, 0, len(text)))) == 1 and tokens > maximum


@given(docs, requests, st.booleans())
def test_3_no_chunk_is_above_the_maximum(doc: Doc, wanted: dict[str, Any], trim: bool) -> None:
    chunks = doc.chunks(**wanted, trim=trim)
    usual = 128 if wanted.get("method") == "double-pass" else 2 * wanted.get("target_tokens", 10**6)
    maximum = wanted.get("max_tokens") or usual
    for chunk in chunks:
        tokens = FakeTokenizer().count(chunk.text)
        assert chunk.tokens == tokens
        assert tokens <= maximum or no_way_to_be_smaller(chunk.text, tokens, maximum)


@given(docs, st.integers(2, 30))
def test_3_a_minimum_holds_where_nothing_forces_a_cut(doc: Doc, minimum: int) -> None:
    """Headings left aside, cuts by prominence keep their distance everywhere."""
    chunks = doc.chunks(prominence=0.0, min_tokens=minimum, sections="soft", skip=())
    for chunk in chunks if len(chunks) > 1 else []:
        assert chunk.tokens >= minimum


@settings(max_examples=30)
@given(docs, st.integers(2, 30))
def test_3_a_minimum_holds_after_merging(doc: Doc, minimum: int) -> None:
    limits: dict[str, Any] = {"min_tokens": minimum, "max_tokens": 10**6, "sections": "soft", "skip": ()}
    chunks = doc.chunks(method="double-pass", **limits)
    for chunk in chunks if len(chunks) > 1 else []:
        assert chunk.tokens >= minimum


@pytest.mark.parametrize("minimum", [5, 20])
def test_3_a_minimum_holds_for_cuts_by_size(minimum: int) -> None:
    doc = session().embed(source(long_text(40), "a.txt"))
    chunks = doc.chunks(target_tokens=30, min_tokens=minimum)
    assert len(chunks) > 5
    assert min(chunk.tokens for chunk in chunks) >= minimum


@given(docs, st.sampled_from([0, 5, 20]), st.one_of(st.none(), st.integers(8, 60)), st.data())
def test_4_cuts_of_a_higher_prominence_are_among_those_of_a_lower_one(
    doc: Doc, minimum: int, maximum: int | None, data: st.DataObject
) -> None:
    if maximum is not None:
        minimum = min(minimum, maximum)
    sections = data.draw(st.sampled_from(["auto", "soft", "hard"]))
    limits = {"min_tokens": minimum, "max_tokens": maximum, "sections": sections}
    cuts = [starts(doc.chunks(prominence=p, **limits)) for p in (0.0, 0.5, 1.0, 2.0, 4.0, 1e9)]
    for finer, coarser in pairwise(cuts):
        assert coarser <= finer


@given(docs, st.sampled_from(["auto", "soft", "hard"]), st.sampled_from(["velocity", "structure"]))
def test_4_presets_nest_in_short_documents(doc: Doc, sections: str, method: str) -> None:
    fine, medium, coarse = (
        starts(doc.chunks(preset=preset, sections=sections, method=method))
        for preset in ("fine", "medium", "coarse")
    )
    assert coarse <= medium <= fine


@pytest.mark.parametrize("seed", range(6))
def test_4_prominences_nest_in_long_documents(seed: int) -> None:
    doc = session(window=254).embed(source(long_markdown(seed)))
    counts = []
    for sections in ("auto", "soft", "hard"):
        for maximum in (None, 60, 300):
            cuts = [
                starts(doc.chunks(prominence=p, max_tokens=maximum, sections=sections, f_sig=0.1))
                for p in (0.0, 1.0, 3.0, 8.0, 30.0)
            ]
            for finer, coarser in pairwise(cuts):
                assert coarser <= finer
            counts.append(len({len(c) for c in cuts}))
    assert max(counts) >= 4


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("known_constants")
def test_4_presets_nest(seed: int) -> None:
    doc = session(MODES[seed % 5], window=254).embed(source(long_markdown(seed)))
    counts = []
    for method in ("velocity", "structure"):
        for sections in ("auto", "soft", "hard"):
            for maximum in (None, 256, 300, 700):
                limits: dict[str, Any] = {"method": method, "sections": sections, "max_tokens": maximum}
                fine, medium, coarse = (
                    starts(doc.chunks(preset=p, **limits)) for p in ("fine", "medium", "coarse")
                )
                assert coarse <= medium <= fine
                counts.append((len(coarse), len(medium), len(fine)))
    assert any(a < b < c for a, b, c in counts)


@pytest.mark.parametrize(("preset", "maximum"), [("medium", 256), ("coarse", 512)])
def test_4_presets_nest_where_a_block_fits_only_without_its_heading(preset: str, maximum: int) -> None:
    code = "```\n" + "x\n" * (maximum - 8) + "```"  # six tokens of marks
    text = f"{long_text(30)}\n\n# Heading of five\n\n{code}\n\n{long_text(30, 1)}"
    doc = session(window=254).embed(source(text))
    block = doc.text.index("```")
    for method in ("structure", "velocity"):
        coarser = starts(doc.chunks(preset=preset, method=method))
        finer = starts(doc.chunks(preset="fine", method=method))
        assert block in coarser
        assert coarser <= finer
        assert {n.start for n in doc.tree(levels=(64,), method=method).walk() if n.level == 64} <= finer


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("known_constants")
def test_4_the_passages_of_a_tree_are_cuts_of_the_presets(seed: int) -> None:
    text = long_text(150, seed, turns=(1, 2, 9)) if seed % 2 else long_markdown(seed)
    doc = session(window=254).embed(source(text))
    tree = doc.tree(levels=(1024, 256, 128, 64))
    for level, preset in ((256, "coarse"), (128, "medium"), (64, "fine")):
        cuts = starts(doc.chunks(preset=preset))
        for node in tree.walk():
            passages = [child.start for child in node.children if child.level == level and child.kind == "passage"]
            assert set(passages[1:]) <= cuts
    assert {node.level for node in tree.walk() if node.kind == "passage"} >= {256, 64}


def walk(node: Node) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    yield node, node.children
    for child in node.children:
        yield from walk(child)


@given(
    docs,
    st.sampled_from([(1024, 256), (64,), (), (10, 30), (5,), (128, 64)]),
    st.one_of(st.none(), st.integers(0, 3)),
    st.sampled_from(["velocity", "structure"]),
)
def test_4_children_lie_in_their_parents_and_tile_them(
    doc: Doc, levels: tuple[int, ...], depth: int | None, method: str
) -> None:
    tree = doc.tree(levels=levels, depth=depth, method=method)
    assert not outside(doc.text, [(tree.start, tree.end)]).strip()
    for node, children in walk(tree):
        assert depth is None or node.depth <= depth
        for child in children:
            assert child.depth == node.depth + 1
            assert doc.text[child.start : child.end].strip()
        spans = [(child.start, child.end) for child in children]
        if spans:
            assert node.start <= spans[0][0]
            assert spans[-1][1] <= node.end
            assert not outside(doc.text[: node.end], [(0, node.start), *spans]).strip()
    ids = [node.id for node in tree.walk()]
    assert len(set(ids)) == len(ids)


def long_text(sentences: int, seed: int = 0, turns: Sequence[int] = (9,)) -> str:
    """Paragraphs of words drawn at random; the topic turns after so many sentences."""
    dice = random.Random(seed)
    topics = list(TOPICS.values())
    out = []
    topic, left = 0, 0
    for i in range(sentences):
        if not left:
            topic, left = (topic + 1) % 4, dice.choice(turns)
        left -= 1
        words = dice.choices(topics[topic] + ["the", "of", "and"], k=dice.randint(6, 14))
        out.append(
            " ".join([*words, f"w{dice.randrange(10**6)}"]).capitalize() + "." + ("\n\n" if i % 5 == 4 else " ")
        )
    return "".join(out)


def long_markdown(seed: int) -> str:
    """Sections of very different sizes with blocks of very different sizes."""
    dice = random.Random(seed)
    parts = []
    for i in range(dice.randint(15, 40)):
        size = dice.choice([1, 2, 3, 8, 20, 45, 100])
        match dice.randrange(8):
            case 0 | 1:
                parts += [
                    "#" * dice.randint(1, 4) + f" Heading {i} " + "of many words " * dice.choice([0, 0, 2, 9])
                ]
            case 2:
                parts += ["```\n" + "".join(f"line {n} of {i}\n" for n in range(size)) + "```"]
            case 3:
                parts += [
                    "\n".join(f"- {long_text(dice.choice([1, 1, 5]), n).strip()}" for n in range(size % 12 + 1))
                ]
            case 4:
                parts += ["| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {n * n} |" for n in range(size))]
            case _:
                parts += [long_text(size % 30 + 1, seed * 100 + i, turns=(1, 3, 9)).strip()]
    return "\n\n".join(parts)


def bytes_of(doc: Doc) -> dict[str, bytes]:
    """All arrays of an embedding."""
    assert doc.embedding is not None
    return {name: np.asarray(array[:]).tobytes() for name, array in doc.embedding.artifact.arrays.items()}


@given(sources, st.integers(1, 3))
def test_5_the_same_bytes_whatever_the_batch(file: Source, batch: int) -> None:
    whole = session("tokens", window=10).embed(file)
    parted = session("tokens", window=10)
    assert isinstance(parted.encoder, FakeEncoder)
    parted.encoder.windows_at_once = batch
    assert bytes_of(parted.embed(file)) == bytes_of(whole)
    assert max(parted.encoder.batches, default=0) <= batch


@given(sources, sources, st.booleans())
def test_5_the_same_bytes_whatever_the_order_and_the_store(one: Source, other: Source, joined: bool) -> None:
    if joined:  # text in common, so that intervals are reused
        other = Source(one.name, one.data + b"\n\n" + other.data)
    cold = [session("tokens", window=10).embed(file) for file in (one, other)]
    warm = session("tokens", window=10)
    later = warm.embed(other)
    for doc, again in zip(cold, (warm.embed(one), later), strict=True):
        assert doc.key == again.key
        assert bytes_of(doc) == bytes_of(again)
        assert doc.chunks(max_tokens=20) == again.chunks(max_tokens=20)
        assert doc.tree(levels=(10,)) == again.tree(levels=(10,))


@pytest.mark.parametrize(("seed", "windows"), [(0, "full"), (1, "light"), (2, "full"), (3, "light")])
@pytest.mark.parametrize("edit", ["replace", "insert", "delete"])
@pytest.mark.usefixtures("known_constants")
def test_6_an_edit_far_away_changes_no_chunk_here(edit: str, seed: int, windows: str) -> None:
    before = long_text(900, seed)
    words = before.split(" ")
    at = 3_000 + 500 * seed
    new = "Quite another thing happened here"
    words[at : at + (0 if edit == "insert" else 6)] = [] if edit == "delete" else new.split(" ")
    after = " ".join(words)
    store = MemoryStore()
    first, second = (
        session("topic", window=254, store=store).embed(source(text, "a.txt"), windows=windows)
        for text in (before, after)
    )
    assert first.report is not None
    assert second.report is not None
    assert first.report.windows_encoded == first.report.windows > 60
    assert 0 < second.report.windows_encoded <= 10
    # What was reused and what was encoded are the bytes of an embedding made afresh.
    assert bytes_of(second) == bytes_of(
        session("topic", window=254).embed(source(after, "a.txt"), windows=windows)
    )
    edited = len(" ".join(words[:at]))
    for wanted in ({"preset": "fine"}, {"preset": "coarse"}, {"prominence": 1.0}, {"target_tokens": 100}):
        old, now = (far_from(doc.chunks(**wanted), doc.text, edited) for doc in (first, second))
        assert old == now
        assert len(old[0]) > 5
        assert len(old[1]) > 5


def far_from(chunks: Chunks, text: str, at: int) -> tuple[list[str], list[str]]:
    """The ids of the chunks far before and far behind a place; 9,000 characters are some 1,500 tokens."""
    behind = len(text) - at
    return (
        [c.id for c in chunks if c.end < at - 9_000],
        [c.id for c in chunks if len(text) - c.start < behind - 9_000],
    )


@given(docs, st.sampled_from([None, 0.05, 0.5, 3.0]))
def test_7_curves_are_finite(doc: Doc, f_sig: float | None) -> None:
    curve = doc.velocity(f_sig)
    assert doc.embedding is not None
    assert len(curve) == doc.embedding.tokens
    assert np.isfinite(curve).all()
    assert (curve >= 0).all()
    units = doc.embedding.units()
    assert units.means is not None
    assert np.isfinite(units.means).all()
    for chunk in [*doc.chunks(prominence=0.0), *doc.chunks(max_tokens=10)]:
        assert np.isfinite(chunk.strength)


@given(small, st.sampled_from(MODES), st.sampled_from(["a.txt", "a.md"]))
def test_7_documents_of_almost_nothing_work(text: str, mode: Mode, name: str) -> None:
    doc = session(mode).embed(source(text, name))
    visible = doc.text.strip()
    for wanted in ({}, {"prominence": 1.0}, {"max_tokens": 1}, {"method": "structure"}, {"target_tokens": 3}):
        chunks = doc.chunks(**wanted)
        assert "".join("".join(c.text.split()) for c in chunks) == "".join(visible.split())
        assert not len(chunks) or visible
    assert doc.tree().kind == "document"


@pytest.mark.parametrize("mode", ["topic", "zero", "constant", "nan"])
@pytest.mark.parametrize("text", ["", "one", "one two", "# One", "One.\n\nTwo."])
def test_7_no_one_and_two_tokens(text: str, mode: Mode) -> None:
    doc = session(mode).embed(source(text))
    assert doc.embedding is not None
    assert doc.velocity().tolist()[:1] in ([], [0.0])
    assert [c.text for c in doc.chunks()] == ([text] if text else [])


@given(sources)
def test_9_each_window_is_encoded_once_and_each_text_tokenised_once(file: Source) -> None:
    asked = session("topic", window=20)
    encoder = asked.encoder
    assert isinstance(encoder, FakeEncoder)
    doc = asked.embed(file)
    assert doc.embedding is not None
    assert doc.report is not None
    edges = doc.embedding.interval_edges
    assert len(encoder.windows) == FullPlan(63).count(edges) == doc.report.windows == doc.report.windows_encoded
    assert encoder.tokens_encoded <= 2 * doc.embedding.tokens
    assert encoder.tokenizer.asked == [doc.text]
    again = asked.embed(file)
    assert again.report is not None
    assert again.report.windows_encoded == 0
    assert len(encoder.windows) == FullPlan(63).count(edges)


def test_9_work_is_linear_in_the_document() -> None:
    asked = []
    for sentences in (200, 400, 800):
        one = session("topic", window=254)
        doc = one.embed(source(long_text(sentences), "a.txt"))
        assert isinstance(one.encoder, FakeEncoder)
        counted = one.encoder.tokenizer
        encoded = one.encoder.tokens_encoded
        assert max(one.encoder.batches) <= one.encoder.windows_at_once
        counted.asked.clear()
        doc.chunks()
        doc.chunks(prominence=1.0, max_tokens=100)
        asked.append((encoded, counted.characters, len(doc.text)))
    for encoded, characters, length in asked:
        assert encoded <= 2 * FakeTokenizer().count(long_text(800)) * length / asked[-1][2] * 1.1
        assert characters <= 2.5 * length  # two ways of cutting, each counts its chunks once


def test_9_structure_alone_asks_no_encoder() -> None:
    one = session()
    doc = one.read(source(long_text(50)))
    doc.chunks(method="structure")
    doc.tree(method="structure")
    assert isinstance(one.encoder, FakeEncoder)
    assert not one.encoder.windows


def test_blocks_that_fit_are_not_cut() -> None:
    code = "```\n" + "".join(f"line {i}\n" for i in range(12)) + "```"
    text = f"{long_text(9)}\n\n{code}\n\n{long_text(9, 1)}\n\n> a quote. of two. sentences\n\n{long_text(5)}"
    doc = session().embed(source(text))
    blocks = [b.span for b in doc.document.blocks if b.kind in (Kind.CODE, Kind.QUOTE)]
    assert len(blocks) == 2
    for wanted in ({"target_tokens": 30}, {"max_tokens": 40}, {"prominence": 0.0, "min_tokens": 0}):
        inside = [c.start for c in doc.chunks(**wanted) for span in blocks if span.start < c.start < span.end]
        assert inside == []
