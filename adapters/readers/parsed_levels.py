"""Levels of headings that a parser left flat: by their numbers, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(
    r"(?:appendix\s+)?(?P<number>(?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3})*)[.):]?(?:\s+(?=\S)|$)", re.IGNORECASE
)
_APPENDIX = re.compile(r"appendix\s+(?P<number>[A-Z])(?:[.):]|\s|$)", re.IGNORECASE)
_ORDERLY = 0.8

Number = tuple[int, ...]


def numbered_levels(titles: Sequence[str]) -> list[int] | None:
    """A level for each title, from numbers such as 3 and 3.1, or None where they tell nothing.

    Titles without a number are of level 1. The numbers count only if some are nested and nearly all of
    them go up in order or begin again at 1; one that does neither ("2 ways out", behind 4.1) is no
    number.
    """
    found = [_number(title) for title in titles]
    last: Number | None = None
    kept = 0
    levels = [1] * len(titles)
    for i, number in enumerate(found):
        if number is None or not _follows(last, number):
            continue
        last = number
        kept += 1
        levels[i] = len(number)
    if kept < 2 or max(levels) == 1 or kept < _ORDERLY * sum(number is not None for number in found):
        return None
    return levels


def _number(title: str) -> Number | None:
    match = _APPENDIX.match(title) or _NUMBER.match(title)
    if match is None:
        return None
    parts = match["number"].split(".")
    # Appendices come after all numbers.
    first = int(parts[0]) if parts[0].isdigit() else 1000 + ord(parts[0].upper())
    return (first, *map(int, parts[1:]))


def _follows(last: Number | None, number: Number) -> bool:
    return last is None or number > last or (number[-1] <= 1 and all(part <= 1 for part in number))
