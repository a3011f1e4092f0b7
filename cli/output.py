"""Data: what goes to standard output or to a file."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from vchunk.cli.options import check_format
from vchunk.domain.errors import UsageError, VchunkError

STANDARD = Path("-")
"""As the name of a file: standard output."""


class WriteError(VchunkError, OSError):
    """The output cannot be written."""


def to_terminal(path: Path | None) -> bool:
    """Whether data goes to a terminal, and so to a person."""
    return (path is None or path == STANDARD) and sys.stdout is not None and sys.stdout.isatty()


def choose_format(given: str | None, path: Path | None, choices: Sequence[str]) -> str:
    """The format that is asked for; else the first on a terminal, the second elsewhere.

    Raises
    ------
    UsageError
        For a format that is no choice.
    """
    return check_format(given or choices[0 if to_terminal(path) else 1], choices)


def json_line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON, without NaN; UTF-8 except for lone surrogates, which are escaped."""
    line = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    if line.isascii():
        return line
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(record, ensure_ascii=True, allow_nan=False)
    return line


@contextmanager
def open_output(path: Path | None, option: str = "--output") -> Iterator[IO[bytes]]:
    """Where data goes: standard output, or a file that appears whole when the block ends.

    ``option`` is what named the file, for messages.

    Raises
    ------
    WriteError
    """
    if path is None or path == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder; name a file")
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:  # a device or a pipe
            yield stream
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise WriteError(f"{option} {path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_lines(stream: IO[bytes], lines: Iterator[str]) -> None:
    """Text lines as UTF-8."""
    for line in lines:
        stream.write(line.encode() + b"\n")
