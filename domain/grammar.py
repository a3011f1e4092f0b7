"""Block grammars: where a block over the limit is cut, kind by kind.

Tables between rows (`vchunk.domain.grammar_tables`), formulas between environments and at line
breaks (`vchunk.domain.grammar_formulas`), all else at blank lines and lines
(`vchunk.domain.grammar_lines`). Grammars that need a library stand before these as adapters.
"""

from __future__ import annotations

from collections.abc import Sequence

from vchunk.domain.document import Kind
from vchunk.domain.grammar_formulas import divide_formula
from vchunk.domain.grammar_lines import divide_lines
from vchunk.domain.grammar_tables import divide_html, divide_table
from vchunk.domain.ports import BlockGrammar, Division


class PlainGrammar:
    """What can be said of any block without knowing its language."""

    def divide(self, text: str, kind: Kind, language: str | None) -> Division:  # noqa: ARG002
        """Where a block may be cut; there is always an answer."""
        match kind:
            case Kind.TABLE:
                return divide_table(text)
            case Kind.HTML:
                return divide_html(text)
            case Kind.FORMULA:
                return divide_formula(text)
            case _:
                return divide_lines(text)


class FirstOf:
    """Asks grammars in turn: the first that knows a block divides it, the plain one if none does."""

    def __init__(self, grammars: Sequence[BlockGrammar]) -> None:
        self._grammars = tuple(grammars)

    def divide(self, text: str, kind: Kind, language: str | None) -> Division:
        """Where a block may be cut; there is always an answer."""
        for grammar in self._grammars:
            found = grammar.divide(text, kind, language)
            if found is not None:
                return found
        return PLAIN.divide(text, kind, language)


PLAIN = PlainGrammar()
