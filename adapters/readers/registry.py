"""Which reader reads a source: by its content first, then by the ending of its name.

0. What is packed with gzip is unpacked; its name loses ``.gz``.
1. A format that the user names.
2. PDF, WebVTT and SubRip by how they begin, Word and EPUB by what their archives hold; the media type
   the source came with.
3. Formats known but not read here are refused by name, and so is binary data.
4. JSON of a parsed document, a transcript or a chat, by its keys, unless the ending is that of Markdown.
5. The ending of the name; a name without a known one is text.
6. Without an ending (standard input, say) it is HTML if it begins so, Markdown if it clearly has
   Markdown's structure (see ``looks_like_markdown``), else text.
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import PurePath
from typing import Any

from vchunk.adapters.readers.archives import gunzip, is_gzip, zip_names
from vchunk.adapters.readers.decoding import is_binary, marked_codec, refusal
from vchunk.adapters.readers.formats import FORMATS, Format, Opening, format_of_ending, names
from vchunk.adapters.readers.source_code import language_of
from vchunk.domain.document import Document, Source
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.ports import Reader, Warn

UNREAD = {
    ".doc": "old Word documents",
    ".odt": "OpenDocument texts",
    ".rtf": "RTF",
    ".pptx": "PowerPoint slides",
    ".ppt": "PowerPoint slides",
    ".xlsx": "Excel sheets",
    ".xls": "Excel sheets",
}
"""Endings of formats whose bytes are no text that is meant to be read."""

_SIGNATURES = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office files (doc, xls, ppt) and new ones with a password"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG\r\n", "PNG images"),
    (b"\xff\xd8\xff", "JPEG images"),
    (b"GIF87a", "GIF images"),
    (b"GIF89a", "GIF images"),
    (b"II*\0", "TIFF images"),
    (b"MM\0*", "TIFF images"),
    (b"\x28\xb5\x2f\xfd", "Zstandard files"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archives"),
    (b"%!PS", "PostScript"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ZIPPED = {"word/document.xml": "docx", "meta-inf/container.xml": "epub"}
_ZIPPED_UNREAD = {"xl/workbook.xml": "Excel sheets", "ppt/presentation.xml": "PowerPoint slides",
                  "content.xml": "OpenDocument files"}  # fmt: skip
_BINARY = ("pdf", *_ZIPPED.values())
_HEADER = 1024  # bytes in which a PDF's header may stand
_SAMPLE = 1 << 16
LONGEST_LINE = 1 << 24
"""Bytes of JSON Lines in which a whole text is looked for: a line may hold a book."""
_FIRST_LINES = 10
_PDF = re.compile(rb"%PDF-\d\.\d")
_HTML = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


def reader_for(source: Source, input_format: str | None = None, opening: Opening | None = None) -> Reader:
    """The reader of a source; ``input_format`` is the name of a format of ``FORMATS``, None finds it.

    Raises
    ------
    UsageError
        If there is no format of that name.
    ReadError
        If the source is of a format that is not read, or binary data.
    """
    opening = opening or Opening()
    if is_gzip(source.data):
        inside = gunzip(source)
        return UnpackedReader(_chosen(inside, input_format, opening), inside)
    return _chosen(source, input_format, opening)


def _chosen(source: Source, input_format: str | None, opening: Opening) -> Reader:
    chosen = _named(input_format) if input_format is not None else _found(source, opening)
    return chosen.make(opening)


class UnpackedReader:
    """Reads what a packed source holds; name and version are those of its reader."""

    def __init__(self, reader: Reader, inside: Source) -> None:
        self.name = reader.name
        self.version = reader.version
        self._reader = reader
        self._inside = inside

    def read(self, source: Source, warn: Warn) -> Document:  # noqa: ARG002 - it was unpacked to choose
        """The document inside."""
        return self._reader.read(self._inside, warn)


def known_format(name: str) -> Format | None:
    """The format that a file's name tells, what is packed with gzip by its inner name."""
    path = PurePath(name)
    if path.suffix.lower() == ".gz":
        path = PurePath(path.stem)
    found = format_of_ending(path.suffix.lower())
    return _named("code") if found is None and language_of(path.name) is not None else found


def looks_readable(name: str, head: bytes) -> bool:
    """Whether a file of a folder that begins so is meant to be read; a damaged one of a known ending is."""
    known = known_format(name)
    if known is not None and known.name in _BINARY:
        return True
    if is_gzip(head) or head.startswith(_ZIP):
        return is_gzip(head) and known is not None
    return _PDF.match(head) is not None or not is_binary(head)


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


def begins_with_texts(data: bytes) -> bool:
    """Whether JSON Lines begin with a text, or with something said; the reader names lines that are damaged.

    Only the beginning need be given; a line that it cuts off counts as a damaged one.
    """
    text = data[:LONGEST_LINE].decode(marked_codec(data) or "utf-8", "ignore").removeprefix("\ufeff")
    values = []
    for line in text.split("\n", _FIRST_LINES)[:_FIRST_LINES]:
        with contextlib.suppress(ValueError, RecursionError):
            values.append(json.loads(line))
    return _are_texts(values[:2])


