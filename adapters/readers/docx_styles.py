"""Styles of a Word document: what a paragraph's style says it is, through all that it is based on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vchunk.adapters.readers.xml_tree import child, children

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_CODE = re.compile(r"\b(?:code|source|listing|preformatted|verbatim|macro)\b", re.IGNORECASE)
_QUOTE = re.compile(r"\b(?:quote|quotation|block text|blockquote)", re.IGNORECASE)
_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = re.compile(r"toc (?:heading|\d)|table of (?:figures|authorities)|index \d")


@dataclass(frozen=True, slots=True)
class Numbered:
    """The list that a paragraph belongs to, and the level in it, from 0; None where not said."""

    list: str
    level: int | None


@dataclass(frozen=True, slots=True)
class Style:
    """What a style is: its name, its heading level from 1, its numbering."""

    id: str
    name: str
    level: int | None = None
    numbered: Numbered | None = None

    @property
    def is_title(self) -> bool:
        """Whether it is that of a document's title."""
        return self.name == "title"

    @property
    def is_caption(self) -> bool:
        """Whether it is that of captions."""
        return self.name.startswith("caption")

    @property
    def is_code(self) -> bool:
        """Whether it is one for code."""
        return _CODE.search(self.name) is not None

    @property
    def is_quote(self) -> bool:
        """Whether it is one for quotations."""
        return _QUOTE.search(self.name) is not None

    @property
    def is_contents(self) -> bool:
        """Whether it is one of a table of contents."""
        return _CONTENTS.match(self.name) is not None


class Styles:
    """The paragraph styles of a document, by id."""

    def __init__(self, root: Element | None) -> None:
        self._elements = {
            style.get("w:styleId", ""): style
            for style in children(root, "w:style")
            if style.get("w:type") == "paragraph"
        }
        self._made: dict[str, Style] = {}
        default = next((s for s in self._elements.values() if s.get("w:default") in ("1", "true", "on")), None)
        self._default = default.get("w:styleId", "") if default is not None else ""
        self.language = child(root, "w:docDefaults", "w:rPrDefault", "w:rPr", "w:lang")

    def get(self, id: str | None) -> Style:
        """A style; one that is not there is as good as none."""
        id = self._default if id is None else id
        if id not in self._made:
            self._made[id] = self._make(id)
        return self._made[id]

    def _make(self, id: str) -> Style:
        element = self._elements.get(id)
        if element is None:
            # Writers leave out the definitions of built-in styles.
            match = re.fullmatch(r"Heading ?([1-9])", id)
            return Style(id, "title") if id == "Title" else Style(id, id.lower(), int(match[1]) if match else None)
        name = value_of(child(element, "w:name")).lower()
        level: int | None = None
        numbered: Numbered | None = None
        seen = set()
        at: Element | None = element
        while at is not None and id not in seen:
            seen.add(id)
            own = value_of(child(at, "w:name")).lower()
            properties = child(at, "w:pPr")
            if level is None:
                match = _HEADING.fullmatch(own)
                level = int(match[1]) if match else outline_level(properties)
            if numbered is None:
                numbered = numbering_of(properties)
            id = value_of(child(at, "w:basedOn"))
            at = self._elements.get(id)
        return Style(element.get("w:styleId", ""), name, level if level != 0 else None, numbered)


def value_of(element: Element | None) -> str:
    """The ``w:val`` of an element; empty without."""
    return (element.get("w:val") or "") if element is not None else ""


def is_on(element: Element | None) -> bool:
    """Whether a switch is there and not off."""
    return element is not None and element.get("w:val") not in ("0", "false", "off", "none")


def outline_level(properties: Element | None) -> int | None:
    """The heading level that paragraph properties give, 0 for body text, None where they do not say."""
    value = value_of(child(properties, "w:outlineLvl"))
    if not re.fullmatch(r"\d", value):
        return None
    return int(value) + 1 if int(value) < 9 else 0


def numbering_of(properties: Element | None) -> Numbered | None:
    """The list that paragraph properties name."""
    numbering = child(properties, "w:numPr")
    if numbering is None:
        return None
    level = value_of(child(numbering, "w:ilvl"))
    return Numbered(value_of(child(numbering, "w:numId")), int(level) if re.fullmatch(r"[0-8]", level) else None)
