"""The use case ``embed``: read a document with an encoder once, keep all that cuts need."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import RULES_VERSION, find_boundaries
from vchunk.domain.derivation import Derivation
from vchunk.domain.document import Document
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, UsageError
from vchunk.domain.keys import Key, make_key
from vchunk.domain.mesh import mesh_interval
from vchunk.domain.ports import (
    Artifact,
    ArtifactWriter,
    Encoder,
    Hasher,
    Progress,
    RowSink,
    SentenceSplitter,
    Store,
    StoredInterval,
    Tokens,
    Warn,
    no_progress,
    no_warning,
)
from vchunk.domain.quantize import dequantize, quantize
from vchunk.domain.rows import StoredRows
from vchunk.domain.units import Units, cut_units
from vchunk.domain.velocity import DEFAULT_F_SIG, sigma_of, velocity
from vchunk.domain.windows import interval_names, make_plan

ALGORITHM = "embedding-1"
"""Raised whenever the bytes of an embedding would change for the same inputs."""

KEEPS = ("vectors", "units")
"""What of an embedding may stay: all, or all but the token vectors."""

BLOCK = 4096
"""Rows that are written at once, or a few more."""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What an embedding took. ``windows`` is how many the document has."""

    key: Key
    document: Key
    tokens: int
    windows: int
    windows_encoded: int

    @property
    def windows_reused(self) -> int:
        """Windows that did not have to run."""
        return self.windows - self.windows_encoded


@dataclass(frozen=True)
class Embedding:
    """A stored embedding, read as far as it is asked for."""

    artifact: Artifact

    @property
    def key(self) -> Key:
        """Its name."""
        return self.artifact.key

    @property
    def document(self) -> Key:
        """The document that was read."""
        key = Key.parse(self.artifact.attributes["document"])
        assert key is not None
        return key

    @property
    def tokens(self) -> int:
        """Tokens of the document."""
        return int(self.artifact.attributes["tokens"])

    @property
    def windows(self) -> str:
        """How its windows were laid: the name of a plan."""
        return str(self.artifact.attributes["window_kind"])

    @property
    def keeps_vectors(self) -> bool:
        """Whether token vectors were kept."""
        return "vectors" in self.artifact.arrays

    @property
    def token_starts(self) -> NDArray[np.int64]:
        """Where each token starts, (n,)."""
        return np.asarray(self.artifact.arrays["token_starts"][:]).astype(np.int64)

    @property
    def interval_edges(self) -> NDArray[np.int64]:
        """Token positions of the anchors, (m + 1,)."""
        return np.asarray(self.artifact.arrays["interval_edges"][:]).astype(np.int64)

    def units(self) -> Units:
        """The units with their means and contrasts."""
        arrays = self.artifact.arrays
        return Units(
            edges=np.asarray(arrays["unit_edges"][:]).astype(np.int64),
            levels=np.asarray(arrays["unit_levels"][:]),
            token_edges=np.asarray(arrays["unit_tokens"][:]).astype(np.int64),
            means=np.asarray(arrays["unit_means"][:]).astype(np.float32),
            contrast=np.asarray(arrays["contrast"][:]),
        )

    def rows(self) -> StoredRows:
        """A reader of the token vectors.

        Raises
        ------
        UsageError
            If the vectors were not kept.
        """
        if not self.keeps_vectors:
            raise UsageError(f"{self.key} was embedded with --keep units; embed it again to keep the vectors")
        return StoredRows(self.artifact.arrays["vectors"], self.artifact.arrays["scales"])

    def velocity(self, f_sig: float = DEFAULT_F_SIG) -> NDArray[np.float32]:
        """The velocity curve, (n,); at another f_sig than the default from the token vectors."""
        if f_sig == DEFAULT_F_SIG:
            return np.asarray(self.artifact.arrays["velocity"][:])
        return velocity(self.rows(), self.interval_edges, sigma_of(f_sig))


