"""Text that can be drawn: which fonts have its characters, how wide it is, where it is shortened."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from vchunk.adapters.plots.scripts import families_of, take_in_new_fonts

FIRST = "DejaVu Sans"
"""Comes with matplotlib: Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and symbols."""

FALLBACKS = (
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK TC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans GB",
    "Hiragino Sans",
    "Heiti SC",
    "STHeiti",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "SimHei",
    "SimSun",
    "Yu Gothic",
    "Meiryo",
    "MS Gothic",
    "IPAexGothic",
    "Malgun Gothic",
    "NanumGothic",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Tamil",
    "Noto Sans Telugu",
    "Lohit Devanagari",
    "Nirmala UI",
    "Kohinoor Devanagari",
    "Noto Sans Thai",
    "Loma",
    "Leelawadee UI",
    "Thonburi",
    "Noto Sans Arabic",
    "Noto Naskh Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Ethiopic",
    "Noto Sans Khmer",
    "Noto Sans Math",
    "Noto Sans Symbols",
    "Noto Sans Symbols 2",
    "Noto Sans Symbols2",
    "Noto Emoji",
    "Segoe UI",
    "Segoe UI Symbol",
    "Segoe UI Emoji",
    "Apple Symbols",
    "Arial Unicode MS",
    "FreeSans",
    "Symbola",
    "Unifont",
)
"""Tried in this order, where installed. Fonts of coloured bitmaps are missing: they cannot be drawn."""

UNDRAWN = "Where no installed font has the letters of a label, the place stands instead."
"""A note for pictures on which that is so."""

_GAPS = re.compile(r"\s*…[\s…]*")
_ENDING = re.compile(r"\.\w{1,8}$")
_JOINERS = "\u200c\u200d"
_SHAPING_SINCE = (3, 11)
"""Older versions of matplotlib draw Arabic unjoined and backwards, and Indic vowels in the wrong place."""


def plain(text: str) -> str:
    """The text on one line, without characters that have no shape of their own."""
    kept = "".join(
        " " if char.isspace() else char
        for char in unicodedata.normalize("NFC", text)
        if char.isspace() or _has_shape(char)
    )
    return " ".join(kept.split())


def _has_shape(char: str) -> bool:
    if char in _JOINERS:
        return True
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return False
    return not ("\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef")


class Lettering:
    """The fonts for some texts.

    Parameters
    ----------
    texts : iterable of str
        All that will be drawn; only fonts that they need are opened.

    Attributes
    ----------
    families : list of str
        Installed font families, to be tried in order.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        from matplotlib import font_manager

        missing = {char for text in texts for char in plain(text)} - _glyphs(FIRST, "normal")
        self.families = [FIRST]
        if missing:
            take_in_new_fonts()
        installed = set(font_manager.get_font_names()) if missing else set()
        named = {name.lower(): name for name in sorted(installed)}
        others = [named[name] for name in families_of(missing) if name in named]
        for name in (*FALLBACKS, *others):
            if missing and name in installed and missing & (found := _glyphs(name, "normal")):
                self.families.append(name)
                missing -= found
        self._drawable = {
            weight: frozenset().union(*(_glyphs(name, weight) for name in self.families))
            for weight in ("normal", "bold")
        }

    def weight(self, text: str, weight: str) -> str:
        """The weight asked for, or normal where the bold fonts lack a character."""
        return weight if self._covers(text, weight) else "normal"

    def _covers(self, text: str, weight: str) -> bool:
        return all(char in self._drawable[weight] for char in text)

    def parts(self, text: str) -> str:
        """What can be drawn of a text, with … where letters are missing; empty where all are."""
        fonts = self._drawable["normal"]
        out = "".join(char if char in fonts else "…" if char.isalnum() else " " for char in plain(text))
        out = " ".join(_GAPS.sub(" … ", out).split())
        return out if any(char.isalnum() for char in out) else ""

    def missing(self, texts: Iterable[str]) -> list[str]:
        """The letters of some texts that cannot be drawn, each once, in their order."""
        fonts = self._drawable["normal"]
        letters = dict.fromkeys(char for text in texts for char in plain(text) if char.isalnum())
        return [char for char in letters if char not in fonts]

    def tells(self, text: str) -> bool:
        """Whether what can be drawn of a text still says something: half of its letters, digits apart."""
        clean = plain(text)
        if self._covers(clean, "normal"):
            return bool(clean.strip(" …"))
        letters = [char for char in clean if char.isalpha()] or [char for char in clean if char.isalnum()]
        drawn = sum(char in self._drawable["normal"] for char in letters)
        return bool(letters) and 2 * drawn >= len(letters)

    def label(self, text: str, otherwise: str) -> str:
        """A text as it can be drawn, or ``otherwise`` where that would tell nothing."""
        if not self.tells(text):
            return otherwise
        clean = plain(text)
        return clean if self._covers(clean, "normal") else self.parts(clean)

    def title(self, names: Sequence[str]) -> str:
        """The first name that tells something, endings of files apart; else what there is of the first."""
        for name in names:
            if self.tells(_ENDING.sub("", name)):
                return self.parts(name)
        return self.parts(names[0])


