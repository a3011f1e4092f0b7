"""Texts in JSON: a list, or lines (JSON Lines), of strings or of records of which a field is the text.

The texts stand one behind the other, parted by a blank line, each as plain text; a record's title is a
heading in front of it. Each record is a page, numbered from 1, so that a chunk says of which it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from vchunk.adapters.readers import transcript_json
from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.adapters.readers.parsed import clean, one_line
from vchunk.domain.document import Block, Document, Kind, Page, Source, Span
from vchunk.domain.errors import ReadError
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Warn

TEXT_FIELDS = ("text", "content", "body", "page_content", "document", "passage", "markdown", "abstract")
"""Fields that hold the text where none is named, the first that a record has."""
_TITLE_FIELDS = ("title", "heading", "headline", "name")


class RecordReader(DecodingReader):
    """What readers of records in JSON have in common.

    Parameters
    ----------
    encoding
        The encoding of the bytes; None finds it.
    field
        The field that holds the text of each record, dots leading into records (``article.body``).
    """

    def __init__(self, encoding: str | None = None, field: str | None = None) -> None:
        super().__init__(encoding)
        self.field = field


class JsonLinesReader(RecordReader):
    """Reads JSON Lines: texts, or what is said in a transcript or a chat."""

    name = "jsonl"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document of all lines.

        Raises
        ------
        ReadError
            If a line is no JSON, or none of them holds a text.
        """
        values: list[Any] = []
        for number, line in enumerate(decode(source, warn, self.encoding).split("\n"), start=1):
            if line.strip():
                try:
                    values.append(json.loads(line))
                except (ValueError, RecursionError) as error:
                    raise ReadError(f"{source.name}: line {number} is no JSON ({error})") from None
        if self.field is None and transcript_json.is_transcript(values):
            return transcript_json.read_transcript(values, source.name, warn)
        return read_records(values, source.name, warn, self.field)


def is_records(data: Any) -> bool:
    """Whether a JSON value is a list of texts, or of records that hold one."""
    if not isinstance(data, list) or not data:
        return False
    return all(isinstance(value, str) or _text_of(value, None) is not None for value in data)


def read_records(data: Any, name: str, warn: Warn, field: str | None = None) -> Document:
    """The document of a list of texts or records; those without a text are counted in a warning.

    Raises
    ------
    ReadError
        If none has a text.
    """
    values = data if isinstance(data, list) else [data]
    parts: list[str] = []
    blocks: list[Block] = []
    pages: list[Page] = []
    length = missing = 0
    for number, value in enumerate(values, start=1):
        found = value if isinstance(value, str) else _text_of(value, field)
        if found is None or not found.strip():
            missing += 1
            continue
        begun = length
        for piece, kind in (*_title_of(value), (clean(found).strip("\n").rstrip(), Kind.PARAGRAPH)):
            gap = "\n\n" if parts else ""
            parts.append(gap + piece)
            start, length = length + len(gap), length + len(gap) + len(piece)
            if kind is Kind.HEADING:
                blocks.append(Block(kind, Span(start, length), level=1, title=piece))
            else:
                spans = paragraph_spans(piece)
                blocks += (Block(kind, Span(start + s.start, start + s.end)) for s in spans)
        pages.append(Page(number, Span(begun, length)))
    if not blocks and values:
        raise ReadError(f"{name}: {_no_text(values, field)}")
    if missing:
        warn(f"{name}: {missing:,} of {counted(len(values), 'record')} without a text left out")
    return Document("".join(parts), tuple(blocks), tuple(pages), media_type="application/json", reader="records/1")


def _title_of(value: Any) -> Iterator[tuple[str, Kind]]:
    if isinstance(value, dict):
        titles = (value[name] for name in _TITLE_FIELDS if isinstance(value.get(name), str))
        for title in titles:
            if title.strip():
                yield one_line(clean(title)), Kind.HEADING
                return


def _text_of(value: Any, field: str | None) -> str | None:
    """The text of a record, None where it has none."""
    if field is None:
        if not isinstance(value, dict):
            return None
        return next((value[name] for name in TEXT_FIELDS if isinstance(value.get(name), str)), None)
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    return value if isinstance(value, str) else None


def _no_text(values: Sequence[Any], field: str | None) -> str:
    first = values[0]
    names = ", ".join(map(str, list(first)[:12])) if isinstance(first, dict) else f"of type {type(first).__name__}"
    if field is not None:
        return f"--text-field {field}: no record has a text there; the first one has {names}"
    return (
        f"no record has one of the fields {', '.join(TEXT_FIELDS)}; name it with --text-field (the first: {names})"
    )
