"""reStructuredText: sections, lists, literal blocks, directives, tables, notes.

The text of record is the file itself. Levels of sections are the order in which their adornments first
appear. Code is what stands in literal blocks, ``code-block`` and doctests; targets, comments and
substitutions are furniture, footnotes and citations backmatter.
"""

from __future__ import annotations

import re

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.line_blocks import DEEPEST, LineBlocks
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import Warn
from vchunk.domain.roles import label_roles

MEDIA_TYPE = "text/x-rst"

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|\n]+\|\s+)?([\w:+.-]+?)::(?:\s+(.*))?$")
_NOTE = re.compile(r"\.\.\s+\[(?:\d+|#[\w.-]*|\*|[\w.-]+)\](?:\s|$)")
_BULLET = re.compile(r"([*+•‣⁃-])(\s+|$)")
_NUMBER = re.compile(r"(\(?(?:\d{1,4}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)])(\s+)")
_FIELD = re.compile(r":(?![\s:])((?:[^:\\]|\\.)+):(?:\s|$)")
_GRID = re.compile(r"\+(?:[-=]+\+)+\s*$")
_SIMPLE = re.compile(r"=+(?:\s+=+)+\s*$")
_CODE = frozenset(["code", "code-block", "sourcecode", "parsed-literal", "prompt", "doctest", "testcode"])
_TABLES = frozenset(["table", "list-table", "csv-table", "flat-table"])
_FURNITURE = frozenset(
    ["header", "footer", "meta", "include", "index", "highlight", "default-role", "role", "only"]
)


