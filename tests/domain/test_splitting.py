"""Splitting: pieces fit, and no cut goes through what a reader sees as one character."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.splitting import (
    CLAUSE,
    GRAPHEME,
    WORD,
    grapheme_starts,
    split_points,
    stride_for,
    stride_points,
)


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


def test_a_word_of_many_strides_is_cut_a_stride_apart() -> None:
    long, fine = "x" * 513, "x" * 512
    assert split_points(long, 0, 513, 128, characters) == [(at, GRAPHEME) for at in range(8, 513, 8)]
    assert split_points(fine, 0, 512, 128, characters) == [(at, GRAPHEME) for at in range(1, 512)]
    asked = split_points(long, 0, 513, 128, characters, stride=4)
    assert asked == [(at, GRAPHEME) for at in range(4, 513, 4)]
    few = split_points("x" * 256, 0, 256, 32, characters)
    assert few == [(at, GRAPHEME) for at in range(1, 256)]
    many = split_points("x" * 257, 0, 257, 32, characters)
    assert many == [(at, GRAPHEME) for at in range(2, 257, 2)]
    around = split_points("a bc " + long + " de", 0, 521, 128, characters)
    assert around == [(2, WORD), (5, WORD), *((at, GRAPHEME) for at in range(13, 519, 8)), (519, WORD)]


def test_a_label_in_front_of_a_long_word_moves_its_places() -> None:
    text = "Ann: " + "x" * 600
    points = split_points(text, 0, len(text), 128, characters, head=4)
    assert points == [(5, WORD), *((at, GRAPHEME) for at in range(13, 605, 8))]
    held = split_points("Ann:" + "x" * 10 + " " + "y" * 600, 0, 615, 128, characters, head=4)
    assert held == [(15, WORD), *((at, GRAPHEME) for at in range(23, 615, 8))]


def test_strides_end_where_a_token_begins() -> None:
    starts = [0, 4, 8, 9, 10, 11, 15, 19, 23, 24]

    def tokens(start: int, end: int) -> int:
        return sum(start <= at < end for at in starts)

    assert stride_points("x" * 30, 0, 30, 3, tokens) == [9, 15, 24]
    assert stride_points("x" * 30, 4, 30, 4, tokens) == [11, 24]


def test_strides_go_around_graphemes() -> None:
    flags = "".join(FLAGS)
    assert stride_points("a" + flags + "b", 0, 8, 4, characters) == [3, 7]
    assert stride_points(flags, 0, 6, 3, characters) == [2, 4]
    assert stride_points("ab" + FAMILY * 2 + "c", 0, 13, 3, characters) == [2, 7, 12]
    assert stride_points("a" + "\u0301" * 50, 0, 51, 3, characters) == []
    assert stride_points("a" + "\u0301" * 50 + "bcd", 0, 54, 3, characters) == [51]


def test_a_character_of_many_tokens_is_a_stride_of_its_own() -> None:
    assert stride_points("日本語", 0, 3, 2, lambda start, end: 3 * (end - start)) == [1, 2]


def test_strides_are_a_fraction_of_the_size_wanted() -> None:
    assert stride_for(128) == 8
    assert stride_for(512) == 32
    assert stride_for(8192, 64) == 8
    assert stride_for(100, 48) == stride_for(100, 50) == 4
    assert stride_for(12) == stride_for(1) == 1


@pytest.mark.parametrize(("low", "high"), [(60, 64), (62, 64), (63, 64), (64, 64), (100, 128)])
def test_strides_are_shorter_where_the_limits_are_close(low: int, high: int) -> None:
    stride = stride_for(high, minimum=low)
    assert any(low <= size <= high for size in range(0, 2 * high, stride))
    assert low - 1 + stride <= high


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


@given(st.text(alphabet.filter(lambda char: not char.isspace()), max_size=80), st.integers(1, 9))
def test_laws_of_strides(text: str, stride: int) -> None:
    points = stride_points(text, 0, len(text), stride, characters)
    whole = [*grapheme_starts(text, 0, len(text)), len(text)]
    assert set(points) <= set(whole[1:-1])
    for low, high in pairwise([0, *points, len(text)] if text else []):
        following = whole[whole.index(high) + 1] if high < len(text) else high
        assert high - low <= stride or high == whole[whole.index(low) + 1]
        assert high == len(text) or following - low > stride


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
