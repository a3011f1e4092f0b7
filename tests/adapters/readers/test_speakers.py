"""Conversations in plain text, and what only looks like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.speakers import label_of, turn_blocks
from vchunk.adapters.readers.text import TextReader
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning

CHAT = "Ada: Good morning.\nBea: Hello, come in!\nAda: Is it cold outside?\nBea: Not very. Sit down.\n"


def read(text: str) -> Document:
    document = TextReader().read(Source("a.txt", text.encode()), no_warning)
    hold_laws(document)
    return document


def turns(text: str) -> list[tuple[str | None, str]]:
    document = read(text)
    return [(b.speaker, document.slice(b.span)) for b in document.blocks if b.kind is Kind.TURN]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n", "\r"])
def test_lines_and_paragraphs_of_speakers_are_turns(gap: str) -> None:
    text = CHAT.replace("\n", gap)
    assert turns(text) == [(line[:3], line) for line in CHAT.splitlines()]
    assert read(text).text == text


def test_what_has_no_label_belongs_to_the_turn_before_and_a_head_to_none() -> None:
    text = "Minutes of May\n\nAda: One.\n\nStill Ada.\n\nBea: Two.\n\nAda: Three.\n\nBea: Four.\n"
    document = read(text)
    shown = [(b.kind.value, b.parent, document.slice(b.span)) for b in document.blocks]
    assert shown[:4] == [
        ("paragraph", None, "Minutes of May"),
        ("turn", None, "Ada: One.\n\nStill Ada."),
        ("paragraph", 1, "Ada: One."),
        ("paragraph", 1, "Still Ada."),
    ]
    assert [speaker for speaker, _ in turns(text)] == ["Ada", "Bea", "Ada", "Bea"]


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("Ada: x", "Ada"),
        ("ADA LOVELACE: x", "ADA LOVELACE"),
        ("Dr. Ada de la Cruz: x", "Dr. Ada de la Cruz"),
        ("Chris d'Arc: x", "Chris d'Arc"),
        ("Speaker 1: x", "Speaker 1"),
        ("SPEAKER_00: x", "SPEAKER_00"),
        ("user: x", "user"),
        ("[00:01:02] Ada: x", "Ada"),
        ("10:15 - Ada: x", "Ada"),
        ("Ada (10:15 AM): x", "Ada"),
        ("The Chair (Hon. Ada Roe (North, Ind.)): x", "The Chair"),
        ("李明：你好", "李明"),
        ("Ada:", "Ada"),
        ("Ada:x", None),
        ("10:30 a meeting", None),
        ("http://x.y", None),
        ("what we did is this: x", None),
        ("2024-05-01 12: x", None),
        ("update 2024-05-01 12: x", None),
        ("- Ada: x", None),
        ("A sentence of many words that Ends so: x", None),
    ],
)
def test_labels(line: str, speaker: str | None) -> None:
    found = label_of(line)
    assert (found.speaker if found else None) == speaker
    if found and line.endswith(" x"):
        assert line[found.end :] == " x"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada: One.\nBea: Two.\nAda: Three.\n",  # too short
        "Ada: One.\nAda: Two.\nAda: Three.\nAda: Four.\n",  # one speaker
        "Ada: One.\nAda: Two.\nAda: Three.\nBea: Four.\nBea: Five.\n",  # one change
        "Sun: a star.\nMoon: a body.\nEarth: a planet.\nMars: another one.\n",  # a glossary
        "Name: Ada.\nDate: May.\nName: Bea.\nDate: June.\n",
        "From: ada.\nTo: bea.\nFrom: bea.\nTo: ada.\n",
        "INFO: Started.\nERROR: Failed.\nINFO: Started.\nERROR: Failed.\n",
        "Package: a\nArchitecture: b\nPackage: c\nArchitecture: d\n",
        "Ada: One.\nRed: two.\nwords.\nwords.\n\nBea: One.\nRed: two.\nwords.\nwords.\n\n" * 3,  # records
        CHAT + "It was a long story that nobody told.\n" * 4,  # mostly prose
    ],
)
def test_other_lines_with_colons_are_no_conversation(text: str) -> None:
    assert not turn_blocks(text)
    assert {b.kind for b in read(text).blocks} <= {Kind.PARAGRAPH}


_lines = st.lists(
    st.sampled_from(
        ["Ada: One.", "Bea: Two!", "Cid (x): Three", "Ada:", "Name: x", "", " ", "Words alone.", "\u00a0", "\f"]
    ),
    max_size=25,
)


@given(_lines, st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_give_a_lawful_document(lines: list[str], end: str) -> None:
    text = end.join(lines)
    assert read(text).text == text


def test_real_meetings(shared: Path) -> None:
    for line in (shared / "bench" / "segmentation" / "qmsum.jsonl").read_text(encoding="utf-8").splitlines():
        meeting = json.loads(line)
        found = [b.span.start for b in turn_blocks(meeting["text"]) if b.kind is Kind.TURN]
        assert found == meeting["turn_offsets"], meeting["id"]
