"""Cuts documents for retrieval where the meaning changes.

::

    import vchunk

    doc = vchunk.embed("doc.pdf")            # read and encoded once, kept in the store
    chunks = doc.chunks(prominence=2.0)      # or preset="coarse", target_tokens=120 ...
    tree = doc.tree()

Names are loaded when they are first used; importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vchunk.api import chunk, embed, encode_query, read
    from vchunk.chunks import Chunks
    from vchunk.doc import Doc
    from vchunk.domain.chunks import Chunk, Heading
    from vchunk.domain.context import Context
    from vchunk.domain.document import Block, Box, Document, Kind, Page, Role, Source, Span
    from vchunk.domain.double_pass import Thresholds
    from vchunk.domain.errors import (
        DamagedArtifact,
        MissingArtifact,
        MissingExtra,
        MissingSource,
        ModelError,
        ReadError,
        StoreError,
        UsageError,
        VchunkError,
    )
    from vchunk.domain.granularity import Granularity
    from vchunk.domain.outline import Node
    from vchunk.session import Session

_HOME = {
    "Block": "domain.document",
    "Box": "domain.document",
    "Chunk": "domain.chunks",
    "Chunks": "doc",
    "Context": "domain.context",
    "DamagedArtifact": "domain.errors",
    "Doc": "doc",
    "Document": "domain.document",
    "Granularity": "domain.granularity",
    "Heading": "domain.chunks",
    "Kind": "domain.document",
    "MissingArtifact": "domain.errors",
    "MissingExtra": "domain.errors",
    "MissingSource": "domain.errors",
    "ModelError": "domain.errors",
    "Node": "domain.outline",
    "Page": "domain.document",
    "ReadError": "domain.errors",
    "Role": "domain.document",
    "Session": "session",
    "Source": "domain.document",
    "Span": "domain.document",
    "StoreError": "domain.errors",
    "Thresholds": "domain.double_pass",
    "UsageError": "domain.errors",
    "VchunkError": "domain.errors",
    "chunk": "api",
    "embed": "api",
    "encode_query": "api",
    "read": "api",
}

__all__ = [
    "Block",
    "Box",
    "Chunk",
    "Chunks",
    "Context",
    "DamagedArtifact",
    "Doc",
    "Document",
    "Granularity",
    "Heading",
    "Kind",
    "MissingArtifact",
    "MissingExtra",
    "MissingSource",
    "ModelError",
    "Node",
    "Page",
    "ReadError",
    "Role",
    "Session",
    "Source",
    "Span",
    "StoreError",
    "Thresholds",
    "UsageError",
    "VchunkError",
    "chunk",
    "embed",
    "encode_query",
    "read",
]


def __getattr__(name: str) -> Any:
    """Load a public name (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'vchunk' has no attribute {name!r}")
    return getattr(import_module(f"vchunk.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
