"""Bytes to text: encodings, byte-order marks, damage, binary data."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.readers.decoding import decode
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError, UsageError

FRENCH = "Le café est très bon, n'est-ce pas ?\nOui, où êtes-vous allés cet été ?\n"


def told(data: bytes, encoding: str | None = None) -> tuple[str, list[str]]:
    warnings: list[str] = []
    return decode(Source("in.txt", data), warnings.append, encoding), warnings


@given(st.text().filter(lambda text: not text.startswith("\ufeff") and "\0" not in text))
def test_text_in_utf8_is_kept_code_point_for_code_point(text: str) -> None:
    assert told(text.encode(), "utf-8") == (text, [])


@given(st.binary(max_size=200))
def test_any_bytes_give_text_without_surrogates_and_nuls_or_an_error(data: bytes) -> None:
    try:
        text, _ = told(data)
    except ReadError as error:
        text = str(error)
        if "in.txt" not in text or "\n" in text:
            raise
    assert "\0" not in text
    text.encode("utf-8")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\u2028", "\x85", "\f"])
def test_line_ends_are_kept(newline: str) -> None:
    assert told(f"a{newline}b{newline}".encode()) == (f"a{newline}b{newline}", [])


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_no_text(codec: str) -> None:
    assert told("Zoë ☃ 😀".encode(codec)) == ("Zoë ☃ 😀", [])


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"\xfe\xff", "utf-16-be"),
        (b"\0\0\xfe\xff", "utf-32-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xff\xfe\0\0", "utf-32-le"),
    ],
)
def test_either_byte_order(mark: bytes, codec: str) -> None:
    assert told(mark + "Zoë".encode(codec)) == ("Zoë", [])


def test_only_one_mark_is_taken_away() -> None:
    assert told(b"\xef\xbb\xbf\xef\xbb\xbfa")[0] == "\ufeffa"


def test_a_marked_text_that_is_damaged_is_refused_with_the_place() -> None:
    with pytest.raises(ReadError, match=r"in\.txt: not utf-16-le: .* at byte 4"):
        told(b"\xff\xfea\0b")


def test_an_unmarked_encoding_is_found_and_told() -> None:
    text, warnings = told(FRENCH.encode("cp1252"))
    assert text == FRENCH
    (warning,) = warnings
    assert all(part in warning for part in ("in.txt", "cp1252", "0xE9 at offset 6", "--encoding"))


@pytest.mark.parametrize("text", ["café", "Größe: 5 §", "déjà", "é"])
def test_a_short_western_text_is_cp1252(text: str) -> None:
    assert told(text.encode("latin-1"))[0] == text


def test_an_encoding_that_reads_ascii_otherwise_is_not_taken() -> None:
    assert told("über".encode("latin-1"))[0].endswith("er")


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Привет, мир! Как дела? Всё хорошо.", "cp1251"),
        ("これは日本語の文章です。長い文章を書きます。", "shift_jis"),
    ],
)
def test_other_scripts_are_found(text: str, codec: str) -> None:
    assert told(text.encode(codec))[0] == text


def test_a_few_damaged_bytes_in_utf8_are_replaced_and_told() -> None:
    text, warnings = told(("äöü" * 5 + "\ufffd").encode() + b"\xff end")
    assert text == "äöü" * 5 + "\ufffd\ufffd end"
    (warning,) = warnings
    assert all(part in warning for part in ("in.txt", "0xFF at offset 33", "U+FFFD", "1 place"))


def test_a_nul_becomes_one_replacement_character_and_is_told() -> None:
    text, warnings = told(b"before\0after \0.")
    assert text == "before\ufffdafter \ufffd."
    assert warnings == ["in.txt: 2 NUL characters replaced by U+FFFD"]


def test_other_control_characters_are_kept() -> None:
    assert told(b"bell\a back\b esc\x1b[1m vt\v ff\f end\x1a") == (
        "bell\a back\b esc\x1b[1m vt\v ff\f end\x1a",
        [],
    )


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
        random.Random(0).randbytes(4096),
        bytes(byte for byte in random.Random(1).randbytes(4096) if byte),
        bytes(range(32)) * 4,
        b"Gr\xf6\xdfe " * 100 + b"\0",
    ],
)
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(ReadError, match=r"^in\.txt: binary data"):
        told(data)


def test_utf16_without_a_mark_is_refused_with_the_way_out() -> None:
    data = "hello world".encode("utf-16-le")
    with pytest.raises(ReadError, match=r"UTF-16 without a byte-order mark.*--encoding"):
        told(data)
    assert told(data, "utf-16-le") == ("hello world", [])


def test_a_named_encoding_is_strict() -> None:
    with pytest.raises(ReadError, match=r"in\.txt: not utf-8: .* at byte 3; .*--encoding"):
        told("café".encode("latin-1"), "utf-8")
    assert told("é".encode(), "latin-1") == ("Ã©", [])


def test_a_named_encoding_lets_no_lone_surrogate_in() -> None:
    with pytest.raises(ReadError, match=r"in\.txt"):
        told(b"\\ud800", "unicode_escape")


@pytest.mark.parametrize("encoding", ["klingon", "base64", "hex", "a\0b"])
def test_an_unknown_encoding_is_a_usage_error(encoding: str) -> None:
    with pytest.raises(UsageError, match="--encoding"):
        told(b"abc", encoding)


def test_an_unknown_encoding_is_an_error_even_without_bytes() -> None:
    with pytest.raises(UsageError, match="klingon"):
        told(b"", "klingon")


def test_no_bytes_are_no_text() -> None:
    assert told(b"") == ("", [])
