"""Headings: from the outline, else from numbering, else from size and weight; and the title.

Where nothing is known there is no heading: a false one cuts a document in the wrong place.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from vchunk.adapters.readers.pdf_blocks import Draft, Measure
from vchunk.adapters.readers.pdf_lines import Line, is_cjk
from vchunk.domain.document import Kind, Role

MAX_LEVEL = 6
_MAX_WORDS = 20
_MAX_CAPITALISED = 30
_MAX_SLANTED = 12
_LEAST_SLANTED = 3
_SLANTED_INDENT = 2.5  # ems
_MAX_LINES = 3
_MAX_STACK = 2
_TITLE_SIZE = 1.25
_LARGE = 50  # a footnote's number
_DECIMAL = regex.compile(r"(?<n>\d{1,2}(?:\.\d{1,2}){0,5}|\p{Lu}(?:\.\d{1,2}){1,5})(?<dot>[.)])?\s+[\p{L}“\"(]")
_ROMAN = regex.compile(r"[IVX]{1,5}\.\s+\p{Lu}")
_APPENDIX = regex.compile(r"(?:appendix|annex|anhang)\s+\p{Lu}\b", regex.IGNORECASE)
_PART = regex.compile(r"part\s+(?:[ivx]{1,5}|\d{1,2}|one|two|three|four)\b", regex.IGNORECASE)
_COUNT = r"\s+(?:\d{1,3}|[ivxlc]{1,6})\p{L}?\b"
_CHAPTER = regex.compile(r"(?:chapter|item|article|kapitel|artikel)" + _COUNT, regex.IGNORECASE)
_SECTION = regex.compile(r"(?:section|schedule|note|abschnitt)" + _COUNT, regex.IGNORECASE)
_NO_TITLES = regex.compile(
    r"untitled|\(?anonymous\)?|microsoft word.*|powerpoint.*|slide \d+|document\d*|.*\.(?:docx?|pdf|tex|indd|rtf)",
    regex.IGNORECASE,
)
_NOTE_NUMBER = regex.compile(r"(\d{1,3})\s\S")
_FOOTNOTE = regex.compile(r"(?:\d{1,3}\s|[*†‡§¶∗]{1,3}\s?)[\p{L}“\"(]")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the outline: its title, level from 1, page from 1 and height on it if known."""

    title: str
    level: int
    page: int
    y: float | None


def mark_outline(entries: Sequence[Entry], lines: Sequence[Line]) -> int:
    """Mark the lines that the outline names as headings; how many entries were found.

    A title may run over three lines and may lack the number that the page shows.
    """
    by_page: dict[int, list[int]] = defaultdict(list)
    for i, line in enumerate(lines):
        by_page[line.page].append(i)
    found = 0
    for number, entry in enumerate(entries, 1):
        best: tuple[float, list[Line]] | None = None
        for page in (entry.page, entry.page + 1, entry.page - 1):
            for i in by_page.get(page, ()):
                taken = _matches(entry.title, lines, i)
                if not taken or any(line.entry for line in taken):
                    continue
                far = 1e4 * (page != entry.page) + (abs(lines[i].y0 - entry.y) if entry.y is not None else 0)
                far -= taken[0].size  # of two lines alike the larger is the heading
                if best is None or far < best[0]:
                    best = far, taken
            if best is not None:
                break
        if best is not None:
            found += 1
            for line in best[1]:
                line.entry, line.level = number, min(entry.level, MAX_LEVEL)
    return found


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _matches(title: str, lines: Sequence[Line], i: int) -> list[Line]:
    """The lines from ``i`` on that are the title, if they are."""
    want = _bare(title)
    have = ""
    for j in range(i, min(i + _MAX_LINES, len(lines))):
        if lines[j].page != lines[i].page:
            break
        have += _bare(lines[j].text)
        if (have and have == want) or (have.endswith(want) and _is_number(have[: len(have) - len(want)]) and want):
            return list(lines[i : j + 1])
        if not want.startswith(have) and not _is_number(have[: max(len(have) - 1, 1)]) and len(have) >= len(want):
            break
    return []


