"""Blocks of formats whose text is kept as it stands and read line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from vchunk.adapters.readers.lines import line_starts
from vchunk.domain.document import Block, Kind, Role, Span

DEEPEST = 32
"""Containers that may lie in one another; what lies deeper is paragraphs."""
_TAB = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text: where it begins, what stands on it without its end, and its indentation."""

    start: int
    text: str
    indent: int

    @property
    def blank(self) -> bool:
        """Whether nothing can be seen on it."""
        return not self.text.strip()

    @property
    def body(self) -> str:
        """What stands on it, without white space at its ends."""
        return self.text.strip()


def lines_of(text: str) -> list[Line]:
    """All lines of a text."""
    starts = line_starts(text)
    out = []
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text[start:stop].rstrip("\r\n")
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        out.append(Line(start, line, len(blank.expandtabs(_TAB))))
    return out


class LineBlocks:
    """Collects blocks by the lines that they fill, from first to last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = lines_of(text)
        self.blocks: list[Block] = []

    def add(
        self, kind: Kind, first: int, last: int, parent: int | None = None, skip: int = 0, **known: Any
    ) -> int | None:
        """Add a block of the lines ``[first, last)``, ``skip`` characters into the first; its index.

        Blank lines at its ends are not part of it; None where there are only such.
        """
        lines = self.lines
        while first < last and not lines[first].text[skip:].strip():
            first, skip = first + 1, 0
        while first < last and lines[last - 1].blank:
            last -= 1
        if first >= last:
            return None
        head = lines[first].text[skip:]
        start = lines[first].start + skip
        if kind is not Kind.CODE or skip:
            start += len(head) - len(head.lstrip())
        end = lines[last - 1].start + len(lines[last - 1].text.rstrip())
        self.blocks.append(Block(kind, Span(start, end), parent=parent, **known))
        return len(self.blocks) - 1

    def close(self, index: int) -> None:
        """Let a container end with the last block in it."""
        block = self.blocks[index]
        if len(self.blocks) > index + 1:
            end = max(inner.span.end for inner in self.blocks[index + 1 :])
            self.blocks[index] = replace(block, span=Span(block.span.start, max(end, block.span.start + 1)))

    def label(self, first: int, role: Role) -> None:
        """Give all blocks from an index on a role."""
        for index in range(first, len(self.blocks)):
            self.blocks[index] = replace(self.blocks[index], role=role)

    def next_filled(self, at: int, last: int) -> int:
        """The first line from ``at`` on that is not blank, or ``last``."""
        while at < last and self.lines[at].blank:
            at += 1
        return at

    def indented_end(self, at: int, last: int, indent: int) -> int:
        """One past the lines from ``at`` on that are blank or indented deeper than ``indent``."""
        while at < last and (self.lines[at].blank or self.lines[at].indent > indent):
            at += 1
        while at > 0 and self.lines[at - 1].blank:
            at -= 1
        return at


def closing_line(lines: Sequence[Line], fence: str, at: int, last: int) -> int:
    """The line that repeats a fence, or ``last``."""
    while at < last and lines[at].text.rstrip() != fence:
        at += 1
    return at
