"""Which reader reads a source: by its content first, then by the ending of its name.

1. A format that the user names.
2. PDF, WebVTT and SubRip by how they begin; the media type the source came with.
3. Formats known but not read here are refused by name, and so is binary data.
4. JSON of a parsed document, a transcript or a chat, by its keys, unless the ending is that of Markdown.
5. The ending of the name; a name without a known one is text.
6. Without an ending (standard input, say) it is Markdown if it clearly has Markdown's structure
   (see ``looks_like_markdown``), else text.

To add a reader, add its line to ``FORMATS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePath

from vchunk.adapters.readers.decoding import is_binary, marked_codec, refusal
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.ports import Reader


@dataclass(frozen=True, slots=True)
class Opening:
    """What a user may have to say for a document to be opened."""

    password: str | None = None
    ocr_command: str | None = None
    encoding: str | None = None
    numbered_headings: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read; ``make`` gives its reader and imports its library, if it has one."""

    name: str
    endings: tuple[str, ...]
    media_types: tuple[str, ...]
    make: Callable[[Opening], Reader]
    worth: Callable[[str], bool] | None = None
    """Whether a file that begins so is meant, where a folder is read; None: each of these endings is."""


def _text(opening: Opening) -> Reader:
    from vchunk.adapters.readers.text import TextReader

    return TextReader(encoding=opening.encoding, numbered=opening.numbered_headings)


def _markdown(opening: Opening) -> Reader:
    from vchunk.adapters.readers.markdown import MarkdownReader

    return MarkdownReader(encoding=opening.encoding)


def _pdf(opening: Opening) -> Reader:
    from vchunk.adapters.readers.pdf import PdfReader

    tables = None
    if find_spec("liteparse") is not None:  # the extra pdf-tables
        from vchunk.adapters.readers.pdf_cells import LiteparseTables

        tables = LiteparseTables()
    return PdfReader(opening.password, opening.ocr_command, tables)


def _json(opening: Opening) -> Reader:
    from vchunk.adapters.readers.json_forms import JsonReader

    return JsonReader(encoding=opening.encoding)


def _may_be_parsed(head: str) -> bool:
    from vchunk.adapters.readers.json_forms import may_be_parsed

    return may_be_parsed(head)


def _vtt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import WebVttReader

    return WebVttReader(encoding=opening.encoding)


def _srt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import SubRipReader

    return SubRipReader(encoding=opening.encoding)


_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd")

_JSON_LINES = (".jsonl", ".ndjson")
"""Text, unless each line is something said."""

FORMATS = (
    Format("text", (".txt", ".text", ".log"), ("text/plain",), _text),
    Format("markdown", _MARKDOWN_ENDINGS, ("text/markdown", "text/x-markdown"), _markdown),
    Format("pdf", (".pdf",), ("application/pdf", "application/x-pdf"), _pdf),
    Format("json", (".json", *_JSON_LINES), ("application/json",), _json, _may_be_parsed),
    Format("vtt", (".vtt",), ("text/vtt",), _vtt),
    Format("srt", (".srt",), ("application/x-subrip", "text/srt"), _srt),
)
"""All formats that can be read. A name with an unknown ending is read as the first one."""

UNREAD = {
    ".docx": "Word documents",
    ".doc": "Word documents",
    ".odt": "OpenDocument texts",
    ".rtf": "RTF",
    ".pptx": "PowerPoint slides",
    ".ppt": "PowerPoint slides",
    ".xlsx": "Excel sheets",
    ".xls": "Excel sheets",
    ".epub": "EPUB books",
    ".html": "HTML",
    ".htm": "HTML",
    ".xhtml": "HTML",
    ".ipynb": "Jupyter notebooks",
}
"""Endings of formats whose bytes are no text that is meant to be read."""