def _is_number(text: str) -> bool:
    return regex.fullmatch(r"(?:chapter|section|part|appendix)?(?:\d{1,6}|[a-z]|[ivx]{1,5})", text) is not None


def clean_title(text: str) -> str:
    """A title from outside the pages: on one line, without control characters, surrogates as U+FFFD."""
    shown = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())


def find_title(drafts: Sequence[Draft], usual: Measure, metadata: str) -> tuple[str | None, Draft | None]:
    """The document's title, and the block that shows it where that is no heading of a section.

    The metadata's if the first page shows it, else the largest text in the upper part of that
    page if it stands out, else the metadata's if it reads like a title, else a first line in bold.
    """
    stated = metadata
    sensible = _is_title(stated)
    front = [d for d in drafts if d.page == 1 and d.role is Role.BODY and d.kind in (Kind.PARAGRAPH, Kind.HEADING)]
    if sensible and _bare(stated) in _bare(" ".join(draft.plain for draft in front[:8])):
        return stated, None
    large = [d for d in front if d.size >= _TITLE_SIZE * usual.body and sum(x.letters for x in d.lines) >= 4]
    if large:
        best = max(large, key=lambda d: (d.size * min(len(d.plain.split()), 3) ** 0.5, -d.lines[0].y0))
        alike = [d for d in drafts if abs(d.size - best.size) < 0.2 and d.bold == best.bold]
        if len(alike) == 1 and len(best.plain) < 300 and not _depth(best):
            return _clean(best.plain), best
    if sensible:
        return stated, None
    first = next((d for d in drafts if d.role is Role.BODY), None)
    if first is None or first.kind is not Kind.PARAGRAPH or not first.bold or not _stands_out(first, usual):
        return None, None
    alike = [d for d in drafts if d.kind is Kind.PARAGRAPH and _style(d) == _style(first)]
    if len(alike) > 1 or _depth(first) or _keyword(first) or first.lines[0].entry:
        return None, None
    return _clean(first.plain), first


def _clean(text: str) -> str:
    return " ".join(regex.sub(r"\x02 ?", "", text).split())


