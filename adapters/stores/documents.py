"""Documents as artifacts, without loss.

The text is UTF-8 (lone surrogates included) in one array of bytes. Blocks, pages and boxes are rows
of integers: a hundred thousand blocks take a moment and little room. Words that blocks share (kinds,
roles, titles, languages, speakers) stand once in the attributes, and rows name them by their place
there. What only transcripts have is written for them alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vchunk.domain.document import Block, Box, Document, Kind, Page, Role, Span
from vchunk.domain.errors import StoreError
from vchunk.domain.ports import Array, Artifact

_NONE = -(2**63)  # the integer that stands for None; no offset, level or index is so low


def to_arrays(document: Document) -> tuple[dict[str, Any], dict[str, Array]]:
    """The attributes and arrays that hold a document.

    Arrays: ``text`` (bytes,) uint8; ``blocks`` (n, 8) int64: kind, role, start, end, level, parent,
    title, language; ``pages`` (p, 3) int64: number, start, end; ``boxes`` (b, 3) int64: page, start,
    end; ``corners`` (b, 4) float64: x0, y0, x1, y1. Where there are any: ``speakers`` (s, 2) int64:
    block, speaker; ``timed`` (t,) int64: blocks that have a time; ``times`` (t, 2) float64: start, end.
    """
    words: dict[str, int] = {}

    def place(word: str | None) -> int:
        return _NONE if word is None else words.setdefault(str(word), len(words))

    def number(value: int | None) -> int:
        return _NONE if value is None else value

    blocks = [
        (
            place(block.kind),
            place(block.role),
            block.span.start,
            block.span.end,
            number(block.level),
            number(block.parent),
            place(block.title),
            place(block.language),
        )
        for block in document.blocks
    ]
    pages = [(page.number, page.span.start, page.span.end) for page in document.pages]
    boxes = [(box.page, box.span.start, box.span.end) for box in document.boxes]
    speakers = [(i, place(block.speaker)) for i, block in enumerate(document.blocks) if block.speaker is not None]
    times = [(i, block.time) for i, block in enumerate(document.blocks) if block.time is not None]
    corners = [(box.x0, box.y0, box.x1, box.y1) for box in document.boxes]
    attributes = {
        "title": document.title,
        "language": document.language,
        "media_type": document.media_type,
        "reader": document.reader,
        "characters": len(document.text),
        "words": list(words),
    }
    arrays: dict[str, Array] = {
        "text": np.frombuffer(document.text.encode("utf-8", "surrogatepass"), np.uint8),
        "blocks": np.array(blocks, np.int64).reshape(-1, 8),
        "pages": np.array(pages, np.int64).reshape(-1, 3),
        "boxes": np.array(boxes, np.int64).reshape(-1, 3),
        "corners": np.array(corners, np.float64).reshape(-1, 4),
    }
    if speakers:
        arrays["speakers"] = np.array(speakers, np.int64)
    if times:
        arrays["timed"] = np.array([i for i, _ in times], np.int64)
        arrays["times"] = np.array([time for _, time in times], np.float64)
    return attributes, arrays


def from_artifact(artifact: Artifact) -> Document:
    """The document that an artifact holds.

    Raises
    ------
    DamagedArtifact
        If the store finds other bytes than were written.
    StoreError
        If a later version of vchunk wrote it, with kinds of blocks that this one does not know.
    """
    attributes = artifact.attributes
    try:
        blocks = _blocks(artifact, attributes["words"])
    except ValueError as error:
        raise StoreError(f"{artifact.key} is of a later version ({error}): update vchunk to read it") from error
    boxes = zip(_rows(artifact, "boxes"), _rows(artifact, "corners"), strict=True)
    return Document(
        text=text_of(artifact),
        blocks=blocks,
        pages=tuple(Page(number, Span(start, end)) for number, start, end in _rows(artifact, "pages")),
        boxes=tuple(Box(Span(start, end), page, *corners) for (page, start, end), corners in boxes),
        title=attributes["title"],
        language=attributes["language"],
        media_type=attributes["media_type"],
        reader=attributes["reader"],
    )


def text_of(artifact: Artifact) -> str:
    """The text of record alone."""
    return np.asarray(artifact.arrays["text"]).tobytes().decode("utf-8", "surrogatepass")


def _rows(artifact: Artifact, name: str) -> list[Any]:
    rows: list[Any] = np.asarray(artifact.arrays[name]).tolist()
    return rows


def _blocks(artifact: Artifact, words: list[str]) -> tuple[Block, ...]:
    rows = _rows(artifact, "blocks")
    kinds: Mapping[int, Kind] = {i: Kind(words[i]) for i in {row[0] for row in rows}}
    roles: Mapping[int, Role] = {i: Role(words[i]) for i in {row[1] for row in rows}}

    def number(value: int) -> int | None:
        return None if value == _NONE else value

    def word(value: int) -> str | None:
        return None if value == _NONE else words[value]

    blocks = [
        Block(kinds[k], Span(start, end), roles[r], number(level), number(parent), word(title), word(language))
        for k, r, start, end, level, parent, title, language in rows
    ]
    if "speakers" in artifact.arrays:
        for at, speaker in _rows(artifact, "speakers"):
            blocks[at] = replace(blocks[at], speaker=words[speaker])
    if "timed" in artifact.arrays:
        for at, (start, end) in zip(_rows(artifact, "timed"), _rows(artifact, "times"), strict=True):
            blocks[at] = replace(blocks[at], time=(start, end))
    return tuple(blocks)
