"""What every reader of the registry keeps, on a small file of its format."""

from __future__ import annotations

import pytest

from document_laws import hold_laws
from reader_samples import samples
from vchunk.adapters.readers.formats import FORMATS
from vchunk.adapters.readers.registry import known_format, reader_for
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

SAMPLES = samples()


def read(name: str, data: bytes, input_format: str | None = None) -> Document:
    source = Source(name, data)
    return reader_for(source, input_format).read(source, no_warning)


def test_every_format_with_an_ending_has_a_sample() -> None:
    known = {form.name for name in SAMPLES if (form := known_format(name)) is not None}
    assert known == {form.name for form in FORMATS if form.endings}


@pytest.mark.parametrize("name", SAMPLES)
def test_documents_are_lawful_and_the_same_every_time(name: str) -> None:
    document = read(name, SAMPLES[name])
    hold_laws(document)
    assert document.blocks
    assert document == read(name, SAMPLES[name])
    assert "\0" not in document.text
    document.text.encode()
    assert "/" in document.reader
    assert "/" in document.media_type
    for title in (document.title, *(b.title for b in document.blocks if b.kind is Kind.HEADING)):
        assert title is None or title == title.strip() != ""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_name_of_the_format_reads_it_without_an_ending(name: str) -> None:
    form = known_format(name)
    assert form is not None
    assert read("-", SAMPLES[name], form.name).text == read(name, SAMPLES[name]).text


@pytest.mark.parametrize("form", [form.name for form in FORMATS if form.installed])
@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xfe", b" \n"])
def test_next_to_nothing_is_an_empty_document_or_one_line(form: str, data: bytes) -> None:
    message = ""
    try:
        document = read("a", data, form)
        hold_laws(document)
        assert not document.text.strip("\0\ufffd \n|-")
    except ReadError as error:
        message = str(error)
    assert "\n" not in message
