"""vchunk itself, as it comes, from an empty store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from peers.protocol import Bench, Corpus, Cut, Piece, serve
from vchunk import Session
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.wiring import make_encoder

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "fine": {"preset": "fine"},
    "medium": {"preset": "medium"},
    "coarse": {"preset": "coarse"},
    "structure, fine": {"preset": "fine", "method": "structure"},
    "structure, medium": {"preset": "medium", "method": "structure"},
    "structure, coarse": {"preset": "coarse", "method": "structure"},
    "prominence 2": {"prominence": 2.0},
}


class CountingEncoder:
    """An encoder that counts the tokens it reads."""

    def __init__(self, bench: Bench) -> None:
        self._encoder = make_encoder()
        self._bench = bench

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        """Encode, and count."""
        self._bench.encoded += sum(len(window) for window in windows)
        return self._encoder.encode(windows)


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """The presets by meaning and by structure alone, and cuts by prominence; they share an embedding."""
    torch.set_num_threads(1)
    encoder = CountingEncoder(bench)
    encoder.encode([np.arange(1000, 1008, dtype=np.int32)])  # loads the weights
    bench.encoded = 0
    session = Session(encoder=encoder, store=MemoryStore())
    reader = Session(store=MemoryStore())

    def cutter(wanted: Mapping[str, Any]) -> Cut:
        def cut(corpus: Corpus) -> list[Piece]:
            if wanted.get("method") == "structure":
                doc = reader.read(corpus.path)
            else:
                doc = bench.once(corpus.name, lambda: session.embed(corpus.path))
            return [Piece(chunk.text, chunk.start, chunk.embed_text) for chunk in doc.chunks(**wanted)]

        return cut

    return {name: lambda wanted=wanted: cutter(wanted) for name, wanted in SETTINGS.items()}


if __name__ == "__main__":
    serve(settings)
