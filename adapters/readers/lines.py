"""Where lines and paragraphs of plain text begin and end.

A line ends at ``\\r\\n``, ``\\n`` or ``\\r`` and at nothing else: a form feed, U+0085 or U+2028
stands inside a line (``str.splitlines`` would end it there).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vchunk.domain.document import Span

LINE_END = re.compile(r"\r\n|\n|\r")


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line, the last line included even if it is empty."""
    return [0, *(match.end() for match in LINE_END.finditer(text))]


def trimmed(text: str, start: int, end: int) -> Span | None:
    """``[start, end)`` without the white space at its ends, None where nothing else is in it."""
    piece = text[start:end]
    kept = piece.rstrip()
    if not kept:
        return None
    return Span(end - len(piece.lstrip()), start + len(kept))


def paragraph_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Runs of lines that are not blank, each from its first to its last visible character."""
    stop = len(text) if end is None else end
    first: int | None = None
    line = start
    while line < stop:
        match = LINE_END.search(text, line, stop)
        after, last = (match.end(), match.start()) if match else (stop, stop)
        if last > line and not text[line:last].isspace():
            if first is None:
                first = line
        elif first is not None:
            yield from _visible(text, first, line)
            first = None
        line = after
    if first is not None:
        yield from _visible(text, first, stop)


def _visible(text: str, start: int, end: int) -> Iterator[Span]:
    span = trimmed(text, start, end)
    if span is not None:
        yield span