@lru_cache(maxsize=64)
def _glyphs(family: str, weight: str) -> frozenset[str]:
    """The characters that an installed font draws rightly."""
    import matplotlib
    from matplotlib import font_manager

    try:
        path = font_manager.findfont(
            font_manager.FontProperties(family=family, weight=weight), fallback_to_default=False
        )
        chars = {chr(code) for code in font_manager.get_font(path).get_charmap()}
    except (ValueError, RuntimeError, OSError):  # removed since the list was made, or not scalable
        return frozenset()
    chars |= {" "}
    if matplotlib.__version_info__ < _SHAPING_SINCE:
        chars = {char for char in chars if not _needs_shaping(char)}
    return frozenset(chars)


def _needs_shaping(char: str) -> bool:
    return unicodedata.bidirectional(char) in ("R", "AL") or unicodedata.category(char) == "Mc"


class Measure:
    """Widths of text in inches, as the PNG canvas draws it."""

    def __init__(self, families: list[str], dpi: float) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self._families = families
        self._dpi = dpi
        self._renderer: Any = RendererAgg(16, 16, dpi)  # type: ignore[no-untyped-call]
        self._known: dict[tuple[str, float, str], float] = {}

    def width(self, text: str, size: float, weight: str = "normal") -> float:
        """Width of one line at a size in points."""
        from matplotlib.font_manager import FontProperties

        key = (text, size, weight)
        if key not in self._known:
            font = FontProperties(family=self._families, size=size, weight=weight)
            pixels, _, _ = self._renderer.get_text_width_height_descent(text, font, False)
            self._known[key] = float(pixels) / self._dpi
        return self._known[key]

    def shorten(self, text: str, limit: float, size: float, weight: str = "normal") -> str:
        """The text, or its beginning with … where it is wider than ``limit`` inches; may be empty."""
        if self.width(text, size, weight) <= limit:
            return text
        text = text.removesuffix("…").rstrip()
        fits, over = 0, len(text)
        while fits + 1 < over:
            middle = (fits + over) // 2
            if self.width(f"{text[:middle].rstrip()} …", size, weight) <= limit:
                fits = middle
            else:
                over = middle
        if " " in text[fits // 2 : fits] and not text[fits : fits + 1].isspace():
            fits = text.rindex(" ", 0, fits)
        while fits and unicodedata.combining(text[fits : fits + 1] or " "):
            fits -= 1
        text = text[:fits].rstrip(" …")
        return f"{text} …" if text else ""

    def wrap(self, text: str, limit: float, size: float) -> list[str]:
        """Lines no wider than ``limit`` inches, broken between words."""
        lines: list[str] = []
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, size) <= limit:
                lines[-1] = longer
            else:
                lines.append(self.shorten(word, limit, size) or "…")
        return lines
