"""The key that a user means by its beginning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vchunk.domain.errors import MissingArtifact, UsageError
from vchunk.domain.keys import KINDS, Key

_PREFIX = re.compile(rf"(?:({'|'.join(KINDS)})-)?([0-9a-f]{{0,32}})")
_NAMED = 4  # candidates that a message lists


def missing(text: str, where: str) -> MissingArtifact:
    """The error for a key that the store does not hold."""
    return MissingArtifact(
        f"no artifact {text} in the store {where}: embed its source, "
        "or name another store with --store or VCHUNK_STORE"
    )


def split_prefix(text: str) -> tuple[tuple[str, ...], str] | None:
    """The kinds and the hexadecimal digits that a beginning allows; None if it can begin no key."""
    match = _PREFIX.fullmatch(text)
    return ((match[1],) if match[1] else KINDS, match[2]) if match else None


def choose(text: str, candidates: Sequence[Key], where: str) -> Key:
    """The one candidate.

    Raises
    ------
    MissingArtifact
        If there is none.
    UsageError
        If there are several.
    """
    if not candidates:
        raise missing(text, where)
    if len(candidates) > 1:
        named = ", ".join(map(str, candidates[:_NAMED])) + (", ..." if len(candidates) > _NAMED else "")
        raise UsageError(f"{text!r} begins {len(candidates)} keys ({named}): give more of the one you mean")
    return candidates[0]
