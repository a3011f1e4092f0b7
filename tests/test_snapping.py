"""A snapper with every way to cut: what it moves, what it may not move, what is read and kept."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import FakeEncoder, FakeSplitter
from strategies import TOPICS, sources
from vchunk import wiring
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.doc import Doc
from vchunk.domain.constants import EncoderConstants
from vchunk.domain.document import Source, Span
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import StoreError, UsageError
from vchunk.session import Session

TEXT = " ".join(f"W{i} b c d." for i in range(120))  # five tokens a sentence
LIKED = ["W7", "W20", "W33", "W41", "W58", "W66", "W79", "W95", "W108"]


class Likes:
    """A snapper that likes where one of some words begins; ``read`` counts its readings."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.read = 0
        self.identity = f"likes {' '.join(words)}"

    def scores(
        self, text: str, candidates: NDArray[np.int64], regions: Sequence[Span] | None = None
    ) -> NDArray[np.float32]:
        assert regions is None
        self.read += 1
        return np.array([self.score(text, at) for at in candidates.tolist()], np.float32)

    def score(self, text: str, at: int) -> float:
        word = re.compile(r"\w*").match(text, at)
        return float(word is not None and word[0] in self.words)


class LikesAtRandom(Likes):
    def __init__(self) -> None:
        super().__init__(["at random"])

    def score(self, text: str, at: int) -> float:
        return zlib.crc32(text[at : at + 9].encode()) % 7 / 6


@pytest.fixture(autouse=True)
def known_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    known = EncoderConstants((64, 128, 256, 512, 1024), (4.0, 9.0, 20.0, 40.0, 80.0), 0.3, 0.1)
    monkeypatch.setattr(wiring, "shipped_constants", lambda *_: known)


def session(store: MemoryStore | None = None, **more: Any) -> Session:
    encoder = FakeEncoder("topic", dim=4, window=254, topics=TOPICS)
    return Session(encoder=encoder, store=store or MemoryStore(), splitter=FakeSplitter(), **more)


def embedded(text: str = TEXT, name: str = "a.txt") -> Doc:
    return session().embed(Source(name, text.encode()))


def first_words(chunks: Sequence[Any]) -> list[str]:
    return [chunk.text.split()[0] for chunk in chunks]


@pytest.mark.parametrize("method", ["velocity", "structure"])
def test_cuts_by_size_prefer_what_the_snapper_likes(method: str) -> None:
    doc, snapper = embedded(), Likes(LIKED)
    wanted: dict[str, Any] = {"target_tokens": 64, "method": method}
    plain, snapped = doc.chunks(**wanted), doc.chunks(**wanted, snapper=snapper)
    assert set(first_words(snapped)[1:]) <= set(LIKED)
    assert not set(first_words(plain)[1:]) <= set(LIKED)
    assert max(chunk.tokens for chunk in snapped) <= 128


def test_a_count_and_levels_prefer_it_too() -> None:
    doc, snapper = embedded(), Likes(LIKED)
    assert set(first_words(doc.chunks(count=7, snapper=snapper))[1:]) <= set(LIKED)
    family = doc.chunks(levels=(256, 64), snapper=snapper)
    assert {chunk.text.split()[0] for chunk in family} <= {"W0", *LIKED}
    assert len(family) > 6
    assert doc.chunks(preset="fine", snapper=snapper).to(preset="coarse") == doc.chunks(
        preset="coarse", snapper=snapper
    )


def test_a_block_is_not_cut_though_the_snapper_would() -> None:
    code = "```\n" + "\n".join(f"W{i} b c d." for i in range(12)) + "\n```"
    doc = embedded(f"{TEXT}\n\n{code}\n\n{TEXT}", "a.md")
    inside = Likes([f"W{i}" for i in range(3, 12)])
    for wanted in ({"target_tokens": 64}, {"method": "double-pass"}, {"method": "structure"}):
        chunks = doc.chunks(**wanted, snapper=inside)
        assert any(code in chunk.text for chunk in chunks)


def test_inside_a_block_over_the_limit_its_grammar_decides() -> None:
    group = "\n".join(f"L{i} b c" for i in range(6))
    doc = embedded("```\n" + "\n\n".join([group] * 5) + "\n```", "a.md")
    wanted: dict[str, Any] = {"target_tokens": 8, "method": "structure"}
    plain = doc.chunks(**wanted)
    assert len(plain) > 3
    assert doc.chunks(**wanted, snapper=Likes(["L1", "L4"])) == plain


files = st.builds(lambda file: session().embed(file), sources)


@settings(max_examples=25)
@given(files, st.sampled_from(["auto", "soft", "hard"]), st.sampled_from(["velocity", "structure"]))
def test_presets_nest_with_a_snapper(doc: Doc, sections: str, method: str) -> None:
    cuts: list[set[int]] = [
        {c.start for c in doc.chunks(preset=preset, sections=sections, method=method, snapper=LikesAtRandom())}
        for preset in ("fine", "medium", "coarse")
    ]
    for finer, coarser in pairwise(cuts):
        assert coarser <= finer


