"""From the block tokens of a Markdown text to its blocks, with offsets into the text itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from vchunk.adapters.readers.lines import line_starts, paragraph_spans
from vchunk.adapters.readers.markdown_blocks import LEFT, PLACE, inline, is_image, plain, tokens
from vchunk.domain.document import Block, Kind, Role, Span
from vchunk.domain.lines import LINE_END

_CONTAINERS = {
    "bullet_list": Kind.LIST,
    "ordered_list": Kind.LIST,
    "dl": Kind.LIST,
    "list_item": Kind.LIST_ITEM,
    "blockquote": Kind.QUOTE,
    "footnote_reference": Kind.FOOTNOTE,
}
_LEAVES = {
    "heading_open": Kind.HEADING,
    "paragraph_open": Kind.PARAGRAPH,
    "definition": Kind.PARAGRAPH,
    "table_open": Kind.TABLE,
    "fence": Kind.CODE,
    "code_block": Kind.CODE,
    "formula": Kind.FORMULA,
    "html_block": Kind.HTML,
    "hr": Kind.RULE,
    "front_matter": Kind.FRONT_MATTER,
}
_IMAGE = re.compile(r"(?:\[\s*)?!\[")
_LANGUAGE = re.compile(r"[^\s,;{}]+")
_LONGEST_INLINE = 10_000
"""Longer titles keep their markup and longer paragraphs are never a figure."""


def block_tree(text: str) -> tuple[list[Block], int | None]:
    """The blocks of a Markdown text, and the line of a fence that is never closed.

    The line counts from 1; a fence inside a list or a quote ends with it and is not reported.
    """
    builder = _Builder(text)
    builder.build()
    return builder.blocks, builder.unclosed


@dataclass(slots=True)
class _Open:
    """A container not closed yet: its block, where it ends by itself, where its blocks end."""

    index: int
    end: int
    filled: int = 0


class _Builder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = line_starts(text)
        # markdown-it wants \n, and U+FFFD for a NUL: columns stay, offsets may not.
        self.source = LINE_END.sub("\n", text).replace("\0", "\ufffd")
        self.source_starts = line_starts(self.source) if "\r\n" in text else self.starts
        self.blocks: list[Block] = []
        self.open: list[_Open] = []
        self.covered = 0
        self.env: dict[str, Any] = {}
        self.unclosed: int | None = None
        self.definition_end: int | None = None

    def build(self) -> None:
        found = tokens(self.source, self.env)
        in_table = False
        for i, token in enumerate(found):
            kind, _, side = token.type.rpartition("_")
            if in_table:
                in_table = token.type != "table_close"
            elif token.type in _LEAVES:
                in_table = token.type == "table_open"
                self._leaf(token, found[i + 1].content if side == "open" else "")
            elif kind in _CONTAINERS and side == "open":
                self._enter(token, _CONTAINERS[kind])
            elif kind == "dt" and side == "open":
                self._term(token)
            elif kind in _CONTAINERS:
                self._leave()
                if kind == "dl":  # that was its last item
                    self._leave()
        self._fill(len(self.text))

    # Places.

    def _line(self, row: int) -> int:
        """Where a line begins in the text."""
        return self.starts[row] if row < len(self.starts) else len(self.text)

    def _place(self, token: Token) -> int:
        row: int
        offset: int
        row, offset = token.meta[PLACE]
        return self.starts[row] + offset - self.source_starts[row]

    def _start(self, token: Token, kind: Kind) -> int:
        """Where a leaf begins: headings of their own line and indented code with the indentation."""
        start = self._place(token)
        if kind is Kind.HEADING and not self.open:
            return self._line(_rows(token)[0])
        if LEFT in token.meta:
            offset = token.meta[PLACE][1]
            least = start - (offset - token.meta[LEFT])
            while start > least and self.text[start - 1] in " \t":
                start -= 1
        return start

    def _visible_start(self, start: int) -> int:
        while start < len(self.text) and self.text[start].isspace():
            start += 1
        return start

    def _visible_end(self, start: int, end: int) -> int:
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return end

    # Blocks.

    def _add(self, block: Block) -> None:
        if not self.open:
            self._fill(block.span.start)
        self.blocks.append(block)

    def _ended(self, end: int) -> None:
        """A block ended: what holds it reaches at least so far."""
        if self.open:
            self.open[-1].filled = max(self.open[-1].filled, end)
        else:
            self.covered = end

    def _fill(self, end: int) -> None:
        """Paragraphs for lines outside all blocks that no token covers."""
        self.blocks.extend(Block(Kind.PARAGRAPH, s) for s in paragraph_spans(self.text, self.covered, end))

    def _parent(self) -> int | None:
        return self.open[-1].index if self.open else None

    def _enter(self, token: Token, kind: Kind) -> None:
        start = self._visible_start(self._place(token))
        # An item without blocks is its marker alone; the lines after it are blank, or ">" of a quote.
        first, last = _rows(token)
        end = self._line(last if kind is Kind.QUOTE else first + 1)
        level = None
        if kind is Kind.LIST_ITEM:
            level = 1 + sum(self.blocks[outer.index].kind is Kind.LIST_ITEM for outer in self.open)
        end = max(start, end)
        self._add(Block(kind, Span(start, end), level=level, parent=self._parent()))
        self.open.append(_Open(len(self.blocks) - 1, end))

    def _leave(self) -> None:
        """Close a container: a quote with its last line, anything else with its last block."""
        closed = self.open.pop()
        block = self.blocks[closed.index]
        end = closed.filled
        if block.kind is Kind.QUOTE or not end:
            end = max(end, self._visible_end(block.span.start, closed.end))
        if end == block.span.start:  # a definition list can be made of white space
            del self.blocks[closed.index]
            return
        self.blocks[closed.index] = replace(block, span=Span(block.span.start, end))
        self._ended(end)

    def _term(self, token: Token) -> None:
        """A term begins an item of a definition list and ends the item before."""
        if self.blocks[self.open[-1].index].kind is Kind.LIST_ITEM:
            self._leave()
        self._enter(token, Kind.LIST_ITEM)
        self._append(Kind.PARAGRAPH, self._place(token), self.open[-1].end)

    def _leaf(self, token: Token, content: str) -> None:
        kind = _LEAVES[token.type]
        first, last = _rows(token)
        start, end = self._start(token, kind), self._line(last)
        if token.type == "definition" and self._continues([first, last]):
            return
        if kind is Kind.HEADING:
            self._append(kind, start, end, level=int(token.tag[1:]), title=self._title(content))
        elif kind is Kind.CODE:
            self._append(kind, start, end, language=_language(token))
            if token.type == "fence" and not self.open and not self._is_closed(token):
                self.unclosed = first + 1
        elif kind is Kind.FRONT_MATTER:
            self._append(kind, start, end, role=Role.FRONT_MATTER)
        elif kind is Kind.PARAGRAPH and self._is_figure(content):
            self._append(Kind.FIGURE, start, end)
        else:
            self._append(kind, start, end)

    def _append(self, kind: Kind, start: int, end: int, **known: Any) -> None:
        """Add a leaf; one that is only white space, as CommonMark's paragraphs can be, is none."""
        end = self._visible_end(start, end)
        if start == end:
            return
        if kind not in (Kind.CODE, Kind.HEADING):
            start = self._visible_start(start)
        self._add(Block(kind, Span(start, end), parent=self._parent(), **known))
        self._ended(end)

    def _continues(self, rows: list[int]) -> bool:
        """Lengthen the paragraph before by a link definition on the line after it."""
        follows = self.definition_end == rows[0] and self.blocks[-1].parent == self._parent()
        self.definition_end = rows[1]
        if follows:
            before = self.blocks[-1]
            end = self._visible_end(before.span.end, self._line(rows[1]))
            self.blocks[-1] = replace(before, span=Span(before.span.start, end))
            self._ended(end)
        return follows

    def _title(self, content: str) -> str:
        return content if len(content) > _LONGEST_INLINE else plain(inline(content, self.env))

    def _is_figure(self, content: str) -> bool:
        if len(content) > _LONGEST_INLINE or not _IMAGE.match(content):
            return False
        return is_image(inline(content, self.env))

    def _is_closed(self, fence: Token) -> bool:
        first, last = _rows(fence)
        line = self.text[self._line(last - 1) : self._line(last)].strip()
        return last - first > 1 and line.startswith(fence.markup) and set(line) == {fence.markup[0]}


def _rows(token: Token) -> list[int]:
    """The lines of a block's token, ``[first, last + 1]``."""
    assert token.map is not None
    return token.map


def _language(token: Token) -> str | None:
    """The first word of an info string, without what R Markdown and others put around it."""
    match = _LANGUAGE.search(unescapeAll(token.info))
    return match[0].lstrip(".").lower() or None if match else None
