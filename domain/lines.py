"""Which line breaks inside a paragraph mean something, and which are only wrapping."""

from __future__ import annotations

import re

import numpy as np

LINE_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]+")
_NEXT_WORD = re.compile(r"[\s>]*([^\s>]\S*)")
"""The next word, behind the marks of a quote."""
_TERMINAL = frozenset(".!?…:;。！？؟।۔\"'”’»)]}>*_`|=")
_WIDEST_WRAP = 200
_CJK = 0x2E80
_GOES_ON = 0.1
"""Least share of lines that begin in lower case (or a script without case) in wrapped text."""


def wrap_width(text: str) -> int | None:
    """The width to which the lines of a text were wrapped, or None where they were not.

    It is the 95th percentile of the lines' lengths. A text whose lines are longer than any editor
    wraps them has one paragraph a line; one whose lines hardly ever go on in the middle of a
    sentence is a log or a list, even if they are all as long.
    """
    lengths, goes_on = [], 0
    for match in _LINE.finditer(text):
        line = match[0].strip()
        if line:
            lengths.append(len(match[0].rstrip()))
            goes_on += line[0].islower() or ord(line[0]) >= _CJK
    if goes_on < _GOES_ON * len(lengths) or not lengths:
        return None
    width = int(np.percentile(lengths, 95))
    return width if width <= _WIDEST_WRAP else None


def hard_breaks(text: str, start: int, end: int, width: int | None) -> list[tuple[int, int]]:
    """The line breaks in ``text[start:end]`` that were meant, as spans of the break itself.

    A break is wrapping when the next word would not have fitted on the line, and when a line that ends
    without a full stop goes on in lower case, be it in a link or in code. Two spaces or a backslash at the
    end of a line, as in Markdown, make it meant.
    """
    found = []
    for match in LINE_END.finditer(text, start, end):
        newline = text.rfind("\n", 0, match.start())
        line_start = max(newline, text.rfind("\r", newline + 1, match.start())) + 1
        line = text[line_start : match.start()]
        following = _NEXT_WORD.match(text, match.end(), end)
        if following is None or not line.strip():
            continue
        if line.endswith(("  ", "\\")) or _is_meant(line.rstrip(), following[1], width):
            found.append((match.start(), match.end()))
    return found


def _is_meant(line: str, word: str, width: int | None) -> bool:
    if width is not None:
        room = 1 if ord(word[0]) >= _CJK else len(word)
        if len(line) + 1 + room > width:
            return False
    return line[-1] in _TERMINAL or not _first_letter(word).islower()


def _first_letter(word: str) -> str:
    """The first letter or digit of a word, behind the brackets and marks of a link, code or emphasis."""
    return next((char for char in word if char.isalnum()), word[0])
