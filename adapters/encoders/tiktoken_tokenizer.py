"""Byte-level tokens by tiktoken (extra ``eval``)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from vchunk.domain.errors import MissingExtra, ModelError
from vchunk.domain.ports import Tokens

_CONTINUES = 0x80  # the high bits of a byte that continues a character in UTF-8
_MASK = 0xC0
_SURROGATE = re.compile("[\ud800-\udfff]")


class TiktokenTokenizer:
    """A public encoding such as ``cl100k_base`` (port ``Tokenizer``).

    tiktoken fetches an encoding once and keeps it in ``TIKTOKEN_CACHE_DIR``. A token may be part of
    the bytes of a character; it is placed where the character starts or ends.

    Raises
    ------
    MissingExtra
        If tiktoken is not installed.
    ModelError
        If the encoding is neither in its cache nor to be had.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity = f"tiktoken-{name}"
        self._engine = _load(name)

    def tokenize(self, text: str) -> Tokens:
        """All tokens of the text; special tokens in it are text. Half surrogates count as U+FFFD."""
        ids = self._engine.encode(_SURROGATE.sub("\ufffd", text), disallowed_special=())
        begun = [
            sum(byte & _MASK != _CONTINUES for byte in token) for token in self._engine.decode_tokens_bytes(ids)
        ]
        ends = np.cumsum(begun, dtype=np.int64)
        return Tokens(np.array(ids, np.int32), np.concatenate(([0], ends[:-1])) if len(ends) else ends, ends)


def _load(name: str) -> Any:
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra(f"counting tokens of {name}", "eval") from None
    try:
        return tiktoken.get_encoding(name)
    except ValueError as error:
        raise ModelError(f"{name}: tiktoken cannot load it ({error})") from error
    except Exception as error:  # what requests raises, and what is wrong with its cache
        raise ModelError(
            f"{name} is not in tiktoken's cache and cannot be fetched: put its file into a folder and name that "
            "in TIKTOKEN_CACHE_DIR"
        ) from error
