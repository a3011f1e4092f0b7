"""Texts as lines of characters, and headings as truth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import read
from vchunk.domain.errors import ReadError
from vchunk.domain.segmentation import SCORES, Line, Segmented, compare, mean_scores, truth_of, without_headings


def test_a_cut_before_a_blank_line_and_one_after_it_are_the_same() -> None:
    text = "Aa.\n\nBb. Cc.\n"
    line = Line(text)
    assert len(line) == 9
    assert line.positions([3]) == line.positions([4]) == line.positions([5]) == [3]
    assert line.positions([9, 5, 9]) == [3, 6]
    assert line.positions([0, len(text), len(text) - 1]) == []


@given(st.text(alphabet="a b\n", max_size=40), st.data())
def test_positions_count_what_is_not_white_space(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before, whole = (len("".join(part.split())) for part in (text[:offset], text))
    assert Line(text).positions([offset]) == ([before] if 0 < before < whole else [])


def test_boundaries_outside_the_text_are_named() -> None:
    line, given_ = truth_of(Segmented("x", "Aa. Bb.", (4,), "b.jsonl, row 3"))
    assert (len(line), given_) == (6, [3])
    for wrong in (-1, 8):
        with pytest.raises(
            ReadError, match=rf"b\.jsonl, row 3: the boundary {wrong} is outside its text, which has 7"
        ):
            truth_of(Segmented("x", "Aa. Bb.", (4, wrong), "b.jsonl, row 3"))


def test_all_scores_have_their_names() -> None:
    line = Line("a" * 40)
    found = compare(line, [10, 20], [12, 20], tolerance=2)
    assert tuple(found) == SCORES
    assert (found["f1"], found["f1_exact"], found["pk"]) == (1.0, 0.5, pytest.approx(4 / 33))
    assert mean_scores([found, found])["f1_exact"].tolist() == [0.5, 0.5]


MARKDOWN = """# Tides

They rise and fall.

## Springs
### At new moon

The sun pulls too.

    # not a heading

Neaps
-----

Weak ones.
"""


def test_headings_are_cut_out_and_remembered() -> None:
    cut = without_headings(read(MARKDOWN, "tides.md"), "tides.md")
    assert "#" not in cut.text.replace("# not a heading", "")
    assert "Neaps" not in cut.text
    assert cut.media_type == "text/markdown"
    rest = [cut.text[offset:].lstrip().split("\n")[0] for offset in cut.boundaries]
    assert rest == ["They rise and fall.", "The sun pulls too.", "The sun pulls too.", "Weak ones."]
    _, positions = truth_of(cut)
    assert len(positions) == 2  # the first heading parts nothing, and two in a row part once


def test_a_text_without_headings_stays_as_it_is() -> None:
    cut = without_headings(read("Just words.\n", "a.md"), "a.md")
    assert (cut.text, cut.boundaries) == ("Just words.\n", ())
