"""Numbered headings of legal and technical plain text; only where they are asked for.

Headings are lines that begin a paragraph with

- a word and a number: ``PART I``, ``Chapter 2``, ``Section 3.1``, ``Article 5``, ``§ 7 Costs``,
  ``Annex A``;
- a Roman number and a title: ``IV. Remedies``;
- a number, or several parted by full stops, and a title: ``1 Scope``, ``1.1 Terms``, ``2.1.3. Fees``.

A title is short, begins with a capital letter (or one without case) or a digit, and does not end as
a sentence does. Numbers must be in order: each goes on from the one before at its depth, or begins
at 1, so that dates, amounts and quantities are no headings. Lines right below each other that are
all numbered are a list or a table of contents.

Levels come from nesting. Parts, chapters and the like hold Roman numbers, those sections and
articles, those numbers, and longer numbers stand below shorter ones; of two words of one rank the
one that came first holds the other. An annex stands beside the parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.domain.document import Block, Kind, Span
from vchunk.domain.lines import LINE_END

_OUTER, _ROMAN, _INNER, _DECIMAL = range(4)
_ANNEX = ("annex", "annexe", "appendix", "schedule", "exhibit", "attachment", "anhang", "anlage")
_OUTER_WORDS = (
    "book", "part", "title", "division", "chapter", "subchapter",
    "buch", "teil", "titel", "kapitel", "livre", "partie", "titre", "chapitre", "parte", "título", "capítulo",
)  # fmt: skip
_INNER_WORDS = ("section", "article", "art", "clause", "rule", "artikel", "abschnitt", "artículo", "articolo")
_ROMAN_NUMBER = r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_WORD = re.compile(
    rf"(?P<word>{'|'.join((*_ANNEX, *_OUTER_WORDS, *_INNER_WORDS))})\b\.?[ \t]+"
    rf"(?P<number>\d{{1,4}}[a-zA-Z]?(?:\.\d{{1,3}})*|{_ROMAN_NUMBER}|[A-Z])(?![\w])"
    r"(?P<title>[ \t]*(?:[.:)–—-]+[ \t]*|[ \t]+|$).*)$",
    re.IGNORECASE,
)
_PARAGRAPH_SIGN = re.compile(r"(?P<word>§§?)[ \t]*(?P<number>\d{1,4}[a-z]?(?:\.\d{1,3})*)\b\.?(?P<title>.*)$")
_ROMAN_LINE = re.compile(rf"(?P<number>{_ROMAN_NUMBER})[.)][ \t]+(?P<title>\S.*)$")
_DECIMAL_LINE = re.compile(
    r"(?P<number>(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){0,5})[.)]?[ \t]+(?P<title>\S.*)$"
)
_MONTHS = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?(?=\W*(?:\d|$))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[ \t]*(?:[1-9]\d{0,2}(?:\.\d{1,3})*[.)]?|[IVXLC]+[.)])[ \t]+\S")
_SENTENCE_END = re.compile(r"[.;,:?!。；，：？！][\"'”’)\]]*$")
_ABBREVIATED = re.compile(r"(?:\b(?:etc|Inc|Ltd|Co|Corp|al|No)|\b[A-Z])\.$")
_INNER_END = re.compile(r"(?<=[^\W\d_]{3})[.;] +(?=[A-Z])")
_GOES_ON = re.compile(r"\b(?:an?|and|as|at|by|for|from|in|of|on|or|that|the|to|with)$", re.IGNORECASE)
_LONGEST_TITLE = 100
_LONGEST_ABOVE_TEXT = 60
"""Characters of a heading right above its text; a longer line is the first one of wrapped prose."""
_MOST_WORDS = 14
_SHORT = 5
"""Words of a title that may end in a full stop, as "1. Definitions." does; letters of a small word."""
_WIDEST_GAP = 5
"""Numbers that may be missing between two headings: what was repealed or reserved."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be a heading; ``path`` are its numbers, for those that are counted."""

    span: Span
    rank: int
    kind: str
    path: tuple[int, ...]


def numbered_headings(text: str) -> list[Block]:
    """The numbered headings of a plain text, in order."""
    nest = _Nest()
    out = []
    for line in _lines(text):
        level = nest.level(line)
        if level is not None:
            title = " ".join(text[line.span.start : line.span.end].split())
            out.append(Block(Kind.HEADING, line.span, level=level, title=title))
    return out


def _lines(text: str) -> Iterator[_Line]:
    """Lines at the head of a paragraph that look like headings."""
    for paragraph in paragraph_spans(text):
        lines = _split(text, paragraph)
        found = _heading(text, lines[0])
        if found is None:
            continue
        if len(lines) > 1 and found.kind in ("roman", "decimal") and not _stands_apart(text, *lines[:2]):
            continue
        if len(lines) == 2 and _bare(text, found) and _is_title(text[lines[1].start : lines[1].end].strip()):
            found = _Line(Span(found.span.start, lines[1].end), found.rank, found.kind, found.path)
        yield found