def _is_title(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return letters >= 4 and letters > 0.5 * len(text.replace(" ", "")) and not _NO_TITLES.fullmatch(text)


def _depth(draft: Draft) -> int:
    """The depth that a decimal number in front gives; 0 without one."""
    text = draft.plain
    if match := _DECIMAL.match(text):
        return str(match["n"]).count(".") + 1
    return 1 if _ROMAN.match(text) or _APPENDIX.match(text) else 0


def _keyword(draft: Draft) -> int:
    """1 for a part, 2 for a chapter, an item and the like, 3 for a section or note, else 0."""
    patterns = enumerate((_PART, _CHAPTER, _SECTION), 1)
    return next((rank for rank, pattern in patterns if pattern.match(draft.plain)), 0)


def _stands_out(draft: Draft, usual: Measure) -> bool:
    """Whether a block looks like a heading by its type and its length."""
    text = draft.plain.strip()
    letters = sum(line.letters for line in draft.lines)
    if len(draft.lines) > _MAX_LINES or _is_wordy(text) or letters < 2:
        return False
    if (
        letters < 0.5 * len(text.replace(" ", ""))
        or text[-1] in ".,;:-\x02"
        or regex.search(r"^[(\-–—•*_=]|[<>={}]", text)
    ):
        return False
    numbered = _depth(draft) or _keyword(draft)
    first = draft.lines[0]
    if not (text[0].isupper() or text[0].isdigit() or text[0] in "“\"‘'¿¡" or is_cjk(text[0])) and not numbered:
        return False
    if first.mono or not _is_placed(first):
        return False
    larger = draft.size > 1.08 * usual.body
    heavy = draft.bold and draft.size >= 0.92 * usual.body
    partly = bool(numbered) and draft.size >= 0.95 * usual.body and first.runs[0].bold > 0.9
    return larger or heavy or partly or _is_slanted(draft, usual)


def _is_slanted(draft: Draft, usual: Measure) -> bool:
    """Whether a block is one short line in italics, set in like a paragraph at most, that nothing else marks."""
    first = draft.lines[0]
    alone = (
        len(draft.lines) == 1
        and first.words <= _MAX_SLANTED
        and first.x0 - first.left < _SLANTED_INDENT * first.size
    )
    plain = not draft.bold and 0.95 * usual.body <= draft.size <= 1.08 * usual.body
    return alone and plain and first.italic


def _is_wordy(text: str) -> bool:
    """Whether a text has too many words for a heading; one whose long words are capitalised may have more."""
    words = text.split()
    if len(words) <= _MAX_WORDS:
        return False
    long = [word for word in words if len(word) > 4]
    return len(words) > _MAX_CAPITALISED or sum(not word[0].islower() for word in long) < 0.8 * len(long)


def _is_placed(line: Line) -> bool:
    """Whether a line begins near its column's left edge, fills it, or stands in its middle."""
    aside = line.x0 - line.left
    middle = abs((line.x0 + line.x1) / 2 - (line.left + line.right) / 2)
    return aside < max(6 * line.size, 0.15 * (line.right - line.left)) or middle < 3 * line.size


def label_headings(drafts: list[Draft], usual: Measure, title: Draft | None, outline: bool) -> None:
    """Turn drafts other than the title into headings, in place.

    With an outline only numbered ones are added to it.
    """
    for draft in drafts:
        if draft.lines[0].entry and draft.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM):
            draft.kind, draft.level = Kind.HEADING, draft.lines[0].level
    chosen = _candidates(drafts, usual, title)
    if outline:
        chosen = [draft for draft in chosen if _depth(draft)]
        shift = Counter(d.level - _depth(d) for d in drafts if d.kind is Kind.HEADING and d.level and _depth(d))
        by = shift.most_common(1)[0][0] if shift else 0
        for draft in chosen:
            draft.kind, draft.level = Kind.HEADING, max(1, min(_depth(draft) + by, MAX_LEVEL))
        return
    for draft, level in zip(chosen, _levels(chosen), strict=True):
        draft.kind, draft.level = Kind.HEADING, level


def _candidates(drafts: list[Draft], usual: Measure, title: Draft | None) -> list[Draft]:
    body = [d for d in drafts if d.role is not Role.FURNITURE and d.kind is not Kind.RULE]
    texts = Counter(draft.plain for draft in body)
    tops = Counter(b.plain for a, b in itertools.pairwise([None, *body]) if b and (not a or a.page != b.page))
    likely = [
        d is not title
        and d.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM)
        and d.role is Role.BODY
        and _stands_out(d, usual)
        and (d.kind is Kind.PARAGRAPH or _depth(d) > 0)
        and (texts[d.plain] < 3 or _depth(d) > 0 or 2 * tops[d.plain] < texts[d.plain])
        for d in body
    ]
    _drop_slanted(body, likely, usual)
    chosen: list[Draft] = []
    cover = _cover(body, likely)
    i = 0
    while i < len(body):
        j = i
        while j < len(body) and likely[j]:
            j += 1
        stack = [d for d in body[i:j] if id(d) not in cover or _depth(d) or _keyword(d)]
        numbered = [d for d in stack if _depth(d) or _keyword(d)]
        if j < len(body):  # a heading is followed by something
            chosen += stack if len(stack) - len(numbered) <= _MAX_STACK else numbered
        i = max(j, i + 1)
    return chosen


def _drop_slanted(body: list[Draft], likely: list[bool], usual: Measure) -> None:
    """Lines in italics are headings where there are several, each between text that is upright."""
    found = [i for i, draft in enumerate(body) if likely[i] and _is_slanted(draft, usual)]
    kept = [
        i
        for i in found
        if 0 < i < len(body) - 1
        and not _depth(body[i])
        and not all(line.italic for line in body[i - 1].lines)
        and _is_upright_text(body[i + 1])
    ]
    for i in found:
        if len(kept) < _LEAST_SLANTED or i not in kept:
            likely[i] = False


def _is_upright_text(draft: Draft) -> bool:
    return draft.kind is Kind.PARAGRAPH and len(draft.lines) > 1 and not any(line.italic for line in draft.lines)


