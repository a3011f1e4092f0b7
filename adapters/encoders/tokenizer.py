"""Tokens of a text by a ``tokenizer.json``, with the ``tokenizers`` library alone."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from vchunk.domain.errors import ModelError
from vchunk.domain.ports import Tokens

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

PIECE = 1 << 16  # code points; a whole text of 5 MB takes half as long again and 0.5 GB
UNKNOWN_LETTERS = 4
"""Code points of one token of a word that the vocabulary does not know; of Thai, about what a word piece holds."""
_CHECKED = 128  # code points on either side of a cut that are tokenised both ways before it is trusted
_SURROGATE = re.compile("[\ud800-\udfff]")
_PATIENCE = 8  # places in a row where a cut would change tokens, after which the rest stays whole
_BREAK = re.compile(r"(?<=\S)(?:\r?\n){1,3}(?=\S)")

# Steps that look at one character, or at one word, at a time: a text may be cut between words.
_LOCAL_NORMALIZERS = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"}
_WORD_PRETOKENIZERS = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "ByteLevel", "Split"}
_LOCAL_PRETOKENIZERS = _WORD_PRETOKENIZERS | {"Punctuation", "Digits", "UnicodeScripts"}


class HfTokenizer:
    """The tokenizer of a Hugging Face ``tokenizer.json`` (port ``Tokenizer``).

    Truncation and padding that the file asks for are switched off, and special tokens are neither
    added nor recognised: ``[SEP]`` in a text is text. The library is loaded at the first use.

    A word of which the model knows no pieces, or that is too long for it, comes as one unknown token
    however long it is: a page of Thai as thirty, a key of 20,000 letters as one. Such a word is as many
    unknown tokens here as it has runs of `UNKNOWN_LETTERS`, so that sizes mean what they say.
    """

    name: str
    identity: str

    def __init__(self, definition: dict[str, Any], name: str) -> None:
        """Take the parsed JSON; see ``from_file`` and ``from_bytes``."""
        definition = definition | {"truncation": None, "padding": None}
        self.name = name
        self._json = json.dumps(definition, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
        self._cuttable = _is_cuttable(definition)
        self._unknown = _unknown_id(definition["model"])
        self.identity = xxhash.xxh3_128_hexdigest(self._json)

    @classmethod
    def from_file(cls, path: str | Path, name: str | None = None) -> HfTokenizer:
        """Read a ``tokenizer.json``; the name is the path's last part where none is given.

        Raises
        ------
        ModelError
            If there is no such file, or it is no tokenizer.
        """
        path = Path(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            reason = error.strerror or "cannot be read"
            raise ModelError(f"{path}: {reason}; a tokenizer.json is needed") from error
        return cls.from_bytes(data, name if name is not None else path.name)

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> HfTokenizer:
        """Read the bytes of a ``tokenizer.json``.

        Raises
        ------
        ModelError
            If they are no tokenizer.
        """
        try:
            definition = json.loads(data)
        except ValueError as error:
            raise ModelError(f"{name}: not a tokenizer.json ({error})") from error
        if not isinstance(definition, dict) or "model" not in definition:
            raise ModelError(f'{name}: not a tokenizer.json (it has no "model")')
        return cls(definition, name)

    def json_bytes(self) -> bytes:
        """The tokenizer in canonical form; ``from_bytes`` makes an equal one of it."""
        return self._json

    def tokenize(self, text: str) -> Tokens:
        """All tokens of the text, never truncated, without special tokens.

        A token's ``end`` may lie before a trailing combining mark that the tokenizer drops.
        """
        runs = list(self.stream(text))
        if not runs:
            return Tokens(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))
        return Tokens(
            np.concatenate([run.ids for run in runs]),
            np.concatenate([run.starts for run in runs]),
            np.concatenate([run.ends for run in runs]),
        )

    def stream(self, text: str) -> Iterator[Tokens]:
        """The tokens of ``tokenize``, a piece of the text at a time (port ``StreamingTokenizer``)."""
        last = 0
        for offset, piece in self._pieces(text):
            encoding = self._encode(piece)
            span = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) + offset
            # Normalisers that reorder marks can step back by one; the port promises that starts never fall.
            starts = np.maximum.accumulate(np.maximum(span[:, 0], last))
            last = int(starts[-1]) if len(starts) else last
            ids = np.array(encoding.ids, dtype=np.int32)
            yield _part_unknown(Tokens(ids, starts, np.maximum(span[:, 1], starts)), self._unknown)

    def count(self, text: str) -> int:
        """How many tokens the text has."""
        total = 0
        for _, piece in self._pieces(text):
            encoding = self._encode(piece)
            total += len(encoding)
            if self._unknown is not None and self._unknown in encoding.ids:
                for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
                    total += (max(end - start, 1) - 1) // UNKNOWN_LETTERS if token == self._unknown else 0
        return total

    def special_ids(self) -> tuple[list[int], list[int]]:
        """The ids that the tokenizer puts before and after one text."""
        for probe in ("a", "the", ".", "1", "\u00e9"):
            plain = self._engine.encode(probe, add_special_tokens=False).ids
            full = self._engine.encode(probe).ids
            for at in range(len(full) - len(plain) + 1) if plain else ():
                if full[at : at + len(plain)] == plain:
                    return full[:at], full[at + len(plain) :]
        return [], []

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_engine"}

    @cached_property
    def _engine(self) -> Tokenizer:
        from tokenizers import Tokenizer

        try:
            engine = Tokenizer.from_buffer(self._json)
        except Exception as error:  # the library raises plain Exception or ValueError
            reason = " ".join(str(error).split())
            raise ModelError(f"{self.name}: not a tokenizer.json ({reason})") from error
        engine.encode_special_tokens = True
        return engine

    def _encode(self, piece: str) -> Encoding:
        # One text at a time: only the batch calls start the thread pool that complains after a fork.
        return self._engine.encode(piece, add_special_tokens=False)

    def _pieces(self, text: str) -> Iterator[tuple[int, str]]:
        """The text in pieces that give the same tokens as the whole, with their offsets."""
        text = _SURROGATE.sub("\ufffd", text)  # half a pair cannot be written in UTF-8
        start = 0
        while self._cuttable and len(text) - start > PIECE:
            end = self._seam(text, start + PIECE)
            if end is None:
                break
            yield start, text[start:end]
            start = end
        if start < len(text):
            yield start, text[start:]

    def _seam(self, text: str, start: int) -> int | None:
        """The first place at or after ``start`` where the text may be cut, None for nowhere."""
        for match in islice(_BREAK.finditer(text, start), _PATIENCE):
            for at in (match.end(), match.end() - 1):  # word-level and byte-level BPE differ on blank lines
                if text[at - 1].isspace() and self._is_seam(text, at):
                    return at
        return None

    def _is_seam(self, text: str, at: int) -> bool:
        """Whether the tokens around this offset are those of the two sides."""
        if unicodedata.category(text[at])[0] in "MC":
            return False
        left, right = text[max(0, at - _CHECKED) : at], text[at : at + _CHECKED]
        whole, before, after = (self._encode(part) for part in (left + right, left, right))
        shifted = [(start + len(left), end + len(left)) for start, end in after.offsets]
        return whole.ids == before.ids + after.ids and whole.offsets == before.offsets + shifted


def _unknown_id(model: dict[str, Any]) -> int | None:
    """The id of the token for what the vocabulary does not know, if the model has one."""
    if isinstance(model.get("unk_id"), int):
        return int(model["unk_id"])
    vocabulary, token = model.get("vocab"), model.get("unk_token")
    found = vocabulary.get(token) if isinstance(vocabulary, dict) and isinstance(token, str) else None
    return found if isinstance(found, int) else None


def _part_unknown(tokens: Tokens, unknown: int | None) -> Tokens:
    """The tokens, the unknown ones parted so that each holds at most `UNKNOWN_LETTERS` code points."""
    ids, starts, ends = tokens.ids, tokens.starts, tokens.ends
    parts = np.where(ids == unknown, np.maximum(-(-(ends - starts) // UNKNOWN_LETTERS), 1), 1)
    if unknown is None or (parts == 1).all():
        return tokens
    whole = np.repeat(np.arange(len(ids)), parts)
    nth = np.arange(len(whole)) - np.repeat(np.cumsum(parts) - parts, parts)
    parted = starts[whole] + nth * UNKNOWN_LETTERS
    return Tokens(
        ids[whole],
        parted,
        np.where(parts[whole] > 1, np.minimum(parted + UNKNOWN_LETTERS, ends[whole]), ends[whole]),
    )


def _is_cuttable(definition: dict[str, Any]) -> bool:
    """Whether no step of the tokenizer depends on where in a text a word stands."""
    normalizers = list(_steps(definition.get("normalizer"), "normalizers"))
    pretokenizers = list(_steps(definition.get("pre_tokenizer"), "pretokenizers"))
    names = {step.get("type") for step in pretokenizers}
    return (
        all(step.get("type") in _LOCAL_NORMALIZERS for step in normalizers)
        and names <= _LOCAL_PRETOKENIZERS
        and bool(names & _WORD_PRETOKENIZERS)
        and not any(step.get("add_prefix_space") for step in pretokenizers)
    )


def _steps(step: dict[str, Any] | None, inner: str) -> Iterator[dict[str, Any]]:
    """The steps of a normaliser or pre-tokeniser, sequences unfolded."""
    if step is None:
        return
    if step.get("type") == "Sequence":
        for part in step.get(inner, []):
            yield from _steps(part, inner)
    else:
        yield step
