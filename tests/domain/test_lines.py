"""Line breaks: meant ones and wrapping."""

from __future__ import annotations

import textwrap

import pytest

from vchunk.domain.lines import hard_breaks, wrap_width

PROSE = (
    "The old man went down to the river every morning and looked for the boat that his brother "
    "had promised to send, but nothing came. He waited all the same, for there was little else "
    "to do in that season. When the rain began he would walk home and put the kettle on."
)


def lines_kept(text: str, width: int | None = None) -> list[str]:
    """The text between meant breaks."""
    edges = [0, *(at for pair in hard_breaks(text, 0, len(text), width) for at in pair), len(text)]
    return [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("width", [40, 64, 79])
def test_wrapping_is_no_break(width: int, newline: str) -> None:
    text = textwrap.fill(PROSE, width).replace("\n", newline)
    assert hard_breaks(text, 0, len(text), wrap_width(text)) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_line_that_had_room_left_was_ended_on_purpose(newline: str) -> None:
    text = newline.join(["Roses are red,", "Violets are blue,", "Sugar is sweet,", "And so are you all, I say"])
    assert lines_kept(text, 60) == text.split(newline)


def test_a_short_line_that_goes_on_in_lower_case_is_wrapping() -> None:
    assert lines_kept("a line cut short\nby a hand", 60) == ["a line cut short\nby a hand"]
    assert lines_kept("a line cut short\nBy a hand", 60) == ["a line cut short", "By a hand"]
    assert lines_kept("a line that ends.\nby a hand", 60) == ["a line that ends.", "by a hand"]


@pytest.mark.parametrize("end", ["  ", "\\"])
def test_a_break_as_markdown_spells_it_is_meant(end: str) -> None:
    text = f"as long as the width is{end}\nand on"
    assert lines_kept(text, 24) == [f"as long as the width is{end}", "and on"]


def test_the_next_word_decides_whether_there_was_room() -> None:
    # Width 20: after "twelve chars" a word of 7 fits, one of 8 does not.
    assert len(lines_kept("Twelve chars\nSeven77 and", 20)) == 2
    assert len(lines_kept("Twelve chars\nEight888 and", 20)) == 1


def test_without_spaces_a_single_character_needs_room() -> None:
    assert len(lines_kept("日本語の文章日本語の\n文章です", 11)) == 1
    assert len(lines_kept("日本語の\n文章です", 11)) == 2


def test_where_lines_were_never_wrapped_each_break_is_meant() -> None:
    text = "\n".join([PROSE, PROSE, PROSE])
    assert wrap_width(text) is None
    assert lines_kept(text, None) == [PROSE] * 3


def test_blank_lines_and_the_end_are_none() -> None:
    assert hard_breaks("A.\n", 0, 3, None) == []
    assert hard_breaks("\nA.", 0, 3, None) == []
    assert hard_breaks("", 0, 0, None) == []


def test_only_breaks_inside_the_stretch_count_but_the_whole_line_is_measured() -> None:
    text = "A first one.\n" + "x" * 15 + " Then\nThe last.\nMore"
    start = text.index("Then")
    end = text.index("\nMore")
    assert hard_breaks(text, start, end, 80) == [(start + 4, start + 5)]
    assert hard_breaks(text, start, end, 22) == []  # 20 characters, so "The" did not fit


def test_the_width_is_nearly_the_longest_line() -> None:
    lines = ["x" * 70] * 99 + ["x" * 150]
    assert wrap_width("\n".join(lines)) == 70
    assert wrap_width("") is None
    assert wrap_width("\n \n") is None
    assert wrap_width("ab   \r\ncd") == 2


def test_a_log_whose_lines_are_equally_long_is_not_wrapped_text():
    log = "\n".join(
        f"2024-05-0{n % 9 + 1} 12:00:0{n % 10} INFO request {n:05d} served by host a" for n in range(40)
    )
    assert wrap_width(log) is None
    assert len(hard_breaks(log, 0, len(log), wrap_width(log))) == 39


@pytest.mark.parametrize("word", ["[hand](x)", "`hand`", "*hand*", "(hand)", "[`hand`](x)"])
def test_a_line_goes_on_with_a_link_code_or_emphasis_in_lower_case(word: str) -> None:
    text = f"a line cut short\n{word} by me"
    assert lines_kept(text, 60) == [text]
    assert lines_kept(text.replace("hand", "Hand"), 60) == [
        "a line cut short",
        f"{word.replace('hand', 'Hand')} by me",
    ]
    assert lines_kept(text.replace(word, "- hand"), 60) == ["a line cut short", "- hand by me"]
