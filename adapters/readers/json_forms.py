"""JSON that holds a parsed document: which form it is, and the reader of that form.

To add a form, add its line to ``FORMS``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vchunk.adapters.readers import docling, elements, notebook, records, transcript_json
from vchunk.adapters.readers.decoding import decode
from vchunk.domain.document import Document, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn, no_warning


@dataclass(frozen=True, slots=True)
class JsonForm:
    """A form of JSON: ``title`` names it for people, ``matches`` knows its values, ``read`` reads one.

    ``keys`` are words of which one stands as a key in each file of this form; only a text with one of
    them is parsed to see whether it is of this form.
    """

    title: str
    keys: tuple[str, ...]
    matches: Callable[[Any], bool]
    read: Callable[[Any, str, Warn], Document]


FORMS = (
    JsonForm(
        "transcripts and chats (things said with a speaker or role, or with start and end times)",
        ("meeting_transcripts", "segments", "utterances", "transcript", "messages", "role", "speaker"),
        transcript_json.is_transcript,
        transcript_json.read_transcript,
    ),
    JsonForm("Jupyter notebooks", ("cells", "nbformat"), notebook.is_notebook, notebook.read_notebook),
    JsonForm(f"docling ({docling.READ})", ("schema_name",), docling.is_docling, docling.read_docling),
    JsonForm(
        'NoPaddle ParsedDocument and other lists of elements ({"pages": [{"elements": [{"type", "content"}]}]})',
        ("elements", "regions", "type", "element_type", "pages"),
        elements.is_elements,
        elements.read_elements,
    ),
    JsonForm(
        f"texts (a list of strings, or records with one of the fields {', '.join(records.TEXT_FIELDS)})",
        records.TEXT_FIELDS,
        records.is_records,
        records.read_records,
    ),
)
"""All forms, the first that matches reads."""


class JsonReader(records.RecordReader):
    """Reads parsed documents in JSON, whatever parser wrote them; as texts where a field is named."""

    name = "json"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document, by the reader of its form.

        Raises
        ------
        ReadError
            If it is no JSON, or of no form that is read.
        """
        text = decode(source, warn, self.encoding)
        try:
            data = _unwrapped(_parsed(text))
        except ValueError as error:
            raise ReadError(f"{source.name}: not JSON ({error}); {_AS_TEXT}") from None
        except RecursionError:
            raise ReadError(f"{source.name}: JSON that is nested too deep; {_AS_TEXT}") from None
        if self.field is not None:
            return records.read_records(data, source.name, warn, self.field)
        for form in FORMS:
            if form.matches(data):
                return form.read(data, source.name, warn)
        read = "; ".join(form.title for form in FORMS)
        raise ReadError(f"{source.name}: JSON that is no parsed document; read are {read}; {_AS_TEXT}")


_AS_TEXT = "to read it as it stands, say --input-format text"


def may_be_parsed(head: str) -> bool:
    """Whether the beginning of a text could be that of JSON of a known form. Cheap, and no promise."""
    if not re.match(r"\s*[\[{]\s*(?:[{\"\[]|[\]}])", head):
        return False
    keys = "|".join(re.escape(key) for form in FORMS for key in form.keys)
    return re.search(rf'"(?:{keys})"\s*:', head) is not None


def is_parsed(source: Source) -> bool:
    """Whether a source is JSON of a known form. It is parsed for that: ask `may_be_parsed` first."""
    try:
        data = _unwrapped(_parsed(decode(source, no_warning)))
    except (ValueError, RecursionError):
        return False
    return any(form.matches(data) for form in FORMS)


def _parsed(text: str) -> Any:
    """The JSON value; of JSON Lines of things said, one object a line, the list of them."""
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            raise
        try:
            entries = [json.loads(line) for line in lines]
        except ValueError:
            entries = []
        if not transcript_json.is_transcript(entries):
            raise
        return entries


def _unwrapped(data: Any) -> Any:
    """The document in the answer of a parser's server: ``document``, and in it ``json_content``."""
    for key in ("document", "json_content"):
        if isinstance(data, dict) and isinstance(data.get(key), dict) and not any(f.matches(data) for f in FORMS):
            data = data[key]
    return data
