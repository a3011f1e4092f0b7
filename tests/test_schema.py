"""The JSON Schema that ships describes what is written."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from fakes import FakeEncoder, FakeSplitter
from vchunk import Chunk, Kind, Role, Session, Source
from vchunk.adapters.stores.memory import MemoryStore

SCHEMA = json.loads(files("vchunk").joinpath("chunk.schema.json").read_text(encoding="utf-8"))
TEXT = """---
title: Two halves
---

# First

A sentence about boats. Another one about harbours, masts and sails.

| boat | masts |
|------|-------|
| yawl | 2     |

# References

1. A book about boats.
"""


@pytest.fixture
def chunks():
    doc = Session().read(Source("a.md", TEXT.encode()))
    return doc.chunks(method="structure", max_tokens=12, skip=())


@pytest.fixture
def spoken():
    data = (
        b"WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ada>Hello, all.\n\n00:03.000 --> 00:04.000\n<v Bea>Good morning.\n"
    )
    return Session().read(Source("a.vtt", data)).chunks(method="structure", max_tokens=8)


def test_records_of_transcripts_are_valid(spoken):
    records = [chunk.as_dict() for chunk in spoken]
    for record in records:
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
    assert [(record["speaker"], record["time"]) for record in records] == [
        ("Ada", [1.0, 2.5]),
        ("Bea", [3.0, 4.0]),
    ]


def test_every_record_is_valid(chunks):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert len(chunks) > 4
    for chunk in chunks:
        validator.validate(chunk.as_dict())


def test_the_schema_names_all_kinds_and_roles():
    assert set(SCHEMA["$defs"]["kind"]["enum"]) == {kind.value for kind in Kind}
    assert set(SCHEMA["properties"]["role"]["enum"]) == {role.value for role in Role}


def test_records_come_back_as_chunks(chunks, spoken):
    for chunk in [*chunks, *spoken]:
        assert Chunk.from_dict(json.loads(json.dumps(chunk.as_dict()))) == chunk


def test_records_with_vectors_are_valid():
    session = Session(encoder=FakeEncoder(), store=MemoryStore(), splitter=FakeSplitter())
    [chunk] = session.embed(Source("a.md", b"One sentence.")).chunks(vectors="late")
    record = chunk.as_dict()
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    assert len(record["vector"]) == 16
    assert Chunk.from_dict(json.loads(json.dumps(record))).vector.tolist() == chunk.vector.tolist()
