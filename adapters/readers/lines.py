"""Where lines and paragraphs of plain text begin and end.

A line ends at ``\\r\\n``, ``\\n`` or ``\\r`` and at nothing else: a form feed, U+0085 or U+2028
stands inside a line (``str.splitlines`` would end it there).
"""

from __future__ import annotations

from collections.abc import Iterator

from vchunk.domain.document import Span
from vchunk.domain.lines import LINE_END


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line, the last line included even if it is empty."""
    return [0, *(match.end() for match in LINE_END.finditer(text))]


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
            yield _visible(text, first, line)
            first = None
        line = after
    if first is not None:
        yield _visible(text, first, stop)


def _visible(text: str, start: int, end: int) -> Span:
    """``[start, end)``, which holds something visible, without the white space at its ends."""
    piece = text[start:end]
    return Span(end - len(piece.lstrip()), start + len(piece.rstrip()))
