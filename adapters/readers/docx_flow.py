"""From the body of a Word document to drafts of blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vchunk.adapters.readers.docx_numbering import BULLET, Numbering
from vchunk.adapters.readers.docx_pages import marks_in, unmarked, with_number
from vchunk.adapters.readers.docx_styles import Style, Styles, is_on, numbering_of, outline_level, value_of
from vchunk.adapters.readers.docx_text import Notes, ParagraphText, chosen, read_paragraph
from vchunk.adapters.readers.parsed import Draft, item, one_line
from vchunk.adapters.readers.parsed_tables import Cell, spanned_text
from vchunk.adapters.readers.xml_tree import child
from vchunk.domain.document import Kind, Role

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WIDEST = 1000
_TABLE_OF_CONTENTS = "Table of Contents"


class Flow:
    """Reads the parts of one document one after the other: lists count on, notes are numbered."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self.notes = Notes()
        self.languages: Counter[str] = Counter()
        self.title: str | None = None
        self._styles = styles
        self._numbering = numbering
        self._carried = ""

    def read(self, container: Element, role: Role = Role.BODY) -> list[Draft]:
        """The blocks of a body, a note, a header, a text box or a cell."""
        drafts: list[Draft] = []
        for element, contents in _blocks(container):
            inner = Role.TOC if contents and role is Role.BODY else role
            if element.tag == "w:tbl":
                drafts += self._table(element, inner)
            else:
                self._paragraph(element, inner, drafts)
        return drafts

    # Paragraphs.

    def _paragraph(self, paragraph: Element, role: Role, drafts: list[Draft]) -> None:
        properties = child(paragraph, "w:pPr")
        style_element = child(properties, "w:pStyle")
        style = self._styles.get(None if style_element is None else value_of(style_element))
        said = read_paragraph(paragraph, self.notes)
        self.languages.update(said.languages)
        said.text = self._carried + said.text
        self._carried = ""
        if child(properties, "w:rPr", "w:del") is not None:
            self._carried = said.text  # its end was deleted, so it goes on in the next one
        else:
            self._add(said, properties, style, role, drafts)
        for box in said.boxes:
            drafts += self.read(box, role)
        drafts += (Draft(Kind.FIGURE, one_line(words), role) for words in said.pictures)

    def _add(
        self, said: ParagraphText, properties: Element | None, style: Style, role: Role, drafts: list[Draft]
    ) -> None:
        if not unmarked(said.text).strip():
            self._carried = marks_in(said.text)
            return
        if role is Role.BODY and style.is_contents:
            role = Role.TOC
        own = outline_level(properties)
        level = style.level if own is None else own or None
        numbered = numbering_of(properties)
        if style.numbered is not None and (numbered is None or not numbered.list):
            numbered = style.numbered
        mark = self._numbering.count(numbered, style.id)
        if role is not Role.BODY and role is not Role.TOC:
            level = None
        if style.is_title and role is Role.BODY:
            self.title = self.title or one_line(unmarked(said.text))
            drafts.append(Draft(Kind.HEADING, one_line(said.text), role, 0))
        elif level is not None and role is Role.BODY:
            number = "" if mark is None or mark.text == BULLET else re.sub(r"(?<=\d)\.$", "", mark.text)
            drafts.append(Draft(Kind.HEADING, with_number(number, one_line(said.text)), role, level))
        elif said.formula:
            drafts.append(Draft(Kind.FORMULA, said.text, role))
        elif style.is_code:
            _join(drafts, Draft(Kind.CODE, said.text, role))
        elif mark is not None and mark.text:
            draft = item(mark.text, said.text, level=mark.level + 1)
            for part in (draft, *draft.children):
                part.role = role
            drafts.append(draft)
        elif style.is_caption:
            drafts.append(Draft(Kind.CAPTION, said.text, role))
        else:
            drafts.append(Draft(Kind.QUOTE if style.is_quote else Kind.PARAGRAPH, said.text, role))

    # Tables.

    def _table(self, table: Element, role: Role) -> Iterator[Draft]:
        """A table; one that only frames or arranges other blocks gives those."""
        rows = [row for row in _rows(table) if child(row, "w:trPr", "w:del") is None]
        cells = [list(_cells(row)) for row in rows]
        read = [self._row(row, role) for row in cells]
        if sum(map(len, read)) == 1 or any(d.kind is Kind.HEADING for row in read for cell in row for d in cell):
            for row in read:
                for drafts in row:
                    yield from drafts
            return
        yield Draft(Kind.TABLE, spanned_text(list(self._grid(rows, cells, read))), role)

    def _row(self, cells: list[Element], role: Role) -> list[list[Draft]]:
        """The cells of a row; where it runs over a page's end, each of them may say so."""
        first = last = self.notes.page
        read = []
        for cell in cells:
            self.notes.page = first
            read.append(self.read(cell, role))
            last = max(last, self.notes.page)
        self.notes.page = last
        return read

    @staticmethod
    def _grid(rows: list[Element], cells: list[list[Element]], read: list[list[list[Draft]]]) -> Iterator[Cell]:
        open_: dict[int, Cell] = {}  # by column: cells that may go on below
        for top, (row, elements, texts) in enumerate(zip(rows, cells, read, strict=True)):
            properties = child(row, "w:trPr")
            column = _number(child(properties, "w:gridBefore"), 0)
            header = is_on(child(properties, "w:tblHeader"))
            for element, drafts in zip(elements, texts, strict=True):
                about = child(element, "w:tcPr")
                right = column + min(max(_number(child(about, "w:gridSpan"), 1), 1), _WIDEST)
                merge = child(about, "w:vMerge")
                above = open_.pop(column, None)
                if merge is not None and value_of(merge) != "restart" and above is not None:
                    cell = Cell(above.text, above.top, column, top + 1, above.right, above.header)
                else:
                    if above is not None:
                        yield above
                    cell = Cell(flat(drafts), top, column, top + 1, right, header)
                if merge is not None:
                    open_[column] = cell
                else:
                    yield cell
                column = right
        yield from open_.values()


