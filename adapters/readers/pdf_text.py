"""The text of record: drafts written out one after the other, so that every offset is exact.

Lines of a paragraph are joined by one space, or by nothing between CJK characters; blocks are
parted by an empty line; lines of code, rows of tables and items of a list by a line break, cells
of a row by a tab, also around one that is empty; tables whose cells are known are GitHub tables.
A hyphen at a line's end is undone where the document, or PDFium, says that it parts a word; a
compound ("type-stable") that the document has elsewhere keeps its hyphen, as do two long words of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import regex

from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_chars import HYPHEN
from vchunk.adapters.readers.pdf_lines import Line, is_cjk, joined, union
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.domain.document import Block, Box, Kind, Page, Role, Span

_MARK = chr(HYPHEN)
_SOFT = "\u00ad"
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*")
_STOP = regex.compile(r"[.?!…:;]['\"”’»)\]]*\s+(?=\S)")
_LONG = 5  # letters; "with" and "out" part a word often enough
_LINE_HYPHENS = ("-", "\x02", "\u00ad", "\u2010")
_LAST_WORD = regex.compile(r"([\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*)[-\x02\u00ad\u2010]$")
_FIRST_WORD = regex.compile(r"[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*")


def vocabulary(lines: Iterable[Line]) -> frozenset[str]:
    """All words that stand whole on a line, in lower case, compounds with their hyphens."""
    words: set[str] = set()
    for line in lines:
        text = line.text
        found = _WORD.findall(text)
        if found and text.endswith(_LINE_HYPHENS) and _LAST_WORD.search(text):
            found.pop()
        words.update(word.casefold() for word in found)
    return frozenset(words)


@dataclass
class Assembly:
    """Takes drafts in reading order and keeps text, blocks, pages and boxes in step."""

    words: frozenset[str]
    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    def write(self, drafts: Sequence[Draft]) -> str:
        """Write all drafts; the whole text."""
        i = 0
        while i < len(drafts):
            j = i
            while j < len(drafts) and drafts[j].kind is Kind.LIST_ITEM and drafts[j].role is drafts[i].role:
                j += 1
            if j > i:
                self._list(drafts[i:j])
            else:
                j = i + 1
                self._block(drafts[i], "\n\n")
            i = j
        return "".join(self.parts)

    def _list(self, items: Sequence[Draft]) -> None:
        self._blank("\n\n")
        parent, start = len(self.blocks), self.length
        self.blocks.append(Block(Kind.LIST, Span(start, start), items[0].role))
        for item in items:
            self._block(item, "\n", parent)
        self.blocks[parent] = replace(self.blocks[parent], span=Span(start, self.length))

    def _block(self, draft: Draft, gap: str, parent: int | None = None) -> None:
        if parent is None or self.blocks[parent].span.start != self.length:
            self._blank(gap)
        missing = next((c for c, cell in enumerate(draft.rows[0]) if cell), 0) if draft.rows else 0
        if not draft.grid:
            self._write("\t" * missing)  # a block begins with what can be seen
        start = self.length
        if draft.grid:
            self._grid(draft)
        elif draft.kind is Kind.TABLE:
            self._table(draft, missing)
        elif draft.kind is Kind.CODE:
            self._code(draft.lines)
        elif draft.kind in (Kind.FIGURE, Kind.FORMULA):
            for line in draft.lines:
                self._blank("\n" if self.length > start else "")
                self._add(line.text.replace(_MARK, "-"), line.page, line.box)
        else:
            self._prose(draft.lines)
        title = None
        if draft.kind is Kind.HEADING:
            title = " ".join("".join(self.parts)[start:].split()) if len(self.parts) < 3 else self._since(start)
        self.blocks.append(Block(draft.kind, Span(start, self.length), draft.role, draft.level, parent, title))

    def _since(self, start: int) -> str:
        """The text written since an offset, on one line."""
        taken: list[str] = []
        at = self.length
        for part in reversed(self.parts):
            if at <= start:
                break
            at -= len(part)
            taken.append(part)
        return " ".join("".join(reversed(taken)).split())

    def _blank(self, text: str) -> None:
        if self.length and text:
            self._write(text)

    def _write(self, text: str) -> None:
        """Text that stands on no page."""
        self.parts.append(text)
        self.length += len(text)

    def _add(self, text: str, page: int, box: tuple[float, float, float, float]) -> None:
        if not text:
            return
        span = Span(self.length, self.length + len(text))
        self.parts.append(text)
        self.length = span.end
        self.boxes.append(Box(span, page, *(round(edge, 2) for edge in box)))
        if self.pages and self.pages[-1].number == page:
            span = Span(self.pages[-1].span.start, span.end)
            self.pages.pop()
        self.pages.append(Page(page, span))

    def _prose(self, lines: Sequence[Line]) -> None:
        for i, line in enumerate(lines):
            text = line.text.rstrip()
            glue = ""
            if i + 1 < len(lines):
                text, glue = self._seam(text, lines[i + 1].text.lstrip())
            self._line(line, text)
            self._blank(glue)

    def _line(self, line: Line, text: str) -> None:
        """A line with a box for each sentence on it, so that a chunk's boxes hold no words of another's."""
        shown = _inner(text)
        stops = [match.end() for match in _STOP.finditer(text)] if len(shown) == len(text) else []
        edges = line.edges() if stops else None
        if edges is None:
            self._add(shown, line.page, line.box)
            return
        _, top, _, bottom = line.box
        for start, end in itertools.pairwise([0, *stops, len(text)]):
            piece = text[start:end].rstrip()
            mine = edges[start : start + len(piece)]
            left, right = float(mine[:, 0].min()), float(mine[:, 1].max())
            self._add(piece, line.page, (left, top, right, bottom))
            self._write(text[start + len(piece) : end])

    def _seam(self, text: str, following: str) -> tuple[str, str]:
        """The line's text as it is to stand before the next one, and what stands between."""
        match = _LAST_WORD.search(text) if text.endswith(_LINE_HYPHENS) else None
        after = _FIRST_WORD.match(following)
        if match is None or after is None:
            if text.endswith((_MARK, _SOFT)):
                return text[:-1] + "-", ""
            cjk = bool(text) and is_cjk(text[-1]) and is_cjk(following[:1] or " ")
            return text, "" if cjk or (text.endswith("-") and text[-2:-1].isalnum()) else " "
        if self._parts_word(match[1], after[0], text[-1]):
            return text[:-1], ""
        return text[:-1] + "-", ""

    def _parts_word(self, head: str, tail: str, mark: str) -> bool:
        whole, compound = (head + tail).casefold(), f"{head}-{tail}".casefold()
        if tail[0].isupper() and not head.isupper() and whole not in self.words:
            return False
        if whole in self.words or mark == _SOFT:
            return True
        if len(head) == 1 or compound in self.words or (head + "-").count("-") > 1:
            return False
        if len(head) >= _LONG and len(tail) >= _LONG and {head.casefold(), tail.casefold()} <= self.words:
            return False  # two words of the document, long ones, and no word together
        return mark == _MARK or not head[0].isupper() or tail[0].islower()

    def _code(self, lines: Sequence[Line]) -> None:
        left = min(line.x0 for line in lines)
        widths = [np.diff(run.edges[:, 0]) for line in lines for run in line.runs if len(run.text) > 1]
        steps = np.concatenate(widths) if widths else np.array([lines[0].size * 0.6])
        advance = float(np.median(steps[steps > 0])) if (steps > 0).any() else lines[0].size * 0.6
        usual = min((b.base - a.base for a, b in itertools.pairwise(lines) if b.base > a.base), default=0.0)
        for i, line in enumerate(lines):
            if i:
                step = line.base - lines[i - 1].base
                self._blank("\n\n" if line.page == lines[i - 1].page and step > 1.7 * usual else "\n")
            self._add(_columns(line.runs, left, advance), line.page, line.box)

    def _table(self, draft: Draft, missing: int) -> None:
        """Rows of cells; those that the first row lacks at its start stand before the table."""
        for r, row in enumerate(draft.rows):
            self._write("\n" if r else "")
            for c, cell in enumerate(row if r else row[missing:]):
                self._write("\t" if c else "")
                for p, runs in enumerate(cell):
                    self._blank(" " if p else "")
                    self._add(_inner(joined(runs)), runs[0].page, union(runs))

    def _grid(self, draft: Draft) -> None:
        """A GitHub table; the first row is its header, a pipe in a cell has a backslash."""
        for r, row in enumerate(draft.rows):
            self._write("\n|" if r else "|")
            for cell in row:
                for runs in cell:
                    self._write(" ")
                    self._add(_inner(joined(runs)).replace("|", r"\|"), runs[0].page, union(runs))
                self._write(" |")
            if not r:
                self._write("\n|" + " --- |" * len(row))


