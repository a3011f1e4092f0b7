"""Text that can be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.plots import lettering
from vchunk.adapters.plots.lettering import FIRST, Lettering, Measure, plain


@pytest.fixture
def only_the_first_font(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fonts differ between machines; DejaVu Sans comes with matplotlib."""
    monkeypatch.setattr(lettering, "FALLBACKS", ())
    monkeypatch.setattr(lettering, "families_of", lambda _: [])


def letters(*texts: str) -> Lettering:
    return Lettering(texts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand  blanks", "two lines and blanks"),
        ("\ufeffmark\u200b \x00\x1b[0m", "mark [0m"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("heart \u2764\ufe0f", "heart \u2764"),
        ("cafe\u0301", "café"),
    ],
)
def test_plain_text_is_one_line_of_characters_with_a_shape(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize("text", ["Naïve café", "Ωmega ∑ → x²", "Привет", "$a_1$ \\alpha {x}^2", "§ 3.1 “quoted”"])
def test_what_the_first_font_has_is_kept(text: str) -> None:
    found = letters(text)
    assert found.label(text, "else") == text
    assert found.families == [FIRST]


@pytest.mark.usefixtures("only_the_first_font")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("共识算法", "page 3"),
        ("Raft 共识", "Raft …"),
        ("共识算 ab", "page 3"),
        ("共识 Raft", "… Raft"),
        ("\U0001fae0 Getting started", "Getting started"),
        ("\U0001fae0", "page 3"),
        ("", "page 3"),
        ("…", "page 3"),
        ("a 共 b 识 c", "a … b … c"),
        ("ข้อ 10", "page 3"),
        ("共 识 2024-10", "page 3"),
        ("10", "10"),
        ("10 \U0001fae0", "10"),
    ],
)
def test_missing_letters_are_never_drawn_as_boxes(text: str, shown: str) -> None:
    assert letters(text).label(text, "page 3") == shown


@pytest.mark.usefixtures("only_the_first_font")
def test_a_title_keeps_what_there_is_of_it() -> None:
    title = "一份很长的中文标题.md"
    assert letters(title).parts(title) == "… .md"
    assert letters("共识").parts("共识") == ""


@pytest.mark.usefixtures("only_the_first_font")
@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["Raft", "a.md"], "Raft"),
        (["共识算法", "a.md", "key"], "a.md"),
        (["共识算法", "共识.docx", "key"], "key"),
        (["共识.docx", "key"], "key"),
        (["共识", "b 共.md", "key"], "b … .md"),
        (["共识 a"], "… a"),
        ([""], ""),
    ],
)
def test_a_title_that_cannot_be_drawn_gives_way_to_the_next_name(names: list[str], shown: str) -> None:
    assert letters(*names).title(names) == shown


@pytest.mark.usefixtures("only_the_first_font")
def test_letters_that_are_missing_are_listed_once() -> None:
    texts = ["共识 Raft \U0001fae0", "识算…"]
    assert letters(*texts).missing(texts) == ["共", "识", "算"]
    assert letters("Raft").missing(["Raft"]) == []


def test_a_fallback_font_is_used_where_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = lettering._glyphs

    def with_chinese(family: str, weight: str) -> frozenset[str]:
        return frozenset("共识") if family == "DejaVu Serif" else real(family, weight)

    monkeypatch.setattr(lettering, "_glyphs", with_chinese)
    monkeypatch.setattr(lettering, "FALLBACKS", ("Not Installed Anywhere", "STIXGeneral", "DejaVu Serif"))
    found = letters("共识 and more")
    assert found.families == [FIRST, "DejaVu Serif"]
    assert found.label("共识", "else") == "共识"


def test_bold_only_where_the_bold_font_has_every_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    real = lettering._glyphs
    monkeypatch.setattr(lettering, "_glyphs", lambda f, w: real(f, w) - ({"q"} if w == "bold" else set()))
    found = letters("quick")
    assert found.weight("slow", "bold") == "bold"
    assert found.weight("quick", "bold") == "normal"


def test_old_versions_that_cannot_join_arabic_do_not_try(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "مرحبا"
    assert letters(text).label(text, "page 3") == ("page 3" if lettering_is_old() else text)
    monkeypatch.setattr(lettering, "_SHAPING_SINCE", (999, 0))
    lettering._glyphs.cache_clear()
    try:
        assert letters(text).label(text, "page 3") == "page 3"
    finally:
        lettering._glyphs.cache_clear()


def lettering_is_old() -> bool:
    import matplotlib

    return matplotlib.__version_info__ < lettering._SHAPING_SINCE


@given(st.text(min_size=1, max_size=60), st.floats(0.2, 4))
def test_a_shortened_text_fits_and_is_a_beginning(text: str, limit: float) -> None:
    measure = Measure([FIRST], 144)
    text = letters(text).label(text, "page 3")
    short = measure.shorten(text, limit, 8.0)
    assert short == text or short == "" or text.startswith(short.removesuffix(" …"))
    assert not short or measure.width(short, 8.0) <= limit
    assert measure.width(text, 8.0) > limit or short == text


def test_words_are_cut_between_words() -> None:
    measure = Measure([FIRST], 144)
    words = ["several", "somewhat", "longer", "words", "stand", "here", "..."]
    for limit in np.linspace(1.2, 2.4, 20):
        short = measure.shorten(" ".join(words), limit, 8.0).removesuffix(" …").split()
        assert short == words[: len(short)]
    assert measure.shorten("indivisible" * 9, 1.2, 8.0).startswith("indivisible")


def test_wrapped_lines_fit_and_lose_no_word() -> None:
    measure = Measure([FIRST], 144)
    text = "one line that is too long for the place that it has to stand in"
    lines = measure.wrap(text, 1.5, 8.0)
    assert " ".join(lines) == text
    assert len(lines) > 2
    assert all(measure.width(line, 8.0) <= 1.5 for line in lines)
