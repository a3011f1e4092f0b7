"""Numbers with their nouns, as messages have them."""

from __future__ import annotations


def counted(count: int, noun: str, several: str | None = None) -> str:
    """``1 chunk``, ``2 chunks``, ``1,024 chunks``; ``several`` is the plural of nouns that add no s."""
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"
