"""Turning arguments into documents: keys, files, standard input, or the last one embedded here."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vchunk.adapters.readers.folders import Selection
from vchunk.cli.options import Common, Encoding, Reading, check_choice
from vchunk.cli.terminal import ProgressBar, say, warner
from vchunk.domain.document import Source
from vchunk.domain.errors import MissingArtifact, ModelError, ReadError, StoreError, UsageError, VchunkError
from vchunk.domain.keys import Key, looks_like_key
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from vchunk.doc import Doc
    from vchunk.domain.ports import Encoder
    from vchunk.session import Session

T = TypeVar("T")

STDIN = "-"
_WILD = "*?["


@dataclass
class Workplace:
    """A session with what the options of a command say about reading and encoding."""

    session: Session
    quiet: bool = False
    reading: dict[str, Any] = field(default_factory=dict)
    keep: str = "vectors"
    windows: str = "full"
    selection: Selection = field(default_factory=Selection)
    outputs: tuple[Path, ...] = ()
    """Files that the command will write: they are read as no source."""
    failed: bool = False
    current: str = ""
    """The reference whose document is at work."""

    @property
    def name(self) -> str:
        """What the document at work is called in messages."""
        return _readable(self.current)

    @property
    def label(self) -> str:
        """What the document at work is called beside a progress bar."""
        return _short(self.current)

    def embed(self, names: Sequence[str], note: bool = True) -> Iterator[Doc]:
        """Read and embed sources, in order; one that fails is named, and the others go on.

        Each is noted as the last one of this directory, unless ``note`` is False. Sources are read
        before their turn, while others are encoded.
        """
        sources = map(source_of, names)
        how = {"keep": self.keep, "windows": self.windows, **self.reading}
        with closing(self.session.embed_all(sources, **how)) as coming:
            for name, one in zip(names, coming, strict=True):
                self.current = name
                with ProgressBar(self.label, self.quiet) as self.session.progress:
                    doc = self.attempt(one.result)
                if doc is None:
                    continue
                if note and doc.embedding is not None:
                    self._remember(doc.embedding.key)
                yield doc

    def _remember(self, key: Key) -> None:
        """Note the last document of this directory; a store that is only read keeps no notes."""
        here = _here()
        with contextlib.suppress(StoreError):
            if here is not None and self.session.store.last(here) != key:
                self.session.store.remember(here, key)

    def read(self, name: str) -> Doc:
        """Read a source without encoding it."""
        return self.session.read(source_of(name), **self.reading)

    def each(self, names: Sequence[str], get: Callable[[str], Doc]) -> Iterator[Doc]:
        """The documents of some references; one that fails is named, and the others go on."""
        for name in names:
            self.current = name
            doc = self.attempt(partial(get, name))
            if doc is not None:
                yield doc

    def attempt(self, make: Callable[[], T]) -> T | None:
        """What a step makes, or None after its failure was named."""
        try:
            return make()
        except UsageError:
            raise
        except VchunkError as error:
            said = str(error)
            if said.startswith(f"{STDIN}: "):
                said = f"{_readable(STDIN)}{said[len(STDIN) :]}"
            if self.current not in said and self.name not in said and not isinstance(error, ModelError):
                said = f"{self.name}: {said}"
            say(f"error: {said}")
            self.failed = True
            return None

    def documents(self, refs: Sequence[str], encode: bool = True) -> Iterator[Doc]:
        """The documents that REF arguments name.

        Without any, keys come from standard input where that is a pipe or a file; else it is the
        last document embedded from this directory.
        """
        if not refs:
            refs = keys_on_stdin() if stdin_is_given() else [str(self._last())]
        return self._documents(self.sources(refs, keep_keys=True), encode)

    def _documents(self, refs: Sequence[str], encode: bool) -> Iterator[Doc]:
        for stored, group in groupby(refs, _is_key):
            names = list(group)
            if stored:
                yield from self.each(names, lambda ref: self._open(ref, encode))
            else:
                yield from self.embed(names) if encode else self.each(names, self.read)

    def sources(self, names: Sequence[str], keep_keys: bool = False) -> list[str]:
        """The files that arguments name; one that names none is told, and the others go on.

        A file that the command will write is left out of folders and patterns.

        Raises
        ------
        UsageError
            If it is named itself, or standard input twice.
        """
        if list(names).count(STDIN) > 1:
            raise UsageError(f"{STDIN} is given {list(names).count(STDIN)} times: standard input can be read once")
        out: list[str] = []
        for name in names:
            self.current = name
            self.spare(name)
            found, said = self.attempt(partial(expand, [name], self.selection, keep_keys)) or ([], [])
            out += [file for file in found if not self._is_output(file)]
            for line in said if not self.quiet else ():
                say(line)
        return out

    def spare(self, name: str | Path) -> None:
        """Refuse a file that is read and that the command would write over.

        Raises
        ------
        UsageError
        """
        if self._is_output(name):
            raise UsageError(f"{name}: is read, and the output would take its place; name another file to write")

    def _is_output(self, name: str | Path) -> bool:
        return any(same_file(name, output) for output in self.outputs)

    def _open(self, ref: str, encode: bool) -> Doc:
        doc = self.session.open(ref)
        if encode and doc.embedding is None:
            with ProgressBar(_short(ref), self.quiet) as bar:
                self.session.progress = bar
                return self.session.embed_document(doc.document, doc.key, keep=self.keep, windows=self.windows)
        return doc

    def _last(self) -> Key:
        here = _here()
        key = None if here is None else self.session.store.last(here)
        if key is None or key not in self.session.store:
            raise MissingArtifact(
                "no document has been embedded from this directory: name one, or run vchunk embed first"
            )
        return key


def workplace(
    common: Common, reading: Reading, encoding: Encoding | None = None, *outputs: Path | None
) -> Workplace:
    """A workplace for the options of a command, those of encoding by default; loads nothing yet.

    ``outputs`` are the files that the command will write.
    """
    from vchunk import wiring
    from vchunk.domain.embedding import KEEPS
    from vchunk.domain.windows import PLANS
    from vchunk.session import Session

    encoding = encoding or Encoding()
    check_choice("--keep", encoding.keep, KEEPS)
    check_choice("--windows", encoding.windows, PLANS)
    if not encoding.encoder:
        raise UsageError("--encoder: give minilm, a folder or a name")
    warn = warner(common.quiet)
    store = wiring.make_store(common.store, warn)
    session = Session(encoder=lambda: make_encoder(encoding, wiring.models_of(store)), store=store, warn=warn)
    how = asdict(reading)
    selection = Selection(how.pop("include") or (), how.pop("exclude") or ())
    files = tuple(path for path in outputs if path is not None)
    return Workplace(session, common.quiet, how, encoding.keep, encoding.windows, selection, files)


def make_encoder(encoding: Encoding, cache: Path | None = None) -> Encoder:
    """The encoder that the options of a command name; see `wiring.make_encoder`."""
    from vchunk import wiring

    return wiring.make_encoder(
        encoding.encoder,
        device=encoding.device,
        dtype=encoding.dtype,
        engine=encoding.engine,
        compile=encoding.compile,
        prefix=encoding.prefix,
        window=encoding.window,
        cache=cache,
    )


def _is_key(ref: str) -> bool:
    """Whether a reference names what is in the store; a file of that name comes first."""
    return ref != STDIN and looks_like_key(ref) and not Path(ref).exists()


def _here() -> str | None:
    """The directory that we are in, unless it was deleted."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


