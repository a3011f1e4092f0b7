"""Which reader reads a source."""

from __future__ import annotations

import gzip
import io
import zipfile
from importlib.util import find_spec

import pytest

from vchunk.adapters.readers import archives
from vchunk.adapters.readers.formats import FORMATS, Format, Opening
from vchunk.adapters.readers.registry import looks_like_markdown, reader_for
from vchunk.domain.document import Source
from vchunk.domain.errors import MissingExtra, ReadError, UsageError
from vchunk.domain.ports import no_warning

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"


def chosen(name: str, data: bytes = b"words\n", **options: str) -> str:
    return reader_for(Source(name, data), **options).name


def zipped(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "x")
    return buffer.getvalue()


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_each_format_is_chosen_by_name_and_gives_a_reader_of_that_name(known: Format) -> None:
    if known.module is not None and find_spec(known.module) is None:
        with pytest.raises(MissingExtra, match=rf"vchunk\[{known.extra}\]"):
            chosen("-", input_format=known.name)
    else:
        assert chosen("-", input_format=known.name) == known.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", "markdown"),
        ("folder.md/a.MARKDOWN", "markdown"),
        ("a.txt", "text"),
        ("a.log", "text"),
        ("a.tex", "text"),
        ("README", "text"),
        ("-", "text"),
        (".md", "text"),
    ],
)
def test_the_ending_decides_between_texts(name: str, expected: str) -> None:
    assert chosen(name) == expected


@pytest.mark.parametrize("name", ["a.pdf", "a.txt", "a.md", "-", "noending"])
def test_a_pdf_is_known_by_its_header_whatever_its_name(name: str) -> None:
    assert chosen(name, PDF) == "pdf"


@pytest.mark.parametrize("name", ["a.pdf", "-"])
def test_a_pdf_header_may_come_late(name: str) -> None:
    assert chosen(name, b"junk\0\x01" * 10 + PDF) == "pdf"
    with pytest.raises(ReadError):
        chosen(name, b"junk\0\x01" * 200 + PDF)


@pytest.mark.parametrize("name", ["a.txt", "-"])
def test_a_text_about_pdf_is_text(name: str) -> None:
    assert chosen(name, b"Each file begins with %PDF-1.7 and so on.\n") == "text"


def test_a_pdf_that_is_html_is_refused_and_says_so() -> None:
    with pytest.raises(ReadError, match=r"^a\.pdf: not a PDF .*HTML.*--input-format") as error:
        chosen("a.pdf", b"<!DOCTYPE html><html><body>Not found</body></html>")
    assert "\n" not in str(error.value)


def test_the_media_type_decides_where_there_is_one() -> None:
    source = Source("download", b"words", media_type="text/markdown; charset=utf-8")
    assert reader_for(source).name == "markdown"
    assert reader_for(Source("download", b"# a\n\n# b\n", media_type="text/plain")).name == "text"
    assert reader_for(Source("download", b"<p>x", media_type="text/html")).name == "html"
    with pytest.raises(ReadError, match="not a PDF"):
        reader_for(Source("download", b"words", media_type="application/pdf"))


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.xhtml", "-", "noending"])
def test_html_is_known_by_its_ending_or_how_it_begins(name: str) -> None:
    data = b"\xef\xbb\xbf <!-- saved -->\n<!doctype html>\n<html><p>x</p></html>"
    assert chosen(name, data) == "html"
    assert chosen(name, data, input_format="text") == "text"


def test_markdown_may_begin_with_html() -> None:
    assert chosen("a.md", b"<html><p>x</p></html>") == "markdown"


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.txt", zipped("xl/workbook.xml"), "Excel sheets"),
        ("b.zip", zipped("a"), "ZIP archives"),
        ("b.rtf", b"{\\rtf1 x}", "RTF"),
        ("-", b"{\\rtf1 x}", "RTF"),
        ("b.png", b"\x89PNG\r\n\x1a\n\0\0", "PNG images"),
        ("b.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Word documents"),
        ("b.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office files (doc, xls, ppt) and new ones with"),
    ],
)
def test_known_formats_that_are_not_read_are_refused_by_name(name: str, data: bytes, what: str) -> None:
    with pytest.raises(ReadError) as error:
        chosen(name, data)
    message = str(error.value)
    assert message.startswith(f"{name}: {what}")
    assert "\n" not in message
    assert all(known.name in message for known in FORMATS)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.dat", "-"])
def test_binary_data_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ReadError) as error:
        chosen(name, b"\x7fELF\xff\0\x01\x02" * 30)
    assert str(error.value).startswith(f"{name}: binary data")
    assert "\n" not in str(error.value)


def test_a_text_of_a_named_encoding_is_not_taken_for_binary_data() -> None:
    source = Source("-", "Größe".encode("utf-16-le"))
    assert reader_for(source, opening=Opening(encoding="utf-16-le")).read(source, no_warning).text == "Größe"
    with pytest.raises(ReadError):
        reader_for(source)


def test_the_encoding_reaches_the_markdown_reader() -> None:
    source = Source("a.md", "# Привет".encode("koi8-r"))
    assert reader_for(source, opening=Opening(encoding="koi8-r")).read(source, no_warning).title == "Привет"