def looks_like_json_lines(head: str) -> bool:
    """Whether a text begins with two lines of JSON objects."""
    lines = [line for line in head.split("\n") if line.strip()][:2]
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False


def _holds_texts(head: str) -> bool:
    """Whether the first lines of JSON Lines are texts or things said."""
    return _are_texts([json.loads(line) for line in [line for line in head.split("\n") if line.strip()][:2]])


def _are_texts(values: list[Any]) -> bool:
    from vchunk.adapters.readers.records import is_records
    from vchunk.adapters.readers.transcript_json import is_transcript

    return is_records(values) or is_transcript(values)


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(f"--input-format {name!r}: no such format; it is one of {names()}")


def _found(source: Source, opening: Opening) -> Format:
    """The format that content, media type and ending tell; bytes of a named encoding are text."""
    ending = PurePath(source.name).suffix.lower()
    by_ending = known_format(source.name)
    if _is_pdf(source.data, by_ending):
        return _named("pdf")
    if source.data.startswith(_ZIP):
        return _zipped(source, by_ending)
    captions = _captions(source)
    if captions is not None:
        return _named(captions)
    media_type = (source.media_type or "").partition(";")[0].strip().lower()
    for known in FORMATS:
        if media_type in known.media_types and known.name != "pdf":
            return known
    _refuse_unread(source, UNREAD.get(ending))
    if (by_ending and by_ending.name == "pdf") or media_type.endswith("pdf"):
        raise ReadError(
            f"{source.name}: not a PDF (no %PDF- header in the first {_HEADER} bytes){_instead(source.data)}; "
            "rename it, or say what it is with --input-format"
        )
    if by_ending and by_ending.name in _ZIPPED.values():
        raise ReadError(
            f"{source.name}: not one of the {by_ending.title} (no ZIP archive){_instead(source.data)}; "
            "rename it, or say what it is with --input-format"
        )
    if opening.encoding is None and is_binary(source.data[:_SAMPLE]):
        raise refusal(source)
    head = _head(source.data)
    if opening.text_field is not None and by_ending is None:
        return _named("jsonl" if looks_like_json_lines(head) else "json")
    if not (by_ending and by_ending.name in ("markdown", "code", "jsonl", "ipynb")) and _is_parsed(source, head):
        return _named("json")
    if by_ending is not None and by_ending.name == "jsonl":
        texts = opening.text_field is not None or begins_with_texts(source.data)
        return by_ending if texts else FORMATS[0]
    if by_ending is not None:
        return by_ending
    if ending:
        return FORMATS[0]
    if _HTML.match(head):
        return _named("html")
    if looks_like_json_lines(head) and _holds_texts(head):
        return _named("jsonl")
    if head.startswith("#!") and language_of("", head):
        return _named("code")
    return _named("markdown" if looks_like_markdown(head) else "text")


def _is_parsed(source: Source, head: str) -> bool:
    """Whether a source is JSON of a parsed document; the whole of it is looked at only if it begins so."""
    if head.lstrip()[:1] not in ("{", "["):
        return False
    from vchunk.adapters.readers.json_forms import is_parsed, may_be_parsed

    return may_be_parsed(head) and is_parsed(source)


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


def _zipped(source: Source, by_ending: Format | None) -> Format:
    """The format of a ZIP archive: by what it holds; by its ending where it is damaged."""
    members = {name.lower() for name in zip_names(source.data)}
    for member, name in _ZIPPED.items():
        if member in members or (not members and member.encode() in source.data[:_SAMPLE].lower()):
            return _named(name)
    if by_ending is not None and by_ending.name in _ZIPPED.values():
        return by_ending
    raise _unread(source, next((what for m, what in _ZIPPED_UNREAD.items() if m in members), "ZIP archives"))


def _refuse_unread(source: Source, what: str | None) -> None:
    """Raise for a format that is known and not read."""
    signed = next((name for signature, name in _SIGNATURES if source.data.startswith(signature)), None)
    if what or signed:
        raise _unread(source, what or signed or "")


def _unread(source: Source, what: str) -> ReadError:
    verb = "is" if what in ("RTF", "PostScript") else "are"
    way_out = "convert it to one of them"
    if not is_binary(source.data[:_SAMPLE]):
        way_out += ", or read its source as it stands with --input-format text"
    return ReadError(f"{source.name}: {what} {verb} not read by this version, only {names()}; {way_out}")


def _instead(data: bytes) -> str:
    return ", it looks like HTML" if _HTML.match(_head(data)) else ""


def _head(data: bytes) -> str:
    return data[:_SAMPLE].decode(marked_codec(data) or "utf-8", "ignore").removeprefix("\ufeff")
