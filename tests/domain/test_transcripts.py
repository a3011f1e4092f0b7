"""Turns and cues when a document is cut: what stays together, and what chunks say of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeSplitter
from materials import material_of
from strategies import read
from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.granularity import Granularity
from vchunk.domain.splitting import split_points
from vchunk.session import Session
from vchunk.wiring import make_hasher


def captions(*said: str) -> Document:
    """Cues of a second each; a speaker's name in front of a bar is the voice."""
    cues = []
    for i, line in enumerate(said):
        voice, bar, words = line.rpartition("|")
        cues.append(f"00:{i:02}.000 --> 00:{i + 1:02}.000\n{f'<v {voice}>' if bar else ''}{words}\n")
    return read("WEBVTT\n\n" + "\n".join(cues), "a.vtt")


def chunks_of(document: Document, **wanted: Any) -> tuple[Chunk, ...]:
    wanted = {"method": "structure", **wanted}
    return chunk(material_of(document), Granularity(**wanted), make_hasher()).chunks


def levels(document: Document) -> dict[str, int]:
    """The level of each boundary, by the word behind it."""
    found = find_boundaries(document, FakeSplitter())
    return {
        document.text[at:].split()[0]: int(level) for at, level in zip(found.offsets, found.levels, strict=True)
    }


def test_levels_of_turns_cues_and_sentences() -> None:
    document = captions("Ada|One two. Three", "Ada|four five.", "Ada|Six.", "Bea|Seven.")
    assert levels(document) == {"Three": 0, "four": -1, "Six.": 1, "Bea:": 2}


def test_a_sentence_does_not_run_from_a_speaker_into_what_nobody_says() -> None:
    assert levels(captions("Ada|One two", "three four.", "Five.")) == {"three": 1, "Five.": 1}


def test_any_cue_may_begin_a_chunk_where_nothing_is_punctuated() -> None:
    document = captions("one two", "three four", "five six", "seven eight", "nine ten")
    assert levels(document) == {"three": 1, "five": 1, "seven": 1, "nine": 1}
    found = chunks_of(document, max_tokens=4)
    assert len(found) > 2
    assert {line for c in found for line in c.text.split("\n")} == set(document.text.split("\n"))


def test_the_cues_of_a_sentence_stay_together_where_they_fit() -> None:
    document = captions("A b c d.", "E f", "g h", "i j.", "K l m n o.", "P q r s.")
    for size in (9, 10, 11, 12):
        for found in chunks_of(document, max_tokens=size):
            assert found.text.endswith("."), (size, found.text)
    assert any(not c.text.endswith(".") for c in chunks_of(document, max_tokens=6))


def test_a_cue_is_whole_where_it_fits() -> None:
    document = captions("A b. C d. E f.", "G h. I j. K l.")
    assert [c.text for c in chunks_of(document, target_tokens=5, max_tokens=9)] == document.text.split("\n")


def test_a_turn_is_whole_where_it_fits() -> None:
    document = captions("Ada|A b. C d.", "Ada|E f. G h.", "Bea|I j.", "Ada|K l. M n.")
    found = chunks_of(document, target_tokens=8, max_tokens=16)
    turns = [b.span for b in document.blocks if b.kind is Kind.TURN]
    assert len(found) > 1
    assert all(any(c.start <= turn.start and turn.end <= c.end for c in found) for turn in turns)


@pytest.mark.parametrize(
    "text", ["Dr. A. Smith: Hello there.", "Who? Me!: Hello there.", "Ada (x. Y): Hello there."]
)
def test_no_sentence_ends_in_a_label(text: str) -> None:
    name = text.partition(":")[0].partition(" (")[0]
    said = json.dumps([{"speaker": name, "content": "x"}, {"speaker": name, "content": "Hello there. Well."}])
    document = read(said, "a.json")
    assert levels(document) == {f"{name}:".split()[0]: 2, "Well.": 0}


def test_a_label_stays_with_the_first_words_where_a_turn_is_split() -> None:
    words = " ".join(f"w{i}" for i in range(40))
    document = read(f"Ada Roe: {words}.\nBea: Yes.\nAda Roe: No.\nBea: Yes.\nAda Roe: No.\n", "a.txt")
    for size in (5, 6, 7, 12):
        found = chunks_of(document, max_tokens=size)
        assert found[0].text.startswith("Ada Roe: w0")
        assert not any(c.text.endswith(":") for c in found)
        assert all(c.tokens <= size for c in found)


def test_a_label_that_does_not_fit_is_split_like_any_text() -> None:
    text = "Ada Bea Roe: word after word"

    def words(start: int, end: int) -> int:
        return len(text[start:end].split())

    assert split_points(text, 0, len(text), 4, words, head=13) == [(18, -3), (24, -3)]
    assert [at for at, _ in split_points(text, 0, len(text), 2, words, head=13)] == [4, 8, 13, 18, 24]


