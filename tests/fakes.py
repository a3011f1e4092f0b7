"""Stand-ins for the ports of the encoding side: deterministic, light, and they record what they are asked."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ports import EncoderIdentity, Tokens

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE_START = re.compile(r"(?<=[.!?])\s+(?=\S)")

Mode = Literal["tokens", "topic", "zero", "constant", "nan"]


class FakeTokenizer:
    """Words and punctuation marks, lower-cased; ``asked`` lists the texts it was given."""

    def __init__(self, name: str = "fake", identity: str = "fake-tokenizer-1") -> None:
        self.name = name
        self.identity = identity
        self.asked: list[str] = []

    @property
    def characters(self) -> int:
        """How many characters it was asked to tokenise, all texts together."""
        return sum(map(len, self.asked))

    def tokenize(self, text: str) -> Tokens:
        self.asked.append(text)
        found = list(_TOKEN.finditer(text))
        return Tokens(
            np.array([self.token_id(match[0]) for match in found], dtype=np.int32),
            np.array([match.start() for match in found], dtype=np.int64),
            np.array([match.end() for match in found], dtype=np.int64),
        )

    def count(self, text: str) -> int:
        return len(self.tokenize(text))

    @staticmethod
    def token_id(word: str) -> int:
        """The id of a word or mark, the same in every process."""
        return zlib.crc32(word.lower().encode("utf-8", "surrogatepass")) & 0x7FFFFFFF


class StreamingFakeTokenizer(FakeTokenizer):
    """The same tokens, ``run`` at a time."""

    def __init__(self, run: int = 40) -> None:
        super().__init__()
        self.run = run

    def stream(self, text: str) -> Iterator[Tokens]:
        whole = self.tokenize(text)
        for at in range(0, len(whole), self.run):
            part = slice(at, at + self.run)
            yield Tokens(whole.ids[part], whole.starts[part], whole.ends[part])


class FakeEncoder:
    """Vectors that are a pure function of the window's token ids.

    Modes: ``tokens`` gives each token a direction of its own, leaning towards its window's mean;
    ``topic`` gives the words of one topic one axis, the axes being orthogonal, and words of no
    topic their window's mean; ``zero``, ``constant`` and ``nan`` are degenerate on purpose.

    ``topics`` maps a topic to its words. ``windows`` lists every window encoded, ``batches`` how
    many came with each call.
    """

    def __init__(
        self,
        mode: Mode = "tokens",
        *,
        dim: int = 16,
        window: int = 254,
        topics: Mapping[str, Iterable[str]] | None = None,
        name: str = "fake",
        content: str = "fake-weights-1",
        tokenizer: FakeTokenizer | None = None,
    ) -> None:
        if topics is not None and len(topics) > dim:
            raise ValueError(f"{len(topics)} topics need as many dimensions, not {dim}")
        self.mode = mode
        self.name = name
        self.dim = dim
        self.window = window
        self.tokenizer = tokenizer or FakeTokenizer()
        self.identity = EncoderIdentity(
            f"{content}-{mode}-{dim}", self.tokenizer.identity, "fake-1", "cpu", "float32"
        )
        self._axis = {
            FakeTokenizer.token_id(word): axis
            for axis, words in enumerate((topics or {}).values())
            for word in words
        }
        self.windows_at_once = 64
        self.windows: list[NDArray[np.int32]] = []
        self.batches: list[int] = []

    @property
    def tokens_encoded(self) -> int:
        """How many tokens it was asked to encode, repeated ones counted each time."""
        return sum(map(len, self.windows))

    def forget(self) -> None:
        """Start the record anew."""
        self.windows.clear()
        self.batches.clear()

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        self.batches.append(len(windows))
        self.windows.extend(np.array(window) for window in windows)
        too_long = max(map(len, windows), default=0)
        if too_long > self.window:
            raise ValueError(f"a window of {too_long} tokens, over {self.window}")
        return [self._vectors(window) for window in windows]

    def _vectors(self, window: NDArray[np.int32]) -> NDArray[np.float32]:
        shape = (len(window), self.dim)
        if self.mode == "zero":
            return np.zeros(shape, np.float32)
        if self.mode == "constant":
            return np.ones(shape, np.float32)
        if self.mode == "nan":
            return np.full(shape, np.nan, np.float32)
        if not len(window):
            return np.empty(shape, np.float32)
        rows = np.stack([self._direction(int(token)) for token in window])
        lean = 0.05 if self.mode == "topic" else 0.3
        return (rows + lean * rows.mean(axis=0)).astype(np.float32)

    def _direction(self, token: int) -> NDArray[np.float64]:
        if self.mode == "tokens":
            return _random_direction(token, self.dim)
        row = np.zeros(self.dim)
        if token in self._axis:
            row[self._axis[token]] = 1.0
        return row


class FakeSentenceEncoder(FakeEncoder):
    """Has a way of its own with texts: sums their tokens' directions; ``pooled`` lists the texts."""

    pooling = "mean"
    text_window = 6

    def __init__(self, prefix: str = "") -> None:
        super().__init__()
        self.identity = replace(self.identity, prefix=prefix)
        self.pooled: list[list[int]] = []

    def pool(self, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
        self.pooled += [text.tolist() for text in texts]
        return np.stack([self._vectors(text).sum(axis=0) for text in texts])


class FakeSplitter:
    """A sentence begins after ``.``, ``!`` or ``?`` and white space.

    ``asked`` lists the texts, ``languages`` the languages that came with them.
    """

    identity = "fake-splitter-1"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.languages: list[str | None] = []

    def starts(self, text: str, language: str | None) -> list[int]:
        self.asked.append(text)
        self.languages.append(language)
        return [match.end() for match in _SENTENCE_START.finditer(text)]


@cache
def _random_direction(token: int, dim: int) -> NDArray[np.float64]:
    row = np.random.default_rng(token).standard_normal(dim)
    return row / np.linalg.norm(row)
