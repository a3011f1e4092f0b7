"""What the fonts of a PDF page tell: weight, slant, pitch, and the letters of symbol fonts."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

_WINGDINGS = {
    "x": "☒", "¨": "☐", "o": "☐", "q": "☐", "ý": "☒", "þ": "☑", "ü": "✓", "û": "✗", "§": "▪", "n": "■",
    "l": "●", "m": "○", "Ø": "➢", "v": "❖", "à": "→", "ß": "←", "è": "➔", "F": "☞", "*": "✉",
}  # fmt: skip
# Adobe's Symbol encoding, of which PDFium gives the codes in U+F000..U+F0FF
_SYMBOL = dict(
    zip(
        range(0x41, 0x5B),
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
) | dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)) | {
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±",
    0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈",
    0xBC: "…", 0xC5: "⊕", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCC: "⊂", 0xCD: "⊆", 0xCE: "∈", 0xCF: "∉",
    0xD1: "∇", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬", 0xD9: "∧",
    0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDD: "⇑", 0xDE: "⇒", 0xDF: "⇓", 0xE2: "®", 0xE3: "©", 0xE4: "™",
    0xE5: "∑", 0xF2: "∫", 0x22: "∀", 0x24: "∃", 0x40: "≅", 0x5E: "⊥", 0x2D: "−",
}  # fmt: skip
_MONO_NAMES = (
    "courier", "mono", "consol", "typewriter", "cmtt", "sftt", "menlo", "monaco", "nimbusmon", "ectt",
    "lmtt", "fixed", "lettergothic", "inconsolata", "cmsltt", "cmvtt", "fira code", "firacode",
)  # fmt: skip
_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "medi", "sfbx", "ecbx", "lmbx", "semibold")
_ITALIC_NAMES = ("ital", "obli", "cmti", "slant", "cmsl", "sfti", "ecti")
_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600
_NARROW, _WIDE = frozenset(map(ord, "iljIt.,:;'|!1()")), frozenset(map(ord, "mwMWQOGDHNU"))
_SAME_ADVANCE = 0.02
_LEAST_UNKNOWN, _UNKNOWN_SHARE = 4, 0.3


_font_of = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)(
    ctypes.cast(pdfium_c.FPDFTextObj_GetFont, ctypes.c_void_p).value  # type: ignore[arg-type]
)


@dataclass(frozen=True, slots=True)
class Type:
    """How a text object is set: size in points, weight, slant, pitch and direction.

    ``turn`` is the reading direction on the displayed page in clockwise quarter turns, ``font``
    tells the fonts of a page apart, ``symbols`` names the encoding of a symbol font.
    """

    size: float
    bold: bool
    italic: bool
    mono: bool
    turn: int
    font: int = -1
    symbols: str = ""


class Fonts:
    """The fonts of one page, asked once each."""

    def __init__(self, text_page: Any, rotation: int) -> None:
        self._raw = text_page.raw
        self._rotation = rotation
        self._known: dict[int, Type] = {}
        self._matrix = pdfium_c.FS_MATRIX(1, 0, 0, 1, 0, 0)

    def type_at(self, i: int, text_object: int) -> Type:
        """How character ``i`` is set; ``text_object`` is the address of its text object."""
        raw, matrix = self._raw, self._matrix
        handle = _font_of(text_object) if text_object else 0
        font = self._known.get(handle)
        if font is None:
            font = self._known[handle] = self._ask(i)
        size = abs(pdfium_c.FPDFText_GetFontSize(raw, i))
        if not pdfium_c.FPDFText_GetMatrix(raw, i, matrix):
            return replace(font, size=size)
        # the raw size is 1 where the text matrix does the scaling
        size *= math.hypot(matrix.c, matrix.d)
        clockwise = -math.degrees(math.atan2(matrix.b, matrix.a)) + self._rotation
        turn = round(clockwise / 90) % 4
        return Type(size, font.bold, font.italic, font.mono, turn, font.font, font.symbols)

    def _ask(self, i: int) -> Type:
        """The font of a character, with a number of its own."""
        found, buffer = ctypes.c_int(), ctypes.create_string_buffer(256)
        pdfium_c.FPDFText_GetFontInfo(self._raw, i, buffer, 256, found)
        weight = pdfium_c.FPDFText_GetFontWeight(self._raw, i)
        name, flags = buffer.value.decode("utf-8", "replace").lower(), found.value
        return Type(
            size=0.0,
            bold=weight >= _BOLD_WEIGHT or bool(flags & _FORCE_BOLD) or _any(_BOLD_NAMES, name),
            italic=bool(flags & _ITALIC) or _any(_ITALIC_NAMES, name),
            mono=bool(flags & _FIXED_PITCH) or _any(_MONO_NAMES, name),
            turn=0,
            font=len(self._known),
            symbols="wingdings" if "wingdings" in name else "symbol" if "symbol" in name else "",
        )


def _any(names: tuple[str, ...], name: str) -> bool:
    return any(part in name for part in names)


def measured(
    kinds: list[Type], types: NDArray[np.int32], codes: NDArray[np.uint32], advances: NDArray[np.float64]
) -> list[Type]:
    """The types, those of fixed pitch where all letters of a font advance by the same width.

    Many producers neither name such a font so nor set its flag. It takes a narrow and a wide letter.
    """
    fonts = np.array([kind.font for kind in kinds] + [-1])[types]
    sizes = np.array([kind.size for kind in kinds] + [1.0])[types]
    fixed: set[int] = set()
    for font in {kind.font for kind in kinds if not kind.mono}:
        mine = (fonts == font) & (codes > 0x20) & (codes < 0x7F)
        seen = set(np.unique(codes[mine]).tolist())
        if len(seen) < 8 or not (seen & _NARROW and seen & _WIDE):
            continue
        ems = advances[mine] / np.maximum(sizes[mine], 1e-3)
        low, high = np.quantile(ems, (0.02, 0.98))
        if low > 0.2 and high - low < _SAME_ADVANCE:
            fixed.add(font)
    return [replace(kind, mono=True) if kind.font in fixed else kind for kind in kinds] if fixed else kinds


def unknown_letters(kinds: list[Type], types: NDArray[np.int32], codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which characters are bare glyph numbers: all of a font in which many are control characters."""
    control = (codes > 0) & (codes < 0x20) & (codes != 0x0A) & (codes != 0x0D) & (codes != 0x09)
    found = np.zeros(len(codes), np.bool_)
    if int(control.sum()) < _LEAST_UNKNOWN:
        return found
    fonts = np.array([kind.font for kind in kinds] + [-1])[types]
    for font in {kind.font for kind in kinds}:
        mine = fonts == font
        odd = control & mine
        hyphens = int((codes[odd] == 0x02).sum())
        count = int(odd.sum()) - (hyphens if hyphens == int(odd.sum()) else 0)
        if count >= _LEAST_UNKNOWN and count >= _UNKNOWN_SHARE * int(mine.sum()):
            found |= mine
    return found


def symbol_letters(kinds: list[Type], types: NDArray[np.int32], codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The codes with what letters of the Wingdings and Symbol fonts show."""
    names = {i: kind.symbols for i, kind in enumerate(kinds) if kind.symbols}
    if not names:
        return codes
    codes = codes.copy()
    for i in np.flatnonzero(np.isin(types, list(names))):
        code = int(codes[i])
        plain = code - (0xF000 if 0xF000 <= code < 0xF100 else 0)
        if names[int(types[i])] == "wingdings":
            codes[i] = ord(_WINGDINGS.get(chr(plain), chr(code)))
        elif plain != code:
            codes[i] = ord(_SYMBOL.get(plain, chr(plain) if 0x20 < plain < 0x7F else chr(code)))
    return codes