def embedding_key(
    document: Key,
    encoder: Encoder,
    splitter: SentenceSplitter,
    hasher: Hasher,
    keep: str = "vectors",
    windows: str = "full",
) -> Key:
    """The name of a document's embedding: all that its bytes depend on."""
    plan = make_plan(windows, encoder.window)
    parts = [
        ALGORITHM,
        RULES_VERSION,
        str(document),
        *encoder.identity.parts(),
        plan.name,
        splitter.identity,
        keep,
    ]
    return make_key("embedding", parts, hasher)


def embed(
    document: Document,
    document_key: Key,
    encoder: Encoder,
    splitter: SentenceSplitter,
    store: Store,
    hasher: Hasher,
    *,
    keep: str = "vectors",
    windows: str = "full",
    progress: Progress = no_progress,
    warn: Warn = no_warning,
) -> EmbedReport:
    """Embed a document into the store, or find that it is there.

    Parameters
    ----------
    keep : {"vectors", "units"}
        Whether token vectors stay; without them another f_sig needs a new encoding.
    windows : {"full", "light"}
        Whether each token is read twice, or about 1.3 times.

    Raises
    ------
    ModelError, StoreError
    """
    key = embedding_key(document_key, encoder, splitter, hasher, keep, windows)
    if key in store:
        try:
            store.verify(key)
            attributes = store.read(key).attributes
            return EmbedReport(key, document_key, attributes["tokens"], attributes["windows"], 0)
        except DamagedArtifact:
            warn(f"{key} is damaged in the store: making it again")
            store.discard(key)
        except MissingArtifact:
            pass
    work = _Work(document, document_key, encoder, splitter, hasher, windows)
    avoid: set[Key] = set()
    while True:
        try:
            encoded = work.run(key, keep, store, avoid, progress)
            return EmbedReport(key, document_key, len(work.tokens), work.windows, encoded)
        except _LostInterval as lost:
            # Its rows cannot be had after all: do without that artifact.
            warn(str(lost.reason))
            avoid.add(lost.key)


class _LostInterval(Exception):
    def __init__(self, key: Key, reason: Exception) -> None:
        super().__init__(str(reason))
        self.key = key
        self.reason = reason


