"""Tokens of cl100k_base."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from vchunk.adapters.encoders.tiktoken_tokenizer import TiktokenTokenizer
from vchunk.domain.errors import MissingExtra, ModelError


@pytest.fixture
def cl100k(shared: Path, monkeypatch: pytest.MonkeyPatch) -> TiktokenTokenizer:
    pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(shared / "bench" / "cl100k"))
    return TiktokenTokenizer("cl100k_base")


@pytest.mark.parametrize("text", ["", "A tide rises.\n\n  Twice a day.", "naïve 🦜🏽 日本語 \ud800 <|endoftext|>"])
def test_tokens_tile_the_text(cl100k: TiktokenTokenizer, text: str) -> None:
    tokens = cl100k.tokenize(text)
    assert len(tokens.ids) == len(tokens.starts) == len(tokens.ends)
    assert np.concatenate(([0], tokens.ends)).tolist() == [*tokens.starts.tolist(), len(text)]
    assert (np.diff(tokens.starts) >= 0).all()


def test_known_tokens(cl100k: TiktokenTokenizer) -> None:
    tokens = cl100k.tokenize("hello world")  # the example of OpenAI's cookbook
    assert tokens.ids.tolist() == [15339, 1917]
    assert tokens.ends.tolist() == [5, 11]


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtra, match=r"vchunk\[eval\]"):
        TiktokenTokenizer("cl100k_base")


def test_an_encoding_that_there_is_not() -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(ModelError, match="cl999k: tiktoken cannot load it"):
        TiktokenTokenizer("cl999k")


def test_an_encoding_that_cannot_be_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")

    def offline(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    with pytest.raises(ModelError, match="TIKTOKEN_CACHE_DIR"):
        TiktokenTokenizer("cl100k_base")
