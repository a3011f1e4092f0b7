"""Splitting a unit that is over the limit: at clauses, else between words, else between graphemes.

Level before level: a row of a table is divided between its cells, a unit at all of its clauses, a clause
that is still too long at all of its words, a word that is still too long at its graphemes; one of many
chunks' size (base64, a page of Thai) only at some of them, a fraction of a chunk apart. Links, inline
code and math are divided last, and only where they alone are over the limit. Which of these places are cut
is for the objective to say.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from vchunk.domain.inline import covers

CLAUSE, WORD, GRAPHEME = -2, -3, -4

_CELL = re.compile(r"(?<=\S)[ \t]+(?=\|[ \t])|(?<=\S)\t(?=\S)")
_CLAUSE = re.compile(
    r"(?<=[,;:)\]}\u060c\u061b\u3001\uff0c\uff1b\uff1a])\s+|(?<=[\u060c\u061b\u3001\uff0c\uff1b\uff1a])(?=\S)"
    r"|\s+(?=[\u2013\u2014(\[{])"
)
_WORD = re.compile(r"\s+")
_JOINER = "\u200d"
_VIRAMA = 9
_STRIDES_A_CHUNK = 8
"""Places that a long word has for each chunk of the size wanted."""
_LONG_WORD = 64
"""Strides that a word must be longer than to be cut at no other places ..."""
_FEW_TOKENS = 256
"""... and tokens: a list of addresses without spaces is still cut wherever it is best."""

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
    stride: int | None = None,
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
    stride : int, optional
        Tokens between two places in a word of more than 64 strides and 256 tokens; by default as for chunks
        of half the maximum (`stride_for`). Nothing tells the other places apart, and the objective's work
        grows with the square of how many a chunk has.

    Returns
    -------
    list of (offset, level)
        Rising. Empty where the text fits.
    """
    out: list[tuple[int, int]] = []
    spans = [(a, b) for a, b in whole if a < end and start < b]
    stride = stride or stride_for(maximum)
    if head > start and measure(start, first_word_end(text, head, end)) <= maximum:
        joined = "x" * (head - start) + text[head:end]
        spans = [(max(a - start, 0), b - start) for a, b in spans]

        def shifted(low: int, high: int) -> int:
            return measure(start + low, start + high)

        _divide(joined, 0, len(joined), maximum, shifted, _steps(spans), stride, out)
        return [(start + at, level) for at, level in out]
    _divide(text, start, end, maximum, measure, _steps(spans), stride, out)
    return out


def stride_for(maximum: int, target: float | None = None, minimum: int | None = None) -> int:
    """Tokens between the places in a long word: 1/8 of the size wanted, less where the limits are close.

    So a chunk that is below ``minimum`` can grow without getting above ``maximum``. Powers of two, so that
    sizes that are nearly the same have the same places.
    """
    wanted = min(target or maximum, maximum / 2) / _STRIDES_A_CHUNK
    stride = max(int(min(wanted, (maximum - (minimum or 0)) / 2)), 1)
    return 1 << (stride.bit_length() - 1)


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
    stride: int,
    out: list[tuple[int, int]],
) -> None:
    if not steps or (size := measure(start, end)) <= maximum:
        return
    level, breaks = steps[0]
    if level == GRAPHEME and size > max(_LONG_WORD * stride, _FEW_TOKENS):
        out += [(at, level) for at in stride_points(text, start, end, stride, measure)]
        return
    at = start
    for stop in (*breaks(text, start, end), end):
        _divide(text, at, stop, maximum, measure, steps[1:], stride, out)
        if stop < end:
            out.append((stop, level))
        at = stop


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


def stride_points(text: str, start: int, end: int, stride: int, measure: Measure) -> list[int]:
    """Offsets inside ``text[start:end]`` between graphemes, ``stride`` tokens from one to the next.

    Fewer where a grapheme goes across; more only where a single one has more. Where tokens share no
    letter each offset is the last one before a token begins.
    """
    out: list[int] = []
    at, ahead = start, stride
    while (stop := _reach(at, end, stride, ahead, measure)) < end:
        found = _grapheme_near(text, at, stop, end)
        if found == end:
            break
        out.append(found)
        at, ahead = found, found - at
    return out


def _reach(start: int, end: int, size: int, ahead: int, measure: Measure) -> int:
    """The last offset up to which a text has ``size`` tokens; the search begins ``ahead`` of the start."""
    low, high = start, start + ahead
    while high < end and measure(start, high) <= size:
        low, high = high, high + 2 * (high - start)
    if high >= end:
        if measure(start, end) <= size:
            return end
        high = end
    return low + bisect.bisect_right(range(low + 1, high), size, key=lambda stop: measure(start, stop))


def _grapheme_near(text: str, start: int, at: int, end: int) -> int:
    """The last grapheme that begins after ``start`` and not after ``at``; if there is none, the next one."""
    for offset in range(at, start, -1):
        if _begins(text, start, offset):
            return offset
    return next((offset for offset in range(at + 1, end) if _begins(text, start, offset)), end)


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
        if at == start or not _joins(text[at - 1], text[at], flags):
            yield at
        flags = flags + 1 if _is_flag(text[at]) else 0


def _begins(text: str, start: int, at: int) -> bool:
    """Whether a grapheme begins at an offset behind ``start``, where another begins."""
    before = at
    if _is_flag(text[at]):
        while before > start and _is_flag(text[before - 1]):
            before -= 1
    return not _joins(text[at - 1], text[at], at - before)


def _joins(before: str, char: str, flags: int) -> bool:
    """Whether a character goes on with the grapheme before it; ``flags`` letters of flags stand before it."""
    return (
        char.isspace()
        or _extends(char)
        or before == _JOINER
        or unicodedata.combining(before) == _VIRAMA
        or (_is_flag(char) and flags % 2 == 1)
        or _hangul_joins(before, char)
    )


def _hangul_joins(before: str, char: str) -> bool:
    vowel_or_final = "\u1160" <= char <= "\u11ff"
    return vowel_or_final and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
