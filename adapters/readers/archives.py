"""Archives: ZIP and gzip, read with an eye on what a small file may claim to unfold to."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError

MOST_BYTES = 128 << 20
"""What is unfolded of one source at most, in bytes."""
_STEP = 1 << 20


class ZipArchive:
    """The members of a ZIP archive, by name.

    Raises
    ------
    ReadError
        If the bytes are no ZIP archive, are damaged, or unfold to more than `MOST_BYTES` in all.
    """

    def __init__(self, source: Source, what: str) -> None:
        self._name = source.name
        self._what = what
        self._left = MOST_BYTES
        if not source.data.startswith(b"PK"):
            raise ReadError(f"{source.name}: not {what} (no ZIP archive)")
        with self._damage():
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
        self._names = {name.lower(): name for name in self._zip.namelist()}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._names

    def names(self) -> list[str]:
        """The names of all members, in their order."""
        return self._zip.namelist()

    def read(self, name: str) -> bytes:
        """The bytes of a member; letters of either case name it, as on Windows.

        Raises
        ------
        ReadError
            Also if there is no such member.
        """
        stored = self._names.get(name.lower())
        if stored is None:
            raise ReadError(f"{self._name}: {self._what} without {name}: it is damaged")
        with self._damage(), self._zip.open(stored) as member:
            data = member.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._name)
        return data

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError:
            raise ReadError(f"{self._name}: {self._what} that is encrypted; save it without a password") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, MemoryError):
            raise ReadError(f"{self._name}: {self._what} that is damaged or cut off") from None
        except NotImplementedError as error:
            raise ReadError(f"{self._name}: {self._what} in a form that is not read ({error})") from None


def zip_names(data: bytes) -> list[str]:
    """The names in a ZIP archive; none where the bytes are none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, OverflowError):
        return []


def is_gzip(data: bytes) -> bool:
    """Whether bytes begin as a gzip file does."""
    return data.startswith(b"\x1f\x8b\x08")


def gunzip(source: Source) -> Source:
    """What a gzip file holds, under its name without ``.gz``.

    Raises
    ------
    ReadError
        If it is damaged, cut off, or unfolds to more than `MOST_BYTES`.
    """
    parts: list[bytes] = []
    size, rest = 0, source.data
    try:
        while rest:  # a gzip file may have several members
            unzip = zlib.decompressobj(wbits=31)
            while not unzip.eof:
                part = unzip.decompress(rest, _STEP)
                rest = unzip.unconsumed_tail
                size += len(part)
                parts.append(part)
                if size > MOST_BYTES:
                    raise _too_large(source.name)
                if not part and not rest and not unzip.eof:
                    raise ReadError(f"{source.name}: a gzip file that is cut off")
            rest = unzip.unused_data.lstrip(b"\0")
    except zlib.error:
        raise ReadError(f"{source.name}: a gzip file that is damaged") from None
    name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
    return Source(name, b"".join(parts))


def _too_large(name: str) -> ReadError:
    return ReadError(
        f"{name}: unfolds to more than {MOST_BYTES >> 20} MiB, so it is not opened; unpack it yourself"
    )
