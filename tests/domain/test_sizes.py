"""Sizes in characters and in the tokens of other tokenizers."""

from __future__ import annotations

import numpy as np

from vchunk.domain.ports import Tokens
from vchunk.domain.sizes import Characters, size_starts


class Listed:
    """Gives the spans that it was made of."""

    name = identity = "listed"

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = np.array(spans, np.int64)

    def tokenize(self, text: str) -> Tokens:  # noqa: ARG002
        return Tokens(np.zeros(len(self._spans), np.int32), self._spans[:, 0], self._spans[:, 1])


def test_a_token_starts_at_its_first_visible_character() -> None:
    spans = [(0, 2), (2, 5), (5, 7), (7, 8)]
    assert size_starts("ab cd\n\ne", Listed(spans)).tolist() == [0, 3, 5, 7]


def test_tokens_may_share_a_character() -> None:
    assert size_starts("a\U0001f600b", Listed([(0, 1), (1, 2), (1, 2), (2, 3)])).tolist() == [0, 1, 1, 2]


def test_each_character_counts() -> None:
    tokens = Characters().tokenize("a \ud800\U0001f600")
    assert tokens.starts.tolist() == [0, 1, 2, 3]
    assert tokens.ends.tolist() == [1, 2, 3, 4]
    assert len(Characters().tokenize("")) == 0
