"""Bytes to text.

The rules, in this order:

1. An encoding that the user names is used, strictly.
2. A byte-order mark decides: UTF-8, UTF-16 or UTF-32. The mark is not part of the text.
3. What holds NULs or other control bytes as text does not is binary and is refused.
4. UTF-8.
5. An encoding that the text itself declares (HTML's ``<meta charset>``, Python's ``coding:``), if the
   bytes fit it. As on the web, Latin-1 and ASCII mean cp1252.
6. UTF-8 with a few damaged bytes: each is read as U+FFFD, with a warning.
7. The encoding that charset-normalizer finds, with a warning. Of Western encodings that fit
   equally well, cp1252 is taken.

A NUL becomes U+FFFD, one for one, with a warning: databases and JSON consumers stumble over NULs,
and CommonMark asks for the same. Every other code point, line ends included, is kept.
"""

from __future__ import annotations

import codecs

from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.ports import Warn

# UTF-32-LE begins with the mark of UTF-16-LE, so it is tried first.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
NAME_IT = "name its encoding with --encoding"

# Control bytes that text does not hold; BEL, BS, TAB, LF, VT, FF, CR, SUB (the old end-of-file mark)
# and ESC do occur in it.
_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 26, 27})
_MOST_CONTROLS_UTF8 = 0.10
_MOST_CONTROLS_OTHER = 0.02
_FEW = 4
_SAMPLE = 1 << 20

# Text in another encoding hardly ever holds valid sequences of UTF-8, so these outnumber the damage
# only in UTF-8.
_GOOD_PER_BAD = 4


class DecodingReader:
    """What readers of formats that are text have in common.

    Parameters
    ----------
    encoding
        The encoding of the bytes; None finds it.
    """

    name: str
    version: int

    def __init__(self, encoding: str | None = None) -> None:
        self.encoding = encoding

    @property
    def signature(self) -> str:
        """The name and version by which documents know their reader."""
        return f"{self.name}/{self.version}"


def decode(source: Source, warn: Warn, encoding: str | None = None, declared: str | None = None) -> str:
    """The text of a source; ``declared`` is the encoding that it says it is in.

    Raises
    ------
    ReadError
        If the bytes are binary data, or not text in the encoding that was named or marked.
    UsageError
        If ``encoding`` is not the name of a text encoding.
    """
    if encoding is not None:
        text = _named(source, encoding)
    elif (codec := marked_codec(source.data)) is not None:
        text = _strict(source, codec)
    else:
        text = _guessed(source, warn, declared)
    text = text.removeprefix("\ufeff")
    if nuls := text.count("\0"):
        what = "a NUL character" if nuls == 1 else f"{nuls} NUL characters"
        warn(f"{source.name}: {what} replaced by U+FFFD")
        text = text.replace("\0", "\ufffd")
    return text


def marked_codec(data: bytes) -> str | None:
    """The codec that a byte-order mark names, or None."""
    return next((codec for mark, codec in BYTE_ORDER_MARKS if data.startswith(mark)), None)


def is_binary(data: bytes) -> bool:
    """Whether bytes without a byte-order mark are no text in any encoding that is looked for."""
    if marked_codec(data) is not None:
        return False
    controls = len(data) - len(data.translate(None, _CONTROLS))
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # a sample may end inside a character
    except UnicodeDecodeError:
        return b"\0" in data or controls > _MOST_CONTROLS_OTHER * len(data)
    return controls > max(_FEW, _MOST_CONTROLS_UTF8 * len(data))


def refusal(source: Source) -> ReadError:
    """The error for a source that is binary data."""
    data = source.data
    # Every second byte of Latin text in UTF-16 is NUL.
    if 0.4 < data[:_SAMPLE].count(0) / max(1, len(data[:_SAMPLE])) < 0.6:
        return ReadError(f"{source.name}: binary data, or UTF-16 without a byte-order mark; {NAME_IT}")
    return ReadError(f"{source.name}: binary data, not a document that can be read")


def _named(source: Source, encoding: str) -> str:
    try:
        return _strict(source, codecs.lookup(encoding).name)
    except (LookupError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        some = "utf-8, cp1252 and gb18030 are some"
        raise UsageError(f"--encoding {encoding!r}: not an encoding of text; {some}") from None


def _strict(source: Source, codec: str) -> str:
    try:
        text = source.data.decode(codec)
        text.encode("utf-8")  # utf-7 and unicode_escape let lone surrogates through
    except UnicodeDecodeError as error:
        raise ReadError(f"{source.name}: not {codec}: {error.reason} at byte {error.start}; {NAME_IT}") from None
    except UnicodeError as error:
        raise ReadError(f"{source.name}: not {codec}: {error}; {NAME_IT}") from None
    return text


def _guessed(source: Source, warn: Warn, declared: str | None) -> str:
    if is_binary(source.data):
        raise refusal(source)
    try:
        return source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        first = error.start
    if declared is not None and (text := _declared(source.data, declared)) is not None:
        return text
    where = f"byte 0x{source.data[first]:02X} at offset {first}"
    mended = source.data.decode("utf-8", "replace")
    bad = mended.count("\ufffd") - source.data.count("\ufffd".encode())
    good = len(mended) - len(mended.encode("ascii", "ignore")) - bad
    if good > _GOOD_PER_BAD * bad:
        warn(f"{source.name}: damaged UTF-8 (first {where}); read as U+FFFD in {bad} place{'s'[: bad > 1]}")
        return mended
    for codec in _candidates(source.data):
        try:
            text = source.data.decode(codec)
        except UnicodeDecodeError:
            continue
        warn(f"{source.name}: not UTF-8 ({where}); read as {codec}; if that is wrong, {NAME_IT}")
        return text
    raise ReadError(f"{source.name}: not UTF-8 ({where}), and no other encoding fits; {NAME_IT}")


def _declared(data: bytes, declared: str) -> str | None:
    """The text in the encoding that it declares, None where that cannot be."""
    try:
        codec = codecs.lookup(declared).name
        if codec in ("utf-8", "utf-16", "utf-32"):
            return None  # these were tried
        text = data.decode("cp1252" if codec in ("iso8859-1", "ascii") else codec)
        text.encode("utf-8")
    except (LookupError, ValueError):
        return None
    return text


def _candidates(data: bytes) -> list[str]:
    """Encodings that may be right, the likeliest first."""
    from charset_normalizer import from_bytes

    # Unmarked UTF-16 and EBCDIC "fit" any short text; no file that is read here is in them.
    ascii_text = b"az09"
    found = [m for m in from_bytes(data) if ascii_text.decode(m.encoding, "replace") == "az09"]
    codecs_found = [match.encoding for match in found]
    best = [m for m in found if (m.chaos, m.coherence) == (found[0].chaos, found[0].coherence)]
    if any("cp1252" in match.could_be_from_charset for match in best):
        return ["cp1252", *codecs_found]
    return codecs_found
