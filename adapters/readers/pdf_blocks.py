"""Blocks: the lines of one region grouped into paragraphs, list items, code, tables, captions."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import regex

from vchunk.adapters.readers.pdf_lines import Line
from vchunk.adapters.readers.pdf_tables import CAPTION, MARKER, RULE, Cell, find_tables
from vchunk.domain.document import Kind, Role

_SENTENCE_END = regex.compile(r"[.!?…:;。！？：；]['\"”’»)\]]*\s*$|[.!?][\d,*†‡]{1,4}$")
_LONGEST_END = 12
_LEADER = regex.compile(r"(?:[.·…]\s?){5,}\s*(?:\d+|[ivxlc]+)?\s*$")
_NOTE = regex.compile(r"(\d{1,3})\s?(?=\p{L})")
_NOTED_LINK = regex.compile(r"\d{1,3}\s?(?:https?|ftp)://\S+")
_CODE = regex.compile(r"[;{}=]|\w\(")
_CALL = regex.compile(r"\w \([^()]*\)\W?$")
_INDENT = 0.7  # ems
_LOOSE = 1.25  # times the usual leading


@dataclass(eq=False)
class Draft:
    """A block before its text has offsets.

    Tables have ``rows`` as well as ``lines``; those of a ``grid`` have all the same number of cells.
    """

    kind: Kind
    lines: list[Line]
    role: Role = Role.BODY
    level: int | None = None
    rows: list[list[list[Cell]]] = field(default_factory=list)
    grid: bool = False

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @property
    def plain(self) -> str:
        """The text as it stands, lines joined by a space."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Measure:
    """What is usual in a document: the size of its body text, its leading by size, its code."""

    body: float
    leading: dict[float, float]
    mono: bool

    def lead(self, size: float) -> float:
        """The usual step between baselines of lines of a size, in points."""
        return self.leading.get(round(size, 1), 1.2 * size)


def ends_sentence(text: str) -> bool:
    """Whether a text is complete."""
    return _SENTENCE_END.search(text[-_LONGEST_END:]) is not None


def _has_leader(line: Line) -> bool:
    """Whether a line ends with dots that lead to a page's number."""
    text = line.text
    return sum(map(text.count, ".·…")) >= 5 and _LEADER.search(text) is not None


def measure(regions: Iterable[Sequence[Line]]) -> Measure:
    """Take the measure of all lines of a document."""
    sizes: Counter[float] = Counter()
    steps: dict[float, Counter[float]] = {}
    mono = total = 0
    for lines in regions:
        for line in lines:
            sizes[round(line.size, 1)] += line.letters
            total += line.letters
            mono += line.letters if line.mono else 0
        for a, b in itertools.pairwise(lines):
            step = b.base - a.base
            if abs(a.size - b.size) < 0.2 and 0.8 * a.size < step < 2.6 * a.size:
                steps.setdefault(round(a.size, 1), Counter())[round(step * 2) / 2] += 1
    body = max(sizes, key=lambda size: (sizes[size], size), default=10.0)
    # ties go to the smaller step: paragraphs of two lines have as many gaps as leads
    leading = {size: max(found, key=lambda s: (found[s], -s)) for size, found in steps.items()}
    return Measure(body, leading, mono > 0.6 * max(total, 1))


def blocks_of(lines: list[Line], usual: Measure) -> list[Draft]:
    """The blocks of one region, from top to bottom."""
    if not lines:
        return []
    wide = [line.x1 for line in lines if line.words >= 4] or [line.x1 for line in lines]
    left, right = min(line.x0 for line in lines), float(np.percentile(wide, 90))
    for line in lines:
        line.left, line.right = left, right
    tables = {table.start: table for table in find_tables(lines)}
    drafts: list[Draft] = []
    i = start = 0
    while i < len(lines):
        stop = kind = None
        if i in tables:
            stop, kind = tables[i].stop, Kind.TABLE
        elif (end := _code_end(lines, i, usual)) > i:
            stop, kind = end, Kind.CODE
        elif (end := _leaders_end(lines, i)) > i:
            stop, kind = end, Kind.LIST_ITEM
        elif (end := _figure_end(lines, i, usual)) > i:
            stop, kind = end, Kind.FIGURE
        if stop is None or kind is None:
            i += 1
            continue
        drafts += _paragraphs(lines[start:i], usual)
        if kind is Kind.LIST_ITEM:
            drafts += _contents(lines[i:stop])
        else:
            drafts.append(Draft(kind, lines[i:stop], rows=tables[i].rows if kind is Kind.TABLE else []))
        i = start = stop
    return drafts + _paragraphs(lines[start:], usual)


