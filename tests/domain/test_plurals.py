"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from vchunk.domain.plurals import counted


@pytest.mark.parametrize(
    ("count", "noun", "several", "said"),
    [
        (0, "chunk", None, "0 chunks"),
        (1, "chunk", None, "1 chunk"),
        (1024, "chunk", None, "1,024 chunks"),
        (1, "child", "children", "1 child"),
        (2, "child", "children", "2 children"),
    ],
)
def test_a_number_has_its_noun(count: int, noun: str, several: str | None, said: str) -> None:
    assert counted(count, noun, several) == said
