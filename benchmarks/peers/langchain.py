"""LangChain: the recursive splitter in characters, and the semantic chunker of langchain-experimental."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from peers.protocol import Bench, Corpus, Cut, serve, texts

SIZES = (400, 800, 1600)
PERCENTILES = (80, 95)  # 95 is its default


class LocalEmbeddings(Embeddings):
    """The comparison's model as LangChain wants it."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        rows: list[list[float]] = self._bench.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        return self.embed_documents([text])[0]


def cutter(splitter: Any) -> Cut:
    """Chunks of a splitter; it gives no offsets that hold."""

    def cut(corpus: Corpus) -> Any:
        return texts(splitter.split_text(corpus.text))

    return cut


def semantic(bench: Bench, percentile: float) -> Cut:
    """Cuts where neighbouring sentences differ most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it says that it is no longer maintained
        from langchain_experimental.text_splitter import SemanticChunker
    embeddings = LocalEmbeddings(bench)
    return cutter(SemanticChunker(embeddings, breakpoint_threshold_amount=percentile))


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """Recursive by size, without overlap; semantic by percentile."""
    recursive = {
        f"recursive {size} chars": lambda size=size: cutter(
            RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)
        )
        for size in SIZES
    }
    return recursive | {f"semantic, percentile {p}": lambda p=p: semantic(bench, p) for p in PERCENTILES}


if __name__ == "__main__":
    serve(settings)
