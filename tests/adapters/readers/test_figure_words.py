"""The words in pictures: prose or labels, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.readers.figure_words import Words, behind_sections, reads_as_prose
from vchunk.domain.document import Kind, Role

HEAD, TEXT, CAPTION, FIGURE, FURNITURE = "HTCFU"
FORMS = {
    HEAD: (Kind.HEADING, Role.BODY),
    TEXT: (Kind.PARAGRAPH, Role.BODY),
    CAPTION: (Kind.CAPTION, Role.BODY),
    FIGURE: (Kind.FIGURE, Role.FIGURE),
    FURNITURE: (Kind.PARAGRAPH, Role.FURNITURE),
}


@dataclass(eq=False)
class Part:
    letter: str
    kind: Kind
    role: Role


def parts(letters: str) -> list[Part]:
    return [Part(letter, *FORMS[letter]) for letter in letters]


def order(letters: str) -> str:
    return "".join(part.letter for part in behind_sections(parts(letters)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("HTFCTHT", "HTCTFHT"),
        ("TFT", "TTF"),
        ("FT", "TF"),
        ("TFTUU", "TTFUU"),
        ("HFHT", "HHTF"),  # the first heading would stand alone
        ("HTFHFT", "HTFHTF"),
        ("HF", "HF"),
        ("HFU", "HFU"),
    ],
)
def test_words_in_pictures_stand_at_the_end_of_their_section(before: str, after: str) -> None:
    assert order(before) == after


@given(st.text(HEAD + TEXT + CAPTION + FIGURE), st.text(FURNITURE, max_size=3))
def test_nothing_is_lost_and_the_rest_keeps_its_order(letters: str, last: str) -> None:
    given_parts = parts(letters + last)
    found = behind_sections(given_parts)
    for which in (True, False):
        assert [p for p in found if (p.letter == FIGURE) is which] == [
            p for p in given_parts if (p.letter == FIGURE) is which
        ]
    seen = "".join(part.letter for part in found)
    assert FIGURE + TEXT not in seen
    assert FURNITURE + FIGURE not in seen
    assert HEAD + FIGURE not in seen.rstrip(FURNITURE + FIGURE).removesuffix(HEAD)


def stacked(*counts: int, size: float = 10, step: float = 12, x: float = 0) -> list[Words]:
    return [Words(x, 100 + i * step, size, count) for i, count in enumerate(counts)]


@pytest.mark.parametrize(
    ("lines", "prose"),
    [
        ([], False),
        (stacked(6, 6, 2), True),
        (stacked(6, 6), False),
        (stacked(25), True),
        (stacked(24), False),
        (stacked(3, 3, 3, 3), False),  # labels under one another
        (stacked(6, 6, 6, step=30), False),  # far apart
        (stacked(6, 6, 6, size=4, step=5), False),  # a page that is shown
        ([Words(x, 100 + x / 10, 10, 6) for x in (0, 50, 100)], False),
        ([*stacked(6, 6, 2), *stacked(*[1] * 14, x=300)], False),  # as many words in labels
        ([*stacked(6, 6, 2), *stacked(*[1] * 13, x=300)], True),
    ],
)
def test_prose_stands_in_lines_of_several_words(lines: list[Words], prose: bool) -> None:
    assert reads_as_prose(lines, 5.0) is prose
