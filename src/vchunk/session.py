"""Documents, embeddings and the store together: what the command line and notebooks work with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import cached_property, partial
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vchunk import wiring
from vchunk.coming import ComingDoc
from vchunk.doc import Doc
from vchunk.domain.calibration import Calibration, find_constants, keep_constants, measure
from vchunk.domain.constants import EncoderConstants, calibrate
from vchunk.domain.document import Document, Source
from vchunk.domain.embedding import KEEPS, Embedding, EmbedReport, embedding_key
from vchunk.domain.embedding_job import Setup
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, MissingSource, ModelError, ReadError, UsageError
from vchunk.domain.keys import Key
from vchunk.domain.levels import LADDER
from vchunk.domain.pipeline import embed, embed_each
from vchunk.domain.ports import (
    BlockGrammar,
    Encoder,
    EncoderIdentity,
    Hasher,
    Progress,
    SentenceSplitter,
    Store,
    Tokenizer,
    Warn,
    no_progress,
    no_warning,
)
from vchunk.domain.texts import TextEncoding
from vchunk.domain.units import Units
from vchunk.domain.windows import PLANS
from vchunk.kept_documents import keep_document
from vchunk.kept_tokenizers import find_tokenizer, keep_tokenizer


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
        grammar: BlockGrammar | None = None,
        hasher: Hasher | None = None,
        warn: Warn = no_warning,
        progress: Progress = no_progress,
    ) -> None:
        self._encoder = encoder
        self._splitter = splitter
        self._grammar = grammar
        self._counters: dict[str, Tokenizer] = {}
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
            return wiring.make_encoder(given or wiring.DEFAULT_ENCODER, cache=wiring.models_of(self.store))
        return given() if isinstance(given, FunctionType) else cast(Encoder, given)

    @cached_property
    def splitter(self) -> SentenceSplitter:
        """Finds sentences."""
        return self._splitter or wiring.make_splitter()

    @cached_property
    def grammar(self) -> BlockGrammar:
        """Divides blocks over the limit."""
        return self._grammar or wiring.make_grammar()

    @cached_property
    def counter(self) -> Tokenizer:
        """Counts sizes where nothing is encoded."""
        if self._encoder is None:
            return wiring.make_tokenizer()
        return self.encoder.tokenizer

    def counter_named(self, name: str) -> Tokenizer:
        """What counts sizes: ``chars``, or the tokenizer of a ``tokenizer.json``.

        Raises
        ------
        UsageError
        """
        if name not in self._counters:
            self._counters[name] = wiring.make_counter(name)
        return self._counters[name]

    def read(
        self,
        source: str | Path | Source,
        *,
        input_format: str | None = None,
        password: str | None = None,
        ocr_command: str | None = None,
        encoding: str | None = None,
        numbered_headings: bool = False,
        text_field: str | None = None,
    ) -> Doc:
        """Read a file, or a Source, into the store.

        With ``numbered_headings`` lines such as ``1.1 Scope`` are headings in plain text; ``text_field``
        is the field that holds the text of records in JSON; ``ocr_command`` prints the text of PDF pages
        that have none.

        Raises
        ------
        ReadError
        """
        reading = {
            "input_format": input_format,
            "password": password,
            "ocr_command": ocr_command,
            "encoding": encoding,
            "numbered_headings": numbered_headings,
            "text_field": text_field,
        }
        document, key = self._read(source, reading, self.warn)
        return Doc(self, key, document)

    def _read(self, source: str | Path | Source, reading: dict[str, Any], warn: Warn) -> tuple[Document, Key]:
        if not isinstance(source, Source):
            source = load_source(source)
        document = wiring.choose_reader(source, **reading).read(source, warn)
        return document, keep_document(document, self.store, self.hasher, warn)

    def add(self, document: Document) -> Key:
        """Put a document into the store; see `keep_document`."""
        return keep_document(document, self.store, self.hasher, self.warn)

    def embed(
        self, source: str | Path | Source, *, keep: str = "vectors", windows: str = "full", **reading: Any
    ) -> Doc:
        """Read and embed a file, or a Source; cached."""
        doc = self.read(source, **reading)
        return self.embed_document(doc.document, doc.key, keep=keep, windows=windows)

    def embed_all(
        self,
        sources: Iterable[str | Path | Source],
        *,
        keep: str = "vectors",
        windows: str = "full",
        **reading: Any,
    ) -> Generator[ComingDoc, None, None]:
        """Read and embed files, or Sources, in order; cached.

        While one is written, the next are encoded and those after them read, in another thread. So
        this is faster than one `embed` after the other, and gives the same.

        Yields
        ------
        ComingDoc
            One a source, when its turn comes: its ``result()`` waits for the `Doc`, or raises what
            is wrong with that source. One that is not asked for is left out.

        Raises
        ------
        UsageError
            If there is one source instead of several.
        """
        if isinstance(sources, str | Path | Source):
            raise UsageError("embed_all takes several sources: give a list, or use embed for one")
        setup = self._setup(self.store, keep, windows)
        loads = (partial(self._read, source, reading) for source in sources)
        with closing(embed_each(setup, loads)) as coming:
            for one in coming:
                yield ComingDoc(self, one)

    def encode_in_memory(self, document: Document, key: Key, windows: str = "full") -> Embedding:
        """Encode a document without keeping anything of it."""
        from vchunk.adapters.stores.memory import MemoryStore

        store = MemoryStore()
        setup = self._setup(store, "vectors", windows)
        return Embedding(store.read(self._embed(setup, document, key).key))

    def embed_document(self, document: Document, key: Key, *, keep: str = "vectors", windows: str = "full") -> Doc:
        """Embed a document that is in the store; cached."""
        setup = self._setup(self.store, keep, windows)
        return self.embedded(document, self._embed(setup, document, key))

    def _embed(self, setup: Setup, document: Document, key: Key) -> EmbedReport:
        with wiring.one_blas_thread():
            return embed(setup, document, key, progress=self.progress, warn=self.warn)

    def embedded(self, document: Document, report: EmbedReport) -> Doc:
        """A document that was just embedded."""
        keep_tokenizer(self.encoder.tokenizer, self.store, self.hasher)
        return Doc(self, report.document, document, Embedding(self.store.read(report.key)), report)

    def _setup(self, store: Store, keep: str, windows: str) -> Setup:
        return Setup(self.encoder, self.splitter, store, self.hasher, keep, windows)

    def embed_again(self, document: Document, key: Key, old: Embedding) -> Doc:
        """Set a damaged embedding aside and make it again from its document.

        Raises
        ------
        ModelError
            If it was made by another encoder than the one in use.
        """
        self.warn(f"{old.key} is damaged in the store: making it again")
        attributes = old.artifact.attributes
        self.store.discard(old.key)
        doc = self.embed_document(document, key, keep=attributes["keep"], windows=old.windows)
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
        try:
            embedding = Embedding(self.store.read(key))
        except DamagedArtifact:
            # Its own note of the document is lost; but its name tells, for the encoder in use.
            return self._embed_from_name(key)
        return Doc(self, embedding.document, self._document(embedding.document), embedding)

    def _embed_from_name(self, key: Key) -> Doc:
        """Make an unreadable embedding again from the document whose embedding has this name."""
        for document_key in [k for k in self.store.keys() if k.kind == "document"]:  # noqa: SIM118
            for keep, windows in itertools.product(KEEPS, PLANS):
                made = embedding_key(document_key, self.encoder, self.splitter, self.hasher, keep, windows)
                if made == key:
                    document = self._document(document_key)
                    return self.embed_document(document, document_key, keep=keep, windows=windows)
        self.store.verify(key)  # says what is wrong, and the way out
        raise MissingArtifact(f"{key} is gone from the store: embed its source again")

    def _document(self, key: Key) -> Document:
        from vchunk.adapters.stores.documents import from_artifact

        return from_artifact(self.store.read(key))

    def constants_of(self, embedding: Embedding, units: Units) -> EncoderConstants:
        """The scales of an embedding's encoder; measured on the document where none are known."""
        encoder = embedding.artifact.attributes["encoder"]
        parts = ("content", "tokenizer", "engine", "device", "dtype", "prefix")
        identity = EncoderIdentity(*(encoder[part] for part in parts))
        plan = embedding.plan
        known = wiring.shipped_constants(identity, plan) or find_constants(identity, plan, self.store, self.hasher)
        if known is not None:
            return known
        self.warn(
            f"no constants are known for the encoder {encoder['name']} and windows {plan}: "
            "measured on this document, so an edit may move cuts far from it (vchunk calibrate measures them once)"
        )
        return calibrate([units], LADDER)

    def calibrate(self, docs: Iterable[Doc]) -> tuple[Calibration, bool]:
        """Measure the constants of the encoder on documents that it embedded, and keep them.

        Returns
        -------
        calibration : Calibration
        kept : bool
            False for an encoder and windows whose constants ship with vchunk: those stay in use.

        Raises
        ------
        UsageError
            If the documents are too short, or their windows differ.
        """
        embeddings = [doc.embedded() for doc in docs]
        calibration = measure([embedding.units() for embedding in embeddings])
        identity, plans = self.encoder.identity, {embedding.plan for embedding in embeddings}
        if len(plans) > 1:
            raise UsageError(
                f"documents of different windows ({', '.join(sorted(plans))}) have no constants in common"
            )
        plan = plans.pop()
        if wiring.shipped_constants(identity, plan) is not None:
            return calibration, False
        keep_constants(calibration, identity, plan, self.store, self.hasher)
        return calibration, True

    def text_encoding(self, embedding: Embedding | None = None) -> TextEncoding:
        """How texts of a document become vectors, in the space of its embedding where there is one.

        Raises
        ------
        ModelError
            If another encoder than the one in use made the embedding.
        """
        if embedding is None:
            return TextEncoding(self.encoder)
        made, own = embedding.artifact.attributes["encoder"], self.encoder.identity
        if (made["content"], made["tokenizer"]) != (own.content, own.tokenizer):
            raise ModelError(
                f"{embedding.key} was made by another encoder than {self.encoder.name}, which cannot encode texts "
                f"to go with it: name it with --encoder {made['name']}"
            )
        return TextEncoding(self.encoder, None if made["prefix"] == own.prefix else made["prefix"])

    def encode_query(self, text: str | Sequence[str], *, prefix: str = "") -> NDArray[np.float32]:
        """Vectors of what is asked, to search chunks' index vectors with by dot product.

        Parameters
        ----------
        text : str or sequence of str
        prefix : str
            Put in front, as some models want it for questions (``"search_query: "``). The prefix
            of the documents is not.

        Returns
        -------
        (dim,) float32 at length 1 of one text, (k, dim) of several
        """
        encoding = TextEncoding(self.encoder, prefix)
        texts = [text] if isinstance(text, str | bytes) or not isinstance(text, Iterable) else list(text)
        rows = encoding.encode([encoding.tokens(one) for one in texts])
        return cast("NDArray[np.float32]", rows[0]) if isinstance(text, str) else rows

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
        found = find_tokenizer(encoder["tokenizer"], encoder["name"], self.store, self.hasher)
        if found is not None:
            return found
        if self.encoder.tokenizer.identity == encoder["tokenizer"]:
            return self.encoder.tokenizer
        raise ModelError(
            f"the tokenizer of {embedding.key} is not in the store: name its encoder with --encoder "
            f"{encoder['name']}, or embed the document again"
        )


def load_source(name: str | Path) -> Source:
    """The bytes of a file.

    Raises
    ------
    MissingSource
        If there is no such file.
    ReadError
        If it cannot be read.
    """
    path = Path(name)
    try:
        return Source(str(name), path.read_bytes())
    except FileNotFoundError:
        raise MissingSource(f"{name}: no such file") from None
    except IsADirectoryError:
        raise ReadError(f"{name}: is a folder, not a file") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
