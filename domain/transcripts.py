"""Turns and cues: which cues begin inside a sentence, and where a speaker's label ends.

A cue is a line of captions with its time, a turn all that one speaker says until another does.
Captions break where a line is full, mostly inside a sentence. So that no chunk ends there while
the sentence fits, the cues of a sentence stay together; but in captions without punctuation, as
speech recognition makes them, any cue may begin a chunk.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from vchunk.domain.document import Block, Document, Kind

SPEECH_TOKENS = 128
"""A turn above that is a speech, which meaning may divide where no maximum is asked for."""

_CLOSERS = "\"'”’»›」』*_ \t\r\n"
_ENDS = frozenset(".!?…。！？؟।۔—–-)]}>♪")
_COLON = re.compile("[:：]")
_PUNCTUATED = 0.15
"""Least share of cues that end with a sentence where full stops are written at all."""
_LONGEST_LABEL = 120  # characters from the beginning of a turn to the end of its label


def cues_inside_sentences(document: Document) -> frozenset[int]:
    """Indices of the cues that go on with the sentence of the cue before; none without punctuation."""
    cues = [i for i, block in enumerate(document.blocks) if block.kind is Kind.CUE]
    closed = {i: _ends_sentence(document, document.blocks[i]) for i in cues}
    if sum(closed.values()) < _PUNCTUATED * len(cues):
        return frozenset()
    blocks = document.blocks
    return frozenset(
        after
        for before, after in itertools.pairwise(cues)
        if not closed[before] and _adjoin(document, blocks[before], blocks[after])
    )


def _ends_sentence(document: Document, cue: Block) -> bool:
    body = document.slice(cue.span).rstrip(_CLOSERS)
    return not body or body[-1] in _ENDS


def _adjoin(document: Document, before: Block, after: Block) -> bool:
    """Whether two cues are of one turn, and nothing visible stands between them."""
    return before.parent == after.parent and not document.text[before.span.end : after.span.start].strip()


def label_ends(document: Document) -> Iterator[tuple[int, int]]:
    """Where each turn with a label begins, and where its first words do.

    A label is the speaker's name as it stands in the text, with the colon behind it.
    """
    text = document.text
    for block in document.blocks:
        if block.kind is not Kind.TURN or not block.speaker:
            continue
        start, end = block.span.start, min(block.span.end, block.span.start + _LONGEST_LABEL + len(block.speaker))
        name = text.find(block.speaker, start, end)
        colon = _COLON.search(text, name + len(block.speaker), end) if name >= 0 else None
        if colon is None:
            continue
        at = colon.end()
        while at < block.span.end and not text[at].isalnum():
            at += 1
        yield start, at
