"""The characters of one PDF page with their places and type, straight from PDFium.

What is done to characters, once, before offsets are fixed:

- surrogate pairs become one code point; U+FB00..U+FB06 (ff, fi, fl, ffi, ffl, st) become letters;
- U+F0B7, U+F0A7 and U+F076 (bullets of the Symbol and Wingdings fonts) become U+2022;
- letters of the Wingdings font become the boxes, ticks and bullets that they show;
- a spacing accent over a letter becomes one with it (TeX sets them apart);
- control characters become a space, except the hyphen at a line's end (U+0002), which is kept for
  `vchunk.adapters.readers.pdf_text` to undo;
- NUL, lone surrogates and noncharacters (glyphs whose letter the file does not tell) become U+FFFD;
- characters that lie wholly off the page are dropped, as are zero-width spaces; runs of white
  space become one space.

Coordinates are points from the top left corner of the page as it is displayed.
"""

from __future__ import annotations

import ctypes
import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

HYPHEN = 0x02
"""PDFium's mark for a hyphen at a line's end."""

_LIGATURES = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
}  # fmt: skip
_WINGDINGS = {
    "x": "☒", "¨": "☐", "o": "☐", "q": "☐", "ý": "☒", "þ": "☑", "ü": "✓", "û": "✗", "§": "▪", "n": "■",
    "l": "●", "m": "○", "Ø": "➢", "v": "❖", "à": "→", "ß": "←", "è": "➔", "F": "☞", "*": "✉",
}  # fmt: skip
_ACCENTS = {
    "¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
    "˚": "\u030a", "˘": "\u0306", "˙": "\u0307", "¯": "\u0304", "˝": "\u030b", "˛": "\u0328",
}  # fmt: skip
_DOTLESS = {"ı": "i", "ȷ": "j"}
_BULLETS = (0xF0B7, 0xF0A7, 0xF076)
_MONO_NAMES = (
    "courier", "mono", "consol", "typewriter", "cmtt", "sftt", "menlo", "monaco", "nimbusmon", "ectt",
    "lmtt", "fixed", "lettergothic", "inconsolata", "cmsltt", "cmvtt", "fira code", "firacode",
)  # fmt: skip
_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "medi", "sfbx", "ecbx", "lmbx", "semibold")
_ITALIC_NAMES = ("ital", "obli", "cmti", "slant", "cmsl", "sfti", "ecti")
_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600

# PDFium's functions with plain addresses as arguments: a third of the cost of ctypes' own pointers.
_IntAt = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_PairAt = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_CodeAt = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_PointerAt = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


def _bind(prototype: Any, function: Any) -> Any:
    return prototype(ctypes.cast(function, ctypes.c_void_p).value)


_loose_box = _bind(_IntAt, pdfium_c.FPDFText_GetLooseCharBox)
_origin = _bind(_PairAt, pdfium_c.FPDFText_GetCharOrigin)
_unicode = _bind(_CodeAt, pdfium_c.FPDFText_GetUnicode)
_text_object = _bind(_PointerAt, pdfium_c.FPDFText_GetTextObject)


@dataclass(frozen=True, slots=True)
class Type:
    """How a text object is set: size in points, weight, slant, pitch and direction.

    ``turn`` is the reading direction on the displayed page in clockwise quarter turns.
    """

    size: float
    bold: bool
    italic: bool
    mono: bool
    turn: int
    wingdings: bool = False


@dataclass(frozen=True, slots=True)
class PageChars:
    """The characters of a page in PDFium's order, spaces and line breaks included.

    All arrays have shape (n,). ``boxes`` is (n, 4): x0, y0, x1, y1. ``base`` (n, 2) is the
    origin of each glyph on its baseline. ``types`` indexes ``kinds``; -1 for invented characters.
    """

    number: int
    width: float
    height: float
    codes: NDArray[np.uint32]
    boxes: NDArray[np.float64]
    base: NDArray[np.float64]
    types: NDArray[np.int32]
    kinds: list[Type]


