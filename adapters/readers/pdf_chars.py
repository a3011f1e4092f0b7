"""The characters of one PDF page with their places and type, straight from PDFium.

What is done to characters, once, before offsets are fixed:

- surrogate pairs become one code point; U+FB00..U+FB06 (ff, fi, fl, ffi, ffl, st) become letters;
- U+F0B7, U+F0A7 and U+F076 (bullets of the Symbol and Wingdings fonts) become U+2022;
- letters of the Wingdings and Symbol fonts become the signs that they show;
- a spacing accent over a letter becomes one with it (TeX sets them apart);
- control characters become a space, except the hyphen at a line's end (U+0002), which is kept for
  `vchunk.adapters.readers.pdf_text` to undo;
- NUL, lone surrogates and noncharacters (glyphs whose letter the file does not tell) become U+FFFD,
  and so do all characters of a font of which the file tells numbers in place of letters;
- characters that lie wholly off the page are dropped, as are zero-width spaces; runs of white
  space become one space.

Coordinates are points from the top left corner of the page as it is displayed.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections import deque
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from vchunk.adapters.readers.pdf_fonts import Fonts, Type, measured, symbol_letters, unknown_letters

HYPHEN = 0x02
"""PDFium's mark for a hyphen at a line's end."""
UNKNOWN = 0xFFFD
"""A glyph of which the file does not tell the letter."""

_LIGATURES = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
}  # fmt: skip
_ACCENTS = {
    "¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
    "˚": "\u030a", "˘": "\u0306", "˙": "\u0307", "¯": "\u0304", "˝": "\u030b", "˛": "\u0328",
}  # fmt: skip
_DOTLESS = {"ı": "i", "ȷ": "j"}
_BULLETS = (0xF0B7, 0xF0A7, 0xF076)

# PDFium's functions with plain addresses as arguments: a third of the cost of ctypes' own pointers.
_IntAt = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_PairAt = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_CodeAt = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_AddressAt = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int)


def _bind(prototype: Any, function: Any) -> Any:
    return prototype(ctypes.cast(function, ctypes.c_void_p).value)


_loose_box = _bind(_IntAt, pdfium_c.FPDFText_GetLooseCharBox)
_origin = _bind(_PairAt, pdfium_c.FPDFText_GetCharOrigin)
_unicode = _bind(_CodeAt, pdfium_c.FPDFText_GetUnicode)
_text_object = _bind(_AddressAt, pdfium_c.FPDFText_GetTextObject)


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
        codes, boxes, objects = _raw_arrays(handle, count)
        base = _baselines(handle, objects)
        types, kinds = _types(Fonts(text_page, page.get_rotation()), objects)
    finally:
        text_page.close()
    upright = np.array([kind.turn % 2 == page.get_rotation() // 90 % 2 for kind in kinds] + [True])[types]
    advances = np.where(upright, boxes[:, 2] - boxes[:, 0], np.abs(boxes[:, 1] - boxes[:, 3]))
    kinds = measured(kinds, types, codes, advances)
    boxes, base = to_display(page, boxes, base, width)
    codes[unknown_letters(kinds, types, codes)] = UNKNOWN
    codes, keep = _clean(symbol_letters(kinds, types, codes))
    _join_accents(codes, boxes, keep)
    inside = (boxes[:, 2] > 0) & (boxes[:, 0] < width) & (boxes[:, 3] > 0) & (boxes[:, 1] < height)
    keep &= inside | (types < 0) | is_space(codes)
    parts = (codes[keep], boxes[keep], base[keep], types[keep])
    return PageChars(number, width, height, *_expand_ligatures(*parts), kinds)


def _raw_arrays(
    handle: int | None, count: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint64]]:
    """Codes, boxes (left, top, right, bottom) and text objects, as PDFium has them."""
    rects = np.zeros((count, 4), np.float32)
    at = rects.ctypes.data
    deque(map(_loose_box, repeat(handle), range(count), range(at, at + 16 * count, 16)), maxlen=0)
    codes = np.fromiter(map(_unicode, repeat(handle), range(count)), np.uint32, count)
    objects = np.fromiter(map(_text_object, repeat(handle), range(count)), np.uint64, count)
    return codes, rects.astype(np.float64), objects


def _baselines(handle: int | None, objects: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The origin of each glyph on its baseline: asked at the ends of each text object, between them on a line."""
    count = len(objects)
    if not count:
        return np.zeros((0, 2))
    starts = np.concatenate([[0], np.flatnonzero(objects[1:] != objects[:-1]) + 1])
    stops = np.concatenate([starts[1:], [count]])
    asked = np.unique(np.concatenate([starts, stops - 1]))
    origins = np.zeros((len(asked), 2), np.float64)
    at = origins.ctypes.data
    for row, i in enumerate(asked.tolist()):
        _origin(handle, i, at + 16 * row, at + 16 * row + 8)
    where = np.arange(count)
    return np.stack([np.interp(where, asked, origins[:, 0]), np.interp(where, asked, origins[:, 1])], axis=1)


def _types(fonts: Fonts, objects: NDArray[np.uint64]) -> tuple[NDArray[np.int32], list[Type]]:
    """A Type for each text object, and its index for each character."""
    found, first, index = np.unique(objects, return_index=True, return_inverse=True)
    kinds = [fonts.type_at(i, handle) for i, handle in zip(first.tolist(), found.tolist(), strict=True)]
    types = np.empty(len(objects), np.int32)
    types[:] = index.reshape(-1)
    if len(found) and found[0] == 0:
        types[types == 0] = -1
    return types, kinds


def to_display(
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


def is_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
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
    codes[unknown & keep] = UNKNOWN
    codes[np.isin(codes, _BULLETS)] = 0x2022
    return codes, keep


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
