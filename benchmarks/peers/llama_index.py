"""llama-index: the sentence splitter by tokens, and both semantic splitters with the comparison's model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core import Document
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import (
    SemanticDoubleMergingSplitterNodeParser,
    SemanticSplitterNodeParser,
    SentenceSplitter,
)
from pydantic import PrivateAttr

from peers.protocol import Bench, Corpus, Cut, serve, texts

SIZES = (96, 192, 384)  # tokens at most
PERCENTILES = (80, 95)  # 95 is its default


class LocalEmbedding(BaseEmbedding):
    """The comparison's model as llama-index wants it."""

    _bench: Bench = PrivateAttr()

    def __init__(self, bench: Bench) -> None:
        super().__init__(model_name="all-MiniLM-L6-v2", embed_batch_size=64)
        self._bench = bench

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._bench.embed(texts).tolist()
        return rows

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def cutter(parser: Any) -> Cut:
    """The nodes of a parser; their texts, since their offsets are found by searching and may be missing."""

    def cut(corpus: Corpus) -> Any:
        return texts(node.text for node in parser.get_nodes_from_documents([Document(text=corpus.text)]))

    return cut


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """Sentences by size, without overlap; semantic by percentile; double merging as it comes."""

    def by_size(size: int) -> Cut:
        counter = bench.embedder.tokenizer
        return cutter(
            SentenceSplitter(
                chunk_size=size,
                chunk_overlap=0,
                tokenizer=lambda text: counter.encode(text, add_special_tokens=False).ids,
            )
        )

    def by_percentile(percentile: int) -> Cut:
        return cutter(
            SemanticSplitterNodeParser.from_defaults(
                embed_model=LocalEmbedding(bench), breakpoint_percentile_threshold=percentile
            )
        )

    def double_merging() -> Cut:
        return cutter(SemanticDoubleMergingSplitterNodeParser.from_defaults(embed_model=LocalEmbedding(bench)))

    return {
        **{f"sentences, at most {size} tokens": lambda size=size: by_size(size) for size in SIZES},
        **{f"semantic, percentile {p}": lambda p=p: by_percentile(p) for p in PERCENTILES},
        "double merging": double_merging,
    }


if __name__ == "__main__":
    serve(settings)