def read_chars(page: Any, number: int) -> PageChars:
    """The characters of a pypdfium2 page; ``number`` counts from 1."""
    width, height = page.get_size()
    text_page = page.get_textpage()  # must live as long as it is read: else it reads as empty
    try:
        count = max(text_page.count_chars(), 0)
        handle = ctypes.cast(text_page.raw, ctypes.c_void_p).value
        codes, boxes, base, objects = _raw_arrays(handle, count)
        types, kinds = _types(text_page, objects, page.get_rotation())
    finally:
        text_page.close()
    boxes, base = _to_display(page, boxes, base, width)
    symbols = np.array([kind.wingdings for kind in kinds] + [False])[types]
    codes, keep = _clean(_wingdings(codes, symbols))
    _join_accents(codes, boxes, keep)
    inside = (boxes[:, 2] > 0) & (boxes[:, 0] < width) & (boxes[:, 3] > 0) & (boxes[:, 1] < height)
    keep &= inside | (types < 0) | _is_space(codes)
    parts = (codes[keep], boxes[keep], base[keep], types[keep])
    return PageChars(number, width, height, *_expand_ligatures(*parts), kinds)


def _raw_arrays(
    handle: int | None, count: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64]]:
    """Codes, boxes (left, top, right, bottom), origins and text objects, as PDFium has them."""
    rects = np.zeros((count, 4), np.float32)
    origins = np.zeros((count, 2), np.float64)
    rect_at, origin_at = rects.ctypes.data, origins.ctypes.data
    for i in range(count):
        _loose_box(handle, i, rect_at + 16 * i)
        _origin(handle, i, origin_at + 16 * i, origin_at + 16 * i + 8)
    codes = np.fromiter((_unicode(handle, i) for i in range(count)), np.uint32, count)
    objects = np.fromiter((_text_object(handle, i) or 0 for i in range(count)), np.uint64, count)
    return codes, rects.astype(np.float64), origins, objects


def _types(text_page: Any, objects: NDArray[np.uint64], rotation: int) -> tuple[NDArray[np.int32], list[Type]]:
    """A Type for each text object, and its index for each character."""
    found, first, index = np.unique(objects, return_index=True, return_inverse=True)
    kinds = [_type_at(text_page, int(i), rotation) for i in first]
    types = np.empty(len(objects), np.int32)
    types[:] = index.reshape(-1)
    if len(found) and found[0] == 0:
        types[types == 0] = -1
    return types, kinds


def _type_at(text_page: Any, i: int, rotation: int) -> Type:
    raw = text_page.raw
    matrix = pdfium_c.FS_MATRIX(1, 0, 0, 1, 0, 0)
    pdfium_c.FPDFText_GetMatrix(raw, i, matrix)
    flags = ctypes.c_int()
    buffer = ctypes.create_string_buffer(256)
    pdfium_c.FPDFText_GetFontInfo(raw, i, buffer, 256, flags)
    name = buffer.value.decode("utf-8", "replace").lower()
    weight = pdfium_c.FPDFText_GetFontWeight(raw, i)
    # the raw size is 1 where the text matrix does the scaling
    size = abs(pdfium_c.FPDFText_GetFontSize(raw, i)) * float(np.hypot(matrix.c, matrix.d))
    clockwise = -np.degrees(np.arctan2(matrix.b, matrix.a)) + rotation
    return Type(
        size=size,
        bold=weight >= _BOLD_WEIGHT or bool(flags.value & _FORCE_BOLD) or _any(_BOLD_NAMES, name),
        italic=bool(flags.value & _ITALIC) or _any(_ITALIC_NAMES, name),
        mono=bool(flags.value & _FIXED_PITCH) or _any(_MONO_NAMES, name),
        turn=round(float(clockwise) / 90) % 4,
        wingdings="wingdings" in name,
    )


def _any(names: tuple[str, ...], name: str) -> bool:
    return any(part in name for part in names)