_SIGNATURES = (
    (b"PK\x03\x04", "ZIP archives (among them docx, odt, epub)"),
    (b"PK\x05\x06", "ZIP archives"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office files (doc, xls, ppt)"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG\r\n", "PNG images"),
    (b"\xff\xd8\xff", "JPEG images"),
    (b"GIF87a", "GIF images"),
    (b"GIF89a", "GIF images"),
    (b"II*\0", "TIFF images"),
    (b"MM\0*", "TIFF images"),
    (b"\x1f\x8b\x08", "gzip files"),
    (b"\x28\xb5\x2f\xfd", "Zstandard files"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archives"),
    (b"%!PS", "PostScript"),
)
_ZIPPED = ((b"word/", "Word documents"), (b"epub+zip", "EPUB books"), (b"opendocument.text", "OpenDocument texts"))
_HEADER = 1024  # bytes in which a PDF's header may stand
_SAMPLE = 1 << 16
_PDF = re.compile(rb"%PDF-\d\.\d")
_HTML = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


def reader_for(
    source: Source,
    input_format: str | None = None,
    *,
    password: str | None = None,
    ocr_command: str | None = None,
    encoding: str | None = None,
    numbered_headings: bool = False,
) -> Reader:
    """The reader of a source.

    Parameters
    ----------
    input_format
        The name of a format of ``FORMATS``; None finds it.
    password
        Opens an encrypted document, where its format knows passwords.
    ocr_command
        Prints the text of PDF pages that have none.
    encoding
        The encoding of a text; None finds it.
    numbered_headings
        Whether numbered lines of plain text are headings.

    Raises
    ------
    UsageError
        If there is no format of that name.
    ReadError
        If the source is of a format that is not read, or binary data.
    """
    encoded = encoding is not None
    chosen = _named(input_format) if input_format is not None else _found(source, encoded=encoded)
    return chosen.make(Opening(password, ocr_command, encoding, numbered_headings))


def looks_like_markdown(text: str) -> bool:
    """Whether a text clearly is Markdown.

    It is if it holds a closed code fence or the delimiter row of a table, or if headings with ``#``
    and a blank line on either side come first in it or at least twice. A script (``#!``) is not,
    nor is a text in which ``#`` begins one comment or another.
    """
    lines = [line.rstrip() for line in re.split(r"\r\n|\n|\r", text)]
    if lines[0].startswith("#!"):
        return False
    fence: str | None = None
    headings = 0
    seen = False
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if fence is not None:
            if line.startswith(fence) and not line.strip(fence[0]):
                return True
        elif match := re.match(r"(`{3,}|~{3,})[\w+.{} -]*$", line):
            fence = match[1]
        elif "|" in before and re.fullmatch(r" {0,3}\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?", line):
            return True
        elif not before and not after and re.match(r"#{1,6} \S", line):
            headings += 1 if seen else 2
        seen = seen or bool(line)
    return headings >= 2


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(f"--input-format {name!r}: no such format; it is one of {_choices()}")


def _choices() -> str:
    return ", ".join(known.name for known in FORMATS)


def _found(source: Source, *, encoded: bool) -> Format:
    """The format that content, media type and ending tell; ``encoded`` bytes are known to be text."""
    ending = PurePath(source.name).suffix.lower()
    by_ending = next((known for known in FORMATS if ending in known.endings), None)
    if _is_pdf(source.data, by_ending):
        return _named("pdf")
    captions = _captions(source)
    if captions is not None:
        return _named(captions)
    media_type = (source.media_type or "").partition(";")[0].strip().lower()
    for known in FORMATS:
        if media_type in known.media_types and known.name != "pdf":
            return known
    _refuse_unread(source, "HTML" if media_type == "text/html" else UNREAD.get(ending))
    if (by_ending and by_ending.name == "pdf") or media_type.endswith("pdf"):
        raise ReadError(
            f"{source.name}: not a PDF (no %PDF- header in the first {_HEADER} bytes){_instead(source.data)}; "
            "rename it, or say what it is with --input-format"
        )
    if not encoded and is_binary(source.data[:_SAMPLE]):
        raise refusal(source)
    head = _head(source.data)
    if ending in _JSON_LINES:
        by_ending = None
    if not (by_ending and by_ending.name in ("markdown", "json")) and _is_parsed(source, head):
        return _named("json")
    if by_ending is not None:
        return by_ending
    if ending:
        return FORMATS[0]
    if _HTML.match(head):
        _refuse_unread(source, "HTML")
    return _named("markdown" if looks_like_markdown(head) else "text")


def worth_reading(file: Path) -> bool:
    """Whether a file of a folder is meant to be read: by its ending, JSON also by how it begins."""
    known = next((known for known in FORMATS if file.suffix.lower() in known.endings), None)
    if known is None or known.worth is None:
        return known is not None
    try:
        with file.open("rb") as opened:
            return known.worth(_head(opened.read(_SAMPLE)))
    except OSError:
        return True  # reading it will say what is wrong


def _is_parsed(source: Source, head: str) -> bool:
    """Whether a source is JSON of a parsed document; the whole of it is looked at only if it begins so."""
    if head.lstrip()[:1] not in ("{", "["):
        return False
    from vchunk.adapters.readers.json_forms import is_parsed

    return _may_be_parsed(head) and is_parsed(source)


def _is_pdf(data: bytes, by_ending: Format | None) -> bool:
    """Whether a PDF's header opens the data, or stands near its start where no ending says text."""
    if data[:_HEADER].lstrip().startswith(b"%PDF-"):
        return True
    if by_ending is not None and by_ending.name != "pdf":
        return False  # a text about PDF
    return _PDF.search(data[:_HEADER]) is not None and (by_ending is not None or is_binary(data))


def _captions(source: Source) -> str | None:
    """The format of captions, known by content; None for all else."""
    from vchunk.adapters.readers.captions import looks_like_subrip, looks_like_webvtt

    head = _head(source.data)
    if looks_like_webvtt(head):
        return "vtt"
    if looks_like_subrip(head):
        return "srt"
    return None


def _refuse_unread(source: Source, what: str | None) -> None:
    """Raise for a format that is known and not read."""
    for signature, name in _SIGNATURES:
        if source.data.startswith(signature):
            inner = (kind for mark, kind in _ZIPPED if mark in source.data[:_SAMPLE])
            what = what or (next(inner, name) if name.startswith("ZIP") else name)
    if what is not None:
        verb = "is" if what in ("HTML", "RTF", "PostScript") else "are"
        way_out = "convert it to one of them"
        if not is_binary(source.data[:_SAMPLE]):
            way_out += ", or read its source as it stands with --input-format text"
        raise ReadError(f"{source.name}: {what} {verb} not read by this version, only {_choices()}; {way_out}")


def _instead(data: bytes) -> str:
    return ", it looks like HTML" if _HTML.match(_head(data)) else ""


def _head(data: bytes) -> str:
    return data[:_SAMPLE].decode(marked_codec(data) or "utf-8", "ignore").removeprefix("\ufeff")
