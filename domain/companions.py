"""What belongs to a block beside it: its caption, and the sentence that introduces it.

A caption before its table and the last sentence of a paragraph that ends with a colon, or before code, a
table or a formula without any mark, *lead*, as headings do: they stay with what follows. A caption or a
note of sources behind its table or figure makes one atom with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vchunk.domain.document import Block, Document, Kind

_NUMBERED = (
    r"(?P<figure>fig(?:ure|\.|ura)?|abb(?:ildung|\.)|図|图|圖)|table|tab\.|tabelle|tableau|tabla|listing|"
    r"algorithm|scheme|exhibit|chart|box|表"
)
_CAPTION = re.compile(
    rf"[*_\s]*(?:{_NUMBERED})[*_ \t\u00a0]*(?:[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?[*_ \t]*[.:|：]|:)", re.IGNORECASE
)
_NOTE = re.compile(r"[*_\s]*(?:sources?|notes?|quellen?|anmerkung(?:en)?|fuente|nota)[*_]*[:：]", re.IGNORECASE)
_LONGEST_CAPTION = 1000
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_PICTURE = re.compile(r"<(?:img|figure|svg)\b", re.IGNORECASE)
_TARGETS = frozenset({Kind.TABLE, Kind.FIGURE, Kind.CODE, Kind.FORMULA})
_NEVER_INTRODUCED = frozenset({Kind.HEADING, Kind.RULE, Kind.FRONT_MATTER})
_ENTERED = frozenset({Kind.CODE, Kind.TABLE, Kind.FORMULA})
_COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class Companions:
    """By block number: ``captions`` of each block that has any; ``before`` are those that stand in
    front of theirs; ``behind`` maps a block to the last caption or note behind it; ``introductions``
    are paragraphs whose last sentence introduces the next block.
    """

    captions: dict[int, tuple[int, ...]]
    before: frozenset[int]
    behind: dict[int, int]
    introductions: frozenset[int]


def find_companions(document: Document) -> Companions:
    """The captions and introductions of a document's blocks."""
    captions: dict[int, list[int]] = {}
    before: set[int] = set()
    behind: dict[int, int] = {}
    introductions: set[int] = set()
    for row in _siblings(document):
        owner: int | None = None  # the block that the one at hand stands behind, its captions between
        for position, index in enumerate(row):
            following = row[position + 1] if position + 1 < len(row) else None
            place = _caption_place(document, owner, index, following)
            if place == "behind" and owner is not None:
                captions.setdefault(owner, []).append(index)
                behind[owner] = index
                continue
            if place == "before" and following is not None:
                captions.setdefault(following, []).append(index)
                before.add(index)
            elif following is not None and _introduces(document, index, following):
                introductions.add(index)
            owner = index if _is_target(document, index) else None
    return Companions(
        {index: tuple(found) for index, found in captions.items()},
        frozenset(before),
        behind,
        frozenset(introductions),
    )


def _siblings(document: Document) -> Iterator[list[int]]:
    """Block numbers that stand directly in one block, or in none, in order."""
    rows: dict[int | None, list[int]] = {}
    for index, block in enumerate(document.blocks):
        rows.setdefault(block.parent, []).append(index)
    yield from rows.values()


def _is_target(document: Document, index: int) -> bool:
    block = document.blocks[index]
    if block.kind is Kind.HTML:
        return shows_table(document, block) or shows_picture(document, block)
    return block.kind in _TARGETS


def shows_table(document: Document, block: Block) -> bool:
    """Whether there is a table in a block of HTML."""
    return _TABLE.search(document.text, block.span.start, block.span.end) is not None


def shows_picture(document: Document, block: Block) -> bool:
    """Whether there is a picture in a block of HTML."""
    return _PICTURE.search(document.text, block.span.start, block.span.end) is not None


def _caption_place(document: Document, owner: int | None, index: int, following: int | None) -> str | None:
    """Whether a block is the caption of what is ``before`` it or of what is ``behind`` it, or none."""
    block = document.blocks[index]
    if block.kind not in (Kind.PARAGRAPH, Kind.CAPTION) or len(block.span) > _LONGEST_CAPTION:
        return None
    text = document.slice(block.span)
    if owner is not None and _NOTE.match(text):
        return "behind"
    match = _CAPTION.match(text)
    if match is None and block.kind is not Kind.CAPTION:
        return None
    follows = following is not None and _is_target(document, following)
    if follows and following is not None and document.blocks[following].role is not block.role:
        follows = False
    names_figure = match is not None and match["figure"] is not None
    if owner is not None and document.blocks[owner].role is not block.role:
        owner = None
    if owner is not None and (not follows or (names_figure and document.blocks[owner].kind is Kind.FIGURE)):
        return "behind"
    return "before" if follows else None


def _introduces(document: Document, index: int, following: int) -> bool:
    block, after = document.blocks[index], document.blocks[following]
    if block.kind is not Kind.PARAGRAPH or after.kind in _NEVER_INTRODUCED or block.role is not after.role:
        return False
    last = document.text[max(block.span.start, block.span.end - 8) : block.span.end].rstrip("*_` \t")
    return last.endswith(_COLONS) or (after.kind in _ENTERED and last[-1:].isalnum())


def is_item_paragraph(document: Document, block: Block) -> bool:
    """Whether a block is a paragraph of a list item."""
    if block.kind is not Kind.PARAGRAPH or block.parent is None:
        return False
    return document.blocks[block.parent].kind is Kind.LIST_ITEM