class RestructuredTextReader(DecodingReader):
    """Reads reStructuredText, code point for code point."""

    name = "rst"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document; its title is that of the first section, if it alone is of level 1."""
        text = decode(source, warn, self.encoding)
        parser = _Parser(text)
        parser.parse(0, len(parser.out.lines), None, 0)
        blocks = label_roles(parser.out.blocks, text)
        headings = [block for block in blocks if block.kind is Kind.HEADING]
        top = [block for block in headings if block.level == 1]
        title = top[0].title if len(top) == 1 and headings[0] is top[0] else None
        return Document(text, blocks, title=title, media_type=MEDIA_TYPE, reader=self.signature)


class _Parser:
    def __init__(self, text: str) -> None:
        self.out = LineBlocks(text)
        self._lines = self.out.lines
        self._styles: list[tuple[str, bool]] = []
        self._borderless: set[int] = set()  # ends of stretches whose rest has no border of a table

    def parse(self, at: int, last: int, parent: int | None, depth: int) -> None:
        """Read the lines ``[at, last)`` as the content of a block."""
        while (at := self.out.next_filled(at, last)) < last:
            at = self._block(at, last, parent, depth)

    def _block(self, at: int, last: int, parent: int | None, depth: int) -> int:
        """Read one block; the line behind it."""
        line = self._lines[at]
        if parent is None and line.indent == 0 and (end := self._section(at, last)):
            return end
        base = line.indent
        body = line.body
        if body.startswith("..") and (body == ".." or body[2:3].isspace()):
            return self._explicit(at, last, parent, depth)
        if body.startswith("__ "):
            return self._paragraph(at, last, parent, role=Role.FURNITURE)
        if _GRID.match(body) or _SIMPLE.match(body):
            return self._table(at, last, parent)
        if body.startswith(">>> "):
            end = self._run(at, last)
            self.out.add(Kind.CODE, at, end, parent, language="python")
            return end
        if depth < DEEPEST and (_BULLET.match(body) or _NUMBER.match(body)):
            return self._list(at, last, parent, depth)
        if _FIELD.match(body):
            return self._fields(at, last, parent)
        if (
            depth < DEEPEST
            and at + 1 < last
            and not self._lines[at + 1].blank
            and self._lines[at + 1].indent > base
        ):
            return self._definition(at, last, parent, depth)
        if depth < DEEPEST and base > self._base(at, parent):
            return self._quote(at, last, parent, depth)
        return self._paragraph(at, last, parent)

    def _base(self, at: int, parent: int | None) -> int:
        """The indentation that a block at this place has of its own."""
        if parent is None:
            return 0
        return self._lines[at].indent

    # Sections.

    def _section(self, at: int, last: int) -> int | None:
        """The line behind a section's title or a transition; None where there is neither."""
        lines = self._lines
        match = _ADORNMENT.fullmatch(lines[at].text.rstrip())
        if match is not None:
            over = lines[at].text.rstrip()
            if at + 2 < last and not lines[at + 1].blank and lines[at + 2].text.rstrip() == over:
                self._heading(at, at + 3, lines[at + 1].body, (match[1], True))
                return at + 3
            alone = at + 1 >= last or lines[at + 1].blank
            if len(over) >= 4 and alone:
                self.out.add(Kind.RULE, at, at + 1)
                return at + 1
            return None
        if at + 1 >= last:
            return None
        under = lines[at + 1].text.rstrip()
        match = _ADORNMENT.fullmatch(under)
        wide = len(under) >= min(4, len(lines[at].body)) and 2 * len(under) >= len(lines[at].body)
        if match is None or not wide or under == "::" or under == "..":
            return None
        self._heading(at, at + 2, lines[at].body, (match[1], False))
        return at + 2

    def _heading(self, at: int, end: int, title: str, style: tuple[str, bool]) -> None:
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style) + 1
        self.out.add(Kind.HEADING, at, end, level=level, title=_plain(title))

    # Explicit markup.

    def _explicit(self, at: int, last: int, parent: int | None, depth: int) -> int:
        line = self._lines[at]
        end = self.out.indented_end(at + 1, last, line.indent)
        first = len(self.out.blocks)
        if _NOTE.match(line.body):
            self.out.add(Kind.FOOTNOTE, at, end, parent, role=Role.BACKMATTER)
            return end
        match = _DIRECTIVE.match(line.body)
        if match is None or line.body.startswith(".. |") or line.body.startswith(".. _"):
            self.out.add(Kind.PARAGRAPH, at, end, parent, role=Role.FURNITURE)
            return end
        name, argument = match[1].lower().rpartition(":")[2], (match[2] or "").strip()
        if name in _CODE and end > at + 1:
            self.out.add(Kind.CODE, at, end, parent, language=argument.lower() or None)
        elif name == "math":
            self.out.add(Kind.FORMULA, at, end, parent)
        elif name in ("image", "figure"):
            self.out.add(Kind.FIGURE, at, end, parent)
        elif name in _TABLES:
            self.out.add(Kind.TABLE, at, end, parent)
        elif name == "raw":
            self.out.add(Kind.HTML if argument == "html" else Kind.CODE, at, end, parent)
        elif name in ("contents", "toctree"):
            self.out.add(Kind.PARAGRAPH, at, end, parent, role=Role.TOC)
        elif name in _FURNITURE and end == at + 1:
            self.out.add(Kind.PARAGRAPH, at, end, parent, role=Role.FURNITURE)
        else:
            self._admonition(at, end, parent, depth)
        if name in ("header", "footer"):
            self.out.label(first, Role.FURNITURE)
        return end

    def _admonition(self, at: int, end: int, parent: int | None, depth: int) -> None:
        """A directive whose content is text: what holds it is a quotation."""
        index = self.out.add(Kind.QUOTE, at, end, parent)
        if index is None or depth >= DEEPEST or end == at + 1:
            return
        body = self._run(at, end) if self._lines[at].body.partition("::")[2].strip() else at + 1
        while body < end and (self._lines[body].blank or _FIELD.match(self._lines[body].body)):
            body += 1
        self.out.add(Kind.PARAGRAPH, at, body, index)
        self.parse(body, end, index, depth + 1)

    # Bodies.

    def _run(self, at: int, last: int) -> int:
        """One past the lines that follow one another without a blank one."""
        while at < last and not self._lines[at].blank:
            at += 1
        return at

    def _paragraph(self, at: int, last: int, parent: int | None, role: Role = Role.BODY, skip: int = 0) -> int:
        """A paragraph, and the literal block that it announces."""
        end = at + 1
        indent = self._lines[at].indent
        while end < last and not self._lines[end].blank and (skip or self._lines[end].indent <= indent):
            end += 1
        self.out.add(Kind.PARAGRAPH, at, end, parent, skip, role=role)
        if self._lines[end - 1].text.rstrip().endswith("::"):
            return self._literal(end, last, parent, self._lines[end - 1].indent)
        return end

    def _literal(self, at: int, last: int, parent: int | None, indent: int) -> int:
        first = self.out.next_filled(at, last)
        if first >= last or self._lines[first].indent <= indent:
            return at
        end = self.out.indented_end(first, last, indent)
        self.out.add(Kind.CODE, first, end, parent)
        return end

    def _table(self, at: int, last: int, parent: int | None) -> int:
        end = self._run(at, last)
        body = self._lines[at].body
        if _SIMPLE.match(body):  # blank lines may stand in it; it ends with such a border
            end = self._border(at + 1, last) or end
        self.out.add(Kind.TABLE, at, end, parent)
        return end

    def _border(self, at: int, last: int) -> int | None:
        """The line behind the next border that ends a simple table; looked for in vain only once."""
        if last in self._borderless:
            return None
        for line in range(at, last):
            if (line + 1 == last or self._lines[line + 1].blank) and _SIMPLE.match(self._lines[line].body):
                return line + 1
        self._borderless.add(last)
        return None

    def _list(self, at: int, last: int, parent: int | None, depth: int) -> int:
        indent = self._lines[at].indent
        bullet = bool(_BULLET.match(self._lines[at].body))
        index = self.out.add(Kind.LIST, at, at + 1, parent)
        assert index is not None
        while at < last:
            line = self._lines[at]
            match = (_BULLET if bullet else _NUMBER).match(line.body)
            if line.indent != indent or match is None:
                break
            end = self.out.indented_end(at + 1, last, indent)
            self._item(at, end, index, depth, len(match[0]))
            at = self.out.next_filled(end, last)
        self.out.close(index)
        return max(end, 1)

    def _item(self, at: int, end: int, parent: int, depth: int, mark: int) -> None:
        level = 1 + sum(self.out.blocks[p].kind is Kind.LIST_ITEM for p in self._above(parent))
        index = self.out.add(Kind.LIST_ITEM, at, end, parent, level=level)
        if index is None:
            return
        line = self._lines[at]
        skip = len(line.text) - len(line.text.lstrip()) + mark
        body = at + 1
        if line.text[skip:].strip():
            body = self._paragraph(at, end, index, skip=skip)
        self.parse(body, end, index, depth + 1)

    def _above(self, index: int | None) -> list[int]:
        found = []
        while index is not None:
            found.append(index)
            index = self.out.blocks[index].parent
        return found

    def _fields(self, at: int, last: int, parent: int | None) -> int:
        """Fields: front matter at the head of the document, else a paragraph each."""
        first = at
        opening = all(block.kind is Kind.HEADING for block in self.out.blocks)
        while at < last and _FIELD.match(self._lines[at].body):
            end = self.out.indented_end(at + 1, last, self._lines[at].indent)
            if not (opening and parent is None):
                self.out.add(Kind.PARAGRAPH, at, end, parent)
            at = end
        if opening and parent is None:
            self.out.add(Kind.FRONT_MATTER, first, at, parent, role=Role.FRONT_MATTER)
        return at

    def _definition(self, at: int, last: int, parent: int | None, depth: int) -> int:
        """A term with what defines it, a list of one item for each run of them."""
        indent = self._lines[at].indent
        index = self.out.add(Kind.LIST, at, at + 1, parent)
        assert index is not None
        while at < last and self._is_term(at, last, indent):
            end = self.out.indented_end(at + 1, last, indent)
            item = self.out.add(Kind.LIST_ITEM, at, end, index, level=1)
            self.out.add(Kind.PARAGRAPH, at, at + 1, item)
            self.parse(at + 1, end, item, depth + 1)
            at = self.out.next_filled(end, last)
        self.out.close(index)
        return end

    def _is_term(self, at: int, last: int, indent: int) -> bool:
        lines = self._lines
        follows = at + 1 < last and not lines[at + 1].blank and lines[at + 1].indent > indent
        body = lines[at].body
        return follows and lines[at].indent == indent and not (body.startswith("..") or _BULLET.match(body))

    def _quote(self, at: int, last: int, parent: int | None, depth: int) -> int:
        end = self.out.indented_end(at, last, 0)
        index = self.out.add(Kind.QUOTE, at, end, parent)
        self.parse(at, end, index, depth + 1)
        return end


def _plain(title: str) -> str:
    """A title without inline markup."""
    title = re.sub(r":[\w:+.-]+:`([^`<]*?)(?:\s*<[^>`]*>)?`", r"\1", title)
    title = re.sub(r"(``?)([^`]+?)(?:\s*<[^>`]*>)?\1_{0,2}", r"\2", title)
    return re.sub(r"(\*{1,2})(\S(?:.*?\S)?)\1", r"\2", title).strip()