class _Work:
    """One document on its way through the encoder."""

    def __init__(
        self,
        document: Document,
        document_key: Key,
        encoder: Encoder,
        splitter: SentenceSplitter,
        hasher: Hasher,
        windows: str,
    ) -> None:
        self.document_key = document_key
        self.encoder = encoder
        self.splitter = splitter
        self.plan = make_plan(windows, encoder.window)
        self.tokens: Tokens = encoder.tokenizer.tokenize(document.text)
        self.edges = self.plan.anchors(self.tokens.ids)
        self.windows = self.plan.count(self.edges)
        self.names = interval_names(self.tokens.ids, self.edges, encoder.identity, self.plan, hasher)
        self.units = cut_units(document.text, find_boundaries(document, splitter), self.tokens.starts)

    def run(self, key: Key, keep: str, store: Store, avoid: set[Key], progress: Progress) -> int:
        """Write the artifact; gives how many windows were encoded."""
        found = {n: at for n, at in store.find_intervals(self.names).items() if at.key not in avoid}
        missing = [i for i, name in enumerate(self.names) if name not in found]
        needed = self.plan.needed(self.edges, missing)
        n, dim = len(self.tokens), self.encoder.dim
        with store.write(key) as out:
            sinks: tuple[RowSink, ...] = (
                (out.stream("vectors", (dim,), "int8", n), out.stream("scales", (), "float32", n))
                if (keep == "vectors")
                else ()
            )
            means = out.stream("unit_means", (dim,), "float16", len(self.units))
            derivation = Derivation(self.units, self.edges, dim, means)
            for quantized, scales in self._rows(store, found, needed, progress):
                for sink, data in zip(sinks, (quantized, scales), strict=False):
                    sink.append(np.asarray(data))
                derivation.push(dequantize(quantized, scales))
            self._write_rest(out, derivation, keep)
        if keep == "vectors":
            store.add_intervals(key, self.names, self.edges.tolist())
        return len(needed)

    def _rows(
        self, store: Store, found: dict[bytes, StoredInterval], needed: list[int], progress: Progress
    ) -> Iterator[tuple[NDArray[np.int8], NDArray[np.float32]]]:
        """Quantised rows of all intervals in order, many at a time."""
        vectors: dict[int, NDArray[np.float32]] = {}
        artifacts: dict[Key, Artifact] = {}
        encoded = self._encoded(needed, progress)
        batch: list[tuple[NDArray[np.int8], NDArray[np.float32]]] = []
        rows = 0
        for interval, name in enumerate(self.names):
            if name in found:
                batch.append(_stored_rows(store, artifacts, found[name]))
            else:
                covering = self.plan.covering(self.edges, interval)
                while any(w not in vectors for w in covering):
                    vectors = {w: v for w, v in vectors.items() if w >= covering[0]} | next(encoded)
                batch.append(quantize(mesh_interval(interval, self.edges, vectors, self.plan)))
            rows += len(batch[-1][1])
            if rows >= BLOCK or interval == len(self.names) - 1:
                yield np.concatenate([q for q, _ in batch]), np.concatenate([s for _, s in batch])
                batch, rows = [], 0

    def _encoded(self, needed: list[int], progress: Progress) -> Iterator[dict[int, NDArray[np.float32]]]:
        """Vectors of the windows, in order; the next ones are encoded while the last are worked on."""
        size = max(self.encoder.windows_at_once, 1)
        groups = [needed[at : at + size] for at in range(0, len(needed), size)]
        with ThreadPoolExecutor(1, "embed") as ahead:
            coming = [ahead.submit(self._encode, group) for group in groups[:1]]
            for number in range(len(groups)):
                vectors = coming.pop().result()
                coming = [ahead.submit(self._encode, after) for after in groups[number + 1 : number + 2]]
                progress(min((number + 1) * size, len(needed)), len(needed))
                yield vectors

    def _encode(self, windows: list[int]) -> dict[int, NDArray[np.float32]]:
        runs = [self.tokens.ids[slice(*self.plan.bounds(self.edges, w))] for w in windows]
        return dict(zip(windows, self.encoder.encode(runs), strict=True))

    def _write_rest(self, out: ArtifactWriter, derivation: Derivation, keep: str) -> None:
        units = self.units
        names = np.frombuffer(b"".join(self.names), np.uint8).reshape(-1, 16)
        arrays: dict[str, NDArray[Any]] = {
            "token_starts": self.tokens.starts.astype(np.int32),
            "velocity": derivation.velocity,
            "interval_names": names,
            "interval_edges": self.edges.astype(np.int32),
            "unit_edges": units.edges.astype(np.int32),
            "unit_levels": units.levels,
            "unit_tokens": units.token_edges.astype(np.int32),
            "contrast": derivation.contrast,
        }
        for name, data in arrays.items():
            out.array(name, data)
        identity = self.encoder.identity
        out.attributes(
            {
                "algorithm": ALGORITHM,
                "document": str(self.document_key),
                "tokens": len(self.tokens),
                "windows": self.windows,
                "window_plan": self.plan.name,
                "window_kind": self.plan.kind,
                "splitter": self.splitter.identity,
                "keep": keep,
                "encoder": {
                    "name": self.encoder.name,
                    "content": identity.content,
                    "tokenizer": identity.tokenizer,
                    "engine": identity.engine,
                    "device": identity.device,
                    "dtype": identity.dtype,
                    "prefix": identity.prefix,
                    "dim": self.encoder.dim,
                    "window": self.encoder.window,
                },
            }
        )


def _stored_rows(
    store: Store, artifacts: dict[Key, Artifact], at: StoredInterval
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    try:
        if at.key not in artifacts:
            artifacts[at.key] = store.read(at.key)
        arrays = artifacts[at.key].arrays
        return np.asarray(arrays["vectors"][at.start : at.stop]), np.asarray(arrays["scales"][at.start : at.stop])
    except (DamagedArtifact, MissingArtifact) as reason:
        raise _LostInterval(at.key, reason) from reason
