"""Numbers of Word's lists and headings, counted as Word does.

All lists of one definition count on together, unless one says where it starts. A level that is
counted begins those below it anew; one that was passed over counts as begun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vchunk.adapters.readers.docx_styles import Numbered, is_on, value_of
from vchunk.adapters.readers.xml_tree import child, children

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
BULLET = "-"


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    legal: bool = False
    restart: int | None = None
    style: str = ""


@dataclass
class _List:
    """A definition of a list: its levels, and how far each has counted."""

    levels: dict[int, _Level]
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands before a paragraph; empty where nothing does. ``level`` counts from 0."""

    text: str
    level: int


class Numbering:
    """Counts the paragraphs of a document, which are told to it in their order."""

    def __init__(self, root: Element | None) -> None:
        self._definitions: dict[str, _List] = {}
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for definition in children(root, "w:abstractNum"):
            id = definition.get("w:abstractNumId", "")
            self._definitions[id] = _List(dict(map(_read_level, children(definition, "w:lvl"))))
            if style := value_of(child(definition, "w:styleLink")):
                links[style] = id
            if style := value_of(child(definition, "w:numStyleLink")):
                linked[id] = style
        self._lists: dict[str, tuple[_List, dict[int, _Level]]] = {}
        self._starts: dict[str, dict[int, int]] = {}
        for number in children(root, "w:num"):
            id = value_of(child(number, "w:abstractNumId"))
            found = self._definitions.get(links.get(linked.get(id, ""), id))
            if found is not None:
                self._add(number, found)

    def _add(self, number: Element, definition: _List) -> None:
        id = number.get("w:numId", "")
        levels = dict(definition.levels)
        starts: dict[int, int] = {}
        for override in children(number, "w:lvlOverride"):
            level = _integer(override.get("w:ilvl"), 0)
            if (own := child(override, "w:lvl")) is not None:
                levels[level] = _read_level(own)[1]
            if (start := child(override, "w:startOverride")) is not None:
                starts[level] = _integer(value_of(start), 1)
        self._lists[id] = (definition, levels)
        self._starts[id] = starts

    def count(self, numbered: Numbered | None, style: str) -> Mark | None:
        """Count a paragraph; None where it is in no list."""
        if numbered is None or numbered.list not in self._lists:
            return None
        definition, levels = self._lists[numbered.list]
        at = numbered.level
        if at is None:
            at = next((n for n, level in levels.items() if level.style and level.style == style), 0)
        counts = definition.counts
        for level, start in list(self._starts[numbered.list].items()):
            if level <= at:  # the list starts over where it is first used
                counts[level] = start - 1 if level == at else start
                del self._starts[numbered.list][level]
        for above in range(at):
            if counts[above] is None:
                counts[above] = levels.get(above, _Level()).start
        level_at = levels.get(at, _Level())
        before = counts[at]
        counts[at] = level_at.start if before is None else before + 1
        for below in range(at + 1, _LEVELS):
            restart = levels.get(below, _Level()).restart
            if restart is None or restart > at:
                counts[below] = None
        return Mark(_mark(level_at, levels, counts), at)


def _read_level(element: Element) -> tuple[int, _Level]:
    number = min(max(_integer(element.get("w:ilvl"), 0), 0), _LEVELS - 1)
    restart = child(element, "w:lvlRestart")
    return number, _Level(
        _integer(value_of(child(element, "w:start")), 1),
        value_of(child(element, "w:numFmt")) or "decimal",
        value_of(child(element, "w:lvlText")),
        is_on(child(element, "w:isLgl")),
        None if restart is None else _integer(value_of(restart), 0),
        value_of(child(element, "w:pStyle")),
    )


def _mark(level: _Level, levels: dict[int, _Level], counts: list[int | None]) -> str:
    if level.format == "bullet":
        return BULLET
    if level.format == "none":
        return ""

    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        format = levels.get(at, _Level()).format
        return in_format(counts[at] or 0, "decimal" if level.legal else format)

    return re.sub(r"%([1-9])", number, level.text).strip()


def in_format(number: int, format: str) -> str:
    """A number as letters, Roman or decimal."""
    if format == "none":
        return ""
    letters = format in ("lowerLetter", "upperLetter")
    if letters and 0 < number <= 26 * 30:
        found = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif format in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        found = ""
        for value, sign in _ROMAN:
            found += sign * (number // value)
            number %= value
    else:
        return f"{number:02}" if format == "decimalZero" else str(number)
    return found.upper() if format.startswith("upper") else found


def _integer(text: str | None, default: int) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text or "") else default  # type: ignore[arg-type]