def _code_end(lines: Sequence[Line], i: int, usual: Measure) -> int:
    """Where a listing that begins at line ``i`` ends; ``i`` if there is none."""
    if usual.mono:
        return i
    j = i
    while j < len(lines) and lines[j].mono and not lines[j].level and not _NOTED_LINK.fullmatch(lines[j].text):
        if j > i and lines[j].base - lines[j - 1].base > 3 * usual.lead(lines[j].size):
            break
        j += 1
    text = "\n".join(line.text for line in lines[i:j])
    if _CODE.search(text) and not (j - i == 1 and "@" in text):
        return j
    # names set in a fixed width within running text may fill whole lines
    inside = i > 0 and lines[i].base - lines[i - 1].base < _LOOSE * usual.lead(lines[i].size)
    return i if inside or (j - i < 2 and not _CALL.search(text)) else j


def _leaders_end(lines: Sequence[Line], i: int) -> int:
    """Where a table of contents with dot leaders ends: two such lines at least, few between."""
    if not _has_leader(lines[i]):
        return i
    last, count, j = i, 1, i + 1
    while j < len(lines) and j - last <= 2:
        if _has_leader(lines[j]):
            last, count = j, count + 1
        j += 1
    return last + 1 if count >= 2 else i


def _contents(lines: Sequence[Line]) -> list[Draft]:
    """One item an entry; an entry that wraps ends with its leader."""
    items: list[Draft] = []
    for line in lines:
        if items and not _has_leader(items[-1].lines[-1]):
            items[-1].lines.append(line)
        else:
            items.append(Draft(Kind.LIST_ITEM, [line], Role.TOC))
    return items


def _figure_end(lines: Sequence[Line], i: int, usual: Measure) -> int:
    """Where the scattered small words of a drawing end; ``i`` if this is none."""
    j = i
    while j < len(lines) and not lines[j].level:
        wordless = lines[j].letters < 2 and lines[j].words <= 3 and not lines[j].mono
        if lines[j].size >= 0.8 * usual.body and not wordless:
            break
        j += 1
    return j if j - i >= 3 and statistics.median(line.words for line in lines[i:j]) <= 3 else i


def _paragraphs(lines: Sequence[Line], usual: Measure) -> list[Draft]:
    drafts: list[Draft] = []
    left = min((line.x0 for line in lines), default=0.0)
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else None
        if drafts and not _begins(drafts[-1], line, after, left, usual):
            drafts[-1].lines.append(line)
        else:
            drafts.append(Draft(Kind.PARAGRAPH, [line]))
    for draft in drafts:
        draft.kind = _kind(draft, usual)
    return drafts


def marker(line: Line) -> str | None:
    """The mark of the list item that a line begins, if it does."""
    match = MARKER.match(line.text)
    if match is None or not line.text[match.end() :].startswith(" "):
        return None
    return str(match[0])


def _shape(mark: str) -> str:
    return str(regex.sub(r"\d+", "1", regex.sub(r"\p{L}+", "a", mark)))


def _fits(a: Line, b: Line, width: float) -> bool:
    """Whether the first word of ``b`` would have found room behind ``a``."""
    return width + 0.3 * a.size + b.first_word_width() < a.right - 0.2 * a.size


