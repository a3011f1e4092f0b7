"""The three calls that most programs need; `vchunk.Session` is behind them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from vchunk.doc import Chunks, Doc
from vchunk.domain.document import Source
from vchunk.domain.errors import UsageError
from vchunk.session import Session

_MEDIA_FORMATS = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "application/pdf": "pdf",
    "text/vtt": "vtt",
    "application/x-subrip": "srt",
}


def read(source: str | PathLike[str] | bytes, *, media_type: str | None = None, **reading: Any) -> Doc:
    """Read a document without encoding it: enough for ``method="structure"``.

    Parameters are those of `embed`.
    """
    given, reading = _source(source, media_type, reading)
    return Session().read(given, **reading)


def embed(
    source: str | PathLike[str] | bytes,
    *,
    media_type: str | None = None,
    session: Session | None = None,
    **reading: Any,
) -> Doc:
    """Read a document and encode it once; a second call finds it in the store.

    Parameters
    ----------
    source : path, str or bytes
        A path; a str that holds a line break or is no existing file and has white space in it is
        taken for the text itself; bytes are a file's content.
    media_type : str, optional
        Of text or bytes: ``text/plain``, ``text/markdown``, ``application/pdf``, ``text/vtt`` or
        ``application/x-subrip``.
    session : Session, optional
        With adapters of your own.
    **reading
        ``input_format``, ``password``, ``encoding``, ``numbered_headings``, ``keep`` as on the command
        line.

    Raises
    ------
    ReadError
        If the source gives no document.
    """
    given, reading = _source(source, media_type, reading)
    return (session or Session()).embed(given, **reading)


def chunk(source: str | PathLike[str] | bytes, *, media_type: str | None = None, **wanted: Any) -> Chunks:
    """Embed a document and cut it: ``embed(source).chunks(**wanted)``."""
    if wanted.get("method") == "structure":
        return read(source, media_type=media_type).chunks(**wanted)
    return embed(source, media_type=media_type).chunks(**wanted)


def _source(
    source: str | PathLike[str] | bytes, media_type: str | None, reading: dict[str, Any]
) -> tuple[str | Path | Source, dict[str, Any]]:
    if media_type is not None:
        if media_type not in _MEDIA_FORMATS:
            raise UsageError(f"media_type {media_type}: choose from {', '.join(_MEDIA_FORMATS)}")
        reading = {"input_format": _MEDIA_FORMATS[media_type], **reading}
    if isinstance(source, bytes):
        return Source("<bytes>", source, media_type), reading
    if isinstance(source, str) and _is_text(source):
        # As bytes and back: text and files take the same way in.
        return Source("<text>", source.encode("utf-8", "replace"), media_type), {"input_format": "text", **reading}
    return Path(source), reading


def _is_text(source: str) -> bool:
    if "\n" in source or "\r" in source or len(source) > 1024 or not source:
        return True
    return any(c.isspace() for c in source) and not Path(source).exists()
