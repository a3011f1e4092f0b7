"""Inline markup of Markdown that is never cut: links, images, code, math, tags.

A scanner, not a parser: it finds the spans of CommonMark's inline constructs and of ``$...$`` as
Pandoc reads it, in one pass over a block. Brackets that no target follows are text.
"""

from __future__ import annotations

import bisect
import re

from vchunk.domain.document import Document, Kind

Found = list[tuple[int, int]]

_MARK = re.compile(r"\\\(|\\.|`+|!?\[|\]|\$\$?|<", re.DOTALL)
_TARGET = re.compile(
    r"\(\s*(?:<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_LABEL = re.compile(r"\[[^\[\]]{0,999}\]")
_TAG = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+|/?[A-Za-z][^<>]{0,999})>")
_LONGEST_MATH = 1000
_BLANK_LINE = re.compile(r"(?:\n|\r\n?)[ \t]*(?:\n|\r)")


class InlineSpans:
    """The inline spans of a document: none where it is not Markdown, or in code and formulas."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._marked = document.media_type == "text/markdown"
        literal = (Kind.CODE, Kind.FORMULA, Kind.HTML, Kind.FRONT_MATTER)
        self._literal = [b.span for b in document.blocks if b.kind in literal] if self._marked else []

    def within(self, start: int, end: int) -> Found:
        """The spans inside ``text[start:end]``, which lies in one block, apart and rising."""
        if not self._marked:
            return []
        number = bisect.bisect_right(self._literal, start, key=lambda span: span.start) - 1
        if number >= 0 and start < self._literal[number].end:
            return []
        return inline_spans(self._text, start, end)


def inline_spans(text: str, start: int, end: int) -> Found:
    """Links, images, code, math and tags in ``text[start:end]``, apart and rising."""
    ticks = _runs_of_ticks(text, start, end)
    opened: list[int] = []
    found: Found = []
    at = start
    while match := _MARK.search(text, at, end):
        at = match.end()
        mark = match[0]
        stop: int | None = None
        if mark[0] == "`":
            stop = _closing_ticks(ticks.get(len(mark), []), match.start(), len(mark))
        elif mark in ("$", "$$"):
            stop = _closing_dollars(text, match.start(), mark, end)
        elif mark == "\\(":
            close = text.find("\\)", at, min(end, at + _LONGEST_MATH))
            stop = close + 2 if close >= 0 else None
        elif mark == "<":
            tag = _TAG.match(text, match.start(), end)
            stop = tag.end() if tag else None
        elif mark in ("[", "!["):
            opened.append(match.start())
        elif mark == "]" and opened:
            opener = opened.pop()
            target = _TARGET.match(text, at, end) or _LABEL.match(text, at, end)
            if target or text.startswith("[^", opener):
                at = target.end() if target else at
                found.append((opener, at))
        if stop is not None:
            found.append((match.start(), stop))
            at = stop
    return _outermost(found)


def _runs_of_ticks(text: str, start: int, end: int) -> dict[int, list[int]]:
    runs: dict[int, list[int]] = {}
    for match in re.compile("`+").finditer(text, start, end):
        runs.setdefault(len(match[0]), []).append(match.start())
    return runs


def _closing_ticks(runs: list[int], start: int, length: int) -> int | None:
    """The end of the next run of as many backticks."""
    number = bisect.bisect_right(runs, start)
    return runs[number] + length if number < len(runs) else None


def _closing_dollars(text: str, start: int, mark: str, end: int) -> int | None:
    """The end of the math that begins here: no space inside the dollars, no digit behind ``$``."""
    at = start + len(mark)
    limit = min(end, at + _LONGEST_MATH)
    if at >= limit or (mark == "$" and text[at].isspace()):
        return None
    blank = _BLANK_LINE.search(text, at, limit)
    limit = blank.start() if blank else limit
    close = text.find(mark, at + 1, limit)
    while close >= 0 and text[close - 1] == "\\":
        close = text.find(mark, close + 1, limit)
    if close < 0:
        return None
    stop = close + len(mark)
    if mark == "$" and (text[close - 1].isspace() or text[stop : stop + 1].isdigit()):
        return None
    return stop


def _outermost(found: Found) -> Found:
    out: Found = []
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def covers(spans: Found, offset: int) -> bool:
    """Whether an offset lies inside one of the spans, which are apart and rising."""
    number = bisect.bisect_left(spans, offset, key=lambda span: span[0]) - 1
    return number >= 0 and offset < spans[number][1]
