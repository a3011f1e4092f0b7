"""Embeddings as they are stored: what they are called, and what is read of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import RULES_VERSION
from vchunk.domain.errors import UsageError
from vchunk.domain.keys import Key, make_key
from vchunk.domain.ports import Artifact, Encoder, Hasher, SentenceSplitter
from vchunk.domain.rows import StoredRows
from vchunk.domain.units import Units
from vchunk.domain.velocity import DEFAULT_F_SIG, sigma_of, velocity
from vchunk.domain.windows import make_plan

ALGORITHM = "embedding-1"
"""Raised whenever the bytes of an embedding would change for the same inputs."""

KEEPS = ("vectors", "units")
"""What of an embedding may stay: all, or all but the token vectors."""


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
    def plan(self) -> str:
        """How its windows were laid, with their sizes: what `WindowPlan.name` said."""
        return str(self.artifact.attributes["window_plan"])

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
