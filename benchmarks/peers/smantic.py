"""smantic: blocks and sentences; its ONNX session replaced by the comparison's model, the same weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from smantic import StructureAwareChunker, from_markdown

from peers.protocol import Bench, Corpus, Cut, serve, texts

SIZES = (100, 200, 500)  # tokens at most; 500 is its default


class LocalEmbedder:
    """The comparison's model with the methods of smantic's embedder."""

    available = True

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def count_tokens(self, text: str) -> int:
        """Tokens of a text."""
        return int(self._bench.embedder.count(text))

    def embed_sentences(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """One vector a sentence."""
        rows: NDArray[np.float32] = self._bench.embed(sentences)
        return rows

    def release(self) -> None:
        """The model is shared: nothing to free."""


def cutter(bench: Bench, size: int) -> Cut:
    """Chunks of at most so many tokens, without overlap."""
    embedder = LocalEmbedder(bench)

    class Chunker(StructureAwareChunker):
        """smantic's chunker on a model that is there."""

        @staticmethod
        def _create_embedder(model_dir: object = None) -> LocalEmbedder:  # noqa: ARG004 - smantic's signature
            return embedder

    chunker = Chunker(max_tokens=size, overlap_tokens=0)

    def cut(corpus: Corpus) -> Any:
        return texts(chunk.content for chunk in chunker.chunk_document(from_markdown(corpus.text)))

    return cut


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """One a size."""
    return {f"at most {size} tokens": lambda size=size: cutter(bench, size) for size in SIZES}


if __name__ == "__main__":
    serve(settings)
