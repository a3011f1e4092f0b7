"""Transcripts and chats in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from document_laws import hold_laws
from vchunk.adapters.readers.json_forms import JsonReader
from vchunk.adapters.readers.registry import reader_for
from vchunk.adapters.readers.transcript_json import is_transcript
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning


def read(data: Any) -> Document:
    assert is_transcript(data)
    document = JsonReader().read(Source("a.json", json.dumps(data).encode()), no_warning)
    hold_laws(document)
    return document


def turns(document: Document) -> list[tuple[str | None, str]]:
    return [(b.speaker, document.slice(b.span)) for b in document.blocks if b.kind is Kind.TURN]


def test_a_meeting_is_turns_with_their_speakers() -> None:
    said = [
        {"speaker": "Ada", "content": "Good morning. Shall we?"},
        {"speaker": "Bea", "content": " One.\n\nTwo. "},
        {"speaker": "Bea", "content": ""},
        {"speaker": "Ada", "content": "Yes."},
    ]
    document = read({"topic_list": [], "meeting_transcripts": said})
    assert turns(document) == [
        ("Ada", "Ada: Good morning. Shall we?"),
        ("Bea", "Bea: One.\n\nTwo."),
        ("Ada", "Ada: Yes."),
    ]
    inner = [(document.slice(b.span), b.parent) for b in document.blocks if b.kind is Kind.PARAGRAPH]
    assert inner == [("Bea: One.", 1), ("Two.", 1)]
    assert document.media_type == "application/json"


def test_segments_have_times_and_those_of_one_speaker_are_one_turn() -> None:
    segments = [
        {"start_time": 0, "end_time": 1.5, "text": "Good morning.", "speaker": "A"},
        {"start_time": "1.5", "end_time": "00:00:02.500", "text": "Sit down.", "speaker": "A"},
        {"start_time": "3s", "end_time": None, "text": "Thanks.", "speaker": 2},
    ]
    for data in (segments, {"segments": segments, "language": "EN"}):
        document = read(data)
        assert turns(document) == [("A", "A: Good morning.\nSit down."), ("2", "2: Thanks.")]
        times = [b.time for b in document.blocks if b.kind is Kind.CUE]
        assert times == [(0.0, 1.5), (1.5, 2.5), (3.0, 3.0)]
    assert document.language == "en"


def test_words_give_what_a_segment_lacks() -> None:
    words = [
        {"word": "Good", "start_time": 4.0, "end_time": 4.2},
        {"word": "morning", "start_time": 4.2, "end_time": 4.6},
        {"word": ".", "start_time": 4.6, "end_time": 4.7},
    ]
    document = read([{"words": words, "speaker": "Ada"}])
    assert turns(document) == [("Ada", "Ada: Good morning.")]
    assert [b.time for b in document.blocks if b.kind is Kind.CUE] == [(4.0, 4.7)]


def test_segments_without_speakers_are_cues() -> None:
    document = read(
        {"text": "ab", "segments": [{"start": 0.0, "end": 1.0, "text": " a"}, {"start": 1, "end": 2, "text": "b"}]}
    )
    assert document.text == "a\nb"
    assert [(b.kind, b.parent) for b in document.blocks] == [(Kind.CUE, None)] * 2


def test_a_chat_is_read_as_markdown_turn_by_turn() -> None:
    chat = [
        {"role": "user", "content": "How do I add?"},
        {"role": "assistant", "content": "So:\n\n```python\na + b\n```\n\n- one\n- two"},
        {"role": "tool", "content": None},
        {"role": "user", "content": [{"type": "text", "text": "Thanks."}, {"type": "image_url"}, "Bye."]},
    ]
    for data in (chat, {"messages": chat}):
        document = read(data)
        assert [speaker for speaker, _ in turns(document)] == ["user", "assistant", "user"]
        code = next(b for b in document.blocks if b.kind is Kind.CODE)
        assert document.slice(code.span) == "```python\na + b\n```"
        assert document.blocks[code.parent or 0].speaker == "assistant"
        items = [document.slice(b.span) for b in document.blocks if b.kind is Kind.LIST_ITEM]
        assert items == ["- one", "- two"]
        assert document.text.endswith("user: Thanks.\n\nBye.")


@pytest.mark.parametrize(
    "data",
    [
        None, 1, "x", [], {}, [1], [[]], {"segments": []}, {"messages": "x"}, [{"role": "user"}], [{"text": "x"}],
        [{"role": 1, "content": "x"}], [{"speaker": "Ada"}], [{"start": 0, "text": "x"}],
        [{"name": "a", "content": "b"}],
        {"body": {"children": []}, "schema_name": "DoclingDocument", "texts": [{"text": "x"}]},
        {"pages": [{"elements": [{"type": "text", "content": "x"}]}]},
        [{"speaker": "Ada", "content": "x"}, {"other": 1}],
    ],
)  # fmt: skip
def test_other_json_is_no_transcript(data: Any) -> None:
    assert not is_transcript(data)


def test_what_is_no_json_is_refused_in_one_line() -> None:
    with pytest.raises(ReadError, match=r"^a\.json: not JSON \(.*--input-format text$"):
        JsonReader().read(Source("a.json", b"{nothing"), no_warning)


def test_a_real_meeting(shared: Path) -> None:
    path = shared / "real" / "qmsum_education_4.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    document = read(data)
    expected = [(t["speaker"], f"{t['speaker']}: {t['content'].strip()}") for t in data["meeting_transcripts"]]
    assert turns(document) == expected


def times(entries: list[dict[str, Any]]) -> list[tuple[float, float] | None]:
    return [b.time for b in read(entries).blocks if b.kind is Kind.CUE]


def test_milliseconds() -> None:
    said = [
        {"speaker": "A", "text": "Good morning, everybody here.", "start": 250, "end": 2100},
        {"speaker": "B", "text": "Thank you.", "start": 2400, "end": 3000},
    ]
    assert times(said) == [(0.25, 2.1), (2.4, 3.0)]
    named = [{"text": "Good morning.", "start_ms": 1500, "end_ms": 2500}]
    assert times(named) == [(1.5, 2.5)]
    assert times([{"text": "Slow.", "startMs": 1500, "endMs": 900_000}]) == [(1.5, 900.0)]


def test_seconds_are_no_milliseconds() -> None:
    whole = [{"speaker": "A", "text": "Good morning.", "start": 2, "end": 4}]
    assert times(whole) == [(2, 4)]
    long = [{"speaker": "A", "text": "Music.", "start": 0, "end": 50}]
    assert times(long) == [(0, 50)]
    written = [{"text": "Hm.", "start": 0.0, "end": 1200.0}]
    assert times(written) == [(0, 1200)]
    strings = [{"text": "Hm.", "start": "0", "end": "1200"}]
    assert times(strings) == [(0, 1200)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a.txt", "-"])
def test_json_lines(name: str, end: str) -> None:
    said = [{"speaker": "Ada", "text": "One.\u2028Two."}, {"speaker": "Bea", "text": "Three."}]
    data = end.join(json.dumps(entry, ensure_ascii=False) for entry in said) + end
    source = Source(name, data.encode())
    document = reader_for(source).read(source, no_warning)
    assert [speaker for speaker, _ in turns(document)] == ["Ada", "Bea"]


def test_other_json_lines_are_text() -> None:
    for data in (
        b'{"role": "user", "content": "a"}\n{"b": 1}\n',
        b'{"b": 1}\n{"b": 2}\n',
        b'{"role": 1}\nhello\n',
    ):
        source = Source("a.jsonl", data)
        document = reader_for(source).read(source, no_warning)
        assert document.text == data.decode()
        assert document.media_type == "text/plain"
