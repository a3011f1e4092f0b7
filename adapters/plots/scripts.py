"""Which writing a letter belongs to, and which fonts draw it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

MOST_NAMED = 3
"""Scripts that a warning names."""

_NAMED = re.compile(
    r"(?P<script>[A-Z][A-Z -]*?)(?: UNIFIED| COMPATIBILITY| IDEOGRAPHIC)*[ -](?:LETTER|CHARACTER|IDEOGRAPH"
    r"|SYLLABLE|SYLLABICS|LIGATURE|DIGIT|NUMBER|VOWEL|INDEPENDENT|SIGN|CAPITAL|SMALL|MARK)\b"
)
_FONTS = {
    **dict.fromkeys(("CJK", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Fullwidth", "Halfwidth"), "CJK"),
    "Mathematical": "Math",
}
"""What Noto calls its fonts of these; others are called as their script."""


def script_of(letter: str) -> str:
    """The script of a letter, as ``Devanagari`` or ``CJK``, by its Unicode name; empty if that has none."""
    found = _NAMED.match(unicodedata.name(letter, ""))
    if not found:
        return ""
    name = found["script"].split("-")[0]
    name = "Mathematical" if name.startswith("MATHEMATICAL") else name
    return name if name == "CJK" else name.title()


def font_of(script: str) -> str:
    """A free font that has a script."""
    return f"Noto Sans {_FONTS.get(script, script)}"


def families_of(letters: Iterable[str]) -> list[str]:
    """Names that fonts of some letters may have, in lower case."""
    scripts = sorted({script for letter in letters if letter.isalnum() and (script := script_of(letter))})
    fonts = dict.fromkeys(font_of(script).lower() for script in scripts)
    return [name for font in fonts for name in (font, font.replace("sans", "serif"))]


def complaint(letters: Iterable[str]) -> str:
    """What to say of letters that no font draws, with the way out."""
    examples: dict[str, str] = {}
    for letter in letters:
        examples.setdefault(script_of(letter), letter)
    named = sorted(examples.items(), key=lambda one: not one[0])[:MOST_NAMED]
    what = [f"{script} ({letter})" if script else f"the letter {letter}" for script, letter in named]
    if len(examples) > MOST_NAMED:
        what.append("others")
    fonts = list(dict.fromkeys(font_of(script) for script, _ in named if script))
    such = f", such as {_listed(fonts)}" if fonts else ""
    return f"no installed font draws {_listed(what)}, which the picture leaves out: install one that does{such}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


@lru_cache(maxsize=1)
def take_in_new_fonts() -> None:
    """Tell matplotlib of fonts that were installed after it listed them, which it does once."""
    from matplotlib import font_manager

    known = {font.fname for font in font_manager.fontManager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError, KeyError):  # matplotlib cannot read it
            continue
