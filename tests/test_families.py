"""What holds for counts, overlaps, families of levels and other units of size, on any document."""

from __future__ import annotations

import pickle
import unicodedata
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vchunk
from fakes import FakeEncoder, FakeSplitter, FakeTokenizer
from strategies import TOPICS, sources
from test_invariants import docs, long_markdown, session, source, starts
from vchunk import wiring
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.chunks import Chunks
from vchunk.doc import Doc
from vchunk.domain.chunks import Chunk
from vchunk.domain.context import Context
from vchunk.domain.document import Role
from vchunk.domain.errors import UsageError
from vchunk.session import Session

count_of = FakeTokenizer().count


def hold_family_laws(doc: Doc, chunks: Chunks, maxima: list[int | None]) -> None:
    levels: list[list[Chunk]] = [[c for c in chunks if c.depth == depth] for depth in range(len(maxima))]
    assert sum(map(len, levels)) == len(chunks)
    assert [c.index for c in chunks] == list(range(len(chunks)))
    place = {(c.depth, c.id): c for c in chunks}
    assert len(place) == len(chunks)
    for before, after in pairwise(chunks):
        assert (before.start, before.depth) < (after.start, after.depth)
    for chunk in chunks:
        assert chunk.text == doc.text[chunk.start : chunk.end]
        if chunk.depth:
            assert chunk.id in place[chunk.depth - 1, chunk.parent or ""].children
        else:
            assert chunk.parent is None
        children = [place[chunk.depth + 1, id] for id in chunk.children]
        assert bool(children) == (chunk.depth < len(maxima) - 1)
        if children:
            assert (children[0].start, children[-1].end) == (chunk.start, chunk.end)
        for before, after in pairwise(children):
            assert not doc.text[before.end : after.start].strip()
        limit = maxima[chunk.depth]
        # A grapheme of several tokens; marks may stand on a blank.
        parted = any(a == " " and unicodedata.category(b)[0] != "M" for a, b in pairwise(chunk.text))
        one = len(chunk.text) < 30 and not parted
        assert limit is None or chunk.tokens <= limit or one


@given(
    docs,
    st.lists(st.integers(1, 80), min_size=1, max_size=4, unique=True),
    st.one_of(st.none(), st.integers(80, 90)),
)
def test_sizes_make_a_family(doc: Doc, sizes: list[int], maximum: int | None) -> None:
    sizes.sort(reverse=True)
    chunks = doc.chunks(levels=sizes, max_tokens=maximum)
    hold_family_laws(doc, chunks, [maximum or 2 * size for size in sizes])


@given(docs, st.sampled_from(["p4,p2,p.5", "p1,p0", "p3"]), st.one_of(st.none(), st.integers(25, 60)))
def test_prominences_make_a_family(doc: Doc, levels: str, maximum: int | None) -> None:
    chunks = doc.chunks(levels=levels, max_tokens=maximum)
    hold_family_laws(doc, chunks, [maximum] * (levels.count(",") + 1))


@pytest.mark.parametrize("seed", range(3))
def test_a_family_holds_the_presets_and_prominences(seed: int) -> None:
    doc = session(window=254).embed(source(long_markdown(seed)))
    for maximum in (None, 300):
        family = doc.chunks(levels="1024,256,64" if maximum is None else "256,64", max_tokens=maximum)
        for name, size in (("coarse", "256"), ("fine", "64")):
            depth = (family.granularity or vchunk.Granularity()).members()
            at = [m.name for m in depth].index(f"t{size}")
            alone = doc.chunks(preset=name, max_tokens=maximum)
            assert [(c.id, c.start, c.tokens) for c in family if c.depth == at] == [
                (c.id, c.start, c.tokens) for c in alone
            ]
        peaks = doc.chunks(levels="p8,p2,p.5", max_tokens=maximum, f_sig=0.1)
        for depth, p in enumerate((8, 2, 0.5)):
            alone = doc.chunks(prominence=p, max_tokens=maximum, f_sig=0.1)
            assert starts([c for c in peaks if c.depth == depth]) == starts(alone)


def test_real_documents_make_families(shared: Path) -> None:
    for path in sorted((shared / "real").iterdir()):
        if path.suffix not in (".md", ".vtt", ".json", ".pdf") or path.stat().st_size > 100_000:
            continue
        if "password" in path.name or "MANIFEST" in path.name:
            continue
        doc = Session(store=MemoryStore()).read(path)
        for levels, maximum in (((1024, 256, 64), None), ((300, 90), 300)):
            chunks = doc.chunks(levels=levels, method="structure", max_tokens=maximum)
            hold_family_laws(doc, chunks, [maximum or 2 * size for size in levels])


