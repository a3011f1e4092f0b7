"""From what a parser found to a document: drafts of blocks, written out as text with their places.

The text of record is made here, in this form: blocks are parted by a blank line, the items of a list
by a line end, a nested list is indented by two spaces a level; an item begins with its mark. Words in
pictures stand behind their section, furniture behind all else. A NUL or a lone surrogate becomes U+FFFD,
which stores and tokenizers need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vchunk.adapters.readers.figure_words import behind_sections
from vchunk.domain.document import Block, Box, Document, Kind, Page, Role, Span
from vchunk.domain.ports import Warn
from vchunk.domain.repair import repair
from vchunk.domain.roles import label_roles

MEDIA_TYPE = "application/json"
DEEPEST = 32
"""Levels of nested lists; what lies deeper stands at this level."""

_UNREADABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """A page (from 1) and, where it is known, x0, y0, x1, y1 in points from its top left corner."""

    page: int
    corners: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Characters ``[start, end)`` of a draft's text that stand at one place."""

    start: int
    end: int
    place: Place


@dataclass(eq=False)
class Draft:
    """A block before its text has offsets.

    A list has no text of its own; the text of a list item is its mark, and what it says are its
    children.
    """

    kind: Kind
    text: str = ""
    role: Role = Role.BODY
    level: int | None = None
    language: str | None = None
    runs: list[Run] = field(default_factory=list)
    children: list[Draft] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = clean(self.text)
        if self.kind is Kind.CODE:  # its indentation is part of it, blank lines in front are not
            self.text = re.sub(r"\A(?:[^\S\n]*\n)+", "", self.text).rstrip()
        else:
            stripped = self.text.lstrip()
            lost = len(self.text) - len(stripped)
            self.text = stripped.rstrip()
            if lost:
                self.runs = [Run(max(r.start - lost, 0), max(r.end - lost, 0), r.place) for r in self.runs]

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        silent = self.kind in (Kind.LIST, Kind.LIST_ITEM) or not self.text.strip()
        return silent and all(child.empty for child in self.children)


def clean(text: str) -> str:
    """The text without code points that cannot be stored or encoded, one for one."""
    return _UNREADABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def whole(text: str, places: Iterable[Place]) -> list[Run]:
    """Runs for a text that stands, all of it, at these places."""
    return [Run(0, len(text), place) for place in places]


def item(mark: str, text: str, runs: list[Run] | None = None, level: int = 1) -> Draft:
    """A list item; its mark is put in front unless the text begins with it."""
    text, mark = text.strip(), one_line(mark)
    if mark and text.startswith(mark) and not text[len(mark) : len(mark) + 1].isalnum():
        rest = text[len(mark) :].lstrip()
        if rest:  # else the mark is all that it says
            lost = len(text) - len(rest)
            runs = [Run(max(r.start - lost, 0), max(r.end - lost, 0), r.place) for r in runs or []]
            text = rest
    return Draft(
        Kind.LIST_ITEM,
        mark or "-",
        level=level,
        children=[Draft(Kind.PARAGRAPH, text, runs=runs or [])] if text else [],
    )