def _stands_apart(text: str, line: Span, following: Span) -> bool:
    """Whether a line that another one follows is whole in itself, and no item of a list."""
    if _NUMBERED.match(text, following.start, following.end):
        return False
    if len(line) > _LONGEST_ABOVE_TEXT or text[following.start].islower():
        return False
    return not _GOES_ON.search(text, line.start, line.end)


def _split(text: str, span: Span) -> list[Span]:
    """The first two lines of a paragraph, and one more if there is one."""
    out: list[Span] = []
    at = span.start
    while at < span.end and len(out) < 3:
        match = LINE_END.search(text, at, span.end)
        stop = match.start() if match else span.end
        out.append(Span(at, at + len(text[at:stop].rstrip())))
        at = match.end() if match else span.end
    return out


def _heading(text: str, span: Span) -> _Line | None:
    line = text[span.start : span.end]
    if len(line) > _LONGEST_TITLE + 20:
        return None
    if match := _WORD.match(line):
        title = match["title"].strip(" \t.:)–—-")
        if (title and not _is_title(title, match["title"])) or (not match["word"][0].isupper()):
            return None
        word = match["word"].casefold()
        rank = _OUTER if word in _ANNEX or word in _OUTER_WORDS else _INNER
        return _Line(span, rank, "annex" if word in _ANNEX else word, ())
    if match := _PARAGRAPH_SIGN.match(line):
        title = match["title"].strip(" \t.:–—-")
        return _Line(span, _INNER, "§", ()) if not title or _is_title(title, match["title"]) else None
    if match := _ROMAN_LINE.match(line):
        annex = match["title"].split()[0].casefold().strip(".:") in _ANNEX
        if match["number"] and _is_title(match["title"]):
            if annex:
                return _Line(span, _OUTER, "annex", ())
            return _Line(span, _ROMAN, "roman", (_roman(match["number"]),))
        return None
    if match := _DECIMAL_LINE.match(line):
        title = match["title"]
        if _is_title(title) and not _MONTHS.match(title):
            path = tuple(int(part) for part in match["number"].split("."))
            return _Line(span, _DECIMAL + len(path) - 1, "decimal", path)
    return None


def _bare(text: str, line: _Line) -> bool:
    """Whether a heading of the words is without a title."""
    if line.kind in ("decimal", "roman"):
        return False
    return len(text[line.span.start : line.span.end].split()) <= 2


def _is_title(title: str, whole: str | None = None) -> bool:
    words = title.split()
    if not words or len(title) > _LONGEST_TITLE or len(words) > _MOST_WORDS:
        return False
    head = title.lstrip("\"'“„«([")[:1]
    if not head or head.islower() or not head.isalnum():
        return False
    if re.search(r"(?:\. ?){4,}|\t+\d+$|\s{3,}\d+$", title):
        return False  # of a table of contents
    if _INNER_END.search(title):
        return False
    ended = _SENTENCE_END.search(whole.rstrip() if whole else title)
    if ended is None or _ABBREVIATED.search(title):
        return True
    capital = all(word[0].isupper() for word in words if len(word) > _SHORT)
    return ended[0] == "." and (len(words) <= _SHORT or capital)


def _roman(number: str) -> int:
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[char] for char in number]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


class _Nest:
    """The headings that are open, outermost first."""

    def __init__(self) -> None:
        self._open: list[_Line] = []
        self._above: set[tuple[str, str]] = set()
        self._last: dict[tuple[str, tuple[int, ...]], int] = {}

    def level(self, line: _Line) -> int | None:
        """The level of the next heading; None where its number does not go on from those before."""
        kept = self._holders(line)
        if line.path and not self._goes_on(line, kept):
            return None
        if kept and kept[-1].rank == line.rank:
            self._above.add((kept[-1].kind, line.kind))
        self._open = [*kept, line]
        return len(self._open)

    def _holders(self, line: _Line) -> list[_Line]:
        """Those of the open headings that the next one stands under."""
        if line.kind == "annex":
            return []
        kept = list(self._open)
        known = any(entry.kind == line.kind and entry.rank == line.rank for entry in kept)
        while kept:
            last = kept[-1]
            below = last.rank > line.rank or (
                last.rank == line.rank
                and (known or line.kind == last.kind or (line.kind, last.kind) in self._above)
            )
            if not below:
                break
            kept.pop()
            if last.kind == line.kind and last.rank == line.rank:
                break
        return kept

    def _goes_on(self, line: _Line, kept: Sequence[_Line]) -> bool:
        """Whether a number begins at 1, or follows the last one; parts do not have to restart it."""
        *outer, number = line.path
        holder = next((entry for entry in reversed(kept) if entry.kind == line.kind), None)
        if holder is not None and holder.path != tuple(outer)[: len(holder.path)]:
            return False
        counter = (line.kind, tuple(outer))
        last = self._last.get(counter, 0)
        if number > 1 and not last < number <= last + (_WIDEST_GAP if last else 1):
            return False
        self._last[counter] = number
        return True
