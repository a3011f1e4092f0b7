"""Labels of speakers in plain text: ``Ada: Good morning.``

Found by content and with care, since many lines that are no speech have a colon near their
beginning. A text is a conversation only if

- most of its lines, or most of its paragraphs, begin with a label, and it has hardly any other;
- at least two speakers take at least four turns, and change at least three times;
- the labels recur: four of five turns are by speakers who have several;
- a quarter of the turns end as sentences do;
- the words that head records, logs and letters (``From:``, ``License:``, ``ERROR:``) are rare.

A label is a name: up to six words with capital letters, or a single word; what stands behind it in
brackets is no part of the name. A time may stand before or behind it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.domain.document import Block, Kind, Span

_STAMP = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[AaPp][Mm])?[\])]?"
_LABEL = re.compile(
    rf"[ \t]*(?:{_STAMP}[ \t]*(?:[-–|][ \t]*)?)?"
    r"(?P<speaker>[^\W\d_](?:[\w.'’&/-]|,?[ ](?=[\w&])){0,60})"
    r"(?:[ ]?\((?:[^()\n:]|\([^()\n:]*\)){1,100}\))?"
    rf"(?:[ \t]*{_STAMP})?[ \t]?(?::(?=[ \t\r\n]|\Z)|：)"
)
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")
_MOST_WORDS = 6
_LEAST_TURNS = 4
_LEAST_CHANGES = 3
_RECURRING = 0.8
_MOST = 0.6
_OTHERS = 1.25  # labels in all, to those that begin a paragraph
_ENDED = 0.25
_MOST_FIELDS = 0.1
_ENDS = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\s*\Z")
_PARTICLE = re.compile(r"(?:al|and|bin|d[aeiu]|de[lr]|della|el|l[ae]|of|the|v[ao]n)$|[a-z]['’]")
# fmt: off
_FIELDS = frozenset(
    [
        "abstract", "address", "age", "amount", "answer", "author", "bcc", "caused", "caution", "cc",
        "chapter", "charset", "city", "classifier", "code", "commandline", "comment", "comments",
        "content", "copyright", "cost", "country", "created", "critical", "date", "debug", "default",
        "definition", "description", "details", "disclaimer", "duration", "dynamic", "email",
        "encoding", "end", "error", "example", "examples", "exception", "fatal", "fig", "figure",
        "file", "files", "format", "from", "hint", "home", "homepage", "http", "https", "id",
        "important", "info", "input", "install", "item", "key", "keywords", "kind", "language", "level",
        "licence", "license", "link", "location", "maintainer", "message", "metadata", "method",
        "mobile", "model", "modified", "name", "note", "notes", "notice", "number", "output", "page",
        "path", "phone", "place", "platform", "price", "priority", "proof", "provides", "ps",
        "quantity", "re", "reason", "received", "ref", "reference", "requested", "required", "requires",
        "result", "return", "returns", "score", "section", "see", "severe", "size", "source", "start",
        "state", "status", "step", "subject", "summary", "table", "tag", "tags", "tel", "theorem",
        "time", "tip", "title", "to", "todo", "total", "trace", "type", "upgrade", "upstream", "uri",
        "url", "usage", "value", "verbose", "version", "via", "warn", "warning", "website",
    ]
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Label:
    """A speaker's name, and where the text behind it begins."""

    speaker: str
    end: int


def label_of(text: str, start: int = 0) -> Label | None:
    """The label that a line begins with."""
    match = _LABEL.match(text, start)
    if match is None or not _is_name(match["speaker"]):
        return None
    return Label(match["speaker"], match.end())


def _is_name(label: str) -> bool:
    words = label.split()
    if len(words) > _MOST_WORDS or any(len(word) > 3 for word in words if word[0].isdigit()):
        return False
    return len(words) == 1 or all(not w[0].islower() or _PARTICLE.match(w) for w in words)


def _is_field(label: str) -> bool:
    """Whether a label heads an entry of a record."""
    return any(word in _FIELDS for word in re.split(r"[\W_]+", label.casefold()))


def take_turns(speakers: Sequence[str]) -> bool:
    """Whether speakers, in the order of their turns, are those of a conversation."""
    turns = Counter(speakers)
    changes = sum(before != after for before, after in itertools.pairwise(speakers))
    recurring = sum(count for count in turns.values() if count > 1)
    return (
        len(turns) >= 2
        and len(speakers) >= _LEAST_TURNS
        and changes >= _LEAST_CHANGES
        and recurring >= _RECURRING * len(speakers)
        and sum(_is_field(speaker) for speaker in speakers) <= _MOST_FIELDS * len(speakers)
    )


def ends_as_said(turns: Sequence[str]) -> bool:
    """Whether a quarter of the turns end as sentences do."""
    return sum(_ENDS.search(turn[-200:]) is not None for turn in turns) >= _ENDED * len(turns)


def turn_blocks(text: str) -> tuple[Block, ...]:
    """The turns of a conversation in plain text; nothing where it is none.

    What stands before the first label are paragraphs. Paragraphs and lines without a label belong
    to the turn before; where a turn has several paragraphs, they are blocks in it.
    """
    labelled = _turn_starts(text)
    if not take_turns([label.speaker for _, label in labelled]):
        return ()
    edges = [*(start for start, _ in labelled), len(text)]
    said = [text[label.end : end] for (_, label), end in zip(labelled, edges[1:], strict=True)]
    if not ends_as_said(said):
        return ()
    blocks = [Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text, 0, edges[0])]
    for (start, label), end in zip(labelled, edges[1:], strict=True):
        inner = list(paragraph_spans(text, start, end))
        turn = len(blocks)
        blocks.append(Block(Kind.TURN, Span(inner[0].start, inner[-1].end), speaker=label.speaker))
        if len(inner) > 1:
            blocks += [Block(Kind.PARAGRAPH, span, parent=turn) for span in inner]
    return tuple(blocks)


def _turn_starts(text: str) -> list[tuple[int, Label]]:
    """The labels at the head of most lines, else of most paragraphs, each with where its line begins."""
    lines = [match.start() for match in _LINE.finditer(text)]
    labelled = [(start, label) for start in lines if (label := label_of(text, start)) is not None]
    if len(labelled) >= _MOST * len(lines):
        return labelled
    paragraphs = [span.start for span in paragraph_spans(text)]
    led = [(start, label) for start in paragraphs if (label := label_of(text, start)) is not None]
    most = len(led) >= _MOST * len(paragraphs) and len(labelled) <= _OTHERS * len(led)
    return led if most else []
