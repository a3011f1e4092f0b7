"""chunk-it-pro, its hosted embedders replaced by the comparison's model.

The clients of the hosted embedders are not installed: empty modules stand in their place. The data of
nltk's sentence splitter and of tiktoken, which it would download, are those in llama-index-core's wheel.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.protocol import Bench, Corpus, Cut, serve, texts

SETTINGS = (("percentile", 95.0), ("percentile", 50.0), ("gradient", None), ("local_maxima", None))


def _offline() -> None:
    """Put what chunk-it-pro would fetch where it looks for it."""
    for name, what in (
        ("openai", "OpenAI"),
        ("voyageai.object.embeddings", "EmbeddingsObject"),
        ("voyageai.client_async", "AsyncClient"),
    ):
        module = ModuleType(name)
        setattr(module, what, type(what, (), {}))
        sys.modules[name] = module
    spec = find_spec("llama_index")
    assert spec is not None
    data = Path(next(iter(spec.submodule_search_locations or []))) / "core" / "_static"
    os.environ["NLTK_DATA"] = str(data / "nltk_cache")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(data / "tiktoken_cache")

    import nltk

    find = nltk.data.find  # is asked whether the old form of punkt is there, which nltk no longer reads
    nltk.data.find = lambda name, *rest: find(f"{name}_tab" if name == "tokenizers/punkt" else name, *rest)


class LocalModel:
    """The comparison's model with the one method that is called of a SentenceTransformer."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text."""
        rows: NDArray[np.float32] = self._bench.embed(texts)
        return rows


def cutter(bench: Bench, method: str, percentile: float | None) -> Cut:
    """Chunks with a threshold found by a method."""
    from chunk_it_pro import SemanticChunkingPipeline

    model = LocalModel(bench)

    def cut(corpus: Corpus) -> Any:
        pipeline = SemanticChunkingPipeline()
        pipeline.embedding_analyzer._finetuned_model = model
        # Markdown is read as it is; its parser is a service on the network.
        pipeline.parser.parse_document = lambda _: corpus.text
        chosen = {} if percentile is None else {"percentile": percentile}
        with contextlib.redirect_stdout(io.StringIO()):
            _, chunks, _ = asyncio.run(
                pipeline.process_document(
                    str(corpus.path),
                    embedding_provider="axon",
                    threshold_method=method,
                    save_files=False,
                    verbose=False,
                    **chosen,
                )
            )
        return texts(chunks)

    return cut


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """Its three ways to a threshold; the percentile also lower, for smaller chunks."""
    _offline()
    return {
        f"{method.replace('_', ' ')}{f' {p:g}' if p else ''}": lambda method=method, p=p: cutter(bench, method, p)
        for method, p in SETTINGS
    }


if __name__ == "__main__":
    serve(settings)
