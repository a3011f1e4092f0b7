"""Code whose language nobody knows: cut at blank lines, else between lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vchunk.domain.lines import LINE_END
from vchunk.domain.ports import Division, InnerCut

OUTER_BLANK, INNER_BLANK, GOES_ON = 5, 3, -1
"""Ranks: after a blank line and not indented; after one and indented; a line that closes another."""

_FENCE = re.compile(r"(?:`{3,}|~{3,}|-{3,}|\+{3,})")
_MARGIN = re.compile(r"[ \t>]*")
CLOSES = re.compile(r"[)\]}]|\{\s*$|(?:else|elif|elsif|except|finally|catch|end|fi|done|esac)\b")
"""How a line begins that must not begin a piece: it ends or goes on with what is before."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block: where it begins, and how many characters are indentation or quote marks."""

    start: int
    margin: int
    text: str

    @property
    def visible(self) -> int:
        """Where its first character stands that is neither white space nor a quote mark."""
        return self.start + self.margin

    @property
    def content(self) -> str:
        """The line without its margin."""
        return self.text[self.margin :]

    @property
    def blank(self) -> bool:
        """Whether nothing stands on it."""
        return not self.content.strip()


def lines_of(text: str, start: int = 0, end: int | None = None) -> list[Line]:
    """The lines of ``text[start:end]``, without their ends."""
    out = []
    stop = len(text) if end is None else end
    at = start
    for match in [*LINE_END.finditer(text, start, stop), None]:
        line = text[at : match.start() if match else stop]
        margin = _MARGIN.match(line)
        out.append(Line(at, margin.end() if margin else 0, line))
        at = match.end() if match else stop
    return out


def body_of(text: str) -> tuple[int, int]:
    """What stands between the fences of a block: all of it where there are none."""
    opener = _FENCE.match(text)
    first = LINE_END.search(text)
    if opener is None or first is None:
        return 0, len(text)
    last = max(text.rfind("\n"), text.rfind("\r")) + 1
    closer = text[last:].strip(" \t>")
    closed = len(closer) >= len(opener[0]) and set(closer) == {opener[0][0]}
    return first.end(), last if closed and last >= first.end() else len(text)


def glued_to_fences(text: str, start: int, end: int) -> tuple[int, ...]:
    """Where the first line of a body and the closing fence begin: neither begins a piece."""
    found = []
    if start > 0:
        found.append(start)
    if end < len(text):
        found.append(end)
    return tuple(found)


def divide_lines(text: str) -> Division:
    """Cuts after blank lines; the fences stay with their neighbours."""
    start, end = body_of(text)
    lines = lines_of(text, start, end)
    return Division(tuple(blank_cuts(lines)), glued_to_fences(text, start, end))


def blank_cuts(lines: list[Line]) -> list[InnerCut]:
    """A cut at each line that follows a blank one, and a low rank for those that close something."""
    margins = [line.margin for line in lines if not line.blank]
    outer = min(margins, default=0)
    cuts = []
    begun = after_blank = False
    for line in lines:
        if line.blank:
            after_blank = begun
            continue
        if CLOSES.match(line.content):
            cuts.append(InnerCut(line.visible, GOES_ON))
        elif after_blank:
            cuts.append(InnerCut(line.visible, OUTER_BLANK if line.margin <= outer else INNER_BLANK))
        begun, after_blank = True, False
    return cuts
