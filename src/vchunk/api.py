"""The calls that most programs need; `vchunk.Session` is behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk import wiring
from vchunk.chunks import Chunks
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.domain.errors import UsageError
from vchunk.session import Session

_READING = {"input_format", "password", "ocr_command", "encoding", "numbered_headings", "text_field"}
_ENCODING = {"keep", "windows"}

Given = str | PathLike[str] | bytes | dict[str, Any] | list[Any]
"""What a document may be given as."""


def read(source: Given, *, media_type: str | None = None, **reading: Any) -> Doc:
    """Read a document without encoding it: enough for ``method="structure"``.

    Parameters are those of `embed`.
    """
    _check_options(reading, _READING)
    given, reading = _source(source, media_type, reading)
    return Session().read(given, **reading)


def embed(
    source: Given,
    *,
    media_type: str | None = None,
    session: Session | None = None,
    **reading: Any,
) -> Doc:
    """Read a document and encode it once; a second call finds it in the store.

    Parameters
    ----------
    source : path, str, bytes, dict or list
        A path; a str that holds a line break, or white space and neither an ending like ``.md`` nor
        the name of a file, is taken for the text itself; bytes are a file's content, a dict or list
        that of a parser's JSON.
    media_type : str, optional
        Of text or bytes: ``text/plain``, ``text/markdown``, ``text/html``, ``application/pdf``,
        ``application/json`` and the others that ``vchunk formats`` lists.
    session : Session, optional
        With adapters of your own.
    **reading
        ``input_format``, ``password``, ``ocr_command``, ``encoding``, ``numbered_headings``, ``text_field``,
        ``keep``, ``windows`` as on the command line.

    Raises
    ------
    MissingSource
        If there is no such file.
    ReadError
        If the source gives no document.
    """
    _check_options(reading, _READING | _ENCODING)
    given, reading = _source(source, media_type, reading)
    return (session or Session()).embed(given, **reading)


def chunk(source: Given, *, media_type: str | None = None, **wanted: Any) -> Chunks:
    """Embed a document and cut it: ``embed(source).chunks(**wanted)``."""
    if wanted.get("method") == "structure":
        return read(source, media_type=media_type).chunks(**wanted)
    return embed(source, media_type=media_type).chunks(**wanted)


def encode_query(
    text: str | Sequence[str], *, prefix: str = "", session: Session | None = None
) -> NDArray[np.float32]:
    """Vectors of questions, to search index vectors with by dot product; see `Session.encode_query`.

    The encoder is that of the session, by default the bundled one.
    """
    return (session or Session()).encode_query(text, prefix=prefix)


def _check_options(given: dict[str, Any], known: set[str]) -> None:
    for name in sorted(set(given) - known):
        if name in ("encoder", "store") and known > _READING:
            raise TypeError(f"{name} is no option here: give session=vchunk.Session({name}=...)")
        raise TypeError(f"no option {name!r}: choose from {', '.join(sorted(known))}")


def _source(
    source: Given, media_type: str | None, reading: dict[str, Any]
) -> tuple[str | Path | Source, dict[str, Any]]:
    if media_type is not None:
        formats = wiring.media_types()
        if media_type not in formats:
            raise UsageError(f"media_type {media_type}: choose from {', '.join(formats)}")
        reading = {"input_format": formats[media_type], **reading}
    if isinstance(source, dict | list):
        parsed = json.dumps(source).encode()
        return Source("<json>", parsed, "application/json"), {"input_format": "json", **reading}
    if isinstance(source, bytes):
        return Source("<bytes>", source, media_type), reading
    if isinstance(source, str) and _is_text(source):
        # As bytes and back: text and files take the same way in. UTF-8 has no lone surrogates.
        whole = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in source)
        return Source("<text>", whole.encode(), media_type), {"input_format": "text", **reading}
    return Path(source), reading


def _is_text(source: str) -> bool:
    if "\n" in source or "\r" in source or len(source) > 1024 or not source:
        return True
    looks_like_file = re.search(r"\.[A-Za-z]\w{0,9}$", source) is not None
    return any(c.isspace() for c in source) and not looks_like_file and not Path(source).exists()
