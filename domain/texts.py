"""Vectors of whole texts, as the encoder's sentence model has them; each text is encoded once.

A text is led by the encoder's prefix and represented by its first window. Its vector is the pooled
one (for most models the mean over all tokens, special ones included) at length 1. Vectors are kept
in the store under a name that covers the tokens and all that the encoder's bits depend on, so
another granularity, and a document after an edit, encode only the texts that are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.errors import DamagedArtifact, MissingArtifact, StoreError, UsageError
from vchunk.domain.keys import Key, make_key
from vchunk.domain.ports import (
    Encoder,
    EncoderIdentity,
    Hasher,
    Progress,
    SentenceEncoder,
    Store,
    StoredInterval,
    Warn,
    no_progress,
    no_warning,
)

ALGORITHM = "texts-1"
"""Raised whenever a text's vector would change for the same tokens."""

BATCH_TOKENS = 16_384
"""Tokens of the texts that are handed to the encoder at once."""

_TINY = 1e-30


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows at length 1; those of zeros, or with values that are not finite, are zeros."""
    finite = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0).astype(np.float64)
    norms = np.linalg.norm(finite, axis=1, keepdims=True)
    directions: NDArray[np.float64] = np.divide(finite, norms, out=np.zeros_like(finite), where=norms > _TINY)
    return directions.astype(np.float32)


class TextEncoding:
    """An encoder's way from texts to vectors.

    Parameters
    ----------
    encoder : Encoder
        One that is no `SentenceEncoder` gives the mean of its token vectors, and puts its prefix in
        front itself.
    prefix : str, optional
        What leads each text; by default the encoder's own, for texts that are searched.
    """

    def __init__(self, encoder: Encoder, prefix: str | None = None) -> None:
        self._encoder = encoder
        self._sentences = encoder if isinstance(encoder, SentenceEncoder) else None
        own = encoder.identity.prefix
        self._prefix = own if prefix is None else prefix
        if self._sentences is None and prefix is None:
            self._prefix = ""
        self.identity: EncoderIdentity = replace(encoder.identity, prefix=own if self._sentences is None else "")
        self.dim = encoder.dim

    @property
    def name(self) -> str:
        """How texts become vectors; enters the names of what is kept."""
        return "mean-of-tokens" if self._sentences is None else self._sentences.pooling

    def tokens(self, text: str) -> NDArray[np.int32]:
        """The tokens by which a text is represented.

        Raises
        ------
        UsageError
            If it is none.
        """
        if not isinstance(text, str):
            raise UsageError(f"{type(text).__name__} {str(text)[:40]}: what is encoded must be a str, or several")
        limit = self._encoder.window if self._sentences is None else self._sentences.text_window
        # No token of use is as long as this; the rest of a long text need not be read.
        start = (self._prefix + text)[: len(self._prefix) + 64 * limit]
        return self._encoder.tokenizer.tokenize(start).ids[:limit]

    def encode(self, texts: Sequence[NDArray[np.int32]], progress: Progress = no_progress) -> NDArray[np.float32]:
        """Vectors at length 1 of texts given as tokens, (k, dim); whatever the other texts are."""
        out = np.zeros((len(texts), self.dim), np.float32)
        done = 0
        for batch in _batches([len(text) for text in texts]):
            some = [texts[i] for i in batch]
            if self._sentences is not None:
                out[batch] = self._sentences.pool(some)
            else:
                rows = self._encoder.encode(some)
                out[batch] = [r.mean(axis=0, dtype=np.float64) if len(r) else np.zeros(self.dim) for r in rows]
            done += len(batch)
            progress(done, len(texts))
        return unit_rows(out)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices, longest text first: texts of one length come together and little is padded."""
    batch: list[int] = []
    held = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and held + lengths[i] > BATCH_TOKENS:
            yield batch
            batch, held = [], 0
        batch.append(i)
        held += lengths[i]
    if batch:
        yield batch


def text_vectors(
    texts: Sequence[str],
    encoding: TextEncoding,
    document: Key,
    store: Store,
    hasher: Hasher,
    *,
    progress: Progress = no_progress,
    warn: Warn = no_warning,
) -> NDArray[np.float32]:
    """Vectors of some texts of a document at length 1, (k, dim); the store is asked first.

    A store that cannot be written is no hindrance: that is said, and the vectors are not kept.
    """
    tokens = [encoding.tokens(text) for text in texts]
    frame = [
        part.encode("utf-8", "surrogatepass") for part in (ALGORITHM, encoding.name, *encoding.identity.parts())
    ]
    names = [hasher.digest([*frame, np.ascontiguousarray(ids, "<i4").tobytes()]) for ids in tokens]
    by_name = dict(zip(names, tokens, strict=True))
    known = _kept(list(by_name), store, warn)
    fresh = [name for name in by_name if name not in known]
    if fresh:
        rows = encoding.encode([by_name[name] for name in fresh], progress)
        known |= dict(zip(fresh, rows, strict=True))
        _keep(fresh, rows, encoding, document, store, hasher, warn)
    if not names:
        return np.zeros((0, encoding.dim), np.float32)
    return np.stack([known[name] for name in names])


def _kept(names: Sequence[bytes], store: Store, warn: Warn) -> dict[bytes, NDArray[np.float32]]:
    """The vectors that the store holds; those in damaged artifacts are made again."""
    places: dict[Key, list[tuple[bytes, StoredInterval]]] = {}
    for name, at in store.find_intervals(names).items():
        places.setdefault(at.key, []).append((name, at))
    known: dict[bytes, NDArray[np.float32]] = {}
    for key, held in places.items():
        try:
            rows = np.asarray(store.read(key).arrays["vectors"][:])
        except MissingArtifact:
            continue
        except DamagedArtifact:
            warn(f"{key} is damaged in the store: making it again")
            store.discard(key)
            continue
        known |= {name: rows[at.start] for name, at in held}
    return known


def _keep(
    names: Sequence[bytes],
    rows: NDArray[np.float32],
    encoding: TextEncoding,
    document: Key,
    store: Store,
    hasher: Hasher,
    warn: Warn,
) -> None:
    """Store new vectors as one artifact, in which each can be found by its name."""
    key = make_key("texts", list(names), hasher)
    edges = np.arange(len(names) + 1, dtype=np.int32)
    try:
        with store.write(key) as out:
            out.attributes({"document": str(document), "algorithm": ALGORITHM, "pooling": encoding.name})
            out.array("vectors", rows)
            out.array("interval_names", np.frombuffer(b"".join(names), np.uint8).reshape(-1, 16))
            out.array("interval_edges", edges)
        store.add_intervals(key, names, edges.tolist())
    except StoreError as error:
        warn(f"the vectors are not kept: {error}")
