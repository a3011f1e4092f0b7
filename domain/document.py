"""The document: the text of record with its blocks, pages and boxes, as a reader made it.

All offsets are Python code points into ``Document.text``, half open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of code points."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def __contains__(self, other: object) -> bool:
        """Whether an offset, or the whole of another span, lies inside."""
        if isinstance(other, Span):
            return self.start <= other.start and other.end <= self.end
        return isinstance(other, int) and self.start <= other < self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The union of spans as disjoint ones in order; those that touch become one."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


class Kind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    LIST_ITEM = "list_item"
    CODE = "code"
    TABLE = "table"
    FORMULA = "formula"
    FIGURE = "figure"
    CAPTION = "caption"
    QUOTE = "quote"
    FOOTNOTE = "footnote"
    FRONT_MATTER = "front_matter"
    HTML = "html"
    RULE = "rule"
    TURN = "turn"
    CUE = "cue"


class Role(StrEnum):
    """What a block is for."""

    BODY = "body"
    BACKMATTER = "backmatter"
    FURNITURE = "furniture"
    TOC = "toc"
    FRONT_MATTER = "front_matter"
    FIGURE = "figure"
    """Words in a picture: labels of a chart, boxes of a diagram, a page that is shown."""
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document.

    ``span`` covers the block's own lines without the line break that ends the last of them.
    ``level`` is the heading level (1 is the highest), ``title`` a heading's text without its
    markup. ``language`` is that of a code block. ``parent`` is the index, in
    ``Document.blocks``, of the block that encloses this one. ``time`` is when a cue was spoken,
    start and end in seconds; ``speaker`` who speaks a turn.
    """

    kind: Kind
    span: Span
    role: Role = Role.BODY
    level: int | None = None
    parent: int | None = None
    title: str | None = None
    language: str | None = None
    time: tuple[float, float] | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A run of text that stands on one page. Pages are numbered from 1.

    A page may own several runs, and runs need not follow the page numbers: a footnote is moved
    behind the paragraph that it interrupts.
    """

    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class Box:
    """Where a run of text stands on its page: points from the page's top left corner."""

    span: Span
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Document:
    """The text of record with all that the reader knows of it; never changed.

    ``blocks`` are ordered by start, an enclosing block before what it encloses, and hold every
    character of ``text`` that is not white space. ``pages`` and ``boxes`` are empty where the
    format has none. ``reader`` names the reader and its version, ``media_type`` the format.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    pages: tuple[Page, ...] = ()
    boxes: tuple[Box, ...] = ()
    title: str | None = None
    language: str | None = None
    media_type: str = "text/plain"
    reader: str = "text/1"

    def slice(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def children(self, index: int) -> Iterator[int]:
        """The indices of the blocks that lie directly in block ``index``."""
        return (i for i, block in enumerate(self.blocks) if block.parent == index)


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes to be read and the name they came under (a path, or ``-`` for standard input)."""

    name: str
    data: bytes
    media_type: str | None = None