def _to_display(
    page: Any, rects: NDArray[np.float64], origins: NDArray[np.float64], width: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """From PDF space (y upwards, before /Rotate) to the displayed page's top left corner."""
    left, bottom, right, top = page.get_cropbox()
    turn = page.get_rotation() // 90

    def move(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        if turn == 0:
            return x - left, top - y
        if turn == 1:
            return y - bottom, x - left
        if turn == 2:
            return right - x, y - bottom
        return top - y, right - x

    xa, ya = move(rects[:, 0], rects[:, 1])
    xb, yb = move(rects[:, 2], rects[:, 3])
    boxes = np.stack([np.minimum(xa, xb), np.minimum(ya, yb), np.maximum(xa, xb), np.maximum(ya, yb)], axis=1)
    scale = width / max(right - left if turn % 2 == 0 else top - bottom, 1e-6)  # /UserUnit
    boxes, base = boxes * scale, np.stack(move(origins[:, 0], origins[:, 1]), axis=1) * scale
    return np.clip(boxes, -1e5, 1e5), np.clip(base, -1e5, 1e5)


def _is_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = np.isin(codes, (0x20, 0x0A, 0x0D, 0x09, 0xA0, 0x3000)) | (
        (codes >= 0x2000) & (codes <= 0x200A)
    )
    return result


def _clean(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Codes after the module's rules, and which of them stay."""
    codes = codes.copy()
    keep = (codes != 0xFEFF) & (codes != 0x200B)
    high = (codes >= 0xD800) & (codes < 0xDC00)
    low = (codes >= 0xDC00) & (codes < 0xE000)
    pair = np.zeros(len(codes), np.bool_)
    if len(codes) > 1:
        pair[:-1] = high[:-1] & low[1:]
    where = np.flatnonzero(pair)
    codes[where] = 0x10000 + ((codes[where] - 0xD800) << 10) + (codes[where + 1] - 0xDC00)
    keep[where + 1] = False
    unknown = ((codes >= 0xD800) & (codes < 0xE000)) | (codes == 0) | (codes > 0x10FFFF)
    unknown |= ((codes & 0xFFFE) == 0xFFFE) | ((codes >= 0xFDD0) & (codes < 0xFDF0))
    control = ((codes < 0x20) | ((codes >= 0x7F) & (codes < 0xA0))) & (codes != HYPHEN)
    codes[control & (codes != 0x0A) & (codes != 0x0D)] = 0x20
    codes[unknown & keep] = 0xFFFD
    codes[np.isin(codes, _BULLETS)] = 0x2022
    return codes, keep


def _wingdings(codes: NDArray[np.uint32], symbols: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """What letters of the Wingdings font show."""
    codes = codes.copy()
    for i in np.flatnonzero(symbols):
        code = int(codes[i]) - (0xF000 if 0xF000 <= codes[i] < 0xF100 else 0)
        codes[i] = ord(_WINGDINGS.get(chr(code), chr(int(codes[i]))))
    return codes


def _join_accents(codes: NDArray[np.uint32], boxes: NDArray[np.float64], keep: NDArray[np.bool_]) -> None:
    """Make an accent one with the letter that it stands over, in place."""
    accents = np.isin(codes, [ord(accent) for accent in _ACCENTS])
    for i in np.flatnonzero(accents & keep):
        for j in (i + 1, i - 1):
            if not 0 <= j < len(codes) or not keep[j]:
                continue
            middle = (boxes[i, 0] + boxes[i, 2]) / 2
            letter = _DOTLESS.get(chr(codes[j]), chr(codes[j]))
            whole = unicodedata.normalize("NFC", letter + _ACCENTS[chr(codes[i])])
            over = boxes[j, 0] < middle < boxes[j, 2] and boxes[j, 1] < boxes[i, 3] and boxes[i, 1] < boxes[j, 3]
            if over and letter.isalpha() and len(whole) == 1:
                codes[j], keep[i] = ord(whole), False
                break


def _expand_ligatures(
    codes: NDArray[np.uint32],
    boxes: NDArray[np.float64],
    base: NDArray[np.float64],
    types: NDArray[np.int32],
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Ligatures as letters; each letter has the box of its glyph."""
    where = np.flatnonzero((codes >= 0xFB00) & (codes <= 0xFB06))
    if not len(where):
        return codes, boxes, base, types
    repeats = np.ones(len(codes), np.int64)
    repeats[where] = [len(_LIGATURES[int(c)]) for c in codes[where]]
    starts = np.cumsum(repeats) - repeats
    long = np.repeat(codes, repeats)
    for i in where:
        letters = _LIGATURES[int(codes[i])]
        long[starts[i] : starts[i] + len(letters)] = [ord(letter) for letter in letters]
    return long, np.repeat(boxes, repeats, 0), np.repeat(base, repeats, 0), np.repeat(types, repeats)
