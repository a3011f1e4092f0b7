"""AsciiDoc: sections, delimited blocks, lists, tables, admonitions.

The text of record is the file itself. The document's title is of level 1, ``==`` of level 2. The lines of
attributes and anchors in front of a block belong to it; entries such as ``:toc:``, comments and
directives are furniture, the header's are front matter.
"""

from __future__ import annotations

import re

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.line_blocks import DEEPEST, LineBlocks, closing_line
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import Warn
from vchunk.domain.roles import label_roles

MEDIA_TYPE = "text/asciidoc"

_SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ENTRY = re.compile(r":!?\w[\w-]*!?:(?:\s|$)")
_ATTRIBUTES = re.compile(r"\[\[[^\[\]]+\]\]\s*$|\[[^\[\]\n]*\]\s*$")
_BLOCK_TITLE = re.compile(r"\.[^\s.].*")
_ITEM = re.compile(r"(\*{1,5}|-|\.{1,5}|\d{1,4}\.|[A-Za-z]\.|<(?:\d+|\.)>)[ \t]+(?=\S)")
_TERM = re.compile(r"(?!//)\S.*?(:{2,4}|;;)(?:[ \t]+|$)")
_MACRO = re.compile(r"(image|video|audio|include|toc|ifdef|ifndef|ifeval|endif)::?\S*\[")
_STYLE = re.compile(r"\[\s*([\w-]*)")
_FENCES = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|[|,:!]={3,}|```.*)\s*$")
_CODE = frozenset(["source", "listing", "literal", "screen", "console"])
_MATH = frozenset(["stem", "latexmath", "asciimath"])


class AsciiDocReader(DecodingReader):
    """Reads AsciiDoc, code point for code point."""

    name = "asciidoc"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document; a delimited block that is never closed is warned of."""
        text = decode(source, warn, self.encoding)
        parser = _Parser(text)
        parser.read()
        if parser.unclosed is not None:
            warn(f"{source.name}: line {parser.unclosed}: block never closed, all that follows is part of it")
        return Document(
            text,
            label_roles(parser.out.blocks, text),
            title=parser.title,
            language=parser.language,
            media_type=MEDIA_TYPE,
            reader=self.signature,
        )


class _Parser:
    def __init__(self, text: str) -> None:
        self.out = LineBlocks(text)
        self.title: str | None = None
        self.language: str | None = None
        self.unclosed: int | None = None
        self._lines = self.out.lines

    def read(self) -> None:
        """Read the header and the body."""
        last = len(self._lines)
        at = self.out.next_filled(0, last)
        while at < last and (self._lines[at].body.startswith("//") or _ENTRY.match(self._lines[at].text)):
            at = self._aside(at, Role.FRONT_MATTER)
            at = self.out.next_filled(at, last)
        match = _SECTION.fullmatch(self._lines[at].text.rstrip()) if at < last else None
        if match is not None and len(match[1]) == 1:
            self.title = _plain(match[2])
            self.out.add(Kind.HEADING, at, at + 1, level=1, title=self.title)
            end = at + 1
            while end < last and not self._lines[end].blank:
                found = re.match(r":lang:\s*([A-Za-z]{2,3})\b", self._lines[end].text)
                self.language = found[1].lower() if found else self.language
                end += 1
            self.out.add(Kind.FRONT_MATTER, at + 1, end, role=Role.FRONT_MATTER)
            at = end
        self.parse(at, last, None, 0)

    def parse(self, at: int, last: int, parent: int | None, depth: int) -> None:
        """Read the lines ``[at, last)`` as the content of a block."""
        while (at := self.out.next_filled(at, last)) < last:
            at = self._block(at, last, parent, depth)

    def _block(self, at: int, last: int, parent: int | None, depth: int) -> int:
        """Read one block with the lines of attributes in front of it; the line behind it."""
        begun, style, language = at, "", None
        while at < last and (
            _ATTRIBUTES.match(self._lines[at].text) or _BLOCK_TITLE.fullmatch(self._lines[at].text)
        ):
            line = self._lines[at].text
            if line.startswith("."):
                if begun < at:
                    self.out.add(Kind.PARAGRAPH, begun, at, parent, role=Role.FURNITURE)
                self.out.add(Kind.CAPTION, at, at + 1, parent)
                begun = at + 1
            elif not line.startswith("[["):
                found = _STYLE.match(line)
                style = (found[1].lower() if found and found[1] else style) or style
                if named := re.match(r"\[\s*(?:source)?\s*(?:%[\w,%]+)?,\s*([\w+#-]+)", line):
                    style, language = "source", named[1].lower()
            at += 1
        if at >= last or self._lines[at].blank:
            self.out.add(Kind.PARAGRAPH, begun, at, parent, role=Role.FURNITURE)
            return at
        line = self._lines[at].text.rstrip()
        section = _SECTION.fullmatch(line)
        if section is not None and parent is None and style != "discrete":
            self.out.add(Kind.PARAGRAPH, begun, at, parent, role=Role.FURNITURE)
            self.out.add(Kind.HEADING, at, at + 1, level=len(section[1]), title=_plain(section[2]))
            return at + 1
        if _FENCES.match(line):
            return self._delimited(begun, at, last, parent, depth, style, language)
        if (
            line.startswith("//")
            or _ENTRY.match(line)
            or _MACRO.match(line)
            or line in ("'''", "<<<", "---", "***")
        ):
            self.out.add(Kind.PARAGRAPH, begun, at, parent, role=Role.FURNITURE)
            return self._single(at, parent)
        if depth < DEEPEST and _ITEM.match(line.lstrip()):
            return self._list(begun, at, last, parent, depth)
        if depth < DEEPEST and _TERM.match(line) and "://" not in line.partition("::")[0]:
            return self._terms(begun, at, last, parent, depth)
        return self._paragraph(begun, at, last, parent, style, language)

    def _aside(self, at: int, role: Role) -> int:
        self.out.add(Kind.PARAGRAPH if role is not Role.FRONT_MATTER else Kind.FRONT_MATTER, at, at + 1, role=role)
        return at + 1

    def _single(self, at: int, parent: int | None) -> int:
        """A block of one line: a picture, a rule, a comment, an entry, a directive."""
        line = self._lines[at].text.rstrip()
        if line.startswith("image::"):
            self.out.add(Kind.FIGURE, at, at + 1, parent)
        elif line in ("'''", "<<<", "---", "***"):
            self.out.add(Kind.RULE, at, at + 1, parent)
        else:
            role = Role.TOC if line.startswith("toc::") else Role.FURNITURE
            self.out.add(Kind.PARAGRAPH, at, at + 1, parent, role=role)
        return at + 1

    # Delimited blocks.

    def _delimited(
        self, begun: int, at: int, last: int, parent: int | None, depth: int, style: str, language: str | None
    ) -> int:
        fence = self._lines[at].text.rstrip()
        close = closing_line(self._lines, "```" if fence.startswith("```") else fence, at + 1, last)
        if close >= last and self.unclosed is None:
            self.unclosed = at + 1
        end = min(close + 1, last)
        mark = fence[0]
        if fence.startswith("```"):
            self.out.add(Kind.CODE, begun, end, parent, language=fence[3:].strip().lower() or None)
        elif mark == "/":
            self.out.add(Kind.PARAGRAPH, begun, end, parent, role=Role.FURNITURE)
        elif mark == "+" or style in _MATH:
            self.out.add(Kind.FORMULA if style in _MATH else Kind.HTML, begun, end, parent)
        elif fence[1:4] == "===" and mark in "|,:!":
            self.out.add(Kind.TABLE, begun, end, parent)
        elif mark == "." or (mark == "-" and (fence != "--" or style in _CODE)):
            self.out.add(Kind.CODE, begun, end, parent, language=language)
        else:
            self._container(begun, at, end, parent, depth)
        return end

    def _container(self, begun: int, at: int, end: int, parent: int | None, depth: int) -> None:
        """An example, a sidebar, a quotation or an open block: it holds other blocks."""
        index = self.out.add(Kind.QUOTE, begun, end, parent)
        if index is not None and depth < DEEPEST:
            self.parse(
                at + 1,
                end - (self._lines[end - 1].text.rstrip() == self._lines[at].text.rstrip()),
                index,
                depth + 1,
            )

    # Lists.

    def _list(self, begun: int, at: int, last: int, parent: int | None, depth: int) -> int:
        """A list and those in its items; a new mark opens one, a mark of a list that is open ends those in it."""
        open_: list[tuple[str, int]] = []  # marks and indices of lists
        items: list[int] = []
        while at < last and (match := _ITEM.match(self._lines[at].body)):
            mark = re.sub(r"\d+|[A-Za-z]", "1", match[1])
            known = next((n for n, (other, _) in enumerate(open_) if other == mark), None)
            if known is not None:
                self._close(open_, items, known)
            if known is None:
                index = self.out.add(Kind.LIST, begun, at + 1, items[-1] if items else parent)
                assert index is not None
                open_.append((mark, index))
            else:
                index = open_[known][1]
                self.out.close(items.pop())
            level = 1 + sum(self.out.blocks[i].kind is Kind.LIST_ITEM for i in self._above(index))
            end = self._item_end(at + 1, last)
            item = self.out.add(Kind.LIST_ITEM, at, end, index, level=level)
            assert item is not None
            items.append(item)
            lead = len(self._lines[at].text) - len(self._lines[at].text.lstrip())
            self.out.add(Kind.PARAGRAPH, at, end, item, skip=lead + match.end())
            at = self._attached(end, last, item, depth)
            begun = at = self._next_item(at, last)
        self._close(open_, items, -1)
        return at

    def _close(self, open_: list[tuple[str, int]], items: list[int], keep: int) -> None:
        """Close the lists inside the item of list ``keep``, and all for -1."""
        while len(open_) - 1 > keep:
            self.out.close(items.pop())
            self.out.close(open_.pop()[1])

    def _next_item(self, at: int, last: int) -> int:
        """The next item of the list, or ``at`` where none follows."""
        after = self.out.next_filled(at, last)
        follows = after < last and _ITEM.match(self._lines[after].body)
        return after if follows else at

    def _item_end(self, at: int, last: int, *, terms: bool = False) -> int:
        """The line behind the text of an item; where ``terms`` are listed, the next one ends it."""
        while at < last and not self._lines[at].blank:
            line = self._lines[at].text.rstrip()
            if line == "+" or _ITEM.match(line.lstrip()) or _FENCES.match(line) or _SECTION.fullmatch(line):
                break
            if terms and _TERM.match(line):
                break
            at += 1
        return at

    def _attached(self, at: int, last: int, item: int, depth: int) -> int:
        """Blocks that a line with ``+`` attaches to an item."""
        while at + 1 < last and self._lines[at].text.strip() == "+" and not self._lines[at + 1].blank:
            self.out.add(Kind.PARAGRAPH, at, at + 1, item, role=Role.FURNITURE)
            at = self._block(at + 1, last, item, depth + 1)
        return at

    def _terms(self, begun: int, at: int, last: int, parent: int | None, depth: int) -> int:
        index = self.out.add(Kind.LIST, begun, at + 1, parent)
        assert index is not None
        while at < last and (match := _TERM.match(self._lines[at].text)):
            end = self._item_end(at + 1, last, terms=True)
            item = self.out.add(Kind.LIST_ITEM, at, end, index, level=1)
            assert item is not None
            head = self._lines[at].text
            if head[match.end() :].strip() or end == at + 1:
                self.out.add(Kind.PARAGRAPH, at, end, item)
            else:
                self.out.add(Kind.PARAGRAPH, at, at + 1, item)
                self.out.add(Kind.PARAGRAPH, at + 1, end, item)
            at = self._attached(end, last, item, depth)
            self.out.close(item)
            after = self.out.next_filled(at, last)
            if (
                after >= last
                or not _TERM.match(self._lines[after].text)
                or _SECTION.match(self._lines[after].text)
            ):
                break
            at = after
        self.out.close(index)
        return at

    def _above(self, index: int | None) -> list[int]:
        found = []
        while index is not None:
            found.append(index)
            index = self.out.blocks[index].parent
        return found

    # Paragraphs.

    def _paragraph(
        self, begun: int, at: int, last: int, parent: int | None, style: str, language: str | None
    ) -> int:
        end = at + 1
        while end < last and not self._lines[end].blank:
            line = self._lines[end].text.rstrip()
            if _FENCES.match(line) or line == "+" or (parent is None and _SECTION.fullmatch(line)):
                break
            end += 1
        if style in _CODE or (self._lines[at].indent and not style):
            self.out.add(Kind.CODE, begun, end, parent, language=language)
        elif style in ("quote", "verse"):
            self.out.add(Kind.QUOTE, begun, end, parent)
        elif style in _MATH:
            self.out.add(Kind.FORMULA, begun, end, parent)
        else:
            self.out.add(Kind.PARAGRAPH, begun, end, parent)
        return end


def _plain(title: str) -> str:
    """A title without inline markup and the marks that may close it."""
    title = re.sub(r"\s+=+\s*$", "", title)
    title = re.sub(r"(?:link:|https?://)\S*?\[([^\]]*)\]", r"\1", title)
    return re.sub(r"(\*\*|__|``|[*_`])(\S(?:.*?\S)?)\1", r"\2", title).strip()
