"""RagAtini 0.1.4, its boundary model replaced by the sentence boundaries that vchunk uses.

Windows of 256 tokens, the most that MiniLM takes, at RagAtini's stride of a quarter; everything else as
it comes. ``encode`` is its embedding pass alone, for comparisons of speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from ragatini.RagAtini import RagAtini

from peers.protocol import Bench, Corpus, Cut, Piece, serve

WINDOW = 256
GRANULARITIES = ((1.0, 2.0), (1.0, 0.5), (4.0, 2.0), (4.0, 0.5))  # f_sig (1: sigma is 10 tokens), prominence


class SentenceRagAtini(RagAtini):
    """RagAtini that snaps to given boundaries; ``encoded`` counts the tokens that went through the encoder."""

    def __init__(self, model: Path) -> None:
        super().__init__(str(model), boundary_model="", doc_prefix="", device="cpu", max_chunk_length=WINDOW)
        self.encoded = 0
        self.boundaries: Sequence[int] = ()

    def init_chonky(self, model_name: str) -> None:
        """No boundary model."""

    def peak_adjacent_boundaries(self, peak_chars: Any, recoded_text: str, *_: Any) -> list[int]:  # noqa: ARG002
        """All sentence boundaries; snapping picks the nearest."""
        return sorted({0, *self.boundaries, len(recoded_text)})

    def process_chunks(self, chunks: Any, batch_size: int) -> Any:
        """Encode, and count."""
        self.encoded += int((chunks != self.pad_id).sum())
        return super().process_chunks(chunks, batch_size)

    def encode(self, text: str) -> Any:
        """The embedding pass alone: (tokens, dim), one meshed vector a token."""
        tokens = self.tokenize(text)[0].squeeze(0)
        vectors = self.process_chunks(self.chunk_tokens(tokens, self.default_stride), 1)
        masks = self.generate_chunk_masks(len(vectors), vectors.size(1) - 2, len(tokens), self.default_stride)
        return self.mesh_vectors(vectors, masks, len(tokens), self.default_stride)


def settings(bench: Bench) -> dict[str, Callable[[], Cut]]:
    """One a granularity; those of one sigma share an embedding pass."""
    torch.set_num_threads(1)
    peer = SentenceRagAtini(bench.model)

    def vectorize(corpus: Corpus, f_sig: float) -> Any:
        before = peer.encoded
        peer.boundaries = bench.boundaries[corpus.name]
        response = peer.vectorize(corpus.text, f_sig=f_sig)
        bench.encoded += peer.encoded - before
        return response

    def cutter(f_sig: float, prominence: float) -> Cut:
        def cut(corpus: Corpus) -> list[Piece]:
            response = bench.once((corpus.name, f_sig), lambda: vectorize(corpus, f_sig))
            segments = response.to(prominence=prominence).segments
            return [Piece(segment.text, segment.text_coords[0]) for segment in segments]

        return cut

    return {
        f"sigma {10 * f_sig:g}, prominence {p:g}": lambda f_sig=f_sig, p=p: cutter(f_sig, p)
        for f_sig, p in GRANULARITIES
    }


if __name__ == "__main__":
    serve(settings)
