"""A document at hand: its chunks, its tree, its curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.cutting import LeftOut, Material, Scorer
from vchunk.domain.document import Document, Role, Span
from vchunk.domain.embedding import Embedding, EmbedReport
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, StoreError, UsageError
from vchunk.domain.figures import Figure, trajectory_figure, velocity_figure
from vchunk.domain.granularity import DEFAULT_SKIP, NESTED_METHODS, Granularity, roles_of
from vchunk.domain.keys import Key, make_key
from vchunk.domain.outline import DEFAULT_LEVELS, Node, grow_tree
from vchunk.domain.ports import Snapper
from vchunk.domain.units import cut_units
from vchunk.domain.velocity import DEFAULT_F_SIG

if TYPE_CHECKING:
    from vchunk.session import Session

T = TypeVar("T")

SNAPPER_READS = ("near", "whole")


class Chunks(Sequence[Chunk]):
    """The chunks of a document at one granularity, in order; never changed.

    ``left_out`` lists what no chunk holds, with its role.
    """

    def __init__(self, chunks: Iterable[Chunk], left_out: Iterable[LeftOut]) -> None:
        self._chunks = tuple(chunks)
        self.left_out = tuple(left_out)

    def __getitem__(self, index: Any) -> Any:
        return self._chunks[index]

    def __len__(self) -> int:
        return len(self._chunks)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._chunks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chunks) and (self._chunks, self.left_out) == (other._chunks, other.left_out)

    def __hash__(self) -> int:
        return hash((self._chunks, self.left_out))

    def __repr__(self) -> str:
        return f"<{len(self)} chunks>"


@dataclass(frozen=True)
class Doc:
    """A document in the store, embedded or only read."""

    session: Session
    key: Key
    document: Document
    embedding: Embedding | None = None
    report: EmbedReport | None = None

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
        **wanted: Any,
    ) -> Chunks:
        """The chunks at a granularity, given as one or by its fields (``prominence=2.0``).

        A ``snapper`` reads ``"near"`` the peaks (the default where peaks are cut), or the ``"whole"``
        text once, its scores kept.

        Raises
        ------
        UsageError
            If the fields exclude one another, or there are no peaks to read near.
        """
        if granularity is None:
            granularity = Granularity(**_with_roles(wanted))
        elif wanted:
            raise UsageError("give a Granularity or its fields, not both")
        wish = granularity
        return self._mended(lambda doc: doc._chunks(wish, snapper, snapper_reads))

    def _chunks(self, granularity: Granularity, snapper: Snapper | None, snapper_reads: str | None) -> Chunks:
        material = self.material(granularity.method, snapper, snapper_reading(granularity, snapper_reads))
        if granularity.by_prominence and granularity.smoothing != DEFAULT_F_SIG:
            material = replace(material, velocity=self._embedding_with_vectors().velocity)
        done = chunk(material, granularity, self.session.hasher)
        return Chunks(done.chunks, done.left_out)

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
        name = self.document.title or title or str(self.key)
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
            )
        return trajectory_figure(
            self._embedding_with_vectors(),
            chunks,
            title=name,
            subtitle=granularity.describe(),
            f_sig=granularity.smoothing,
        )

    def _mended(self, make: Callable[[Doc], T]) -> T:
        """What is made of this document; a damaged embedding is first made again, once."""
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
        if embedding.keeps_vectors:
            return embedding
        self.session.warn("the token vectors were not kept (--keep units): encoding the document again")
        return self.session.encode_in_memory(self.document, self.key)

    def material(self, method: str = "velocity", snapper: Snapper | None = None, reads: str = "whole") -> Material:
        """All that cutting this document needs."""
        material = self._structure if method == "structure" else self._meaning
        if snapper is None:
            return material
        return replace(material, scorer=self._scorer(snapper, reads, material.units.offsets))

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

    def _scorer(self, snapper: Snapper, reads: str, offsets: NDArray[np.int64]) -> Scorer:
        """Rates boundaries near the peaks, or all of them once: then the scores are kept in the store."""
        if reads == "near":
            return partial(snapper.scores, self.text)

        def look_up(candidates: NDArray[np.int64], spans: Sequence[Span]) -> NDArray[np.float32]:  # noqa: ARG001
            return self._whole_scores(snapper, offsets)[np.searchsorted(offsets, candidates)]

        return look_up

    def _whole_scores(self, snapper: Snapper, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        session = self.session
        parts: list[str | bytes] = [snapper.identity, str(self.key), offsets.astype("<i8").tobytes()]
        key = make_key("snapping", parts, session.hasher)
        try:
            return np.asarray(session.store.read(key).arrays["scores"][:])
        except MissingArtifact:
            pass
        except DamagedArtifact:
            session.warn(f"{key} is damaged in the store: making it again")
            session.store.discard(key)
        scores = snapper.scores(self.text, offsets)
        try:
            with session.store.write(key) as out:
                out.attributes({"document": str(self.key), "snapper": snapper.identity})
                out.array("scores", scores)
        except StoreError as error:
            session.warn(f"the snapper's scores are not kept: {error}")
        return scores


def _reopen(session: Session, key: str) -> Doc:
    return session.open(key)


def snapper_reading(granularity: Granularity, asked: str | None) -> str:
    """What a snapper reads: near the peaks where there are any, else the whole text.

    Raises
    ------
    UsageError
    """
    if asked is None:
        return "near" if granularity.by_prominence else "whole"
    if asked not in SNAPPER_READS:
        raise UsageError(f"--snapper-reads {asked}: choose from {', '.join(SNAPPER_READS)}")
    if asked == "near" and not granularity.by_prominence:
        raise UsageError("--snapper-reads near: only cuts by --prominence have peaks to read near; leave it out")
    return asked


def _with_roles(wanted: dict[str, Any]) -> dict[str, Any]:
    """``skip`` as roles: one name or several, ``"none"`` for none."""
    if "skip" in wanted:
        names = wanted["skip"]
        wanted = {**wanted, "skip": roles_of([names] if isinstance(names, str) else names)}
    return wanted
