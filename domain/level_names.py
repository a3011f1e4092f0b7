"""Names of levels: ``256`` is a target size, ``p2`` a prominence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from vchunk.domain.errors import UsageError

_EXAMPLE = "for example --levels 1024,256,64 or --levels p4,p2,p.5"


def parse_levels(given: str | float | Sequence[str | int | float]) -> tuple[str, ...]:
    """The levels of one family, coarsest first, each as it is written shortest.

    Parameters
    ----------
    given : str, number or sequence
        Target sizes, or prominences with a ``p`` in front; not both.

    Raises
    ------
    UsageError
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        words = str(given).split(",")
    else:
        words = [str(level) for level in given]
    if not any(word.strip() for word in words):
        raise UsageError(f"--levels: name at least one, {_EXAMPLE}")
    values = [_parse(word.strip()) for word in words]
    if len({by_prominence for by_prominence, _ in values}) > 1:
        raise UsageError(f"--levels {','.join(words)}: sizes and prominences are two families; {_EXAMPLE}")
    if len(set(values)) < len(values):
        raise UsageError(f"--levels {','.join(words)}: a level is named twice")
    return tuple(f"p{value:g}" if peaks else f"{value:g}" for peaks, value in sorted(values, reverse=True))


def prominence_of(level: str) -> float | None:
    """The prominence that a level names; None for one of size."""
    return float(level[1:]) if level.startswith("p") else None


def _parse(word: str) -> tuple[bool, float]:
    peaks = word[:1] in ("p", "P")
    try:
        value = float(word[1:]) if peaks else float(int(word))
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < (0 if peaks else 1) or value > 1e9:
        word = word or repr(word)
        raise UsageError(f"--levels {word}: give sizes of 1 or more, or prominences like p2; {_EXAMPLE}")
    return peaks, value
