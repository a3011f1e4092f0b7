"""Finds chunks in their document again, for peers that give texts and no offsets.

White space is not compared: peers join and strip it. A chunk that is not in the document as it is, is
found by its lines and sentences, and gets the span from the first that is found to the last: a peer
that deletes text from the middle of a chunk is credited with it by the retrieval scores, and charged
for it by the share of text lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_SPACE = re.compile(r"\s+")
_PARTS = re.compile(r"\n+|(?<=[.?!])\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk is; ``kept`` are the spans of the document that it holds."""

    start: int
    end: int
    verbatim: bool
    kept: list[tuple[int, int]]


class Locator:
    """Finds the chunks of one document, given in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = [i for i, letter in enumerate(text) if not letter.isspace()]
        self._bare = _SPACE.sub("", text)
        self._next = 0  # of the bare text: behind the chunk before

    def locate(self, chunk: str, start: int | None = None) -> Place | None:
        """The place of a chunk; None for one without a letter, or of which nothing is in the document."""
        if not chunk.strip():
            return None
        if start is not None and self._text.startswith(chunk, start):
            self._next = bisect_left(self._places, start + len(chunk))
            return self._place([(start, start + len(chunk))], chunk)
        whole = self._find(chunk, self._next)
        if whole is not None:
            self._next = whole[1]
            return self._place([self._span(*whole)], chunk)
        found = self._find_parts(chunk)
        if not found:
            return None
        self._next = max(end for _, end in found)
        return self._place([self._span(*run) for run in found], chunk)

    def _find(self, part: str, after: int) -> tuple[int, int] | None:
        """First place behind ``after``, else the first of all, in the bare text."""
        wanted = _SPACE.sub("", part)
        if not wanted:
            return None
        at = self._bare.find(wanted, after)
        at = self._bare.find(wanted) if at < 0 else at
        return None if at < 0 else (at, at + len(wanted))

    def _find_parts(self, chunk: str) -> list[tuple[int, int]]:
        """Runs of the bare text that the lines and sentences of a chunk make, in order."""
        runs: list[tuple[int, int]] = []
        after = self._next
        for part in _PARTS.split(chunk):
            found = self._find(part, after)
            if found is None or found[0] < after:
                continue  # not of this document, or a repetition of what stands before
            if runs and runs[-1][1] == found[0]:
                runs[-1] = (runs[-1][0], found[1])
            else:
                runs.append(found)
            after = found[1]
        return runs

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self._places[start], self._places[end - 1] + 1

    def _place(self, kept: list[tuple[int, int]], chunk: str) -> Place:
        start, end = kept[0][0], kept[-1][1]
        exact = self._text[start:end] == chunk.strip() or self._text[start:end] == chunk
        return Place(start, end, len(kept) == 1 and exact, kept)
