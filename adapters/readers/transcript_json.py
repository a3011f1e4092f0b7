"""Transcripts and chats in JSON.

Read are lists of things said, by themselves or under a name in an object:

- ``{"meeting_transcripts": [{"speaker", "content"}]}``, as in QMSum;
- segments ``{"start_time", "end_time", "text", "words", "speaker"}`` under ``segments``,
  ``utterances`` or ``transcript``, as speech recognition writes them. A time may be called
  ``start`` or ``end``; it is seconds, as a number or a string, or ``hh:mm:ss``. Milliseconds are known by
  the name (``start_ms``), or by whole numbers in which nobody speaks that slowly. Where there is no
  text, the words are joined; where there are no times, those of the words are taken;
- chats ``[{"role", "content"}]``, also under ``messages``, or one a line (JSON Lines). What is said
  is read as Markdown. Content may be a list of parts, of which those with text count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vchunk.adapters.readers.transcripts import Cue, assemble
from vchunk.domain.document import Block, Document
from vchunk.domain.ports import Warn

READER = "transcript/1"
"""Name and version of this reader."""

_LISTS = ("meeting_transcripts", "segments", "utterances", "transcript", "messages")
_STARTS = ("start_time", "start", "startTime", "start_ms", "startMs", "start_time_ms")
_ENDS = ("end_time", "end", "endTime", "end_ms", "endMs", "end_time_ms")
_SLOWEST = 0.1
"""Characters a second. Speech has 5 to 30; read in seconds, times in milliseconds make it 0.03 at most."""
_TEXTS = ("content", "text", "transcript")
_WORD = ("punctuated_word", "word", "text", "content")
_SPEAKERS = ("speaker", "speaker_label", "role")
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)")
_SECONDS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*s?\s*")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def is_transcript(data: Any) -> bool:
    """Whether parsed JSON is a transcript or a chat."""
    return _entries(data) is not None


def read_transcript(data: Any, name: str, warn: Warn) -> Document:  # noqa: ARG001 - as all forms of JSON
    """The document of a transcript or a chat that was parsed from JSON and `is_transcript`."""
    entries = _entries(data)
    assert entries is not None
    chat = all("role" in entry for entry in entries)
    cues = _in_seconds(entries, [_cue(entry) for entry in entries])
    text, blocks = assemble(cues, _markdown if chat else None)
    return Document(
        text=text,
        blocks=blocks,
        title=_word(data, "title") if isinstance(data, Mapping) else None,
        language=_language(data),
        media_type="application/json",
        reader=READER,
    )


def _entries(data: Any) -> Sequence[Mapping[str, Any]] | None:
    """The list of things said."""
    if isinstance(data, Mapping):
        found = (data[name] for name in _LISTS if isinstance(data.get(name), list))
        return next((entries for entries in found if _are_said(entries)), None)
    return data if isinstance(data, list) and _are_said(data) else None


def _are_said(entries: Sequence[Any]) -> bool:
    return bool(entries) and all(isinstance(entry, Mapping) and _is_said(entry) for entry in entries)


def _is_said(entry: Mapping[str, Any]) -> bool:
    """Whether an entry has words, and who or when."""
    if "role" in entry and "content" in entry:
        return isinstance(entry["role"], str) and isinstance(entry["content"], str | list | None)
    has_text = any(isinstance(entry.get(name), str) for name in _TEXTS) or isinstance(entry.get("words"), list)
    who = any(isinstance(entry.get(name), str | int) for name in _SPEAKERS)
    when = any(name in entry for name in _STARTS) and any(name in entry for name in _ENDS)
    return has_text and (who or when)


def _cue(entry: Mapping[str, Any]) -> Cue:
    words = [word for word in entry.get("words") or () if isinstance(word, Mapping)]
    text = next((_flat(entry[name]) for name in _TEXTS if isinstance(entry.get(name), str | list)), None)
    if text is None:
        text = _joined([word for word in map(_first_word, words) if word])
    start, end = _time(entry, _STARTS), _time(entry, _ENDS)
    if words and start is None:
        start = _time(words[0], _STARTS)
    if words and end is None:
        end = _time(words[-1], _ENDS)
    time = None if start is None else (start, max(start, start if end is None else end))
    speaker = next((entry[name] for name in _SPEAKERS if isinstance(entry.get(name), str | int)), None)
    named = " ".join(str(speaker).split()) if speaker is not None else ""
    return Cue(text, time, named or None)


def _in_seconds(entries: Sequence[Mapping[str, Any]], cues: list[Cue]) -> list[Cue]:
    """The cues, with times that are whole milliseconds made seconds."""
    times = [cue.time for cue in cues if cue.time is not None]
    whole = all(float(value).is_integer() for time in times for value in time) and not any(
        isinstance(entry.get(name), str | float) for entry in entries for name in (*_STARTS, *_ENDS)
    )
    said = sum(len(cue.text) for cue in cues if cue.time is not None)
    if not whole or said >= _SLOWEST * sum(end - start for start, end in times):
        return cues
    return [
        cue if cue.time is None else replace(cue, time=(cue.time[0] / 1000, cue.time[1] / 1000)) for cue in cues
    ]


def _flat(content: str | list[Any]) -> str:
    """The text of a message; of a list of parts those that are text."""
    if isinstance(content, str):
        return content
    texts = (part if isinstance(part, str) else _word(part, "text") for part in content)
    return "\n\n".join(text for text in texts if text)


def _word(entry: Any, name: str) -> str | None:
    value = entry.get(name) if isinstance(entry, Mapping) else None
    return value if isinstance(value, str) else None


def _first_word(entry: Mapping[str, Any]) -> str | None:
    return next((word.strip() for name in _WORD if (word := _word(entry, name))), None)


def _joined(words: Sequence[str]) -> str:
    """Words in a row, with blanks in scripts that have them; punctuation follows its word."""
    out = ""
    for word in words:
        close = not out or re.fullmatch(r"[.,;:!?…。、！？)\]}]+", word)
        spaceless = bool(out) and _SPACELESS.match(out[-1]) and _SPACELESS.match(word)
        out += word if close or spaceless else f" {word}"
    return out


def _time(entry: Mapping[str, Any], names: Iterable[str]) -> float | None:
    for name in names:
        value = entry.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9:
            return value / 1000 if name.lower().endswith("ms") else float(value)
        if isinstance(value, str):
            if match := _CLOCK.fullmatch(value.strip()):
                hours, minutes, seconds = match.groups()
                return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
            if match := _SECONDS.fullmatch(value):
                return float(match[1])
    return None


def _language(data: Any) -> str | None:
    code = _word(data, "language") or ""
    return code.lower() if re.fullmatch(r"[A-Za-z]{2,3}", code) else None


def _markdown(text: str) -> list[Block]:
    from vchunk.adapters.readers.markdown_tree import block_tree

    return block_tree(text)[0]
