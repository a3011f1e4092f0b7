"""The artifact store on disk.

::

    objects/<kind>/<aa>/<key>/   one artifact: a zarr v3 group, read-only, published by one rename
    tmp/                         artifacts in the making; of use to nobody but their writer
    damaged/                     artifacts set aside
    last/                        the document embedded last, by directory
    models/                      what engines make of models; may be deleted at any time
    intervals.sqlite             an index that may be deleted at any time

The group's attributes are those of the artifact and, under ``vchunk_store``, a digest of every file
below the group and one of the attributes themselves, with the key among its parts.

Nothing here imports zarr before an array is written or read.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vchunk.adapters.hashing import Xxh3Hasher, named_digest
from vchunk.adapters.stores import files
from vchunk.adapters.stores.drafts import Draft, Slab, encode_json
from vchunk.adapters.stores.intervals import IntervalIndex, triples
from vchunk.adapters.stores.prefixes import choose, missing, split_prefix
from vchunk.adapters.stores.shards import METADATA, LazyArray, ShardWriter
from vchunk.domain.errors import DamagedArtifact, StoreError
from vchunk.domain.keys import KINDS, Key
from vchunk.domain.ports import Artifact, Hasher, StoredInterval, Warn, no_warning

FORMAT = 2
_READABLE = (1, FORMAT)  # in format 1 short arrays have shards too
_HEADER = "vchunk_store"
_DAY = 86_400.0


class ZarrStore:
    """Keeps artifacts as zarr v3 groups in a directory, which the first write makes.

    Parameters
    ----------
    root
        The store's directory.
    hasher
        For digests of files and names of notes; xxh3-128 where none is given.
    warn
        Told when the index of intervals cannot be used.
    """

    def __init__(self, root: Path, hasher: Hasher | None = None, warn: Warn = no_warning) -> None:
        self.root = Path(root).absolute()
        self._hasher = hasher or Xxh3Hasher()
        self._index = IntervalIndex(self.root / "intervals.sqlite", self, warn)
        self._condemned: dict[Key, tuple[int, int]] = {}

    @property
    def models(self) -> Path:
        """The folder for what engines make of models; it need not be there."""
        return self.root / "models"

    def path(self, key: Key) -> Path:
        """Where an artifact lies, or would lie."""
        return self.root / "objects" / key.kind / key.digest[:2] / str(key)

    def __contains__(self, key: Key) -> bool:
        return os.path.lexists(self.path(key))

    # Reading

    def read(self, key: Key) -> Artifact:
        """The artifact; each shard is checked against its digest when its rows are read.

        Raises
        ------
        MissingArtifact
            If the store does not hold it.
        DamagedArtifact
            If it is not what was written; reading its arrays may raise this later.
        """
        attributes, digests = self._header(key)
        names = (name for name, slash, rest in (path.partition("/") for path in digests) if rest == METADATA)
        return Artifact(key, attributes, {name: LazyArray(self._loader(key, name, digests)) for name in names})

    def verify(self, key: Key) -> None:
        """Check every file of an artifact; raises MissingArtifact or DamagedArtifact."""
        _, digests = self._header(key)
        for path in digests:
            self._load(key, digests, path)

    def _loader(self, key: Key, name: str, digests: Mapping[str, str]) -> Any:
        return lambda path: self._load(key, digests, f"{name}/{path}")

    def _load(self, key: Key, digests: Mapping[str, str], path: str) -> bytes:
        """The bytes of a file of an artifact, if they are what was written."""
        data = self._bytes(key, path)
        self._check(key, path, digests.get(path), data)
        return data

    def _header(self, key: Key) -> tuple[dict[str, Any], dict[str, str]]:
        """The attributes of an artifact and the digests of its files."""
        data = self._bytes(key, METADATA)
        try:
            group = json.loads(data)
            attributes = group["attributes"]
            header = attributes.pop(_HEADER)
            form, digests, recorded = header["format"], header["files"], header["digest"]
            if (group["zarr_format"], group["node_type"]) != (3, "group"):
                raise ValueError(METADATA)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self._damaged(key, f"{METADATA} cannot be read") from None
        self._check(key, METADATA, recorded, *_own_parts(key, attributes, form, digests))
        if form not in _READABLE:
            raise StoreError(f"{key} in the store {self.root} is of format {form}: update vchunk to read it")
        return attributes, digests

    def _check(self, key: Key, path: str, recorded: str | None, *parts: bytes) -> None:
        if recorded != named_digest(self._hasher, *parts):
            raise self._damaged(key, f"{path} is not what was written")

    def _bytes(self, key: Key, path: str) -> bytes:
        try:
            return (self.path(key) / path).read_bytes()
        except PermissionError as error:
            raise self._unusable("read", error) from error
        except OSError as error:
            if key not in self:
                raise missing(str(key), str(self.root)) from None
            raise self._damaged(key, f"{path}: {error.strerror}") from error

    def _damaged(self, key: Key, what: str) -> DamagedArtifact:
        self._condemned[key] = _identity(self.path(key))
        return DamagedArtifact(
            f"{key} in the store {self.root} is damaged ({what}): embed its source again to replace it"
        )

    # Writing

    @contextmanager
    def write(self, key: Key) -> Iterator[Draft]:
        """Build an artifact in ``tmp``; it is published when the block ends without an error.

        Raises
        ------
        StoreError
            If the store cannot be written, or an array did not get the rows it was announced with.
        """
        work = self.root / "tmp" / f"{key}.{os.getpid()}.{uuid.uuid4().hex}"
        digests: dict[str, str] = {}

        def put(name: str, path: str, data: bytes) -> None:
            target = work / name / path
            with self._writing():
                target.parent.mkdir(parents=True, exist_ok=True)
                files.write_read_only(target, data)
            digests[f"{name}/{path}"] = named_digest(self._hasher, data)

        def begin(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Slab:
            return ShardWriter(shape, dtype, partial(put, name))

        try:
            with self._writing():
                files.make_directories(work.parent)
                work.mkdir()
            draft = Draft(key, begin)
            yield draft
            attributes = draft.finish()
            with self._writing():
                self._write_header(work, key, attributes, digests)
                self._publish(work, key)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _write_header(self, work: Path, key: Key, attributes: dict[str, Any], digests: dict[str, str]) -> None:
        if _HEADER in attributes:
            raise ValueError(f"the attribute {_HEADER!r} of {key} is the store's own")
        own = named_digest(self._hasher, *_own_parts(key, attributes, FORMAT, digests))
        header = {"format": FORMAT, "files": digests, "digest": own}
        group = {"zarr_format": 3, "node_type": "group", "attributes": {**attributes, _HEADER: header}}
        files.write_read_only(work / METADATA, encode_json(group))

    def _publish(self, work: Path, key: Key) -> None:
        """Move a finished artifact to its place; one that is there already stands."""
        files.sync_tree(work)
        target = self.path(key)
        files.make_directories(target.parent)
        try:
            work.rename(target)
        except OSError:
            if not target.is_dir():
                raise
            return
        files.sync_directory(target.parent)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Tell of an unwritable store or a full disk in one line."""
        try:
            yield
        except StoreError:
            raise
        except OSError as error:
            raise self._unusable("write", error) from error

    def _unusable(self, verb: str, error: OSError) -> StoreError:
        return StoreError(
            f"cannot {verb} the store {self.root} ({error.strerror or error}): "
            "mend that, or name another store with --store or VCHUNK_STORE"
        )

    # Housekeeping

    def keys(self) -> Iterator[Key]:
        """All keys, sorted."""
        return iter(sorted(self._listed(KINDS, "")))

    def resolve(self, prefix: str) -> Key:
        """The key that begins so; the kind and its dash may be left out.

        Raises
        ------
        MissingArtifact
            If no key begins so.
        UsageError
            If several do; it names them.
        """
        kinds, digits = split_prefix(prefix) or ((), "")
        return choose(prefix, sorted(self._listed(kinds, digits)), str(self.root))

    def _listed(self, kinds: Sequence[str], digits: str) -> Iterator[Key]:
        for kind in kinds:
            top = self.root / "objects" / kind
            for fan in self._names(top):
                if fan.startswith(digits[:2]):
                    found = (Key.parse(name) for name in self._names(top / fan))
                    yield from (k for k in found if k and k.kind == kind and k.digest.startswith(digits))

    def _names(self, folder: Path) -> list[str]:
        try:
            return [path.name for path in folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unusable("read", error) from error

    def size(self, key: Key) -> int:
        """Bytes of the artifact's files."""
        self._require(key)
        return files.tree_size(self.path(key))

    def modified(self, key: Key) -> float:
        """When the artifact was written, in seconds since the epoch."""
        self._require(key)
        return self.path(key).stat().st_mtime

    def _require(self, key: Key) -> None:
        if key not in self:
            raise missing(str(key), str(self.root))

    def discard(self, key: Key) -> None:
        """Move an artifact to ``damaged``, so that it can be made again.

        Nothing happens where there is none, or where another process has replaced the one that
        was found damaged here.
        """
        path = self.path(key)
        condemned = self._condemned.pop(key, None)
        if key not in self or (condemned is not None and condemned != _identity(path)):
            return
        with self._writing():
            aside = self.root / "damaged"
            files.make_directories(aside)
            path.rename(aside / f"{key}.{uuid.uuid4().hex[:8]}")
            files.sync_directory(path.parent)

    def remove(self, key: Key) -> None:
        """Delete an artifact for good; a reader of it may find it damaged."""
        self._require(key)
        with self._writing():
            doomed = self.root / "tmp" / f"{key}.{os.getpid()}.{uuid.uuid4().hex}"
            files.make_directories(doomed.parent)
            self.path(key).rename(doomed)
            shutil.rmtree(doomed)

    def leftovers(self, older_than: float = _DAY) -> list[Path]:
        """What killed writers left in ``tmp``, untouched for so many seconds, and all in ``damaged``."""
        now = time.time()
        partial_work = [self.root / "tmp" / name for name in self._names(self.root / "tmp")]
        stale = [path for path in partial_work if now - _touched(path) > older_than]
        return sorted(stale) + sorted(self.root / "damaged" / name for name in self._names(self.root / "damaged"))

    # Intervals and notes

    def find_intervals(self, names: Sequence[bytes]) -> dict[bytes, StoredInterval]:
        """Which of these intervals (16-byte names) some artifact of the store holds."""
        if not names or not (self.root / "objects").is_dir():
            return {}
        return self._index.find(names)

    def add_intervals(self, key: Key, names: Sequence[bytes], edges: Sequence[int]) -> None:
        """Index the intervals of an artifact: the rows of names[i] are edges[i]..edges[i+1]."""
        intervals = triples(names, edges)
        if key in self:
            self._index.add(key, intervals)

    def remember(self, directory: str, key: Key) -> None:
        """Note the document embedded last from a directory."""
        path, directory = self._note(directory)
        with self._writing():
            files.make_directories(path.parent)
            files.replace_file(path, encode_json({"directory": directory, "key": str(key)}))

    def last(self, directory: str) -> Key | None:
        """The key that was noted last for a directory; the artifact may be gone."""
        path, directory = self._note(directory)
        try:
            note = json.loads(path.read_bytes())
            return Key.parse(note["key"]) if note["directory"] == directory else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _note(self, directory: str) -> tuple[Path, str]:
        absolute = str(Path(directory).resolve())
        name = self._hasher.digest([absolute.encode("utf-8", "surrogatepass")]).hex()
        return self.root / "last" / f"{name}.json", absolute


def _own_parts(key: Key, attributes: Any, form: Any, digests: Any) -> tuple[bytes, ...]:
    """What the digest of a group covers: its name too, so that none can pass for another."""
    return str(key).encode(), encode_json(attributes), encode_json(form), encode_json(digests)


def _identity(path: Path) -> tuple[int, int]:
    """Tells a directory from another that takes its place."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_ino, status.st_ctime_ns)


def _touched(path: Path) -> float:
    """When anything was last made below a directory; now, where it is just going away."""
    try:
        return max(Path(folder).stat().st_mtime for folder, _, _ in os.walk(path))
    except (OSError, ValueError):
        return time.time()
