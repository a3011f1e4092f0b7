"""Transcripts and chats: what was said, by whom and when, as a document.

The text of record is what was said: one cue a line, time stamps left out. What one speaker says
until another does is a turn, parted from the next by a blank line; where the source names its
speakers, the name and a colon open the turn. A turn holds its cues where these have times.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.adapters.readers.speakers import Label, label_of, take_turns
from vchunk.domain.document import Block, Kind, Span

_DASH = re.compile(r"^\s*(?:>>+|[-–—])\s*")
"""What captions put in front of a new speaker."""

BlocksOf = Callable[[str], Iterable[Block]]
"""The blocks of a turn's text, if it is more than prose."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Something said: ``time`` in seconds and ``speaker`` where they are known.

    ``labelled``: the text begins with the speaker's name.
    """

    text: str
    time: tuple[float, float] | None = None
    speaker: str | None = None
    labelled: bool = False


def assemble(cues: Sequence[Cue], blocks_of: BlocksOf | None = None) -> tuple[str, tuple[Block, ...]]:
    """The text of record and its blocks.

    Without a ``blocks_of`` the blocks of a turn are its paragraphs, where it has several.
    """
    said = name_speakers([cue for cue in cues if cue.text.strip()])
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    before: str | None = None
    for (speaker, _), group in itertools.groupby(enumerate(said), key=_turn_key):
        turn = [cue for _, cue in group]
        if parts:
            gap = "\n" if speaker is None and before is None and _short(turn) else "\n\n"
            parts.append(gap)
            at += len(gap)
        before = speaker
        text, found = _turn(turn, speaker, at, len(blocks), blocks_of)
        parts.append(text)
        blocks += found
        at += len(text)
    return "".join(parts), tuple(blocks)


def _turn_key(numbered: tuple[int, Cue]) -> tuple[str | None, int]:
    """Cues of one speaker are one turn if they have times; what nobody says stands by itself."""
    number, cue = numbered
    alone = cue.speaker is None or cue.time is None
    return cue.speaker, number if alone else -1


def _short(turn: Sequence[Cue]) -> bool:
    return all("\n\n" not in cue.text for cue in turn) and turn[0].time is not None


def _turn(
    cues: Sequence[Cue], speaker: str | None, at: int, number: int, blocks_of: BlocksOf | None
) -> tuple[str, list[Block]]:
    """The text of a turn that begins at ``at``, and its blocks, the first of which gets ``number``."""
    label = f"{speaker}: " if speaker is not None and not cues[0].labelled else ""
    text = label + "\n".join(cue.text.strip() for cue in cues)
    blocks: list[Block] = []
    if speaker is not None:
        blocks.append(Block(Kind.TURN, Span(at, at + len(text)), speaker=speaker))
    outer = None if speaker is None else number
    if cues[0].time is not None:
        start = at
        for i, cue in enumerate(cues):
            end = start + len(cue.text.strip()) + (len(label) if i == 0 else 0)
            blocks.append(Block(Kind.CUE, Span(start, end), parent=outer, time=cue.time))
            start = end + 1
    else:
        blocks += _inner(text, at, len(label), number + len(blocks), outer, blocks_of)
    return text, blocks


def _inner(
    text: str, at: int, label: int, number: int, outer: int | None, blocks_of: BlocksOf | None
) -> Iterator[Block]:
    """The blocks of something said that has no time; none for a turn of one paragraph."""
    if blocks_of is not None:
        found, shift = list(blocks_of(text[label:])), at + label
    else:
        found, shift = [Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text)], at
    if outer is not None and len(found) == 1 and found[0].kind is Kind.PARAGRAPH:
        return
    for block in found:
        span = Span(block.span.start + shift, block.span.end + shift)
        parent = outer if block.parent is None else number + block.parent
        yield replace(block, span=span, parent=parent)


def name_speakers(cues: Sequence[Cue]) -> list[Cue]:
    """The cues, with the speakers that labels in their texts name, where no cue has any.

    Captions often name the speaker only where another one begins, so cues without a label are
    said by the speaker before.
    """
    if any(cue.speaker is not None for cue in cues):
        return list(cues)
    labels: list[Label | None] = [label_of(_DASH.sub("", cue.text, count=1)) for cue in cues]
    found = [label.speaker for label in labels if label is not None]
    if not take_turns(found):
        return list(cues)
    out = []
    current: str | None = None
    for cue, label in zip(cues, labels, strict=True):
        current = label.speaker if label is not None else current
        out.append(replace(cue, speaker=current, labelled=label is not None))
    return out
