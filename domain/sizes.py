"""Sizes in another unit than the encoder's tokens: characters, or the tokens of another tokenizer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ports import Tokenizer, Tokens


class Characters:
    """Counts code points (port ``Tokenizer``)."""

    name = "chars"
    identity = "chars"

    def tokenize(self, text: str) -> Tokens:
        """Each character by itself, white space too."""
        at = np.arange(len(text), dtype=np.int64)
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return Tokens(points.astype(np.int32), at, at + 1)


def size_starts(text: str, counter: Tokenizer) -> NDArray[np.int64]:
    """Where each token of a counter starts, (n,), rising.

    A token that begins with white space, as those of byte-level BPE do, starts at its first visible
    character; one of nothing else keeps its place. Tokens that share a character share a start.
    """
    tokens = counter.tokenize(text)
    starts = tokens.starts.copy()
    for at in np.flatnonzero(tokens.ends - starts > 1).tolist():
        start, end = int(starts[at]), int(tokens.ends[at])
        if text[start].isspace():
            seen = next((i for i in range(start, end) if not text[i].isspace()), start)
            starts[at] = seen
    return np.maximum.accumulate(starts) if len(starts) else starts
