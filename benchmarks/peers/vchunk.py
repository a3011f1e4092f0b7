"""vchunk itself, as it comes, from an empty store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from peers.protocol import Bench, Corpus, Cut, Piece, serve
from vchunk import Chunks, Doc, Session
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.stores.memory import MemoryStore

PRESETS = ("fine", "medium", "coarse")
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    **{preset: {"preset": preset} for preset in PRESETS},
    **{f"{preset}, blend": {"preset": preset, "vectors": "blend"} for preset in PRESETS},
    **{f"structure, {preset}": {"preset": preset, "method": "structure"} for preset in PRESETS},
    "prominence 2": {"prominence": 2.0},
    "double-pass": {"method": "double-pass"},
}
TEXTS = "texts"  # the kind of artifact in which vectors of texts are kept


class CountingEncoder(HuggingFaceEncoder):
    """The bundled encoder; counts the tokens that it reads."""

    def __init__(self, bench: Bench) -> None:
        super().__init__("minilm")
        self._bench = bench

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        """Encode, and count."""
        self._bench.encoded += sum(map(len, windows))
        return super().encode(windows)

    def pool(self, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
        """Encode whole texts, and count."""
        self._bench.encoded += sum(map(len, texts))
        return super().pool(texts)


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """The presets by meaning and by structure alone, and cuts by prominence; they share an embedding."""
    torch.set_num_threads(1)
    encoder = CountingEncoder(bench)
    encoder.encode([np.arange(1000, 1008, dtype=np.int32)])  # loads the weights
    bench.encoded = 0
    session = Session(encoder=encoder, store=MemoryStore())
    reader = Session(store=MemoryStore())

    def blended(doc: Doc, wanted: Mapping[str, Any]) -> Chunks:
        """Chunks with vectors; no vector is there from another setting."""
        doc.chunks(preset=wanted["preset"])
        with bench.indexing():
            for key in [key for key in session.store.keys() if key.kind == TEXTS]:  # noqa: SIM118 - no dict
                session.store.discard(key)
            return doc.chunks(**wanted)

    def cutter(wanted: Mapping[str, Any]) -> Cut:
        def cut(corpus: Corpus) -> list[Piece]:
            if wanted.get("method") == "structure":
                doc = reader.read(corpus.path)
            else:
                doc = bench.once(corpus.name, lambda: session.embed(corpus.path))
            if "vectors" in wanted:
                return [Piece(c.text, c.start, vector=c.vector.tolist()) for c in blended(doc, wanted)]
            return [Piece(c.text, c.start, c.embed_text) for c in doc.chunks(**wanted)]

        return cut

    return {name: lambda wanted=wanted: cutter(wanted) for name, wanted in SETTINGS.items()}


if __name__ == "__main__":
    serve(settings)