def test_an_unknown_format_is_a_usage_error_that_names_the_choices() -> None:
    with pytest.raises(UsageError) as error:
        chosen("a.txt", input_format="klingon")
    assert all(known.name in str(error.value) for known in FORMATS)


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\ntext\n",
        "\n# Title\r\n\r\ntext\r\n",
        "intro\n\n## One\n\ntext\n\n## Two\n\ntext\n",
        "text\n\n```python\nx\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "a | b\n--|--\n1 | 2\n",
    ],
)
def test_markdown_on_standard_input_is_known_by_its_structure(text: str) -> None:
    assert looks_like_markdown(text)
    assert chosen("-", text.encode()) == "markdown"
    assert chosen("-", text.encode("utf-16")) == "markdown"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Just prose.\n\nIt was * not * marked up - at all.\n",
        "#!/bin/sh\n\n# one\n\necho\n\n# two\n\necho\n",
        "import x\n\n# one comment\n\ny = 1\n",
        "# a licence\n# in two lines\n\ncode\n",
        "```\nnever closed\n",
        "#hashtag\n\n#other\n",
        "a | b\n",
        "Table\n-----\n",
        "```\n# in a fence\n\n# twice\n\n",
    ],
)
def test_other_text_on_standard_input_is_text(text: str) -> None:
    assert not looks_like_markdown(text)
    assert chosen("-", text.encode()) == ("code" if text.startswith("#!") else "text")


@pytest.mark.parametrize("name", ["a.docx", "a.zip", "-", "a.txt"])
def test_word_documents_are_known_by_what_their_archive_holds(name: str) -> None:
    whole = zipped("word/document.xml")
    assert chosen(name, whole) == "docx"
    assert chosen(name, whole[:60]) == "docx"


def test_a_word_document_that_is_html_is_refused_and_says_so() -> None:
    with pytest.raises(ReadError, match=r"^a\.docx: not .*Word documents.*HTML.*--input-format"):
        chosen("a.docx", b"<html><p>x</p></html>")


def test_what_gzip_packs_is_read_as_if_it_were_not_packed() -> None:
    for name, expected in [("a.md.gz", "markdown"), ("a.gz", "text"), ("-", "text"), ("a.html.GZ", "html")]:
        source = Source(name, gzip.compress(b"words *here*"))
        reader = reader_for(source)
        assert reader.name == expected
        assert reader.read(source, no_warning).text == "words *here*"
    twice = gzip.compress(b"one ") + gzip.compress(b"two")
    assert reader_for(Source("a.gz", twice)).read(Source("a.gz", twice), no_warning).text == "one two"


@pytest.mark.parametrize("cut", [12, 20, 30])
def test_a_packed_file_that_is_damaged(cut: int) -> None:
    with pytest.raises(ReadError, match=r"^a\.gz: a gzip file that is (?:cut off|damaged)"):
        chosen("a.gz", gzip.compress(b"some words that are packed")[:cut])


def test_a_small_file_may_not_unfold_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    packed = gzip.compress(b"\0" * (3 << 20))
    with pytest.raises(ReadError, match="unfolds to more than 1 MiB"):
        chosen("a.gz", packed)


VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"
SRT = b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n"
CHAT = b' [{"role": "user", "content": "Hello"}]'


@pytest.mark.parametrize("name", ["a.vtt", "a.srt", "a.txt", "a.json", "-"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_captions_are_known_by_how_they_begin(name: str, mark: bytes) -> None:
    assert chosen(name, mark + VTT) == "vtt"
    assert chosen(name, mark + SRT) == "srt"


@pytest.mark.parametrize("name", ["a.json", "a.txt", "-"])
def test_transcripts_in_json_are_known_by_what_they_hold(name: str) -> None:
    assert chosen(name, CHAT) == "json"
    assert chosen(name, CHAT.decode().encode("utf-16")) == "json"
    assert chosen(name, b'[{"key": "value"}]') == ("json" if name == "a.json" else "text")
    assert chosen(name, CHAT[:-1]) == ("json" if name == "a.json" else "text")


def test_a_text_about_captions_is_text_and_a_known_ending_is_enough() -> None:
    assert chosen("-", b"WEBVTT files have cues.\n") == "text"
    assert chosen("a.txt", b"WEBVTT\n\nis a format.\n") == "text"
    assert chosen("a.txt", b"1\n2\n3\n") == "text"
    assert chosen("a.md", CHAT) == "markdown"
    assert chosen("a.vtt", b"00:01.000 --> 00:02.000\nHello\n") == "vtt"
    assert chosen("a.srt", b"") == "srt"


def test_numbered_headings_reach_the_text_reader() -> None:
    source = Source("a.txt", b"PART I\n\nWords.\n")
    on, off = (
        reader_for(source, opening=Opening(numbered_headings=wanted)).read(source, no_warning)
        for wanted in (True, False)
    )
    assert [b.kind.value for b in on.blocks] == ["heading", "paragraph"]
    assert [b.kind.value for b in off.blocks] == ["paragraph", "paragraph"]