@pytest.mark.parametrize("method", ["velocity", "structure"])
@pytest.mark.parametrize("seed", range(3))
def test_presets_and_trees_nest_in_long_documents(method: str, seed: int) -> None:
    dice = np.random.default_rng(seed)
    words = [word for topic in TOPICS.values() for word in topic]
    text = " ".join(f"{' '.join(dice.choice(words, dice.integers(2, 20)))}.".capitalize() for _ in range(150))
    doc, snapper = embedded(text), LikesAtRandom()
    fine, medium, coarse = (
        {c.start for c in doc.chunks(preset=preset, method=method, snapper=snapper)}
        for preset in ("fine", "medium", "coarse")
    )
    assert coarse < medium < fine
    tree = doc.tree(levels=(256, 64), method=method, snapper=snapper)
    assert {node.start for node in tree.walk() if node.level == 256} == coarse
    assert {node.start for node in tree.walk() if node.level == 64} <= fine
    plain = doc.tree(levels=(256, 64), method=method)
    assert [n.start for n in plain.walk()] != [n.start for n in tree.walk()]


def test_mini_chunks_end_only_where_the_snapper_likes_it() -> None:
    topics = ["river", "price", "piano", "seed"] * 30
    doc = embedded(" ".join(f"W{i} {word} {word}." for i, word in enumerate(topics)))
    wanted: dict[str, Any] = {
        "method": "double-pass",
        "thresholds": Thresholds("fixed", 1, 1),
        "min_tokens": 0,
        "max_tokens": 100,
    }
    assert len(doc.chunks(**wanted)) == 120
    snapped = doc.chunks(**wanted, snapper=Likes(LIKED))
    assert first_words(snapped) == ["W0", *LIKED]
    # Where it likes nothing for longer than the maximum, any sentence may end one.
    few = first_words(doc.chunks(**wanted, snapper=Likes(["W10", "W15"])))
    assert few[:3] == ["W0", "W10", "W15"]
    assert few[3:] == [f"W{i}" for i in range(16, 120)]


def test_headings_part_mini_chunks_though_the_snapper_likes_nothing() -> None:
    doc = embedded(f"# One\n\n{TEXT[:300]}\n\n# Two\n\n{TEXT[:300]}", "a.md")
    chunks = doc.chunks(method="double-pass", max_tokens=1000, snapper=Likes([]))
    assert [chunk.text.splitlines()[0] for chunk in chunks] == ["# One", "# Two"]


def test_the_whole_text_is_read_once_for_all_cuts_by_size() -> None:
    store = MemoryStore()
    doc, snapper = session(store).embed(Source("a.txt", TEXT.encode())), Likes(LIKED)
    doc.chunks(preset="fine", snapper=snapper)
    doc.chunks(preset="coarse", snapper=snapper)
    doc.chunks(method="structure", snapper=snapper)
    doc.chunks(method="double-pass", snapper=snapper)
    doc.tree(snapper=snapper)
    session(store).open(doc.key).chunks(method="structure", snapper=snapper)
    assert snapper.read == 1
    other = Likes(["W1"])
    doc.chunks(preset="fine", snapper=other)
    assert other.read == 1


def test_structure_with_a_snapper_encodes_nothing() -> None:
    encoder = FakeEncoder()
    place = Session(encoder=encoder, store=MemoryStore(), splitter=FakeSplitter())
    doc = place.read(Source("a.txt", TEXT.encode()))
    chunks = doc.chunks(method="structure", target_tokens=64, snapper=Likes(LIKED))
    assert set(first_words(chunks)[1:]) <= set(LIKED)
    assert encoder.windows == []


def test_a_store_that_cannot_be_written_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    doc = session(warn=said.append).embed(Source("a.txt", TEXT.encode()))

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(doc.session.store, "write", full)
    assert len(doc.chunks(snapper=Likes(LIKED))) > 2
    assert said == ["the snapper's scores are not kept: the disk is full"]


@pytest.mark.parametrize("wanted", [{}, {"method": "structure"}, {"method": "double-pass"}])
def test_near_the_peaks_needs_peaks(wanted: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="only cuts by --prominence have peaks"):
        embedded().chunks(**wanted, snapper=Likes(LIKED), snapper_reads="near")
    with pytest.raises(UsageError, match="--snapper-reads some: choose from near, whole"):
        embedded().chunks(**wanted, snapper=Likes(LIKED), snapper_reads="some")


def test_a_tree_is_not_grown_by_double_pass() -> None:
    with pytest.raises(UsageError, match="--method double-pass: a tree is grown by velocity or structure"):
        embedded().tree(method="double-pass")
