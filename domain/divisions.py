"""How the blocks of one document are divided, found when first asked for."""

from __future__ import annotations

from vchunk.domain.document import Document
from vchunk.domain.grammar import PLAIN
from vchunk.domain.ports import BlockGrammar, Division, InnerCut, Lost


class Divisions:
    """Divisions by block number, in offsets of the document."""

    def __init__(self, document: Document, grammar: BlockGrammar = PLAIN) -> None:
        self._document = document
        self._grammar = grammar
        self._known: dict[int, Division] = {}

    def of(self, index: int) -> Division:
        """The division of a block."""
        if index not in self._known:
            block = self._document.blocks[index]
            text = self._document.slice(block.span)
            found = self._grammar.divide(text, block.kind, block.language)
            self._known[index] = _moved(found or PLAIN.divide(text, block.kind, None), block.span.start)
        return self._known[index]


def _moved(division: Division, by: int) -> Division:
    return Division(
        tuple(InnerCut(cut.offset + by, cut.rank) for cut in division.cuts),
        tuple(offset + by for offset in division.glued),
        tuple(Lost(x.kind, x.start + by, x.end + by, x.first + by, x.last + by) for x in division.lost),
    )
