"""WebVTT and SubRip: what is said, by whom and when; nothing else."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.captions import SubRipReader, WebVttReader
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

VTT = """WEBVTT - a talk
Kind: captions

NOTE
not said --
at all

STYLE
::cue { color: lime }

REGION
id:one

intro
00:01.000 --> 00:02.500 align:start position:10%
<v Ada>Good <i>morning</i>, <c.loud>all</c>.

00:02.500 --> 00:04.000
<v Ada>We talk of
ropes &amp; sails.

2
01:00:00.000 --> 01:00:01.250
<v.first Bea Ro>Ropes &lt;i&gt; first?
"""


def vtt(text: str) -> Document:
    return WebVttReader().read(Source("a.vtt", text.encode()), no_warning)


def srt(text: str) -> Document:
    return SubRipReader().read(Source("a.srt", text.encode()), no_warning)


def shown(document: Document) -> list[tuple[str, str | None, tuple[float, float] | None, str]]:
    hold_laws(document)
    return [(b.kind.value, b.speaker, b.time, document.slice(b.span)) for b in document.blocks]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cues_are_gathered_in_turns(end: str) -> None:
    first = "Ada: Good morning, all."
    second = "We talk of\nropes & sails."
    last = "Bea Ro: Ropes <i> first?"
    document = vtt(VTT.replace("\n", end))
    assert shown(document) == [
        ("turn", "Ada", None, f"{first}\n{second}"),
        ("cue", None, (1.0, 2.5), first),
        ("cue", None, (2.5, 4.0), second),
        ("turn", "Bea Ro", None, last),
        ("cue", None, (3600.0, 3601.25), last),
    ]
    assert document.text == f"{first}\n{second}\n\n{last}"
    assert [b.parent for b in document.blocks] == [None, 0, 0, None, 3]
    assert document.media_type == "text/vtt"


def test_cues_without_voices_are_lines() -> None:
    document = vtt("WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:02.000 --> 00:03.000\nTwo.\n")
    assert shown(document) == [("cue", None, (1.0, 2.0), "One"), ("cue", None, (2.0, 3.0), "Two.")]
    assert document.text == "One\nTwo."


def test_a_cue_with_several_voices_is_several_turns() -> None:
    document = vtt("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Well?</v>\n<v Bea>Yes.</v>\n")
    assert [(speaker, time) for kind, speaker, time, _ in shown(document) if kind == "turn"] == [
        ("Ada", None),
        ("Bea", None),
    ]
    assert document.text == "Ada: Well?\n\nBea: Yes."
    assert [b.time for b in document.blocks if b.kind is Kind.CUE] == [(1.0, 2.0)] * 2


def test_times_inside_a_cue_and_empty_cues_are_left_out() -> None:
    document = vtt(
        "WEBVTT\n\n00:00.000 --> 00:01.000\n<00:00.100><c>so</c> <00:00.500>it goes\n\n"
        "00:01.000 --> 00:02.000\n<i> </i>\n"
    )
    assert document.text == "so it goes"


def test_captions_that_roll_up_are_read_once() -> None:
    said = ["first line", "second line", "third line", "fourth line", "fifth line"]
    cues = [
        f"00:{i:02}.000 --> 00:{i + 1:02}.000\n{before}\n{line}\n"
        for i, (before, line) in enumerate(zip([" ", *said], said, strict=False))
    ]
    assert vtt("WEBVTT\n\n" + "\n".join(cues)).text == "\n".join(said)


def test_captions_of_speech_recognition_that_flash_each_line_are_read_once() -> None:
    said = [f"line number {i}" for i in range(6)]
    cues = []
    for i, line in enumerate(said):
        before = said[i - 1] if i else " "
        cues.append(f"00:{i:02}.000 --> 00:{i:02}.990\n{before}\n<00:{i:02}.100><c>{line}</c>\n")
        cues.append(f"00:{i:02}.990 --> 00:{i + 1:02}.000\n{line}\n \n")
    assert vtt("WEBVTT\n\n" + "\n".join(cues)).text == "\n".join(said)


def test_what_is_said_twice_is_kept_twice() -> None:
    cues = [
        f"00:{i:02}.000 --> 00:{i + 1:02}.000\n{line}\n" for i, line in enumerate(["No.", "No.", "Oh.", "Why?"])
    ]
    assert vtt("WEBVTT\n\n" + "\n".join(cues)).text == "No.\nNo.\nOh.\nWhy?"


def test_lines_that_are_shown_again_later_are_kept() -> None:
    cues = [f"00:{9 * i:02}.000 --> 00:{9 * i + 1:02}.000\nline {i}\nline {i + 1}\n" for i in range(5)]
    assert vtt("WEBVTT\n\n" + "\n".join(cues)).text.count("line") == 10


def test_cues_come_in_the_order_of_their_times() -> None:
    assert vtt("WEBVTT\n\n00:09.000 --> 00:10.000\nlast\n\n00:01.000 --> 00:02.000\nfirst\n").text == "first\nlast"


def test_a_cue_with_damaged_times_is_left_out_and_said() -> None:
    said: list[str] = []
    text = "WEBVTT\n\n00:0x --> 00:02.000\nlost\n\n00:02.000 --> 00:03.000\nkept\n"
    assert WebVttReader().read(Source("a.vtt", text.encode()), said.append).text == "kept"
    assert said == ["a.vtt: 1 cue with times that cannot be read left out"]


def test_what_has_no_captions_is_refused_but_an_empty_file_of_captions_is_empty() -> None:
    with pytest.raises(ReadError, match=r"^a\.vtt: no captions in it.*--input-format text$"):
        vtt("Just words.\n")
    assert vtt("WEBVTT\n").text == ""


SRT = """1
00:00:01,000 --> 00:00:02,000
{\\an8}<font color="red">Hello</font>,
world &amp; all.