@given(docs, st.integers(1, 40), st.sampled_from(["auto", "soft"]))
@settings(max_examples=25)
def test_a_count_is_met(doc: Doc, count: int, sections: str) -> None:
    chunks = doc.chunks(count=count, sections=sections, skip=())
    assert len(chunks) <= count
    assert count > 1 or len(chunks) == bool(doc.text.strip())
    if len(chunks) < count:  # no chunk can be divided in two: each is a sentence or a block
        more = doc.chunks(count=count + 1, sections=sections, skip=())
        assert len(chunks) <= len(more) <= len(doc.chunks(max_tokens=1, method="structure", skip=()))


@given(st.integers(1, 60), st.integers(1, 25), st.integers(0, 3))
@settings(max_examples=30)
def test_prose_gives_exactly_as_many_chunks_as_asked(units: int, count: int, seed: int) -> None:
    words = [w for topic in TOPICS.values() for w in topic]
    text = " ".join(
        " ".join(words[(i * (seed + 3) + j) % len(words)] for j in range(2 + (i * 7 + seed) % 9)).capitalize()
        + "."
        for i in range(units)
    )
    doc = session().embed(source(text, "a.txt"))
    assert len(doc.chunks(count=count)) == min(count, units)


def test_a_count_that_the_maximum_forbids_is_refused() -> None:
    doc = session().embed(source("One boat is here. " * 30, "a.txt"))
    with pytest.raises(UsageError, match=r"--count 3: --max-tokens 20 needs at least 8 chunks"):
        doc.chunks(count=3, max_tokens=20)
    chunks = doc.chunks(count=8, max_tokens=20)
    assert len(chunks) == 8
    assert max(c.tokens for c in chunks) <= 20


def test_a_count_finds_the_topics() -> None:
    lengths = {"sea": 9, "trade": 3, "music": 14, "garden": 5}
    parts = []
    for topic, sentences in lengths.items():
        words = TOPICS[topic]
        parts += [
            f"{words[i % 6].capitalize()} {words[(i + 1) % 6]} {words[(i + 2) % 6]}." for i in range(sentences)
        ]
    doc = session(window=254).embed(source(" ".join(parts), "a.txt"))
    assert [c.text.count(".") for c in doc.chunks(count=4)] == list(lengths.values())