def stdin_is_given() -> bool:
    """Whether standard input is a pipe or a file: something that was put there for us."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return not stat.S_ISCHR(mode)


def keys_on_stdin() -> list[str]:
    """The keys on standard input, one a line, or the records of ``embed --format json``.

    Raises
    ------
    MissingArtifact
        If there are none.
    UsageError
        If a line is no key.
    """
    lines = sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
    keys = [_key_of(line.strip()) for line in lines if line.strip()]
    if not keys:
        raise MissingArtifact("no key on standard input: the command in front gave none; name a document instead")
    return keys


def _key_of(line: str) -> str:
    found: object = line
    if line.startswith("{"):
        try:
            found = json.loads(line).get("key", "")
        except ValueError:
            found = ""
    if isinstance(found, str) and looks_like_key(found):
        return found
    shown = line if len(line) <= 60 else f"{line[:57]}..."
    raise UsageError(f"standard input: {shown!r} is no key; to read text from standard input give - as argument")


def source_of(name: str) -> str | Source:
    """A path, or the bytes on standard input for ``-``."""
    return Source(STDIN, sys.stdin.buffer.read()) if name == STDIN else name


def expand(names: Sequence[str], selection: Selection, keep_keys: bool = False) -> tuple[list[str], list[str]]:
    """Files for folders and glob patterns, everything else as it is; and what to say of files left out.

    Raises
    ------
    ReadError
        If a folder or a pattern gives no document.
    """
    from vchunk.adapters.readers.folders import below, matching

    out: list[str] = []
    said: list[str] = []
    for name in names:
        path = Path(name)
        if name == STDIN or (keep_keys and looks_like_key(name) and not path.exists()):
            out.append(name)
            continue
        if path.is_dir():
            found = below(path, selection)
        elif any(c in name for c in _WILD) and not path.exists():
            found = matching([f for f in glob.glob(name, recursive=True) if not Path(f).is_dir()], selection)  # noqa: PTH207
        else:
            out.append(name)
            continue
        left_out = found.describe()
        if not found.files:
            what = "no document in this folder" if path.is_dir() else "no file matches"
            raise ReadError(f"{name}: {what}{f' (left out: {left_out})' if left_out else ''}")
        if left_out:
            said.append(f"{name}: {counted(len(found.files), 'file')}; left out: {left_out}")
        out += found.files
    return out, said


def same_file(one: str | Path, other: Path) -> bool:
    """Whether two names lead to one regular file that exists."""
    try:
        return other.is_file() and other.samefile(one)
    except (OSError, ValueError):
        return False


def _readable(name: str) -> str:
    return "standard input" if name == STDIN else name


def _short(name: str) -> str:
    shown = _readable(name if name == STDIN else Path(name).name)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
