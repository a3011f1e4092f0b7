"""What the domain needs from the world: one Protocol for each thing an adapter supplies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Document, Kind, Source, Span
from vchunk.domain.keys import Key

if TYPE_CHECKING:
    from vchunk.domain.chunks import Chunk
    from vchunk.domain.figures import Figure

Array = NDArray[Any]
Warn = Callable[[str], None]
"""Takes one line for the user; it is commentary, never data."""


class Hasher(Protocol):
    """A 128-bit content hash."""

    name: str
    """The algorithm's name, which travels with a digest that is stored."""

    def digest(self, parts: Iterable[bytes]) -> bytes:
        """16 bytes over the parts, each prefixed by its length (8 bytes, little endian)."""


class Reader(Protocol):
    """Turns the bytes of one format into a document."""

    name: str
    version: int

    def read(self, source: Source, warn: Warn) -> Document:
        """Read the source.

        Raises
        ------
        ReadError
            If the bytes give no document.
        """


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, without special tokens.

    ``ids`` (n,) int32; ``starts`` and ``ends`` (n,) int64 are code points. Starts never fall;
    two tokens may share one (the bytes of one character).
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class Tokenizer(Protocol):
    """Cuts text into the tokens in which sizes are counted."""

    @property
    def name(self) -> str:
        """How the counter is called in ``size_in``."""

    @property
    def identity(self) -> str:
        """A digest of its content: two tokenizers that cut alike may share one."""

    def tokenize(self, text: str) -> Tokens:
        """All tokens of the text, never truncated, without special tokens."""


@runtime_checkable
class StreamingTokenizer(Protocol):
    """What a tokenizer may offer besides: the tokens of a text while it is still at work."""

    def stream(self, text: str) -> Iterator[Tokens]:
        """The tokens of ``tokenize``, run by run; offsets count from the start of the text."""


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """All that the bits of an encoder's vectors depend on, apart from the text.

    ``content`` digests weights and configuration, ``tokenizer`` the tokenizer; a path or a name
    is not among the parts, so the same model found elsewhere is the same encoder.
    """

    content: str
    tokenizer: str
    engine: str
    device: str
    dtype: str
    prefix: str = ""

    def parts(self) -> tuple[str, ...]:
        """The parts, in the order in which they enter a key."""
        return (self.content, self.tokenizer, self.engine, self.device, self.dtype, self.prefix)


class Encoder(Protocol):
    """Reads windows of tokens and gives one contextual vector a token."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Cuts the text that this encoder reads."""

    @property
    def dim(self) -> int:
        """Numbers in one vector."""

    @property
    def window(self) -> int:
        """The most document tokens that one window may hold, special tokens and prefix excluded."""

    @property
    def identity(self) -> EncoderIdentity:
        """What its vectors depend on; found when first asked for, since it reads the weights."""

    @property
    def windows_at_once(self) -> int:
        """How many windows keep it busy when they are encoded together; changes speed and memory only."""

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, dim) a window, in order.

        A window's vectors must not depend on the windows that it is encoded with. Other threads
        than the one that made the encoder call this, and may do so at the same time.
        """


@runtime_checkable
class SentenceEncoder(Protocol):
    """What an encoder may offer besides: whole texts as one vector, in its model's own way."""

    @property
    def pooling(self) -> str:
        """How token vectors become one: ``mean``, ``cls`` ..."""

    @property
    def text_window(self) -> int:
        """The most tokens of one text, special tokens excluded, a prefix included."""

    def pool(self, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
        """One vector a text, (k, dim), in order; no prefix is added.

        A text's vector must not depend on the texts that it is encoded with.
        """


class SentenceSplitter(Protocol):
    """Finds where sentences begin."""

    identity: str

    def starts(self, text: str, language: str | None) -> list[int]:
        """Offsets, rising, at which a sentence after the first begins in ``text``."""


@runtime_checkable
class Snapper(Protocol):
    """Rates boundaries: how well would the text be cut here?"""

    @property
    def identity(self) -> str:
        """What its scores depend on."""

    def scores(
        self, text: str, candidates: NDArray[np.int64], regions: Sequence[Span] | None = None
    ) -> NDArray[np.float32]:
        """A score in [0, 1] for each candidate offset, NaN for those that were not read.

        ``regions`` limits the reading to the candidates inside these spans; None reads all.
        """


@dataclass(frozen=True, slots=True)
class InnerCut:
    """A place inside a block: an offset into its text, and how well the block would be cut there.

    Ranks run from 8 (between definitions) over 0 (any line) to -1: only where nothing else helps.
    """

    offset: int
    rank: int


@dataclass(frozen=True, slots=True)
class Lost:
    """What a piece that begins in ``[first, last)`` has lost: ``text[start:end]`` of the block.

    ``kind`` is ``table_header``, ``signature`` or ``imports``.
    """

    kind: str
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Division:
    """How a block may be divided.

    Lines that ``cuts`` does not name have rank 0. What stands between two neighbouring cuts of a
    rank stays whole where it fits. ``glued`` are line starts that belong to the line before: a
    fence's first line of code, the closing fence.
    """

    cuts: tuple[InnerCut, ...] = ()
    glued: tuple[int, ...] = ()
    lost: tuple[Lost, ...] = ()


class BlockGrammar(Protocol):
    """Knows how blocks of some kinds or languages are divided."""

    def divide(self, text: str, kind: Kind, language: str | None) -> Division | None:
        """Where a block may be cut; None where this grammar does not know it or cannot read it."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One immutable result: JSON attributes and named arrays.

    The arrays may be lazy: each has ``shape``, ``dtype`` and slicing, and gives numpy arrays.
    """

    key: Key
    attributes: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)