overlapping = st.builds(
    lambda size, share, text: {"target_tokens": size, "overlap": size * share // 100, "overlap_in_text": text},
    st.integers(4, 40),
    st.integers(25, 99),
    st.booleans(),
)


@given(docs, overlapping)
def test_overlaps_are_verbatim_and_short(doc: Doc, wanted: dict[str, Any]) -> None:
    wanted["overlap_in_text"] &= wanted["overlap"] > 0
    plain = doc.chunks(target_tokens=wanted["target_tokens"])
    chunks = doc.chunks(**wanted)
    assert [c.end for c in chunks] == [c.end for c in plain]
    for i, chunk in enumerate(chunks):
        own = plain[i].start
        overlap = "".join(part.text for part in chunk.context if part.kind == "overlap")
        assert chunk.text == doc.text[chunk.start : chunk.end]
        assert chunk.tokens == count_of(chunk.text)
        if wanted["overlap_in_text"]:
            assert not overlap
            assert chunk.tokens <= max(2 * wanted["target_tokens"], plain[i].tokens)
            assert i == 0 or chunk.start > plain[i - 1].start or chunk.start == own
            overlap = doc.text[chunk.start : own]
        else:
            assert chunk.start == own
            assert doc.text[:own].endswith(overlap)
            assert overlap + chunk.text in chunk.embed_text
        assert count_of(overlap) <= wanted["overlap"]
        if overlap:
            assert i
            assert doc.text[plain[i - 1].start : own].endswith(overlap)
    if wanted["overlap_in_text"]:
        assert len({c.id for c in chunks}) == len(chunks)


def test_overlap_is_whole_sentences_and_as_many_as_fit() -> None:
    doc = session().embed(source("A b c d. E f g h. I j k l. M n o p.", "a.txt"))
    chunks = doc.chunks(target_tokens=10, max_tokens=10, overlap=6)
    assert [c.text for c in chunks] == ["A b c d. E f g h.", "I j k l. M n o p."]
    assert [c.context for c in chunks] == [(), (Context("overlap", "E f g h. "),)]
    assert chunks[1].embed_text == "E f g h. I j k l. M n o p."
    more = doc.chunks(target_tokens=10, max_tokens=15, overlap=9, overlap_in_text=True)
    assert [c.text for c in more] == ["A b c d. E f g h.", "E f g h. I j k l. M n o p."]
    assert more[1].context == ()


def test_no_overlap_is_taken_across_what_is_left_out() -> None:
    own = session()
    read = own.read(source("One boat is here.\n\nPage 3 of 9.\n\nTwo boats are here."))
    body, foot, more = read.document.blocks
    document = replace(read.document, blocks=(body, replace(foot, role=Role.FURNITURE), more))
    doc = Doc(own, own.add(document), document)
    for in_text in (False, True):
        chunks = doc.chunks(method="structure", target_tokens=12, overlap=11, overlap_in_text=in_text)
        assert [(c.text, c.context) for c in chunks] == [("One boat is here.", ()), ("Two boats are here.", ())]


def test_no_overlap_begins_inside_a_block_that_ended() -> None:
    doc = session().embed(source("Boats are here.\n\n```\na\n\nx = 1\n```\n\nLast words are here."))
    chunks = doc.chunks(target_tokens=11, max_tokens=18, overlap=7)
    assert [c.text.count("```") for c in chunks] == [2, 0]
    assert chunks[1].context == ()


@given(docs, st.integers(4, 200), st.booleans())
def test_characters_are_a_unit(doc: Doc, size: int, structure: bool) -> None:
    method = "structure" if structure else "velocity"
    chunks = doc.chunks(target_tokens=size, size_in="chars", method=method)
    for chunk in chunks:
        assert (chunk.tokens, chunk.size_in) == (len(chunk.text), "chars")
        assert chunk.tokens <= 2 * size
    left = [(gap.span.start, gap.span.end) for gap in chunks.left_out]
    at = 0
    for start, end in sorted([(c.start, c.end) for c in chunks] + left):
        assert not doc.text[at:start].strip()
        at = end
    assert not doc.text[at:].strip()


def test_a_block_that_just_fits_in_characters_is_whole() -> None:
    code = "```\n" + "\n".join(f"value_{i} = {i}" for i in range(6)) + "\n```"
    doc = session().embed(source(f"Words before it.\n\n{code}\n\nWords behind it.\n"))
    for slack, whole in ((0, True), (-1, False)):
        chunks = doc.chunks(max_tokens=len(code) + slack, size_in="chars")
        assert any(code in c.text for c in chunks) is whole


def test_meaning_weighs_the_same_in_characters() -> None:
    """Words of four letters: five characters, with their space, for a token."""
    words = {topic: [f"{topic[:2]}{x}{y}" for x in "abc" for y in "de"] for topic in TOPICS}
    encoder = FakeEncoder("topic", dim=4, window=60, topics=words)
    lengths = [9, 4, 12, 6, 8, 3]
    parts = []
    for i, n in enumerate(lengths):
        own = words[list(TOPICS)[i % 4]]
        parts += [" ".join(own[(j + k) % 6] for k in range(5)) for j in range(n)]
    doc = Session(encoder=encoder, store=MemoryStore(), splitter=FakeSplitter()).embed(
        source("\n".join(parts), "a.txt")
    )
    in_tokens = doc.chunks(target_tokens=40, max_tokens=80)
    in_characters = doc.chunks(target_tokens=200, max_tokens=400, size_in="chars")
    assert starts(in_tokens) == starts(in_characters)
    assert len(in_tokens) > 3


def test_presets_in_characters_are_four_times_as_large() -> None:
    assert [level.target for level in vchunk.Granularity(size_in="chars").ladder()] == [256, 512]
    doc = session(window=254).embed(source(long_markdown(1)))
    fine, medium = (starts(doc.chunks(preset=p, size_in="chars")) for p in ("fine", "medium"))
    assert medium < fine


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file; choose tokens, chars or a tokenizer.json"),
        (b"words", "not a tokenizer.json"),
        (b"{}", 'it has no "model"'),
        (b'{"model": {"type": "No"}}', "not a tokenizer.json"),
    ],
)
def test_a_counter_that_is_none_is_refused(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        wiring.make_counter(str(path))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.builds(lambda file: session().embed(file), sources))
@settings(max_examples=15)
def test_a_result_is_cut_again_and_the_document_stays_as_it_is(doc: Doc) -> None:
    first = doc.chunks(preset="fine", max_tokens=100)
    same = doc.chunks(preset="fine", max_tokens=100)
    assert first.to(prominence=0.5) == doc.chunks(prominence=0.5, max_tokens=100)
    assert first.to(overlap=True) == doc.chunks(preset="fine", max_tokens=100, overlap=32)
    assert first.to(overlap=True).to(overlap=False) == same
    assert first.to(min_chunk_size=9) == doc.chunks(preset="fine", max_tokens=100, min_tokens=9)
    assert first.to(prominence=1.0, f_sig=0.2).to(target_tokens=50).granularity == vchunk.Granularity(
        target_tokens=50, max_tokens=100
    )
    assert first.to(levels="90,20") == doc.chunks(levels=(90, 20), max_tokens=100)
    assert first == same == doc.chunks(preset="fine", max_tokens=100)


