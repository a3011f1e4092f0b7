"""Headings as WikiText has them: lines `` = Title = `` and `` = = Section = = ``.

A heading is a line of its own. Its level is the number of marks, which are the same on both sides;
each heading of level 1 begins an article. `` = Key ; X = `` is an entry of a table's key, not a
heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from vchunk.domain.document import Block, Kind, Span

_HEADING = re.compile(
    r"(?:(?<=[\r\n])|\A)[ ]?"
    r"(?P<heading>(?P<marks>=(?:[ ]=){0,5})[ ](?P<title>[^=\r\n]+?)[ ](?P=marks))"
    r"[ \t]*(?=[\r\n]|\Z)"
)
_LONGEST = 200  # characters of a title
_LEAST_IN_MARKDOWN = 3

BlocksOf = Callable[[str], Sequence[Block]]


def wiki_headings(text: str) -> list[Block]:
    """The headings of a text, from mark to mark."""
    return [
        Block(Kind.HEADING, Span(*match.span("heading")), level=match["marks"].count("="), title=title)
        for match in _HEADING.finditer(text)
        if _is_title(title := " ".join(match["title"].split()), match["marks"])
    ]


def _is_title(title: str, marks: str) -> bool:
    if marks == "=" and ";" in title:
        return False
    return len(title) <= _LONGEST and any(char.isalnum() for char in title)


def only_article(blocks: Sequence[Block], text: str) -> str | None:
    """The title of a text's only article, if the text begins with it."""
    headings = [block for block in blocks if block.kind is Kind.HEADING and block.parent is None]
    titles = [heading.title for heading in headings if heading.level == 1]
    first = headings[0] if headings else None
    begins = first is not None and first.level == 1 and not text[: first.span.start].strip()
    return titles[0] if begins and len(titles) == 1 else None


def with_wiki_headings(text: str, blocks: Sequence[Block], blocks_of: BlocksOf) -> Sequence[Block] | None:
    """The blocks of a Markdown text that has WikiText's headings and none of Markdown's; else None.

    So it is with at least three such lines, code and the like apart. What stands between them is
    read anew with ``blocks_of``: Markdown would take a heading for part of the paragraph or the
    list before it.
    """
    if any(block.kind is Kind.HEADING for block in blocks):
        return None
    headings = [heading for heading in wiki_headings(text) if _in_prose(heading.span, blocks)]
    if len(headings) < _LEAST_IN_MARKDOWN:
        return None
    found: list[Block] = []
    at = 0
    for heading in headings:
        found += _moved(blocks_of(text[at : heading.span.start]), at, len(found))
        found.append(heading)
        at = heading.span.end
    found += _moved(blocks_of(text[at:]), at, len(found))
    return found


def _in_prose(span: Span, blocks: Sequence[Block]) -> bool:
    holding = [block for block in blocks if block.span.overlaps(span)]
    return bool(holding) and holding[-1].kind is Kind.PARAGRAPH


def _moved(blocks: Sequence[Block], by: int, number: int) -> Iterator[Block]:
    for block in blocks:
        span = Span(block.span.start + by, block.span.end + by)
        yield replace(block, span=span, parent=None if block.parent is None else block.parent + number)
