"""The composition root: which adapter stands behind each port.

Nothing is loaded before it is needed: building a session imports neither torch nor zarr.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from vchunk.domain.errors import ModelError, UsageError

if TYPE_CHECKING:
    from vchunk.adapters.encoders.tokenizer import HfTokenizer
    from vchunk.adapters.stores.zarr_store import ZarrStore
    from vchunk.domain.constants import EncoderConstants
    from vchunk.domain.document import Source
    from vchunk.domain.ports import (
        BlockGrammar,
        ChunkTable,
        Encoder,
        EncoderIdentity,
        Hasher,
        Plotter,
        Reader,
        SentenceSplitter,
        Snapper,
        Store,
        Tokenizer,
        Warn,
    )

DEFAULT_ENCODER = "minilm"
SNAPPERS = ("sentences", "chonky")
STORE_FOLDER = ".vchunk"


def default_store(directory: Path | None = None) -> Path:
    """Where the store is: ``VCHUNK_STORE``, else ``.vchunk`` here or in a parent, else the user's cache."""
    if given := os.environ.get("VCHUNK_STORE"):
        return Path(given).expanduser()
    here = (directory or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / STORE_FOLDER).is_dir():
            return folder / STORE_FOLDER
    return _user_cache() / "vchunk"


def _user_cache() -> Path:
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~\\AppData\\Local")).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path("~/.cache").expanduser()


def make_hasher() -> Hasher:
    """xxh3-128."""
    from vchunk.adapters.hashing import Xxh3Hasher

    return Xxh3Hasher()


def one_blas_thread() -> AbstractContextManager[None]:
    """A block whose matrix products take one thread."""
    from vchunk.adapters.blas import one_blas_thread as limited

    return limited()


def make_store(root: Path | None = None, warn: Warn | None = None) -> ZarrStore:
    """The store in a directory, which its first write makes."""
    from vchunk.adapters.stores.zarr_store import ZarrStore

    root = default_store() if root is None else root.expanduser()
    if root.exists() and not root.is_dir():
        raise UsageError(f"--store {root}: is a file; name a directory")
    return ZarrStore(root, make_hasher(), *([warn] if warn else []))


def make_encoder(
    model: str | Path = DEFAULT_ENCODER,
    *,
    device: str = "auto",
    dtype: str = "auto",
    engine: str = "auto",
    compile: bool = False,
    prefix: str = "",
    window: int | None = None,
    cache: Path | None = None,
) -> Encoder:
    """A Hugging Face encoder; see `HuggingFaceEncoder`."""
    from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder

    return HuggingFaceEncoder(
        model,
        device=device,
        dtype=dtype,
        engine=engine,
        compile=compile,
        prefix=prefix,
        window=window,
        cache=cache,
    )


def usable_cpus() -> int:
    """How many processors this process may use; the encoder has a stream for each."""
    from vchunk.adapters.encoders.torch_device import usable_cpus as count

    return count()


def models_of(store: Store) -> Path | None:
    """The folder of a store that keeps what engines make of models; None where it has none."""
    return getattr(store, "models", None)


def make_tokenizer() -> HfTokenizer:
    """The bundled encoder's tokenizer, in which sizes are counted where nothing is encoded."""
    from vchunk.adapters.encoders.weights import find_model

    return find_model(DEFAULT_ENCODER).tokenizer


def make_counter(name: str) -> Tokenizer:
    """What counts sizes: ``chars``, or a ``tokenizer.json``, called by its folder or file.

    Raises
    ------
    UsageError
        If there is no such file, or it is no tokenizer.
    """
    if name == "chars":
        from vchunk.domain.sizes import Characters

        return Characters()
    from vchunk.adapters.encoders.tokenizer import HfTokenizer

    path = Path(name)
    called = path.parent.name if path.name == "tokenizer.json" and path.parent.name else path.stem
    try:
        tokenizer = HfTokenizer.from_file(path, called)
        tokenizer.tokenize("")
        tokenizer.count("a")
    except ModelError as error:
        if not path.is_file():
            what = "is a folder, name the file in it" if path.is_dir() else "there is no such file"
            raise UsageError(f"--size-in {name}: {what}; choose tokens, chars or a tokenizer.json") from error
        raise UsageError(f"--size-in {name}: {error}") from error
    return tokenizer


def load_tokenizer(data: bytes, name: str) -> HfTokenizer:
    """A tokenizer from its JSON."""
    from vchunk.adapters.encoders.tokenizer import HfTokenizer

    return HfTokenizer.from_bytes(data, name)


def make_cl100k() -> Tokenizer:
    """The tokens of cl100k_base, in which Chroma's framework and OpenAI's models count; extra ``eval``."""
    from vchunk.adapters.encoders.tiktoken_tokenizer import TiktokenTokenizer

    return TiktokenTokenizer("cl100k_base")


def make_splitter() -> SentenceSplitter:
    """sentencex."""
    from vchunk.adapters.snappers.sentences import SentencexSplitter

    return SentencexSplitter()


def make_grammar() -> BlockGrammar:
    """Divides blocks over the limit: code by syntax tree where the extra ``code`` is installed."""
    from vchunk.adapters.grammars.tree_sitter import TreeSitterGrammar
    from vchunk.domain.grammar import FirstOf

    return FirstOf([TreeSitterGrammar()])


def make_snapper(name: str, *, device: str = "auto") -> Snapper | None:
    """The snapper of a name: ``sentences`` (None: every boundary counts), ``chonky``, ``chonky:MODEL``.

    Raises
    ------
    UsageError
    """
    kind, _, model = name.partition(":")
    if name == "sentences":
        return None
    if kind != "chonky" or name == "chonky:":
        raise UsageError(f"--snapper {name}: choose from {', '.join(SNAPPERS)}, chonky:MODEL_OR_FOLDER")
    from vchunk.adapters.snappers.chonky import ChonkySnapper

    return ChonkySnapper(model, device=device) if model else ChonkySnapper(device=device)


def make_plotter(colour: str = "chunk", projection: str = "pca", warn: Warn | None = None) -> Plotter:
    """matplotlib; see `MatplotlibPlotter`."""
    from vchunk.adapters.plots.matplotlib_plots import MatplotlibPlotter
    from vchunk.domain.ports import no_warning

    return MatplotlibPlotter(colour=colour, projection=projection, warn=warn or no_warning)


def make_table(stream: IO[bytes]) -> ChunkTable:
    """Parquet, which needs the extra ``parquet``."""
    from vchunk.adapters.tables.parquet import ParquetTable

    return ParquetTable(stream)


def choose_reader(source: Source, input_format: str | None = None, **opening: Any) -> Reader:
    """The reader for a source, by content first and ending second; see `Opening` for what may be said."""
    from vchunk.adapters.readers.formats import Opening
    from vchunk.adapters.readers.registry import reader_for

    return reader_for(source, input_format, Opening(**opening))


def media_types() -> dict[str, str]:
    """The name of the format of each media type that can be read."""
    from vchunk.adapters.readers.formats import FORMATS

    return {media_type: known.name for known in FORMATS for media_type in known.media_types}


def shipped_constants(identity: EncoderIdentity, plan: str) -> EncoderConstants | None:
    """Constants measured for a known encoder with the windows of a plan of this name."""
    from vchunk.adapters.encoders.constants import measured_constants

    return measured_constants(identity, plan)