def _inner(text: str) -> str:
    """Hyphen marks inside a line are hyphens; soft hyphens inside a line show nothing."""
    if _MARK not in text and _SOFT not in text:
        return text
    text = regex.sub(rf"^{_MARK} ", "\u2022 ", text)
    text = regex.sub(rf"(?<=[\p{{L}}\p{{N}}]){_MARK}", "-", text)
    return text.replace(_MARK, "\ufffd").replace(_SOFT, "")


def _columns(runs: Sequence[Run], left: float, advance: float) -> str:
    """A line of code with the blanks that its characters' places call for."""
    text, end = "", left
    for run in runs:
        for char, (x0, x1) in zip(run.text, run.edges, strict=True):
            if char == " ":  # PDFium's guess in a fixed-width font; the places tell better
                continue
            if x0 - end > 0.6 * advance:
                text += " " * max(round((float(x0) - left) / advance) - len(text), 1)
            text += "-" if char == _MARK else char
            end = float(x1)
    return text


def toc_role(draft: Draft, pages: int) -> Role:
    """The role of a table: a table of contents if its last cells are rising page numbers."""
    lasts = [joined(row[-1][-1]) for row in draft.rows if len(row) > 1 and row[-1]]
    numbers = [int(text) for text in lasts if text.isdigit() and len(text) <= 4]
    rising = all(a <= b for a, b in itertools.pairwise(numbers))
    enough = len(numbers) >= 5 and len(numbers) >= 0.7 * len(draft.rows) - 3
    early = draft.page <= max(3, pages // 6)
    return Role.TOC if enough and rising and early and numbers[-1] <= pages + 50 else draft.role
