"""semantic-text-splitter: by syntax (Markdown here) and Unicode's rules, in characters."""

from __future__ import annotations

from collections.abc import Callable

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from peers.protocol import Bench, Corpus, Cut, Piece, serve

SIZES = (400, 650, 1300)


def cutter(splitter: TextSplitter | MarkdownSplitter) -> Cut:
    """Chunks of a splitter."""

    def cut(corpus: Corpus) -> list[Piece]:
        return [Piece(text, start) for start, text in splitter.chunk_indices(corpus.text)]

    return cut


def settings(_: Bench) -> dict[str, Callable[[], Cut]]:
    """One a size, as text and as Markdown."""
    kinds = {"text": TextSplitter, "Markdown": MarkdownSplitter}
    return {
        f"{kind} {size} chars": lambda make=make, size=size: cutter(make(size))
        for kind, make in kinds.items()
        for size in SIZES
    }


if __name__ == "__main__":
    serve(settings)
