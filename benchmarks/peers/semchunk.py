"""semchunk: recursive by separators, in characters."""

from __future__ import annotations

from collections.abc import Callable

import semchunk

from peers.protocol import Bench, Corpus, Cut, Piece, serve

SIZES = (400, 600, 800, 1600)


def cutter(size: int) -> Cut:
    """Chunks of at most so many characters."""
    chunker = semchunk.chunkerify(len, size)

    def cut(corpus: Corpus) -> list[Piece]:
        chunks, offsets = chunker(corpus.text, offsets=True)
        return [Piece(text, start) for text, (start, _) in zip(chunks, offsets, strict=True)]

    return cut


def settings(_: Bench) -> dict[str, Callable[[], Cut]]:
    """One a size."""
    return {f"{size} chars": lambda size=size: cutter(size) for size in SIZES}


if __name__ == "__main__":
    serve(settings)
