"""The store in memory."""

from __future__ import annotations

from pathlib import Path

from store_contract import StoreContract

from vchunk.adapters.stores.memory import MemoryStore


class TestMemoryStore(StoreContract):
    def make(self, folder: Path) -> MemoryStore:  # noqa: ARG002
        return MemoryStore()
