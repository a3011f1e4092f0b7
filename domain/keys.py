"""Names of artifacts: ``<kind>-<32 hex>``, a hash over all that the artifact depends on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vchunk.domain.ports import Hasher

KINDS = ("document", "embedding", "tokenizer", "snapping", "texts", "constants")
_PATTERN = re.compile(rf"({'|'.join(KINDS)})-([0-9a-f]{{32}})")
_PREFIX = re.compile(rf"({'|'.join(KINDS)})-[0-9a-f]{{0,32}}")


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The name of an artifact."""

    kind: str
    digest: str

    def __str__(self) -> str:
        return f"{self.kind}-{self.digest}"

    @classmethod
    def parse(cls, text: str) -> Key | None:
        """The key that a text spells, or None."""
        match = _PATTERN.fullmatch(text)
        return cls(match[1], match[2]) if match else None


def looks_like_key(text: str) -> bool:
    """Whether a text spells a key or the beginning of one."""
    return bool(_PREFIX.fullmatch(text))


def make_key(kind: str, parts: Sequence[str | bytes], hasher: Hasher) -> Key:
    """The key of an artifact of this kind that depends on exactly these parts."""
    if kind not in KINDS:
        raise ValueError(f"not a kind of artifact: {kind}")
    raw = [kind.encode(), *(p.encode("utf-8", "surrogatepass") if isinstance(p, str) else p for p in parts)]
    return Key(kind, hasher.digest(raw).hex())