def test_what_cannot_be_cut_again_says_so() -> None:
    doc = session().embed(source("One boat. Two boats.", "a.txt"))
    with pytest.raises(UsageError, match="taget: no option of chunks"):
        doc.chunks().to(taget=3)
    with pytest.raises(UsageError, match="taget: no option of chunks"):
        doc.chunks(taget=3)
    with pytest.raises(UsageError, match=r"'fine' is no vchunk\.Granularity"):
        doc.chunks("fine")
    with pytest.raises(UsageError, match=r"make one with vchunk\.wiring\.make_snapper"):
        doc.chunks(snapper="chonky")
    with pytest.raises(UsageError, match=r"cut it with doc\.chunks"):
        Chunks([], []).to(prominence=1)
    assert pickle.loads(pickle.dumps(tuple(doc.chunks()))) == tuple(doc.chunks())


def test_what_stands_beside_the_granularity_is_kept_or_changed() -> None:
    text = "# Boats\n\n" + " ".join(f"Boat {i} is in harbour {i}." for i in range(60))
    doc = session().embed(source(text, "a.md"))
    late = doc.chunks(target_tokens=20, vectors="late")
    coarser = late.to(target_tokens=40)
    assert coarser.vectors is not None
    assert np.array_equal(coarser.vectors, doc.chunks(target_tokens=40, vectors="late").vectors)
    assert late.to(vectors=None).vectors is None
    mixed = doc.chunks(target_tokens=20, vectors="blend", blend_ancestors="late")
    assert np.array_equal(mixed.to(min_tokens=0).vectors, mixed.vectors)
    assert np.array_equal(mixed.to(vectors="late").vectors, late.vectors)
    assert np.array_equal(doc.chunks(target_tokens=20).to(vectors="late").vectors, late.vectors)


def test_an_overlap_of_a_sentence_is_in_the_unit_of_the_sizes() -> None:
    doc = session().embed(source("One boat is here. " * 200, "a.txt"))
    assert doc.chunks(size_in="chars").to(overlap=True).granularity.overlap == 128
    assert doc.chunks().to(size_in="chars", overlap=True).granularity.overlap == 128
    assert doc.chunks().to(overlap=True).granularity.overlap == 32


def test_in_a_notebook_a_document_is_a_line() -> None:
    doc = session().embed(source("# Boats\n\n" + "One boat is here. " * 200, "a.md"))
    for shown in (doc, doc.tree(), doc.chunks()):
        assert len(repr(shown)) < 120
        assert "\n" not in repr(shown)
    assert "Boats" in repr(doc)
    assert str(doc.embedding.key) in repr(doc)


def test_a_count_below_what_is_possible_gives_the_nearest_and_says_so() -> None:
    said: list[str] = []
    pages = "\n\n".join(f"== Page {n}\n\nOne boat is here. Two are gone.\n\n:hidden: {n}" for n in range(4))
    there = session()
    there.warn = said.append
    doc = there.embed(source(pages, "a.adoc"))
    assert len(doc.chunks().left_out) == 4
    assert len(doc.chunks(count=4)) == 4
    said.clear()  # of the encoder's constants
    assert starts(doc.chunks(count=2)) == starts(doc.chunks(count=4))
    assert said[0].startswith("--count 2: 4 is the nearest for this document, since what is left out divides it")
    # A branch of a list is not divided where it fits: the limit that the mean size sets gives way.
    branch = "\n".join("  " * depth + f"- Boat {depth} is here." for depth in range(12))
    deep = there.embed(source("\n".join([branch] * 4), "a.md"))
    for count in range(1, 9):
        assert 1 <= len(deep.chunks(count=count)) <= count