class ArtifactWriter(Protocol):
    """Builds one artifact; nothing can be seen of it before it is published."""

    def array(self, name: str, data: Array) -> None:
        """Write a whole array."""

    def stream(self, name: str, row_shape: tuple[int, ...], dtype: str, rows: int) -> RowSink:
        """Write an array of ``rows`` rows piece by piece, in order."""

    def attributes(self, values: Mapping[str, Any]) -> None:
        """Add JSON attributes."""


class RowSink(Protocol):
    """Takes the rows of one array in order."""

    def append(self, rows: Array) -> None:
        """Add rows, shape (k, *row_shape)."""


@dataclass(frozen=True, slots=True)
class StoredInterval:
    """Where the rows of an encoded interval lie: rows ``[start, stop)`` of an artifact."""

    key: Key
    start: int
    stop: int


class Store(Protocol):
    """Keeps artifacts under their keys; threads may use it at once."""

    def __contains__(self, key: Key) -> bool: ...

    def read(self, key: Key) -> Artifact:
        """The artifact; its arrays are checked against their digests as they are read.

        Raises
        ------
        MissingArtifact, DamagedArtifact
        """

    def write(self, key: Key) -> AbstractContextManager[ArtifactWriter]:
        """Build an artifact; it is published when the block ends without an error.

        If the key is taken meanwhile by another writer, that one stands and ours is dropped.
        """

    def keys(self) -> Iterator[Key]:
        """All keys, sorted."""

    def resolve(self, prefix: str) -> Key:
        """The key that begins so; the kind and its dash may be left out.

        Raises
        ------
        MissingArtifact
            If no key begins so.
        UsageError
            If several do.
        """

    def verify(self, key: Key) -> None:
        """Check all bytes of an artifact.

        Raises
        ------
        MissingArtifact, DamagedArtifact
        """

    def discard(self, key: Key) -> None:
        """Set a damaged artifact aside, so that it can be made again."""

    def remove(self, key: Key) -> None:
        """Delete an artifact.

        Raises
        ------
        MissingArtifact
        """

    def find_intervals(self, names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals (16-byte names) some artifact of the store holds."""

    def add_intervals(self, key: Key, names: Sequence[bytes], edges: Sequence[int]) -> None:
        """Index the intervals of an artifact: the rows of names[i] are edges[i]..edges[i+1]."""

    def remember(self, directory: str, key: Key) -> None:
        """Note the document embedded last from a directory."""

    def last(self, directory: str) -> Key | None:
        """The key that was noted last for a directory."""


class Plotter(Protocol):
    """Draws a figure."""

    def draw(self, figure: Figure, file_format: str) -> bytes:
        """The picture's file, ``png`` or ``svg``; the same bytes for the same figure."""


class ChunkTable(Protocol):
    """Takes chunks, document by document, into one table."""

    def add(self, chunks: Sequence[Chunk], vectors: NDArray[np.float32] | None = None) -> None:
        """Write the chunks of a document, and their vectors (n, dim); all documents have them, or none."""

    def close(self) -> None:
        """Finish the table."""


class Progress(Protocol):
    """Told how far a long step has come."""

    def __call__(self, done: int, total: int) -> None: ...


def no_progress(done: int, total: int) -> None:
    """A Progress that tells nobody."""


def no_warning(message: str) -> None:
    """A Warn that tells nobody."""
