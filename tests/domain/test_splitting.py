"""Splitting: pieces fit, and no cut goes through what a reader sees as one character."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.splitting import CLAUSE, GRAPHEME, WORD, grapheme_starts, split_points


def characters(start: int, end: int) -> int:
    return end - start


def words_in(text: str) -> object:
    return lambda start, end: len(text[start:end].split())


def pieces(text: str, maximum: int) -> list[str]:
    edges = [0, *(at for at, _ in split_points(text, 0, len(text), maximum, characters)), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def graphemes(text: str) -> list[str]:
    edges = [*grapheme_starts(text, 0, len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


FAMILY = "👩\u200d👩\u200d👧"
TONE = "👍🏽"
FLAGS = ["🇩🇪", "🇫🇷", "🇯🇵"]
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "units",
    [
        ["a", "b", "c"],
        ["e\u0301", "o\u0308\u0304", "x"],
        [FAMILY, FAMILY, TONE],
        ["❤\ufe0f", "1\ufe0f\u20e3", "❤"],
        FLAGS,
        ["a", *FLAGS, "b"],
        ["🇩🇪", "🇫"],
        [SCOTLAND, "x"],
        ["\u1112\u1161\u11ab", "\u1100\u1173\u11af"],  # 한글, in letters
        ["한", "글"],
        ["가\u11a8", "나"],
        ["क्ष", "त्रि", "य"],
        ["नि", "धि"],
        ["a\r\n", "b"],
        ["日", "本", "語"],
        ["กำ", "กา"] if unicodedata.category("\u0e33") == "Mn" else ["กิ", "ก"],
    ],
)
def test_graphemes_stay_whole(units: list[str]) -> None:
    assert graphemes("".join(units)) == units


def test_white_space_begins_no_grapheme_but_the_first_character_does() -> None:
    assert graphemes("a b\r\nc") == ["a ", "b\r\n", "c"]
    assert graphemes(" a") == [" ", "a"]
    assert graphemes("\u0301a") == ["\u0301", "a"]
    assert graphemes("") == []


def test_a_stretch_in_the_middle_begins_where_it_begins() -> None:
    text = "ab" + FLAGS[0] + "c"
    assert list(grapheme_starts(text, 1, 5)) == [1, 2, 4]


def test_what_fits_is_not_split() -> None:
    assert split_points("one, two, three", 0, 15, 15, characters) == []
    assert split_points("", 0, 0, 1, characters) == []


def test_clauses_first() -> None:
    text = "one two, three four; five six: seven"
    assert split_points(text, 0, len(text), 16, characters) == [(9, CLAUSE), (21, CLAUSE), (31, CLAUSE)]


def test_then_words_but_only_of_the_clause_that_is_too_long() -> None:
    text = "ab, cd ef gh, ij"
    assert split_points(text, 0, len(text), 6, characters) == [
        (4, CLAUSE),
        (7, WORD),
        (10, WORD),
        (14, CLAUSE),
    ]


def test_then_graphemes_but_only_of_the_word_that_is_too_long() -> None:
    text = "ab cdefg hi"
    assert split_points(text, 0, len(text), 3, characters) == [
        (3, WORD),
        (4, GRAPHEME),
        (5, GRAPHEME),
        (6, GRAPHEME),
        (7, GRAPHEME),
        (9, WORD),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("这是第一句，然后是第二句；最后是第三句", ["这是第一句，", "然后是第二句；", "最后是第三句"]),
        ("one – two — three", ["one ", "– two ", "— three"]),
        ("see (the note) here", ["see ", "(the note) ", "here"]),
        ("أولا، ثم ثانيا", ["أولا، ", "ثم ثانيا"]),
    ],
)
def test_clauses_of_other_scripts_and_brackets(text: str, expected: list[str]) -> None:
    assert pieces(text, 11) == expected


def test_numbers_with_commas_are_one_word() -> None:
    assert pieces("about 1,000,000 or 12:30", 10) == ["about ", "1,000,000 ", "or ", "12:30"]


def test_only_the_stretch_asked_for() -> None:
    text = "aa, bb, cc, dd"
    assert split_points(text, 4, 11, 4, characters) == [(8, CLAUSE)]


def test_the_measure_decides_and_not_the_characters() -> None:
    text = "a verylongword here and there"
    by_words = split_points(text, 0, len(text), 2, words_in(text))  # type: ignore[arg-type]
    assert [level for _, level in by_words] == [WORD] * 4


def test_a_word_of_twenty_thousand_characters() -> None:
    text = "x" * 20_000
    assert split_points(text, 0, len(text), 10, characters) == [(i, GRAPHEME) for i in range(1, 20_000)]
    mixed = pieces("start " + text + ", end", 10)
    assert mixed[0] == "start "
    assert mixed[-1] == "end"
    assert max(map(len, mixed)) <= 10


def test_a_grapheme_over_the_limit_stays_whole() -> None:
    text = "ab" + FAMILY * 3
    assert pieces(text, 2) == ["a", "b", FAMILY, FAMILY, FAMILY]


def test_no_split_before_a_mark_that_combines_with_a_space() -> None:
    assert pieces("aaaa \u0301b cc", 4)[-1] == "cc"
    assert all(not unicodedata.category(piece[0]).startswith("M") for piece in pieces("aaaa \u0301b cc", 4))


alphabet = st.sampled_from(
    [*"ab, ;()—日，。\r\n\u0301\u200d", "👩", "🏽", "\U0001f1e9", "क", "\u094d", "\u1100", "\u1161"]
)


@given(st.text(alphabet, max_size=60), st.integers(1, 12))
def test_laws(text: str, maximum: int) -> None:
    points = split_points(text, 0, len(text), maximum, characters)
    offsets = [at for at, _ in points]
    assert offsets == sorted(set(offsets))
    assert all(0 < at < len(text) for at in offsets)
    assert all(level in (CLAUSE, WORD, GRAPHEME) for _, level in points)
    whole = set(grapheme_starts(text, 0, len(text)))
    for piece in pieces(text, maximum):
        assert len(piece) <= maximum or len(graphemes(piece)) == 1
    for at in offsets:
        assert not text[at].isspace()
        assert not unicodedata.category(text[at]).startswith("M")
        assert at in whole
    assert bool(points) <= (len(text) > maximum)


def around(text: str, maximum: int, *whole: tuple[int, int]) -> list[str]:
    edges = [0, *(at for at, _ in split_points(text, 0, len(text), maximum, characters, whole)), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def test_spans_that_fit_are_not_split() -> None:
    text = "aa [b, cc](d) ee, ff"
    assert around(text, 11) == ["aa ", "[b, ", "cc](d) ", "ee, ", "ff"]
    assert around(text, 11, (3, 13)) == ["aa ", "[b, cc](d) ", "ee, ", "ff"]


def test_spans_that_do_not_fit_are_split_after_all_else() -> None:
    text = "aa [b, cc](d) ee, ff"
    assert around(text, 7, (3, 13)) == ["aa ", "[b, ", "cc](d) ", "ee, ", "ff"]
    assert around(text, 5, (3, 13)) == ["aa ", "[b, ", "c", "c", "]", "(", "d", ") ", "ee, ", "ff"]


def test_a_row_of_a_table_is_divided_between_its_cells() -> None:
    row = "| Keeper of the light, and of the pier | raised in the year of the storm | short |"
    assert pieces(row, 45) == [
        "| Keeper of the light, and of the pier ",
        "| raised in the year of the storm ",
        "| short |",
    ]
    assert pieces("Keeper of the light, twice\traised in a storm", 30) == [
        "Keeper of the light, twice\t",
        "raised in a storm",
    ]
    assert pieces(row, 25)[:2] == [
        "| Keeper of the light, ",
        "and of the pier ",
    ]  # a cell over the limit at clauses


@given(
    st.lists(
        st.sampled_from(["a", "e\u0301", FAMILY, TONE, "\u0e01", "x" + "\u0301" * 70]), min_size=1, max_size=400
    ),
    st.sampled_from([64, 100, 128, 320]),
)
def test_places_inside_a_word_lie_a_grain_apart(units: list[str], maximum: int) -> None:
    text = "".join(units)
    found = pieces(text, maximum)
    starts = set(grapheme_starts(text, 0, len(text)))
    assert {at for at, _ in split_points(text, 0, len(text), maximum, characters)} <= starts
    longest = max(map(len, graphemes(text)))
    assert all(len(piece) <= max(maximum, longest) for piece in found)
    if len(found) > 1:
        assert sum(len(piece) < maximum // 32 for piece in found[:-1]) <= text.count("\u0301" * 70)
        if longest == 1:
            assert {len(piece) for piece in found[:-1]} == {maximum // 32}
