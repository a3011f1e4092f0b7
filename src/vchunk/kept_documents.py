"""Documents kept in the store, under a name that tells all that they hold."""

from __future__ import annotations

import numpy as np

from vchunk.domain.document import Document
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, StoreError
from vchunk.domain.keys import Key, make_key
from vchunk.domain.ports import Hasher, Store, Warn


def keep_document(document: Document, store: Store, hasher: Hasher, warn: Warn) -> Key:
    """Put a document into the store; the key depends on all that it holds.

    A damaged copy is replaced. A store that cannot be written is no hindrance to cutting: that is
    said, and the document is used as it is.
    """
    from vchunk.adapters.stores.documents import to_arrays

    attributes, arrays = to_arrays(document)
    parts: list[str | bytes] = [repr(sorted(attributes.items()))]
    for name, data in sorted(arrays.items()):
        parts += [name, np.ascontiguousarray(data).tobytes()]
    key = make_key("document", parts, hasher)
    try:
        if _is_sound(key, store, warn):
            return key
        with store.write(key) as out:
            out.attributes(attributes)
            for name, data in arrays.items():
                out.array(name, data)
    except StoreError as error:
        warn(f"the document is not kept: {error}")
    return key


def _is_sound(key: Key, store: Store, warn: Warn) -> bool:
    """Whether the store holds an artifact, whole; a damaged one is set aside."""
    try:
        store.verify(key)
    except MissingArtifact:
        return False
    except DamagedArtifact:
        warn(f"{key} is damaged in the store: making it again")
        store.discard(key)
        return False
    return True
