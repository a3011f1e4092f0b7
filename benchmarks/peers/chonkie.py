"""chonkie: its recursive chunker in characters, its semantic chunker with the comparison's model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from chonkie import RecursiveChunker, SemanticChunker
from chonkie.embeddings import BaseEmbeddings
from numpy.typing import NDArray

from peers.protocol import Bench, Corpus, Cut, Piece, serve

SIZES = (400, 800, 1600)
MAXIMA = (128, 256, 512)  # tokens, of the semantic chunker


class LocalEmbeddings(BaseEmbeddings):
    """The comparison's model as chonkie wants it."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench

    def embed(self, text: str) -> NDArray[np.float32]:
        """One vector."""
        row: NDArray[np.float32] = self._bench.embed([text])[0]
        return row

    def embed_batch(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One vector a text."""
        return list(self._bench.embed(texts))

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._bench.embedder.dim)

    def get_tokenizer(self) -> Any:
        """Counts sizes."""
        return self._bench.embedder.tokenizer


def cutter(chunker: Any) -> Cut:
    """Chunks of a chunker."""

    def cut(corpus: Corpus) -> list[Piece]:
        return [Piece(chunk.text, chunk.start_index) for chunk in chunker.chunk(corpus.text)]

    return cut


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """Recursive by size; semantic by its maximum, else as it comes."""
    recursive = {
        f"recursive {size} chars": lambda size=size: cutter(RecursiveChunker("character", size)) for size in SIZES
    }
    semantic = {
        f"semantic, at most {size} tokens": lambda size=size: cutter(
            SemanticChunker(LocalEmbeddings(bench), chunk_size=size)
        )
        for size in MAXIMA
    }
    return {**recursive, **semantic}


if __name__ == "__main__":
    serve(settings)