def test_code_that_a_turn_begins_with_is_whole_with_the_label() -> None:
    code = "```\\n" + "x = 1\\n" * 6 + "```"
    said = f'[{{"role": "user", "content": "{code}\\n\\nOne two three four five six seven."}}]'
    found = chunks_of(read(said, "a.json"), max_tokens=27)
    assert found[0].text.count("```") == 2
    assert found[1].text.startswith("One")


def test_time_and_speaker_of_chunks() -> None:
    document = captions("Ada|A b c d.", "Ada|E f g h.", "Bea|I j k l.", "Bea|M n o p.")
    assert [(c.time, c.speaker) for c in chunks_of(document, target_tokens=6, max_tokens=7)] == [
        ((0.0, 1.0), "Ada"),
        ((1.0, 2.0), "Ada"),
        ((2.0, 3.0), "Bea"),
        ((3.0, 4.0), "Bea"),
    ]
    (whole,) = chunks_of(document, max_tokens=100)
    assert (whole.time, whole.speaker, whole.kind, whole.kinds) == ((0.0, 4.0), None, "turn", ("turn", "cue"))


def test_text_outside_the_turns_has_no_speaker() -> None:
    turns = "Ada: One.\n\nAda: Two.\n\nBea: Three.\n\nAda: Four.\n\nBea: Five.\n"
    document = read(f"Minutes\n\n{turns}", "a.txt")
    first, *others = chunks_of(document, target_tokens=5, max_tokens=8)
    assert first.text.startswith("Minutes")
    assert first.speaker is None
    assert first.time is None
    assert {c.speaker for c in others} >= {"Bea"}


def by_prominence(document: Document, peak: str, **wanted: Any) -> list[str]:
    """The first words of the chunks where the velocity has one peak, at a word."""
    bare = material_of(document)
    curve = np.zeros(len(bare.token_starts), np.float32)
    curve[np.searchsorted(bare.token_starts, document.text.index(peak))] = 1.0
    material = replace(bare, velocity=lambda _: curve)
    found = chunk(material, Granularity(prominence=10.0, min_tokens=1, **wanted), make_hasher())
    return [c.text.split()[0] for c in found.chunks]


def test_a_speech_is_divided_by_meaning_and_a_short_turn_is_not() -> None:
    speech = " ".join(f"S{i} goes on here." for i in range(40))
    short = " ".join(f"T{i} goes on here." for i in range(8))
    document = read(f"Ada: {speech}\nBea: {short}\nAda: U.\nBea: V.\nAda: W.\n", "a.txt")
    assert by_prominence(document, "S20") == ["Ada:", "S20"]
    assert by_prominence(document, "T4") in (["Ada:", "Bea:"], ["Ada:", "Ada:"])
    assert by_prominence(document, "S20", max_tokens=400) in (["Ada:"], ["Ada:", "Bea:"])


_said = st.lists(
    st.sampled_from(
        ["Ada|One two.", "Ada|three", "Bea|four. Five six", "seven", "eight nine.", "Cid|" + "word " * 30]
    ),
    min_size=1,
    max_size=12,
)


@given(_said, st.integers(2, 40))
def test_laws_of_transcripts(said: list[str], size: int) -> None:
    document = captions(*said)
    found = chunks_of(document, max_tokens=size)
    at = 0
    for c in found:
        assert not document.text[at : c.start].strip()
        assert c.text == document.text[c.start : c.end]
        assert c.tokens <= size
        assert c.time is not None
        at = c.end
    assert not document.text[at:].strip()
    times = [c.time for c in found if c.time is not None]
    assert times == sorted(times)
    assert (times[0][0], times[-1][1]) == (0.0, float(len(said)))


@pytest.mark.parametrize("name", ["docling_webvtt_example_01.vtt", "qmsum_education_4.json"])
@pytest.mark.parametrize("size", [32, 128, 512])
def test_real_transcripts(shared: Path, name: str, size: int) -> None:
    path = shared / "real" / name
    doc = Session().read(Source(name, path.read_bytes()))
    found = doc.chunks(method="structure", max_tokens=size)
    labels = {b.span.start: len(b.speaker) + 1 for b in doc.document.blocks if b.kind is Kind.TURN and b.speaker}
    at = 0
    for c in found:
        assert not doc.text[at : c.start].strip()
        assert c.tokens <= size
        assert c.text == doc.text[c.start : c.end]
        assert len(c.text) > labels.get(c.start, 0) + 1
        at = c.end
    assert not doc.text[at:].strip()
    times = [c.time for c in found if c.time is not None]
    assert times == sorted(times)
    assert (len(times) == len(found)) == name.endswith(".vtt")
