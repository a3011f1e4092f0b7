"""Plain text: paragraphs, line ends, pages."""

from __future__ import annotations

import pytest
from hypothesis import given

from document_laws import hold_laws, texts
from vchunk.adapters.readers.text import TextReader
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning


def read(text: str) -> Document:
    return TextReader(encoding="utf-8").read(Source("a.txt", text.encode()), no_warning)


def paragraphs(text: str) -> list[str]:
    document = read(text)
    assert {block.kind for block in document.blocks} <= {Kind.PARAGRAPH}
    return [document.slice(block.span) for block in document.blocks]


@given(texts)
def test_any_text_is_tiled_and_kept(text: str) -> None:
    document = read(text)
    hold_laws(document)
    assert document.text == text.removeprefix("\ufeff").replace("\0", "\ufffd")


@given(texts)
def test_pages_tile_a_text_with_form_feeds_and_count_them(text: str) -> None:
    document = read(text)
    pages = document.pages
    assert "".join(document.slice(page.span) for page in pages) == (document.text if "\f" in text else "")
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for block in document.blocks:
        numbers = [page.number for page in pages if block.span.start in page.span]
        expected = 1 + document.text.count("\f", 0, block.span.start)
        assert numbers == ([expected] if pages else [])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_blank_line_parts_paragraphs_whatever_the_line_end(end: str) -> None:
    text = f"One{end}goes on.{end}{end}Two.{end} \t{end}{end}Three."
    assert paragraphs(text) == [f"One{end}goes on.", "Two.", "Three."]


@pytest.mark.parametrize("inside", ["\x85", "\u2028", "\u2029", "\v", "\f", "\x1c"])
def test_other_separators_do_not_end_a_line(inside: str) -> None:
    assert paragraphs(f"One{inside}{inside}two.") == [f"One{inside}{inside}two."]


def test_mixed_line_ends_part_paragraphs_alike() -> None:
    assert paragraphs("a\r\n\nb\n\rc\r\rd\r\ne") == ["a", "b", "c", "d\r\ne"]


def test_spans_begin_and_end_at_visible_characters() -> None:
    assert paragraphs("\n\n   indented  \n  more  \n\n") == ["indented  \n  more"]


def test_a_line_of_other_white_space_is_blank() -> None:
    assert paragraphs("a\n\u00a0\u2028\f\nb") == ["a", "b"]


def test_no_text_has_no_blocks() -> None:
    assert paragraphs("") == paragraphs(" \n\n\t") == []


def test_a_form_feed_at_the_end_opens_no_page() -> None:
    document = read("one\f\ntwo\f\n")
    assert [document.slice(page.span) for page in document.pages] == ["one\f", "\ntwo\f\n"]


def test_a_text_without_form_feeds_has_no_pages() -> None:
    assert read("one\n\ntwo").pages == ()


def test_the_encoding_that_is_named_is_used() -> None:
    document = TextReader(encoding="cp1251").read(Source("a.txt", "Мир".encode("cp1251")), no_warning)
    assert document.text == "Мир"