def _cover(body: list[Draft], likely: list[bool]) -> set[int]:
    """Ids of blocks before the first running text of page 1, apart from the last, its heading."""
    text = next((i for i, d in enumerate(body) if len(d.lines) > 1 and not likely[i] and d.kind is Kind.PARAGRAPH
                 and d.role is Role.BODY and sum(line.words for line in d.lines) >= 10), len(body))  # fmt: skip
    stop = min(text - 1, next((i for i, d in enumerate(body) if d.page > 1), len(body)))
    return {id(d) for d in body[: max(stop, 0)]}


_Style = tuple[float, bool, bool]


def _style(draft: Draft) -> _Style:
    """Type that ranks headings: larger before smaller, bold before light, upright before slanted."""
    return round(draft.size * 2) / 2, draft.bold, not all(line.italic for line in draft.lines)


def _levels(headings: list[Draft]) -> list[int]:
    """A level for each heading: by its number, or that of numbered ones of its style, or by rank."""
    keywords = sorted({_keyword(draft) for draft in headings} - {0})
    known = [_numbered_level(draft, keywords) for draft in headings]
    decimal: dict[_Style, Counter[int]] = defaultdict(Counter)
    sizes: dict[int, float] = {}
    for draft, level in zip(headings, known, strict=True):
        if level:
            sizes[level] = max(sizes.get(level, 0.0), draft.size)
            if not _keyword(draft):
                decimal[_style(draft)][level] += 1
    ranks = {style: levels.most_common(1)[0][0] for style, levels in decimal.items()}
    deepest = max((level for draft, level in zip(headings, known, strict=True) if _keyword(draft)), default=0)
    for style in sorted({_style(d) for d, level in zip(headings, known, strict=True) if not level}, reverse=True):
        if style not in ranks:
            ranks[style] = _rank(style, ranks, sizes, deepest)
    return [level or ranks[_style(draft)] for draft, level in zip(headings, known, strict=True)]


def _numbered_level(draft: Draft, keywords: list[int]) -> int:
    """The level that a heading's number or keyword gives, 0 where it has neither."""
    if key := _keyword(draft):
        return keywords.index(key) + 1
    depth = _depth(draft)
    if not depth:
        return 0
    if 2 in keywords:  # 1.1 is a section of chapter 1
        return min(keywords.index(2) + max(depth, 2), MAX_LEVEL)
    return min(depth + (1 in keywords), MAX_LEVEL)


def _rank(style: _Style, ranks: dict[_Style, int], sizes: dict[int, float], deepest: int) -> int:
    """The level of a style without numbers: that of numbered ones no larger than it, or one below."""
    for level in sorted(sizes):
        if style[0] > sizes[level] + 0.5:
            return level
    above = [level for other, level in ranks.items() if other > style]
    return min(max(above, default=deepest) + 1, MAX_LEVEL)


def _is_counted(text: str, seen: set[int]) -> bool:
    """Whether a note's number may be one: large ones have a neighbour, the number of a house has none."""
    match = _NOTE_NUMBER.match(text)
    return match is None or int(match[1]) < _LARGE or bool({int(match[1]) - 1, int(match[1]) + 1} & seen)


def label_footnotes(drafts: list[Draft], usual: Measure) -> None:
    """Small text that begins with a mark at the foot of its column, in place."""
    ends_column = True
    last = None
    seen = {int(match[1]) for draft in drafts if (match := _NOTE_NUMBER.match(draft.plain))}
    for draft in reversed(drafts):
        if draft.role is Role.FURNITURE:
            continue
        region = draft.lines[0].region
        ends_column = ends_column if region == last else True
        last = region
        small = draft.size < 0.93 * usual.body
        if (
            ends_column
            and small
            and draft.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM)
            and _FOOTNOTE.match(draft.plain)
            and (len(draft.plain.split()) > 3 or "://" in draft.plain)
            and _is_counted(draft.plain, seen)
        ):
            draft.kind = Kind.FOOTNOTE
        ends_column = ends_column and small
