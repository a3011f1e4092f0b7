"""Turns of a conversation that is written in Markdown: ``**Ada:** Good morning.``

A document is one if `speakers.take_turns` says so of the labels that its lines begin with, most of its
paragraphs begin with one, and nothing but headings, a front matter and rules stands before the first. A
label may be emphasised, its colon inside or behind the marks. Headings end a turn; other blocks belong to
the turn before them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vchunk.adapters.readers.speakers import Label, ends_as_said, label_of, take_turns
from vchunk.domain.document import Block, Kind, Span

_EMPHASISED = re.compile(
    r"[ \t]*(?P<mark>\*\*|__|\*|_)(?P<label>[^*_\r\n]{1,120}?)(?:[:：](?P=mark)|(?P=mark)[:：])(?=[ \t\r\n]|\Z)"
)
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")
_MOST = 0.6
_APART = frozenset({Kind.HEADING, Kind.FRONT_MATTER, Kind.RULE})


def with_turns(text: str, blocks: Sequence[Block]) -> tuple[Block, ...] | None:
    """The blocks of a conversation, its turns around those that belong to them; None where it is none."""
    paragraphs = [b for b in blocks if b.parent is None and b.kind is Kind.PARAGRAPH]
    found = [_labels(text, block.span) for block in paragraphs]
    led = [labels for labels in found if labels]
    starts = dict(label for labels in led for label in labels)
    speakers = [label.speaker for label in starts.values()]
    if len(led) < _MOST * len(paragraphs) or not take_turns(speakers):
        return None
    first = min(starts)
    if any(b.parent is None and b.span.start < first and b.kind not in _APART for b in blocks):
        return None
    out = _regrouped(text, blocks, starts)
    turns = [b for b in out if b.kind is Kind.TURN]
    return out if ends_as_said([text[b.span.start : b.span.end] for b in turns]) else None


def _labels(text: str, span: Span) -> list[tuple[int, Label]]:
    """The labels of a paragraph's lines, each with where its line begins; none if the first has none."""
    lines = [match.start() for match in _LINE.finditer(text, span.start, span.end)]
    found = [(start, label) for start in lines if (label := _label(text, start)) is not None]
    return found if found and found[0][0] == lines[0] else []


def _label(text: str, start: int) -> Label | None:
    match = _EMPHASISED.match(text, start)
    if match is None:
        return label_of(text, start)
    label = label_of(match["label"] + ":")
    return None if label is None else Label(label.speaker, match.end())


def _regrouped(text: str, blocks: Sequence[Block], starts: dict[int, Label]) -> tuple[Block, ...]:
    """Turns from each label to the next one or a heading, the blocks between them inside."""
    out: list[Block] = []
    moved: dict[int, int] = {}
    turn: int | None = None
    for index, block in enumerate(blocks):
        if block.parent is not None:
            if block.parent in moved:
                moved[index] = len(out)
                out.append(replace(block, parent=moved[block.parent]))
            continue
        if block.kind in _APART:
            turn = None
        inner = sorted(at for at in starts if block.span.start <= at < block.span.end)
        if inner and block.kind is Kind.PARAGRAPH:
            for start, end in zip(inner, [*inner[1:], block.span.end], strict=True):
                turn = len(out)
                span = Span(start, start + len(text[start:end].rstrip()))
                out.append(Block(Kind.TURN, span, speaker=starts[start].speaker))
            continue
        if turn is not None:
            out[turn] = replace(out[turn], span=Span(out[turn].span.start, block.span.end))
        moved[index] = len(out)
        out.append(replace(block, parent=turn))
    return tuple(out)
