"""A document at hand: its chunks, its tree, its curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vchunk.chunks import Chunks, normalised
from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.document import Document, Role, Span
from vchunk.domain.embedding import Embedding, EmbedReport
from vchunk.domain.errors import DamagedArtifact, UsageError
from vchunk.domain.families import chunk_family
from vchunk.domain.figures import Figure, trajectory_figure, velocity_figure
from vchunk.domain.granularity import (
    DEFAULT_SKIP,
    NESTED_METHODS,
    Granularity,
    check_fields,
    roles_of,
)
from vchunk.domain.indexing import VectorSources, index_vectors
from vchunk.domain.keys import Key
from vchunk.domain.material import Material
from vchunk.domain.outline import DEFAULT_LEVELS, Node, grow_tree
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Snapper
from vchunk.domain.rows import StoredRows
from vchunk.domain.texts import text_vectors
from vchunk.domain.units import Units, cut_units
from vchunk.domain.vectors import VectorWish, late_vectors
from vchunk.domain.velocity import DEFAULT_F_SIG
from vchunk.snapping import scorer_of, snapper_reading
from vchunk.wiring import one_blas_thread

if TYPE_CHECKING:
    from vchunk.session import Session

T = TypeVar("T")


@dataclass(frozen=True)
class Doc:
    """A document in the store, embedded or only read."""

    session: Session
    key: Key
    document: Document
    embedding: Embedding | None = None
    report: EmbedReport | None = None

    def __repr__(self) -> str:
        title = "" if self.document.title is None else f" {self.document.title!r}"
        key = self.embedding.key if self.embedding else self.key
        return f"<Doc{title} {key}, {counted(len(self.text), 'character')}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by name: what it holds is in the store."""
        return _reopen, (self.session, str(self.embedding.key if self.embedding else self.key))

    @property
    def text(self) -> str:
        """The text of record."""
        return self.document.text

    def chunks(
        self,
        granularity: Granularity | None = None,
        *,
        snapper: Snapper | None = None,
        snapper_reads: str | None = None,
        vectors: str | None = None,
        blend_ancestors: str = "both",
        **wanted: Any,
    ) -> Chunks:
        """The chunks at a granularity, given as one or by its fields (``prominence=2.0``).

        A ``snapper`` reads ``"near"`` the peaks (the default where peaks are cut), or the ``"whole"``
        text once, its scores kept.
        With ``vectors`` (``"late"``, ``"text"`` or ``"blend"``) each chunk has its index vector;
        ``blend_ancestors`` (``"both"``, ``"late"`` or ``"text"``) says which vectors of what
        encloses a chunk a blend takes in.

        Raises
        ------
        UsageError
            If the fields exclude one another, or there are no peaks to read near.
        """
        if granularity is None:
            check_fields(wanted)
            granularity = Granularity(**normalised(wanted, wanted.get("size_in")))
        elif wanted:
            raise UsageError("give a Granularity or its fields, not both")
        elif not isinstance(granularity, Granularity):
            raise UsageError(f"{granularity!r} is no vchunk.Granularity: give one, or its fields by name")
        if snapper is not None and not isinstance(snapper, Snapper):
            raise UsageError(
                f"snapper {snapper!r} is no Snapper: make one with vchunk.wiring.make_snapper('chonky:FOLDER')"
            )
        index = None if vectors is None else VectorWish(vectors, blend_ancestors)
        return self._mended(lambda doc: doc._chunks(granularity, snapper, snapper_reads, index))

    def _chunks(
        self,
        granularity: Granularity,
        snapper: Snapper | None,
        snapper_reads: str | None,
        index: VectorWish | None,
    ) -> Chunks:
        material = self.material(granularity.method, snapper, snapper_reading(granularity, snapper_reads))
        if granularity.by_prominence and granularity.smoothing != DEFAULT_F_SIG:
            material = replace(material, velocity=self._embedding_with_vectors().velocity)
        if granularity.size_in != "tokens":
            material = material.counted_by(self.session.counter_named(granularity.size_in))
        if index is not None and granularity.levels is not None:
            raise UsageError("--vectors is for chunks of one level, not for --levels")
        cut = chunk if granularity.levels is None else chunk_family
        done = cut(material, granularity, self.session.hasher)
        self._tell_count(granularity, len(done.chunks))
        vectors = None
        if index is not None:
            sources = VectorSources(self._late_source(), self._text_vectors)
            vectors = index_vectors(material, granularity, done.chunks, index, sources, self.session.hasher)
        again = partial(self._cut_again, snapper, snapper_reads, index)
        return Chunks(done.chunks, done.left_out, granularity, again, vectors)

    def _tell_count(self, wanted: Granularity, found: int) -> None:
        """Say that there is another number of chunks than was asked for."""
        if wanted.count is None or wanted.levels is not None or found == wanted.count:
            return
        why = (
            "no sentence or block that fits is divided" if found < wanted.count else "what is left out divides it"
        )
        if found:
            self.session.warn(f"--count {wanted.count}: {found} is the nearest for this document, since {why}")

    def _cut_again(
        self,
        snapper: Snapper | None,
        snapper_reads: str | None,
        index: VectorWish | None,
        granularity: Granularity,
        **changed: Any,
    ) -> Chunks:
        kept: dict[str, Any] = {"snapper": snapper}
        if snapper_reads != "near" or granularity.by_prominence:
            kept["snapper_reads"] = snapper_reads
        if index is not None:
            kept["vectors"] = index.kind
            if changed.get("vectors", index.kind) == index.kind:
                kept["blend_ancestors"] = index.ancestors
        return self.chunks(granularity, **{**kept, **changed})

    def _late_source(self) -> Callable[[Sequence[Span]], NDArray[np.float32]]:
        """Gives late vectors of spans; encodes the document if it was only read."""
        known: list[tuple[NDArray[np.int64], Units]] = []
        read: list[StoredRows] = []

        def rows() -> StoredRows:
            if not read:
                read.append(self._embedding_with_vectors().rows())
            return read[0]

        def late(spans: Sequence[Span]) -> NDArray[np.float32]:
            if not known:
                embedding = self.embedded()
                known.append((embedding.token_starts, embedding.units()))
            return late_vectors(spans, *known[0], rows)

        return late

    def _text_vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        session = self.session
        return text_vectors(
            texts,
            session.text_encoding(self.embedding),
            self.key,
            session.store,
            session.hasher,
            progress=session.progress,
            warn=session.warn,
        )

    def tree(
        self,
        *,
        levels: Sequence[int] = DEFAULT_LEVELS,
        depth: int | None = None,
        method: str = "velocity",
        sections: str = "auto",
        snapper: Snapper | None = None,
        skip: Sequence[str | Role] = DEFAULT_SKIP,
    ) -> Node:
        """Nested sections: headings, and passages by meaning where they are long."""
        if method not in NESTED_METHODS:
            raise UsageError(f"--method {method}: a tree is grown by {' or '.join(NESTED_METHODS)}")
        return self._mended(
            lambda doc: grow_tree(
                doc.material(method, snapper),
                doc.session.hasher,
                levels=levels,
                depth=depth,
                sections=sections,
                skip=roles_of(skip),
            )
        )

    def figure(
        self,
        kind: str,
        granularity: Granularity,
        *,
        snapper: Snapper | None = None,
        snapper_reads: str | None = None,
        title: str | None = None,
    ) -> Figure:
        """What a plot shows: the velocity curve or the trajectory, with the cuts of a granularity."""
        chunks = self.chunks(granularity, snapper=snapper, snapper_reads=snapper_reads)
        return self._mended(lambda doc: doc._figure(kind, granularity, chunks, title))

    def _figure(self, kind: str, granularity: Granularity, chunks: Sequence[Chunk], title: str | None) -> Figure:
        name, *others = (name for name in (self.document.title, title, str(self.key)) if name)
        if kind == "velocity":
            needs_vectors = granularity.smoothing != DEFAULT_F_SIG
            embedding = self._embedding_with_vectors() if needs_vectors else self.embedded()
            return velocity_figure(
                self.document,
                embedding,
                chunks,
                title=name,
                subtitle=granularity.describe(),
                f_sig=granularity.smoothing,
                names=tuple(others),
            )
        return trajectory_figure(
            self._embedding_with_vectors(),
            chunks,
            title=name,
            subtitle=granularity.describe(),
            f_sig=granularity.smoothing,
            names=tuple(others),
        )

    def _mended(self, make: Callable[[Doc], T]) -> T:
        """What is made of this document; a damaged embedding is first made again, once."""
        with one_blas_thread():
            try:
                return make(self)
            except DamagedArtifact:
                if self.embedding is None:
                    raise
                return make(self.session.embed_again(self.document, self.key, self.embedding))

    def velocity(self, f_sig: float | None = None) -> NDArray[np.float32]:
        """The velocity curve, one value a token."""
        if f_sig is None:
            return self.embedded().velocity()
        with one_blas_thread():
            return self._embedding_with_vectors().velocity(f_sig)

    def embedded(self) -> Embedding:
        """The embedding, made now if this document was only read."""
        if self.embedding is not None:
            return self.embedding
        embedding = self.session.embed_document(self.document, self.key).embedding
        assert embedding is not None
        return embedding

    def _embedding_with_vectors(self) -> Embedding:
        embedding = self.embedded()
        return embedding if embedding.keeps_vectors else self._encoded_again

    @cached_property
    def _encoded_again(self) -> Embedding:
        """With the token vectors that the store does not keep: once, as long as this document is held."""
        self.session.warn("the token vectors were not kept (--keep units): encoding the document again")
        return self.session.encode_in_memory(self.document, self.key, self.embedded().windows)

    def material(self, method: str = "velocity", snapper: Snapper | None = None, reads: str = "whole") -> Material:
        """All that cutting this document needs."""
        material = self._structure if method == "structure" else self._meaning
        if snapper is None:
            return material
        return replace(material, scorer=scorer_of(self, snapper, reads, material.units.offsets))

    @cached_property
    def _structure(self) -> Material:
        if self.embedding is not None:
            material = self._meaning
            bare = replace(material.units, means=None, contrast=None)
            return replace(material, units=bare, velocity=None, constants=None)
        tokenizer = self.session.counter
        tokens = tokenizer.tokenize(self.text)
        units = cut_units(self.text, find_boundaries(self.document, self.session.splitter), tokens.starts)
        return Material(self.document, self.key, units, tokens.starts, tokenizer, grammar=self.session.grammar)

    @cached_property
    def _meaning(self) -> Material:
        embedding = self.embedded()
        units = embedding.units()
        return Material(
            self.document,
            self.key,
            units,
            embedding.token_starts,
            self.session.tokenizer_of(embedding),
            embedding.key,
            embedding.velocity,
            self.session.constants_of(embedding, units),
            grammar=self.session.grammar,
        )


def _reopen(session: Session, key: str) -> Doc:
    return session.open(key)
