"""WebVTT and SubRip: captions with their times.

Left out are the header, notes, styles, regions, numbers and names of cues, times, settings and
tags; character references are read. The voice of a cue (``<v Ada>``) becomes its speaker. Cues come
in the order of their times. In captions that roll up, as speech recognition writes them, each cue
repeats the last line of the one before: it is read once. A cue whose times cannot be read is left
out with a warning.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.transcripts import Cue, assemble
from vchunk.domain.document import Document, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.lines import LINE_END
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Warn

_STAMP = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"[ \t]*{_STAMP}[ \t]*-->[ \t]*{_STAMP}(?:[ \t].*)?$")
_LEFT_OUT = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t\n]+([^>]*)>")
_TAG = re.compile(
    r"</?(?:v|c|i|b|u|s|lang|ruby|rt|font)(?:[.\s][^<>]*)?>|<[\d:.]+>|\{\\[^{}]*\}|\{/?[biu]\}", re.I
)
_REFERENCE = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);")
_HEADER = re.compile(r"WEBVTT(?:[ \t][^\r\n]*)?(?:\r\n|\n|\r|$)")
_ROLLING = 0.5
"""Least share of cues that repeat a line of the one before where captions roll up."""
_LEAST_GROWING = 3
"""Least number of cues, and a quarter of them, that repeat a line and add one."""
_SMALL_GAP = 0.1  # seconds


def looks_like_webvtt(head: str) -> bool:
    """Whether a text begins as WebVTT does; a text about WebVTT has no times."""
    return _HEADER.match(head) is not None and ("-->" in head or head.strip() == "WEBVTT")


def looks_like_subrip(head: str) -> bool:
    """Whether a text begins with a number and a line of times."""
    first = LINE_END.split(head.lstrip()[:400])[:2]
    return len(first) == 2 and first[0].strip().isdecimal() and _TIMING.match(first[1]) is not None


@dataclass(frozen=True, slots=True)
class _Raw:
    """A cue as it stands in the file."""

    lines: tuple[str, ...]
    time: tuple[float, float]


class WebVttReader(DecodingReader):
    """Reads WebVTT."""

    name = "vtt"
    version = 1
    _media_type = "text/vtt"

    def read(self, source: Source, warn: Warn) -> Document:
        """Turns and cues, see `transcripts`.

        Raises
        ------
        ReadError
            If there is no cue, and no header either.
        """
        text = decode(source, warn, self.encoding)
        raw, bad = self._cues(LINE_END.split(text))
        if bad:
            warn(f"{source.name}: {counted(bad, 'cue')} with times that cannot be read left out")
        if not raw and not _HEADER.match(text):
            raise ReadError(f"{source.name}: no captions in it; to read it as it stands give --input-format text")
        raw.sort(key=lambda cue: cue.time[0])
        cues = [cue for entry in _unrolled(raw) for cue in _voices(entry)]
        body, blocks = assemble(cues)
        return Document(text=body, blocks=blocks, media_type=self._media_type, reader=self.signature)

    def _cues(self, lines: Sequence[str]) -> tuple[list[_Raw], int]:
        """The cues, and how many have times that cannot be read."""
        return _webvtt_cues(lines)


class SubRipReader(WebVttReader):
    """Reads SubRip (``.srt``)."""

    name = "srt"
    _media_type = "application/x-subrip"

    def _cues(self, lines: Sequence[str]) -> tuple[list[_Raw], int]:
        return _subrip_cues(lines)


def _webvtt_cues(lines: Sequence[str]) -> tuple[list[_Raw], int]:
    """Blocks parted by blank lines; one is a cue if its first or second line has times."""
    cues: list[_Raw] = []
    bad = 0
    for blank, group in itertools.groupby(lines, key=lambda line: not line.strip()):
        if blank:
            continue
        block = list(group)
        if _LEFT_OUT.match(block[0]) and "-->" not in block[0]:
            continue
        rows = [i for i, line in enumerate(block) if "-->" in line]
        for row, stop in itertools.pairwise([*rows, len(block)]):
            time = _time(block[row])
            if time is None:
                bad += 1
            else:
                cues.append(_Raw(tuple(block[row + 1 : stop]), time))
    return cues, bad


def _subrip_cues(lines: Sequence[str]) -> tuple[list[_Raw], int]:
    """From one line of times to the next, the number in front of that left out; blank lines may stand in a cue."""
    rows = [i for i, line in enumerate(lines) if _TIMING.match(line)]
    bad = sum("-->" in line and _TIMING.match(line) is None for line in lines)
    cues = []
    for row, following in itertools.pairwise([*rows, len(lines) + 1]):
        stop = min(following, len(lines))
        if following < len(lines) and lines[following - 1].strip().isdecimal():
            stop = following - 1
        time = _time(lines[row])
        assert time is not None
        said = list(itertools.takewhile(lambda line: "-->" not in line, lines[row + 1 : max(stop, row + 1)]))
        cues.append(_Raw(tuple(said), time))
    return cues, bad


def _time(line: str) -> tuple[float, float] | None:
    match = _TIMING.match(line)
    if match is None:
        return None
    parts = match.groups()
    start, end = (_seconds(parts[i : i + 4]) for i in (0, 4))
    return start, max(start, end)


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = parts
    thousandths = int((fraction or "0").ljust(3, "0"))
    return (
        int(hours or 0) * 3_600_000 + int(minutes or 0) * 60_000 + int(seconds or 0) * 1000 + thousandths
    ) / 1000


def _unrolled(cues: Sequence[_Raw]) -> list[_Raw]:
    """The cues without the lines that are only shown once more."""
    stripped = [_Raw(tuple(line for line in cue.lines if _plain(line)), cue.time) for cue in cues]
    rolls = [_repeated(before, after) for before, after in itertools.pairwise(stripped)]
    grows = sum(0 < count < len(cue.lines) for cue, count in zip(stripped[1:], rolls, strict=True))
    if sum(count > 0 for count in rolls) < _ROLLING * len(cues) or grows < max(_LEAST_GROWING, len(cues) / 4):
        return stripped
    return [_Raw(cue.lines[count:], cue.time) for cue, count in zip(stripped, [0, *rolls], strict=True)]


def _repeated(before: _Raw, after: _Raw) -> int:
    """How many lines at the head of a cue are those at the foot of the one before, still shown."""
    if after.time[0] > before.time[1] + _SMALL_GAP:
        return 0
    old, new = ([_plain(line) for line in cue.lines] for cue in (before, after))
    return next((n for n in range(min(len(old), len(new)), 0, -1) if old[-n:] == new[:n]), 0)


def _voices(cue: _Raw) -> Iterator[Cue]:
    """A cue, or one for each voice in it."""
    text = "\n".join(cue.lines)
    first, *rest = _VOICE.split(text)
    if _plain(first):
        yield Cue(_lines(first), cue.time)
    for speaker, said in zip(rest[::2], rest[1::2], strict=True):
        if _plain(said):
            yield Cue(_lines(said), cue.time, _plain(speaker) or None)


def _lines(text: str) -> str:
    lines = (_plain(line) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _plain(text: str) -> str:
    """Without tags, character references read, blanks made one."""
    bare = _REFERENCE.sub(lambda match: html.unescape(match[0]), _TAG.sub("", text))
    return re.sub(r"[ \t\r\n]+", " ", bare).strip()
