"""How the blocks of one document are divided, found when first asked for."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from itertools import accumulate

from vchunk.domain.document import Document
from vchunk.domain.grammar import PLAIN
from vchunk.domain.ports import BlockGrammar, Division, InnerCut, Lost


class Divisions:
    """Divisions by block number, in offsets of the document."""

    def __init__(self, document: Document, grammar: BlockGrammar = PLAIN) -> None:
        self._document = document
        self._grammar = grammar
        self._known: dict[int, Division] = {}
        self._lost: dict[int, list[_Nested]] = {}

    def of(self, index: int) -> Division:
        """The division of a block."""
        if index not in self._known:
            block = self._document.blocks[index]
            text = self._document.slice(block.span)
            found = self._grammar.divide(text, block.kind, block.language)
            self._known[index] = _moved(found or PLAIN.divide(text, block.kind, None), block.span.start)
        return self._known[index]

    def lost_at(self, index: int, offset: int) -> Iterator[Lost]:
        """What a piece of a block has lost that begins at an offset."""
        if index not in self._lost:
            lost = self.of(index).lost
            kinds = sorted({x.kind for x in lost})
            self._lost[index] = [_Nested([x for x in lost if x.kind == kind]) for kind in kinds]
        for nested in self._lost[index]:
            yield from nested.at(offset)


class _Nested:
    """Losses of one kind, found without looking at those that ended long ago."""

    def __init__(self, lost: list[Lost]) -> None:
        self._lost = sorted(lost, key=lambda x: x.first)
        self._reach = list(accumulate((x.last for x in self._lost), max))

    def at(self, offset: int) -> Iterator[Lost]:
        number = bisect.bisect_right(self._lost, offset, key=lambda x: x.first) - 1
        while number >= 0 and self._reach[number] > offset:
            if offset < self._lost[number].last:
                yield self._lost[number]
            number -= 1


def _moved(division: Division, by: int) -> Division:
    return Division(
        tuple(InnerCut(cut.offset + by, cut.rank) for cut in division.cuts),
        tuple(offset + by for offset in division.glued),
        tuple(Lost(x.kind, x.start + by, x.end + by, x.first + by, x.last + by) for x in division.lost),
    )