class Assembly:
    """Writes drafts one after the other; ``text``, ``blocks``, ``pages`` and ``boxes`` grow with them."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.pages: list[Page] = []
        self.boxes: list[Box] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def add(self, draft: Draft) -> None:
        """Write a draft behind a blank line."""
        self._add(draft, None, "\n\n", 0)

    def _add(self, draft: Draft, parent: int | None, gap: str, depth: int) -> None:
        if draft.empty:
            return
        index = len(self.blocks)
        self.blocks.append(Block(draft.kind, Span(0, 0), draft.role, draft.level, parent))
        start = self._write(draft, gap) if draft.text else None
        spoken = start is not None
        nested = draft.kind is Kind.LIST
        for child in draft.children:
            first = len(self.blocks)
            if not spoken:
                inner = gap
            elif draft.kind is Kind.LIST_ITEM and first == index + 1 and child.kind is not Kind.LIST:
                inner = " "
            elif nested or (child.kind is Kind.LIST and draft.kind is Kind.LIST_ITEM):
                inner = "\n" + "  " * (depth if nested else depth + 1)
            elif draft.kind is Kind.LIST_ITEM:
                inner = "\n\n" + "  " * (depth + 1)
            else:
                inner = "\n\n" + "  " * depth
            self._add(child, index, inner, depth if nested or draft.kind is not Kind.LIST_ITEM else depth + 1)
            if len(self.blocks) > first:
                start = self.blocks[first].span.start if start is None else start
                spoken = True
        assert start is not None
        title = one_line(draft.text) if draft.kind is Kind.HEADING else None
        self.blocks[index] = Block(
            draft.kind, Span(start, self._length), draft.role, draft.level, parent, title, draft.language
        )

    def _write(self, draft: Draft, gap: str) -> int:
        """Write a draft's own text; where it begins."""
        if self._length:
            self._put(gap)
        start = self._length
        self._put(draft.text)
        for run in sorted(draft.runs, key=lambda r: (r.start, r.end)):
            span = Span(start + min(run.start, len(draft.text)), start + min(run.end, len(draft.text)))
            if not len(span):
                continue
            self._page(run.place.page, span)
            if run.place.corners is not None:
                self.boxes.append(Box(span, run.place.page, *run.place.corners))
        return start

    def _page(self, number: int, span: Span) -> None:
        last = self.pages[-1] if self.pages else None
        if last is not None and last.number == number:
            self.pages[-1] = Page(number, Span(last.span.start, max(last.span.end, span.end)))
        elif last is None or last.span.end <= span.start:
            self.pages.append(Page(number, span))
        elif last.span.end < span.end:
            self.pages.append(Page(number, Span(last.span.end, span.end)))

    def _put(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)


def furniture_last(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with furniture behind all else."""
    body = [draft for draft in drafts if draft.role is not Role.FURNITURE]
    return body + [draft for draft in drafts if draft.role is Role.FURNITURE]


def lists_of(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The drafts with each run of list items put into lists, nested by the items' levels."""
    open_: list[Draft] = []  # lists, outermost first
    for draft in drafts:
        if draft.kind is not Kind.LIST_ITEM:
            yield from open_[:1]
            open_ = []
            yield draft
            continue
        level = min(draft.level or 1, DEEPEST)
        while len(open_) > 1 and (open_[-1].level or 1) > level:
            open_.pop()
        if not open_ or ((open_[-1].level or 1) < level and open_[-1].children):
            inner = Draft(Kind.LIST, level=level, role=draft.role)
            if open_:
                open_[-1].children[-1].children.append(inner)
            open_.append(inner)
        draft.level = len(open_)
        open_[-1].children.append(draft)
    yield from open_[:1]


def only_top(drafts: Iterable[Draft]) -> str | None:
    """The text of the only heading of level 1, which names the document."""
    top = [d.text for d in drafts if d.kind is Kind.HEADING and d.level == 1 and d.role is Role.BODY]
    return top[0] if len(top) == 1 else None


def finish(
    drafts: Sequence[Draft], *, name: str, reader: str, title: str | None, warn: Warn, language: str | None = None
) -> Document:
    """Write the drafts, mend what the parser damaged and label what is backmatter."""
    assembly, blocks = _written(drafts)
    document = Document(
        text=assembly.text,
        blocks=tuple(blocks),
        pages=tuple(assembly.pages),
        boxes=tuple(assembly.boxes),
        title=title,
        language=language,
        media_type=MEDIA_TYPE,
        reader=reader,
    )
    return mended(document, name, warn)


def mended(document: Document, name: str, warn: Warn) -> Document:
    """A document without what its parser damaged, which is told, and with what is backmatter labelled."""
    found = repair(document.blocks, document.text, document.pages)
    if told := found.describe():
        warn(f"{name}: {told}")
    return replace(document, blocks=label_roles(found.blocks, document.text))


def compose(
    drafts: Sequence[Draft], *, reader: str, media_type: str, title: str | None, language: str | None = None
) -> Document:
    """Write the drafts of a format that says itself what its blocks are; label what is backmatter."""
    assembly, blocks = _written(drafts)
    return Document(
        text=assembly.text,
        blocks=label_roles(blocks, assembly.text),
        pages=tuple(assembly.pages),
        title=one_line(clean(title or "")) or None,
        language=language,
        media_type=media_type,
        reader=reader,
    )


def _written(drafts: Sequence[Draft]) -> tuple[Assembly, list[Block]]:
    """The drafts as text, furniture last, and their blocks."""
    assembly = Assembly()
    for draft in behind_sections(furniture_last(drafts)):
        assembly.add(draft)
    # A list's level only served to nest it.
    return assembly, [replace(b, level=None) if b.kind is Kind.LIST else b for b in assembly.blocks]
