"""Documents, embeddings and the store together: what the command line and notebooks work with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vchunk import wiring
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.constants import EncoderConstants, calibrate
from vchunk.domain.cutting import LeftOut, Material, Scorer
from vchunk.domain.document import Document, Role, Source, Span
from vchunk.domain.embedding import Embedding, EmbedReport, embed
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, ModelError, ReadError, UsageError
from vchunk.domain.figures import Figure
from vchunk.domain.granularity import DEFAULT_SKIP, Granularity
from vchunk.domain.keys import Key, make_key
from vchunk.domain.levels import LADDER
from vchunk.domain.outline import DEFAULT_LEVELS, Node, grow_tree
from vchunk.domain.ports import (
    Encoder,
    EncoderIdentity,
    Hasher,
    Progress,
    SentenceSplitter,
    Snapper,
    Store,
    Tokenizer,
    Warn,
    no_progress,
    no_warning,
)
from vchunk.domain.units import Units, cut_units
from vchunk.domain.velocity import DEFAULT_F_SIG

T = TypeVar("T")
STDIN = "-"


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

    @property
    def text(self) -> str:
        """The text of record."""
        return self.document.text

    def chunks(
        self,
        granularity: Granularity | None = None,
        *,
        snapper: Snapper | None = None,
        snapper_reads: str = "near",
        **wanted: Any,
    ) -> Chunks:
        """The chunks at a granularity, given as one or by its fields (``prominence=2.0``).

        A ``snapper`` reads ``"near"`` the peaks, or the ``"whole"`` text once, its scores kept.

        Raises
        ------
        UsageError
            If the fields exclude one another.
        """
        if granularity is None:
            granularity = Granularity(**_with_roles(wanted))
        elif wanted:
            raise UsageError("give a Granularity or its fields, not both")
        wish = granularity
        return self._mended(lambda doc: doc._chunks(wish, snapper, snapper_reads))

    def _chunks(self, granularity: Granularity, snapper: Snapper | None, snapper_reads: str) -> Chunks:
        material = self.material(granularity.method, snapper, snapper_reads)
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
        skip: Sequence[str | Role] = DEFAULT_SKIP,
    ) -> Node:
        """Nested sections: headings, and passages by meaning where they are long."""
        if method not in ("velocity", "structure"):
            raise UsageError(f"--method {method}: choose from velocity, structure")
        return self._mended(
            lambda doc: grow_tree(
                doc.material(method),
                doc.session.hasher,
                levels=levels,
                depth=depth,
                sections=sections,
                skip=tuple(Role(role) for role in skip),
            )
        )

    def figure(
        self,
        kind: str,
        granularity: Granularity,
        *,
        snapper: Snapper | None = None,
        snapper_reads: str = "near",
        title: str | None = None,
    ) -> Figure:
        """What a plot shows: the velocity curve or the trajectory, with the cuts of a granularity."""
        chunks = self.chunks(granularity, snapper=snapper, snapper_reads=snapper_reads)
        return self._mended(lambda doc: doc._figure(kind, granularity, chunks, title))

    def _figure(self, kind: str, granularity: Granularity, chunks: Sequence[Chunk], title: str | None) -> Figure:
        from vchunk.domain.figures import trajectory_figure, velocity_figure

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
        except DamagedArtifact as damage:
            if self.embedding is None:
                raise
            return make(self.session.embed_again(self.document, self.key, self.embedding, damage))

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
        again = self.session.embed_document(self.document, self.key, keep="vectors").embedding
        assert again is not None
        return again

    def material(self, method: str = "velocity", snapper: Snapper | None = None, reads: str = "near") -> Material:
        """All that cutting this document needs."""
        if method == "structure":
            return self._structure
        material = self._meaning
        return replace(material, scorer=self._scorer(snapper, reads)) if snapper else material

    @cached_property
    def _structure(self) -> Material:
        from vchunk.domain.boundaries import find_boundaries

        if self.embedding is not None:
            material = self._meaning
            bare = replace(material.units, means=None, contrast=None)
            return replace(material, units=bare, velocity=None, constants=None)
        tokenizer = self.session.counter
        tokens = tokenizer.tokenize(self.text)
        units = cut_units(self.text, find_boundaries(self.document, self.session.splitter), tokens.starts)
        return Material(self.document, self.key, units, tokens.starts, tokenizer)

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
        )

    def _scorer(self, snapper: Snapper, reads: str) -> Scorer:
        """Rates boundaries near the peaks, or all of them once: then the scores are kept in the store."""
        if reads == "near":
            return partial(snapper.scores, self.text)
        kept = self._whole_scores(snapper)
        offsets = self._meaning.units.offsets

        def look_up(candidates: NDArray[np.int64], spans: Sequence[Span]) -> NDArray[np.float32]:  # noqa: ARG001
            return kept[np.searchsorted(offsets, candidates)]

        return look_up

    def _whole_scores(self, snapper: Snapper) -> NDArray[np.float32]:
        session, embedding = self.session, self.embedded()
        key = make_key("snapping", [snapper.identity, str(embedding.key)], session.hasher)
        try:
            return np.asarray(session.store.read(key).arrays["scores"][:])
        except MissingArtifact:
            pass
        except DamagedArtifact as damage:
            session.warn(f"{damage}; making it again")
            session.store.discard(key)
        scores = snapper.scores(self.text, self._meaning.units.offsets)
        with session.store.write(key) as out:
            out.attributes({"embedding": str(embedding.key), "snapper": snapper.identity})
            out.array("scores", scores)
        return scores


class Session:
    """Adapters in use together. Whatever is not given is the default.

    Parameters
    ----------
    encoder : Encoder or str or callable, optional
        An encoder, the name or folder of a model, or what makes an encoder when one is needed; by
        default the bundled one.
    store : Store or str or Path, optional
        A store, or its directory.
    warn, progress : callable, optional
        Told what the user should know, and how far a long step has come.
    """

    def __init__(
        self,
        *,
        encoder: Encoder | str | Path | Callable[[], Encoder] | None = None,
        store: Store | str | Path | None = None,
        splitter: SentenceSplitter | None = None,
        hasher: Hasher | None = None,
        warn: Warn = no_warning,
        progress: Progress = no_progress,
    ) -> None:
        self._encoder = encoder
        self._splitter = splitter
        self.warn = warn
        self.progress = progress
        self.hasher = hasher or wiring.make_hasher()
        self.store: Store = (
            wiring.make_store(Path(store) if store else None, warn)
            if store is None or isinstance(store, str | Path)
            else store
        )

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder, loaded as far as its name and size are needed."""
        given = self._encoder
        if given is None or isinstance(given, str | Path):
            return wiring.make_encoder(given or wiring.DEFAULT_ENCODER)
        return given() if isinstance(given, FunctionType) else cast(Encoder, given)

    @cached_property
    def splitter(self) -> SentenceSplitter:
        """Finds sentences."""
        return self._splitter or wiring.make_splitter()

    @cached_property
    def counter(self) -> Tokenizer:
        """Counts sizes where nothing is encoded."""
        if self._encoder is None:
            return wiring.make_tokenizer()
        return self.encoder.tokenizer

    def read(
        self,
        source: str | Path | Source,
        *,
        input_format: str | None = None,
        password: str | None = None,
        encoding: str | None = None,
    ) -> Doc:
        """Read a file, or a Source, into the store.

        Raises
        ------
        ReadError
        """
        if not isinstance(source, Source):
            source = load_source(source)
        reader = wiring.choose_reader(source, input_format, password=password, encoding=encoding)
        document = reader.read(source, self.warn)
        return Doc(self, self.add(document), document)

    def add(self, document: Document) -> Key:
        """Put a document into the store; the key depends on all that it holds."""
        from vchunk.adapters.stores.documents import to_arrays

        attributes, arrays = to_arrays(document)
        content = [repr(sorted(attributes.items()))]
        parts: list[str | bytes] = [*content]
        for name, data in sorted(arrays.items()):
            parts += [name, np.ascontiguousarray(data).tobytes()]
        key = make_key("document", parts, self.hasher)
        if key not in self.store:
            with self.store.write(key) as out:
                out.attributes(attributes)
                for name, data in arrays.items():
                    out.array(name, data)
        return key

    def embed(self, source: str | Path | Source, *, keep: str = "vectors", **reading: Any) -> Doc:
        """Read and embed a file, or a Source; cached."""
        doc = self.read(source, **reading)
        return self.embed_document(doc.document, doc.key, keep=keep)

    def embed_document(self, document: Document, key: Key, *, keep: str = "vectors") -> Doc:
        """Embed a document that is in the store; cached."""
        report = embed(
            document,
            key,
            self.encoder,
            self.splitter,
            self.store,
            self.hasher,
            keep=keep,
            progress=self.progress,
            warn=self.warn,
        )
        self._keep_tokenizer(self.encoder.tokenizer)
        return Doc(self, key, document, Embedding(self.store.read(report.key)), report)

    def embed_again(self, document: Document, key: Key, old: Embedding, damage: DamagedArtifact) -> Doc:
        """Set a damaged embedding aside and make it again from its document.

        Raises
        ------
        ModelError
            If it was made by another encoder than the one in use.
        """
        self.warn(f"{damage}; making it again")
        attributes = old.artifact.attributes
        self.store.discard(old.key)
        doc = self.embed_document(document, key, keep=attributes["keep"])
        if doc.report is None or doc.report.key != old.key:
            name = attributes["encoder"]["name"]
            raise ModelError(f"{old.key} was made by another encoder: embed it again with --encoder {name}")
        return doc

    def open(self, ref: str | Key) -> Doc:
        """The document or embedding of a key, or of the unique beginning of one.

        Raises
        ------
        MissingArtifact, DamagedArtifact, UsageError
        """
        key = ref if isinstance(ref, Key) else self.store.resolve(ref)
        if key.kind == "document":
            return Doc(self, key, self._document(key))
        if key.kind != "embedding":
            raise UsageError(f"{key}: is no document; give a document's or an embedding's key")
        embedding = Embedding(self.store.read(key))
        return Doc(self, embedding.document, self._document(embedding.document), embedding)

    def _document(self, key: Key) -> Document:
        from vchunk.adapters.stores.documents import from_artifact

        return from_artifact(self.store.read(key))

    def constants_of(self, embedding: Embedding, units: Units) -> EncoderConstants:
        """The scales of an embedding's encoder; measured on the document where none are known."""
        encoder = embedding.artifact.attributes["encoder"]
        identity = EncoderIdentity(
            encoder["content"],
            encoder["tokenizer"],
            encoder["engine"],
            encoder["device"],
            encoder["dtype"],
            encoder["prefix"],
        )
        known = wiring.shipped_constants(identity)
        if known is not None:
            return known
        self.warn(
            f"no constants are known for the encoder {encoder['name']}: measured on this document, "
            "so an edit may move cuts far from it"
        )
        return calibrate([units], LADDER)

    def tokenizer_of(self, embedding: Embedding) -> Tokenizer:
        """The tokenizer that an embedding was made with.

        Raises
        ------
        ModelError
            If it is neither in the store nor that of the encoder in use.
        """
        encoder = embedding.artifact.attributes["encoder"]
        if "encoder" in self.__dict__ and self.encoder.tokenizer.identity == encoder["tokenizer"]:
            return self.encoder.tokenizer
        key = self._tokenizer_key(encoder["tokenizer"])
        try:
            data = np.asarray(self.store.read(key).arrays["json"][:]).tobytes()
            return wiring.load_tokenizer(data, encoder["name"])
        except (MissingArtifact, DamagedArtifact):
            if self.encoder.tokenizer.identity == encoder["tokenizer"]:
                return self.encoder.tokenizer
            raise ModelError(
                f"the tokenizer of {embedding.key} is not in the store: name its encoder with --encoder "
                f"{encoder['name']}, or embed the document again"
            ) from None

    def _tokenizer_key(self, identity: str) -> Key:
        return make_key("tokenizer", [identity], self.hasher)

    def _keep_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Keep the tokenizer with the embeddings, so that cutting needs no model."""
        to_json = getattr(tokenizer, "json_bytes", None)
        key = self._tokenizer_key(tokenizer.identity)
        if to_json is None or key in self.store:
            return
        with self.store.write(key) as out:
            out.attributes({"name": tokenizer.name})
            out.array("json", np.frombuffer(to_json(), np.uint8))


def load_source(name: str | Path) -> Source:
    """The bytes of a file.

    Raises
    ------
    ReadError
        If there is no such file, or it cannot be read.
    """
    path = Path(name)
    try:
        return Source(str(name), path.read_bytes())
    except FileNotFoundError:
        raise ReadError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder, not a file") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _with_roles(wanted: dict[str, Any]) -> dict[str, Any]:
    if "skip" in wanted:
        wanted = {**wanted, "skip": tuple(Role(role) for role in wanted["skip"])}
    return wanted
