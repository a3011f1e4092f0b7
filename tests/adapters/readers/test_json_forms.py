"""Which JSON is read as a parsed document, and what is said of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docling_builder import Docling
from vchunk.adapters.readers.formats import Opening
from vchunk.adapters.readers.json_forms import FORMS, JsonReader, may_be_parsed
from vchunk.adapters.readers.registry import reader_for
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

ELEMENTS = {"pages": [{"elements": [{"type": "text", "content": "Words."}]}]}
DOCLING = Docling().data
PARSED = [ELEMENTS, DOCLING, [{"type": "text", "content": "Words."}], {"document": {"json_content": DOCLING}}]
OTHER: list[Any] = [
    {"a": 1},
    {"type": "object", "properties": {}},
    [],
    [1, 2],
    [{"type": "text"}],
    [{"type": "text", "content": "x"}, 7],
    {"pages": 3},
    {"pages": [{"title": "x"}]},
    {"elements": {"a": 1}},
    {"elements": ["H", "He"], "type": "table"},
    "pages",
    7,
]


def chosen(name: str, data: Any) -> str:
    return reader_for(Source(name, json.dumps(data).encode())).name


@pytest.mark.parametrize("data", PARSED)
@pytest.mark.parametrize("name", ["a.json", "a.docling.json", "a.txt", "a.out", "-", "parsed"])
def test_parsed_documents_are_known_by_their_content(name: str, data: Any) -> None:
    assert chosen(name, data) == "json"
    indented = json.dumps(data, indent=2).encode("utf-16")
    assert reader_for(Source(name, indented)).name == "json"


@pytest.mark.parametrize("data", OTHER)
def test_other_json_is_text_unless_it_is_called_json(data: Any) -> None:
    assert chosen("a.txt", data) == "text"
    assert chosen("-", data) == "text"
    with pytest.raises(ReadError) as error:
        JsonReader().read(Source("a.json", json.dumps(data).encode()), no_warning)
    message = str(error.value)
    assert message.startswith("a.json: JSON that is no parsed document; ")
    assert all(form.title in message for form in FORMS)
    assert message.endswith("--input-format text")
    assert "\n" not in message


def test_a_parsed_document_may_have_a_key_called_document() -> None:
    data = {**ELEMENTS, "document": {"elements": []}}
    source = Source("a.json", json.dumps(data).encode())
    assert JsonReader().read(source, no_warning).text == "Words."


def test_markdown_that_shows_such_json_is_markdown() -> None:
    assert chosen("a.md", ELEMENTS) == "markdown"


def test_a_text_that_begins_like_such_json_is_text() -> None:
    assert reader_for(Source("a.txt", json.dumps(ELEMENTS)[:-3].encode())).name == "text"
    assert reader_for(Source("-", (json.dumps(ELEMENTS) + "\n{}").encode())).name == "text"


@pytest.mark.parametrize("data", [b"", b"{", b"words", b'{"a": 1} {"b": 2}', b"[" * 100_000])
def test_what_is_no_json_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(ReadError) as error:
        JsonReader().read(Source("a.json", data), no_warning)
    assert str(error.value).startswith("a.json: ")
    assert "--input-format text" in str(error.value)
    assert "\n" not in str(error.value)


def test_every_form_may_be_seen_from_its_beginning() -> None:
    for data in PARSED:
        assert may_be_parsed(json.dumps(data))
        assert may_be_parsed(json.dumps(data, indent=2)[:2000])
    assert not may_be_parsed('{"name": "x", "version": "1.0.0"}')
    assert not may_be_parsed("{tilde} words")


def test_the_encoding_may_be_named() -> None:
    data = json.dumps([{"type": "text", "content": "Größe"}], ensure_ascii=False).encode("cp1252")
    assert (
        reader_for(Source("a.json", data), opening=Opening(encoding="cp1252"))
        .read(Source("a.json", data), no_warning)
        .text
        == "Größe"
    )