def _begins(draft: Draft, b: Line, after: Line | None, left: float, usual: Measure) -> bool:
    """Whether line ``b`` begins a new block after ``draft``."""
    first, a = draft.lines[0], draft.lines[-1]
    if b.entry or a.entry:
        return b.entry != a.entry
    if RULE.fullmatch(a.text) or RULE.fullmatch(b.text):
        return True
    if _is_next_footnote(draft, b, usual):
        return True
    step, em = b.base - a.base, max(a.size, b.size)
    if abs(a.size - b.size) > 0.06 * em or step <= 0 or step > max(_LOOSE * usual.lead(em), step_limit(draft)):
        return True
    large = a.size > 1.4 * usual.body
    if draft.bold != b.bold and (draft.bold or len(draft.lines) == 1 or a.bold):
        if draft.bold and not b.runs[0].bold and not CAPTION.match(first.text):
            return True
    elif (draft.bold or a.size > 1.06 * usual.body) and not large:
        return not a.text.endswith(",") and not b.text[0].islower() and _fits(a, b, left + (a.x1 - a.x0))
    if large:
        return False
    if _is_item(draft, b) or (CAPTION.match(b.text) and _fits(a, b, a.x1)):
        return True
    ended = ends_sentence(a.text)
    if ended and _fits(a, b, a.x1) and not b.text[0].islower():
        return True
    return _indent_breaks(draft, first, a, b, after, ended)


def _is_next_footnote(draft: Draft, b: Line, usual: Measure) -> bool:
    """Whether ``b`` begins the footnote after that of ``draft``: small, its number one more."""
    mine, other = _NOTE.match(draft.lines[0].text), _NOTE.match(b.text)
    return (
        mine is not None
        and other is not None
        and b.size < 0.93 * usual.body
        and int(other[1]) == int(mine[1]) + 1
        and abs(b.x0 - draft.lines[0].x0) < b.size
    )


def step_limit(draft: Draft) -> float:
    """Leading that a block itself has shown may go on."""
    steps = [b.base - a.base for a, b in zip(draft.lines, draft.lines[1:], strict=False)]
    return 1.15 * min(steps) if steps else 0.0


def _is_item(draft: Draft, b: Line) -> bool:
    """Whether ``b`` begins a list item, not a line that happens to start like one."""
    mark = marker(b)
    if mark is None:
        return False
    first, a = draft.lines[0], draft.lines[-1]
    if mark in "–—-*":
        previous = marker(first)
        return (len(b.runs) > 1 or previous == mark) and (previous is None or abs(b.x0 - first.x0) < b.size)
    if not any(char.isalnum() for char in mark):
        return True
    previous = marker(first)
    if previous is not None and _shape(previous) == _shape(mark) and abs(b.x0 - first.x0) < b.size:
        return True
    apart = len(b.runs) > 1 and b.runs[0].text == mark
    return apart or (ends_sentence(a.text) and (_fits(a, b, a.x1) or b.x0 < a.x0 - _INDENT * b.size))


def _indent_breaks(draft: Draft, first: Line, a: Line, b: Line, after: Line | None, ended: bool) -> bool:
    indent = b.x0 - a.x0
    room = _INDENT * b.size
    if indent > room:
        if marker(first) is not None and len(draft.lines) == 1:
            return False
        returns = after is not None and after.x0 < b.x0 - 0.5 * b.size
        return returns or (ended and after is None) or (ended and len(draft.lines) > 1)
    if indent < -room:
        # lines after the first went further in: a hanging item or a quotation is over
        return len(draft.lines) > 1 and ended
    return False


def _kind(draft: Draft, usual: Measure) -> Kind:
    first = draft.lines[0]
    if RULE.fullmatch(draft.plain):
        return Kind.RULE
    if match := CAPTION.match(draft.plain):
        apart = first.size < 0.97 * usual.body or first.italic or first.runs[0].bold > 0.5
        if match["stop"] or apart:
            return Kind.CAPTION
    if marker(first) is not None and not (draft.bold and first.size > 1.06 * usual.body):
        return Kind.LIST_ITEM
    return Kind.PARAGRAPH
