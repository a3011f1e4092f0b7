"""The scripts of letters, and the fonts that draw them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.plots import lettering, scripts
from vchunk.adapters.plots.lettering import Lettering
from vchunk.adapters.plots.scripts import complaint, families_of, script_of


@pytest.mark.parametrize(
    ("letter", "script"),
    [
        ("系", "CJK"),
        ("\U00020000", "CJK"),
        ("\uf900", "CJK"),
        ("は", "Hiragana"),
        ("カ", "Katakana"),
        ("한", "Hangul"),
        ("क", "Devanagari"),
        ("ก", "Thai"),
        ("ព", "Khmer"),
        ("ሀ", "Ethiopic"),
        ("\U0001d400", "Mathematical"),
        ("\U00010300", "Old Italic"),
        ("\ue000", ""),
    ],
)
def test_the_script_of_a_letter(letter: str, script: str) -> None:
    assert script_of(letter) == script


@given(st.characters())
def test_every_character_has_a_name_of_its_script_or_none(letter: str) -> None:
    assert script_of(letter).replace(" ", "").isalpha() or script_of(letter) == ""


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("系统", "no installed font draws CJK (系), which the picture leaves out: install one that does, "
         "such as Noto Sans CJK"),
        ("はカ系", "draws Hiragana (は), Katakana (カ) and CJK (系), which"),
        ("はカ系한", "draws Hiragana (は), Katakana (カ), CJK (系) and others, which"),
        ("กक", "such as Noto Sans Thai and Noto Sans Devanagari"),
        ("\U0001f100", "draws the letter \U0001f100, which the picture leaves out: install one that does"),
    ],
)  # fmt: skip
def test_the_way_out_names_scripts_letters_and_fonts(letters: str, said: str) -> None:
    assert said in complaint(letters)
    assert complaint("はカ系").count("Noto") == 1


def test_fonts_that_may_have_a_script() -> None:
    assert families_of("กx.") == ["noto sans latin", "noto serif latin", "noto sans thai", "noto serif thai"]
    assert families_of("… ") == []


def install(path: Path, family: str, letters: str) -> None:
    """A font whose letters are all one triangle."""
    pen = TTGlyphPen(None)
    for step, point in enumerate([(0, 0), (400, 0), (200, 600)]):
        (pen.lineTo if step else pen.moveTo)(point)
    pen.closePath()
    shape = pen.glyph()
    names = [".notdef", *(f"g{ord(letter)}" for letter in letters)]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(letter): f"g{ord(letter)}" for letter in letters})
    font.setupGlyf(dict.fromkeys(names, shape))
    font.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)


def test_a_font_installed_after_matplotlib_listed_them_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import font_manager

    letter = "\U00010a00"  # KHAROSHTHI LETTER A: a script without a line in the list of fonts
    monkeypatch.setattr(font_manager.fontManager, "ttflist", list(font_manager.fontManager.ttflist))
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(p) for p in tmp_path.iterdir()])

    def look() -> Lettering:
        for known in (scripts.take_in_new_fonts, lettering._glyphs, font_manager.fontManager._findfont_cached):
            known.cache_clear()
        return Lettering([letter])

    (tmp_path / "broken.ttf").write_bytes(b"no font")
    assert look().missing([letter]) == [letter]
    install(tmp_path / "new.ttf", "Noto Sans Kharoshthi", letter)
    assert look().families == [lettering.FIRST, "Noto Sans Kharoshthi"]
    assert look().missing([letter]) == []
    font_manager.fontManager._findfont_cached.cache_clear()
    lettering._glyphs.cache_clear()
