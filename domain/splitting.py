"""Splitting a unit that is over the limit: at clauses, else between words, else between graphemes.

Level before level: a row of a table is divided between its cells, a unit at all of its clauses, a clause
that is still too long at all of its words, a word that is still too long at its graphemes, or some of them.
Links, inline code and math are divided last, and only where they alone are over the limit. Which of these
places are cut is for the objective to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from vchunk.domain.inline import covers

CLAUSE, WORD, GRAPHEME = -2, -3, -4

_GRAIN = 32
"""Places inside a word lie this share of the limit apart, or one token: no grapheme is better than another,
and a file may be one word."""

_CELL = re.compile(r"(?<=\S)[ \t]+(?=\|[ \t])|(?<=\S)\t(?=\S)")
_CLAUSE = re.compile(
    r"(?<=[,;:)\]}\u060c\u061b\u3001\uff0c\uff1b\uff1a])\s+|(?<=[\u060c\u061b\u3001\uff0c\uff1b\uff1a])(?=\S)"
    r"|\s+(?=[\u2013\u2014(\[{])"
)
_WORD = re.compile(r"\s+")
_JOINER = "\u200d"
_VIRAMA = 9

Step = tuple[int, Callable[[str, int, int], list[int]]]
"""A level, and where a text may be split at it."""
Measure = Callable[[int, int], int]
"""Tokens of ``text[start:end]``."""


def split_points(
    text: str,
    start: int,
    end: int,
    maximum: int,
    measure: Measure,
    whole: Sequence[tuple[int, int]] = (),
    head: int = 0,
) -> list[tuple[int, int]]:
    """Offsets inside ``text[start:end]`` at which it may be split, each with its level.

    Parameters
    ----------
    maximum : int
        Tokens that a piece may hold; a single grapheme may hold more.
    whole : sequence of (start, end)
        Spans that are not cut while they fit: links, inline code, math. Apart and rising.
    head : int
        Where a label in front of the text ends: it is not split, and stays with the first word,
        if the two fit.

    Returns
    -------
    list of (offset, level)
        Rising. Empty where the text fits.
    """
    out: list[tuple[int, int]] = []
    spans = [(a, b) for a, b in whole if a < end and start < b]
    if head > start and measure(start, first_word_end(text, head, end)) <= maximum:
        joined = "x" * (head - start) + text[head:end]
        spans = [(max(a - start, 0), b - start) for a, b in spans]
        _divide(joined, 0, len(joined), maximum, lambda a, b: measure(start + a, start + b), _steps(spans), out)
        return [(start + at, level) for at, level in out]
    _divide(text, start, end, maximum, measure, _steps(spans), out)
    return out


def first_word_end(text: str, start: int, end: int) -> int:
    """Where the word that begins at ``start`` ends."""
    space = _WORD.search(text, start, end)
    return space.start() if space else end


def _divide(
    text: str,
    start: int,
    end: int,
    maximum: int,
    measure: Measure,
    steps: Sequence[Step],
    out: list[tuple[int, int]],
) -> None:
    if not steps or measure(start, end) <= maximum:
        return
    level, breaks = steps[0]
    places = breaks(text, start, end)
    if level == GRAPHEME and maximum >= 2 * _GRAIN:
        places = _thinned(places, start, end, maximum, measure)
    at = start
    for stop in (*places, end):
        _divide(text, at, stop, maximum, measure, steps[1:], out)
        if stop < end:
            out.append((stop, level))
        at = stop


def _thinned(places: Sequence[int], start: int, end: int, maximum: int, measure: Measure) -> list[int]:
    """Places so far apart as `_GRAIN` says, but nowhere farther than the maximum if that can be."""
    out: list[int] = []
    at = before = start
    for place in (*places, end):
        tokens = measure(at, place)
        if tokens > maximum and before > at:
            out.append(before)
            at = before
            tokens = measure(at, place)
        if tokens >= maximum // _GRAIN and place < end:
            out.append(place)
            at = place
        before = place
    return out


def _steps(spans: list[tuple[int, int]]) -> list[Step]:
    """The ways to divide a text, one after the other: first around the spans that stay whole."""
    return [*(_around(spans, step) for step in _STEPS[:-1]), *_STEPS] if spans else list(_STEPS)


def _around(spans: list[tuple[int, int]], step: Step) -> Step:
    """A step that leaves the inside of the spans alone."""
    level, breaks = step
    return level, lambda text, start, end: [at for at in breaks(text, start, end) if not covers(spans, at)]


def _matches(pattern: re.Pattern[str]) -> Callable[[str, int, int], list[int]]:
    def breaks(text: str, start: int, end: int) -> list[int]:
        ends = (m.end() for m in pattern.finditer(text, start, end))
        return [at for at in ends if start < at < end and not _extends(text[at])]

    return breaks


def _graphemes(text: str, start: int, end: int) -> list[int]:
    return [at for at in grapheme_starts(text, start, end) if at > start]


_STEPS: tuple[Step, ...] = (
    (CLAUSE, _matches(_CELL)),
    (CLAUSE, _matches(_CLAUSE)),
    (WORD, _matches(_WORD)),
    (GRAPHEME, _graphemes),
)


def _extends(char: str) -> bool:
    """Whether a character belongs to the one before it (Unicode UAX 29, without Hangul and Prepend)."""
    return (
        char == _JOINER
        or unicodedata.category(char)[0] == "M"
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def grapheme_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Where graphemes begin in ``text[start:end]``.

    Kept together: a letter with its marks, a consonant with what a virama joins to it, emoji
    joined by ZWJ or followed by a skin tone or a selector, pairs of flag letters, Hangul syllables
    written in letters, CR with LF. White space begins no grapheme.
    """
    flags = 0
    for at in range(start, end):
        char = text[at]
        if at == start:
            flags = int(_is_flag(char))
            yield at
            continue
        before = text[at - 1]
        flag = _is_flag(char)
        joined = (
            char.isspace()
            or _extends(char)
            or before == _JOINER
            or unicodedata.combining(before) == _VIRAMA
            or (flag and flags % 2 == 1)
            or _hangul_joins(before, char)
        )
        flags = flags + 1 if flag else 0
        if not joined:
            yield at


def _hangul_joins(before: str, char: str) -> bool:
    vowel_or_final = "\u1160" <= char <= "\u11ff"
    return vowel_or_final and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
