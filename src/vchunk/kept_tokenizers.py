"""Tokenizers kept in the store beside the embeddings, so that cutting needs no model."""

from __future__ import annotations

import numpy as np

from vchunk import wiring
from vchunk.domain.errors import DamagedArtifact, MissingArtifact
from vchunk.domain.keys import Key, make_key
from vchunk.domain.ports import Hasher, Store, Tokenizer


def keep_tokenizer(tokenizer: Tokenizer, store: Store, hasher: Hasher) -> None:
    """Put a tokenizer into the store, if it can be written and is not there."""
    to_json = getattr(tokenizer, "json_bytes", None)
    key = _key(tokenizer.identity, hasher)
    if to_json is None or key in store:
        return
    with store.write(key) as out:
        out.attributes({"name": tokenizer.name})
        out.array("json", np.frombuffer(to_json(), np.uint8))


def find_tokenizer(identity: str, name: str, store: Store, hasher: Hasher) -> Tokenizer | None:
    """The tokenizer of an identity, called ``name``; None where the store has none that is whole."""
    try:
        data = np.asarray(store.read(_key(identity, hasher)).arrays["json"][:]).tobytes()
    except (MissingArtifact, DamagedArtifact):
        return None
    return wiring.load_tokenizer(data, name)


def _key(identity: str, hasher: Hasher) -> Key:
    return make_key("tokenizer", [identity], hasher)
