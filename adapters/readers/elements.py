"""Parsed documents as lists of elements: NoPaddle's ParsedDocument and the plain form.

::

    {"pages": [{"page_number": 1, "width": 612, "height": 792,
                "elements": [{"type": "text", "content": "...", "bbox": [x0, y0, x1, y1],
                              "page": 1, "metadata": {}}]}]}

``regions`` may stand for ``elements``, ``element_type`` for ``type``, ``text`` for ``content``; the
pages may be left out, or all but the list. A box of four numbers is in points from the page's top left
corner. NoPaddle's (``x_min`` ...) counts thousandths of the page and is scaled by its width and height.

``metadata`` may hold ``level`` (of a heading or a nested item), ``language``, ``marker``, ``caption``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vchunk.adapters.readers.element_places import boxes_of, page_number, page_numbers
from vchunk.adapters.readers.element_types import KINDS, PAGE_FURNITURE, TABLES_OF_CONTENTS, TITLES, type_name
from vchunk.adapters.readers.parsed import Draft, finish, item, lists_of, whole
from vchunk.adapters.readers.parsed_levels import numbered_levels
from vchunk.adapters.readers.parsed_tables import table_text
from vchunk.domain.document import Document, Kind, Role
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn

READER = "elements/1"

_TABLE_TAG = re.compile(r"\s*<(?:table|thead|tbody|tr)\b", re.IGNORECASE)
_MARKED = re.compile(r"(?P<mark>[-*+•‣◦▪·–—]|[(\[]?(?:\d{1,3}|[A-Za-z])(?:\.\d{1,3})*[.)\]])\s+(?=\S)")
_HEADING_TAG = re.compile(r"h([1-6])")
_HASHES = re.compile(r"(#{1,6})\s+(?=\S)")

Element = Mapping[str, Any]


def is_elements(data: Any) -> bool:
    """Whether a JSON value is a list of elements, in pages or not."""
    if isinstance(data, Mapping):
        pages = data.get("pages")
        if isinstance(pages, list):
            return all(isinstance(page, Mapping) and _listed(page) is not None for page in pages)
        listed = _listed(data)
        return listed is not None and all(map(_is_element, listed))
    return isinstance(data, list) and bool(data) and all(map(_is_element, data))


def read_elements(data: Any, name: str, warn: Warn) -> Document:
    """The document of a list of elements; types that are not known are read as paragraphs.

    Raises
    ------
    ReadError
        If an element is no object.
    """
    reading = _Reading(name)
    top = data if isinstance(data, Mapping) else {}
    pages = data["pages"] if "pages" in top else [{"elements": _listed(top) if top else data}]
    numbers = page_numbers(pages, paged="pages" in top)
    for page, number in zip(pages, numbers, strict=True):
        for element in _listed(page) or ():
            reading.add(element, page, number)
    if reading.unknown:
        names = ", ".join(repr(kind) for kind in sorted(reading.unknown))
        warn(f"{name}: elements of unknown type {names} read as paragraphs")
    return _finished(reading, top, name, warn)


def _finished(reading: _Reading, top: Element, name: str, warn: Warn) -> Document:
    titles = [draft for draft, level in reading.headings if level is None]
    sections = [(draft, level) for draft, level in reading.headings if level is not None]
    levels = [level for _, level in sections]
    if levels and max(levels) == 1:
        levels = numbered_levels([draft.text for draft, _ in sections]) or levels
    # A title stands above the sections, unless they were given levels with room for it.
    lower = bool(titles) and min(levels, default=1) == 1
    for (draft, _), level in zip(sections, levels, strict=True):
        draft.level = level + lower
    for draft in titles:
        draft.level = 1
    about = _metadata(top)
    title = " ".join(titles[0].text.split()) if titles else _word(about.get("title") or top.get("title"))
    language = _word(about.get("language") or top.get("language"))
    code = language.lower() if language and re.fullmatch(r"[A-Za-z]{2,3}", language) else None
    drafts = list(lists_of(reading.drafts))
    return finish(drafts, name=name, reader=READER, title=title, warn=warn, language=code)


class _Reading:
    """Turns elements into drafts; headings come with their level, None for a title."""

    def __init__(self, name: str) -> None:
        self.drafts: list[Draft] = []
        self.headings: list[tuple[Draft, int | None]] = []
        self.unknown: set[str] = set()
        self._name = name

    def add(self, element: object, page: Element, number: int | None) -> None:
        """Read one element of a page."""
        if not isinstance(element, Mapping):
            raise ReadError(f"{self._name}: an element that is no object; {FORM}")
        kind_name = type_name(element)
        about = _metadata(element)
        kind = Kind.HEADING if _HEADING_TAG.fullmatch(kind_name) else KINDS.get(kind_name)
        if kind is None:
            if kind_name:
                self.unknown.add(kind_name)
            kind = Kind.PARAGRAPH
        content = next((element[n] for n in ("content", "text") if element.get(n) not in (None, "")), "")
        role = Role.BODY
        if kind_name in PAGE_FURNITURE:
            role = Role.FURNITURE
        elif kind_name in TABLES_OF_CONTENTS:
            role = Role.TOC
        drafts = list(self._drafts(kind, content, about, role))
        places = boxes_of(element, page, page_number(element, number))
        for draft in drafts:
            for part in (draft, *draft.children):
                part.role = role
                part.runs = whole(part.text, places)
            if draft.kind is Kind.HEADING:
                self.headings.append((draft, self._level(kind_name, about)))
        self.drafts += drafts

    def _drafts(self, kind: Kind, content: object, about: Element, role: Role) -> Iterator[Draft]:
        caption = "" if kind is Kind.CAPTION else _text(about.get("caption"))
        draft: Draft | None = None
        if kind is Kind.LIST_ITEM:
            yield from _items(content, about)
        elif kind is Kind.TABLE or (kind is Kind.PARAGRAPH and _is_rows(content)):
            text = table_text(content)
            draft = Draft(Kind.HTML if _TABLE_TAG.match(text) else Kind.TABLE, text)
        elif kind is Kind.HEADING and role is Role.BODY:
            text = _text(content)
            draft = Draft(kind, text if len(text.strip().splitlines()) != 1 else _HASHES.sub("", text.strip(), 1))
        else:
            draft = Draft(kind, _text(content), language=_word(about.get("language") or about.get("lang")))
            if kind is not Kind.CODE:
                draft.language = None
        shown = draft is not None and not draft.empty
        same = shown and draft is not None and " ".join(draft.text.split()) == " ".join(caption.split())
        parts = [draft] if shown and draft is not None and not same else []
        if caption.strip():
            parts.insert(len(parts) if kind is not Kind.TABLE else 0, Draft(Kind.CAPTION, caption))
        yield from parts

    @staticmethod
    def _level(kind_name: str, about: Element) -> int | None:
        """The level that an element gives its heading; None for a title without one."""
        for key in ("level", "heading_level", "text_level"):
            level = about.get(key)
            if isinstance(level, int) and not isinstance(level, bool) and level >= 1:
                return level
        if match := _HEADING_TAG.fullmatch(kind_name):
            return int(match[1])
        return None if kind_name in TITLES else 1


FORM = 'each is {"type": ..., "content": ...}'


def _items(content: object, about: Element) -> Iterator[Draft]:
    """The items of a list element: one, one a value, or one a line of text with marks."""
    level = about.get("level") if isinstance(about.get("level"), int) else 1
    mark = _word(about.get("marker"))
    if isinstance(content, Sequence) and not isinstance(content, str):
        said = [_text(value) for value in content]
    else:
        text = _text(content)
        lines = [line for line in text.splitlines() if line.strip()]
        said = lines if len(lines) > 1 and all(_MARKED.match(line.lstrip()) for line in lines) else [text]
    for number, text in enumerate(said, start=1):
        match = _MARKED.match(text.lstrip())
        if not text.strip():
            continue
        own = match["mark"] if match and not mark else mark
        if not own:
            own = f"{number}." if about.get("enumerated") or about.get("ordered") else "-"
        yield item(own, text, level=max(int(level or 1), 1))


def _is_rows(content: object) -> bool:
    return isinstance(content, list) and bool(content) and all(isinstance(row, list | dict) for row in content)


def _text(content: object) -> str:
    """The text of a value: of a list its values line by line, of an object its text or its values."""
    if content is None:
        return ""
    if isinstance(content, Mapping):
        for name in ("text", "content", "value", "latex", "code", "markdown", "html"):
            if isinstance(content.get(name), str):
                return str(content[name])
        return "\n".join(filter(None, map(_text, content.values())))
    if isinstance(content, Sequence) and not isinstance(content, str):
        return "\n".join(filter(None, map(_text, content)))
    return str(content)


def _listed(container: Element) -> list[Any] | None:
    for name in ("elements", "regions"):
        if isinstance(container.get(name), list):
            return list(container[name])
    return None


def _is_element(value: object) -> bool:
    return isinstance(value, Mapping) and bool(type_name(value)) and ("content" in value or "text" in value)


def _metadata(element: Element) -> Element:
    about = element.get("metadata")
    return about if isinstance(about, Mapping) else {}


def _word(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
