"""Content hashes with xxh3-128: names of artifacts and digests of their files.

xxh3 is not cryptographic: it guards against accidents, not against someone who forges a store.
"""

from __future__ import annotations

from collections.abc import Iterable

import xxhash

from vchunk.domain.ports import Hasher


class Xxh3Hasher:
    """xxh3-128 over length-prefixed parts, so that moving a border between parts changes it."""

    name = "xxh3-128"

    def digest(self, parts: Iterable[bytes]) -> bytes:
        """16 bytes (big endian) over the parts, each behind its length (8 bytes, little endian)."""
        state = xxhash.xxh3_128()
        for part in parts:
            state.update(len(part).to_bytes(8, "little"))
            state.update(part)
        return state.digest()


def named_digest(hasher: Hasher, *parts: bytes) -> str:
    """A digest that travels with its algorithm's name: ``xxh3-128:<32 hex>``."""
    return f"{hasher.name}:{hasher.digest(parts).hex()}"