2
00:00:02,500 --> 00:00:04,000 X1:40 X2:600
In 1984

there were 7 < 9.

1999

4
00:00:05,000 --> 00:00:06,000
2024
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_numbers_and_times_of_subrip_are_no_text(end: str) -> None:
    document = srt(SRT.replace("\n", end))
    assert shown(document) == [
        ("cue", None, (1.0, 2.0), "Hello,\nworld & all."),
        ("cue", None, (2.5, 4.0), "In 1984\nthere were 7 < 9.\n1999"),
        ("cue", None, (5.0, 6.0), "2024"),
    ]
    assert document.media_type == "application/x-subrip"


def test_speakers_that_captions_name_in_their_text() -> None:
    said = [
        "ADA: Good morning.",
        "Is it cold?",
        ">> BEA: Not very.",
        "ADA: So.",
        "- BEA: Come in.",
        "ADA: Yes.",
    ]
    text = "".join(f"{i + 1}\n00:00:0{i},000 --> 00:00:0{i},900\n{line}\n\n" for i, line in enumerate(said))
    document = srt(text)
    turns = [(b.speaker, document.slice(b.span)) for b in document.blocks if b.kind is Kind.TURN]
    assert turns == [
        ("ADA", "ADA: Good morning.\nIs it cold?"),
        ("BEA", ">> BEA: Not very."),
        ("ADA", "ADA: So."),
        ("BEA", "- BEA: Come in."),
        ("ADA", "ADA: Yes."),
    ]
    assert [b.time for b in document.blocks if b.kind is Kind.CUE] == [(float(i), i + 0.9) for i in range(6)]


_lines = st.lists(
    st.sampled_from(
        [
            "WEBVTT", "", "NOTE x", "STYLE", "1", "2", "name", "<v Ada>Hi.", "<v Bea>No <b>way</b>.", "words",
            "&lt;", "<", "ADA: Hi.", "00:01.000 --> 00:02.000", "00:00:03,000 --> 00:00:01,000 line:0", "-->",
            "a --> b", "\u00a0", "<v >x",
        ]
    ),
    max_size=30,
)  # fmt: skip


@given(_lines, st.sampled_from([WebVttReader, SubRipReader]))
def test_any_lines_give_a_lawful_document(lines: list[str], reader: type[WebVttReader]) -> None:
    source = Source("a", "\n".join(["WEBVTT", *lines]).encode())
    document = reader().read(source, no_warning)
    hold_laws(document)
    times = [block.time for block in document.blocks if block.time is not None]
    assert all(start <= end for start, end in times)
    assert all(before[0] <= after[0] for before, after in pairwise(times))


def test_a_real_one(shared: Path) -> None:
    path = shared / "real" / "docling_webvtt_example_01.vtt"
    document = WebVttReader().read(Source(path.name, path.read_bytes()), no_warning)
    hold_laws(document)
    assert [b.speaker[:5] for b in document.blocks if b.speaker] == ["Roger", "Neil ", "Roger", "Neil ", "Roger"]
    assert sum(b.kind is Kind.CUE for b in document.blocks) == 13
    assert not any(mark in document.text for mark in ("<", "-->", "Copyright", "align"))
