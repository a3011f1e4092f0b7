"""Numbers of headings give levels, or nothing is made up."""

from __future__ import annotations

import pytest

from vchunk.adapters.readers.parsed_levels import numbered_levels


@pytest.mark.parametrize(
    ("titles", "levels"),
    [
        (["1 A", "1.1 B", "1.2 C", "2 D", "2.1 E"], [1, 2, 2, 1, 2]),
        (["1. A", "1.1. B", "1.1.1) C"], [1, 2, 3]),
        (["Preface", "1 A", "1.1 B", "Index"], [1, 1, 2, 1]),
        (["1 A", "1.1 B", "1 C", "1.1 D"], [1, 2, 1, 2]),  # begins again
        (["1.3.1 Part of a book", "2.1.6 Sampled", "2.2 Pages"], [3, 3, 2]),
        (["1 A", "1.1 B", "Appendix A: C", "A.1 D"], [1, 2, 1, 2]),
        (["1 A", "1.1 B", "2 C", "3 D", "4.1 E", "2 ways out", "4.2 F"], [1, 2, 1, 1, 2, 1, 2]),
    ],
)
def test_numbers_that_go_up_in_order(titles: list[str], levels: list[int]) -> None:
    assert numbered_levels(titles) == levels


@pytest.mark.parametrize(
    "titles",
    [
        [],
        ["A", "B"],
        ["1 A", "2 B", "3 C"],  # in order, but none lies in another
        ["1.1 A"],
        ["4.2 A", "9.1 B", "3.3 C", "2.8 D", "7.5 E"],  # marks, not numbers
        ["2019.1 A", "2020.1 B"],
        ["1.1.2024 A", "2.1.2024 B"],
        ["A.M. service", "B.C. dates"],
    ],
)
def test_nothing_is_made_up(titles: list[str]) -> None:
    assert numbered_levels(titles) is None