def _blocks(container: Element) -> Iterator[tuple[Element, bool]]:
    """The paragraphs and tables in a container, and whether they are part of a table of contents."""
    stack = [(element, False) for element in reversed(container)]
    while stack:
        element, contents = stack.pop()
        tag = element.tag
        if tag in ("w:p", "w:tbl"):
            yield element, contents
        elif tag == "w:sdt":
            gallery = value_of(child(element, "w:sdtPr", "w:docPartObj", "w:docPartGallery"))
            inner = child(element, "w:sdtContent")
            contents = contents or gallery == _TABLE_OF_CONTENTS
            stack += [(e, contents) for e in reversed(inner if inner is not None else ())]
        elif tag in ("w:ins", "w:moveTo", "w:customXml", "w:smartTag"):
            stack += [(e, contents) for e in reversed(element)]
        elif tag == "mc:AlternateContent":
            stack += [(e, contents) for e in reversed(chosen(element))]


def _rows(table: Element) -> Iterator[Element]:
    return _inner(table, "w:tr")


def _cells(row: Element) -> Iterator[Element]:
    return _inner(row, "w:tc")


def _inner(container: Element, name: str) -> Iterator[Element]:
    stack = list(reversed(container))
    while stack:
        element = stack.pop()
        if element.tag == name:
            yield element
        elif element.tag in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins"):
            stack += reversed(element)


def flat(drafts: Iterable[Draft]) -> str:
    """Blocks as one line, for a cell: rows and items parted by semicolons, cells by commas."""
    text, listing = "", False
    for draft in drafts:
        if draft.kind is Kind.TABLE:
            lines = draft.text.split("\n")
            words = "; ".join(line.strip("| ").replace(" | ", ", ") for line in (lines[0], *lines[2:]))
        elif draft.kind is Kind.LIST_ITEM:
            words = ("" if draft.text == BULLET else f"{draft.text} ") + flat(draft.children)
        else:
            words = one_line(draft.text)
        if words:
            gap = "; " if listing and draft.kind is Kind.LIST_ITEM else " "
            text += gap * bool(text) + words
            listing = draft.kind is Kind.LIST_ITEM
    return text


def _join(drafts: list[Draft], code: Draft) -> None:
    """Put a line of code behind the one before it."""
    if drafts and drafts[-1].kind is Kind.CODE and drafts[-1].role is code.role:
        drafts[-1].text += "\n" + code.text
    else:
        drafts.append(code)


def _number(element: Element | None, default: int) -> int:
    value = value_of(element)
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else default
