"""What a peer's runner is given, and what it leaves behind.

A runner is a module of this folder that is run in its peer's own environment
(``python -m peers.NAME``). It names its settings and hands `serve` a function that cuts one text;
`serve` reads the corpora, takes the time, finds the chunks in their documents and writes, a setting:

* ``SETTING.jsonl``: one chunk a line, ``corpus``, ``start``, ``end``, ``text``; where a chunk is not a
  slice of its document, ``kept`` lists the spans of it that are; ``embed_text`` and ``vector`` where
  the peer gives something else than the text to be indexed;
* ``SETTING.json``: CPU seconds and tokens that went through the encoder to make the chunks, and tokens
  to make the vectors where there are some.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from peers.locating import Locator

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as a peer gives it; ``start`` is None where it gives no offset into the document."""

    text: str
    start: int | None = None
    embed_text: str | None = None
    vector: list[float] | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """A document to cut."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


Cut = Callable[[Corpus], Iterable[Piece]]


@dataclass
class Bench:
    """What all runners are given: the weights of the embedding model, and where sentences start.

    Settings may share costly work by `once`: each is charged with all of it. ``encoded`` counts the
    tokens that went through an encoder to make the chunks, ``indexed`` those to make vectors of them,
    ``charged`` the CPU seconds of work that was done before.
    """

    model: Path
    boundaries: Mapping[str, list[int]]
    encoded: int = 0
    indexed: int = 0
    charged: float = 0.0
    _done: dict[Hashable, tuple[Any, float, int]] = field(default_factory=dict)

    @cached_property
    def embedder(self) -> Any:
        """The embedding model, on one thread; loading it costs the peer nothing."""
        from peers.minilm import Embedder

        return Embedder(self.model, threads=1)

    def embed(self, texts: Sequence[str]) -> Any:
        """(texts, dim): their vectors; asked for the same again, the ones from before."""

        def compute() -> Any:
            before = self.embedder.tokens
            vectors = self.embedder.embed(texts)
            self.encoded += self.embedder.tokens - before
            return vectors

        return self.once(tuple(texts), compute)

    @contextmanager
    def indexing(self) -> Iterator[None]:
        """Around what makes vectors of the chunks: its tokens count apart, its time does not."""
        began, before = time.process_time(), self.encoded
        yield
        self.charged -= time.process_time() - began
        self.indexed += self.encoded - before
        self.encoded = before

    def once(self, name: Hashable, work: Callable[[], T]) -> T:
        """The result of work that is done once and costs every time."""
        if name in self._done:
            result, seconds, tokens = self._done[name]
            self.charged += seconds
            self.encoded += tokens
        else:
            began, before = time.process_time(), self.encoded
            result = work()
            self._done[name] = result, time.process_time() - began, self.encoded - before
        return cast(T, result)


def texts(pieces: Iterable[str]) -> list[Piece]:
    """Pieces of a peer that gives texts alone."""
    return [Piece(text) for text in pieces]


def read_corpora(folder: Path) -> list[Corpus]:
    """The Markdown files of a folder, by name; offsets count code points, line breaks as they are."""
    return [Corpus(path, path.read_bytes().decode("utf-8")) for path in sorted(folder.glob("*.md"))]


def chunk_lines(corpus: Corpus, pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """The records of a document's chunks; those without a letter are left out."""
    locator = Locator(corpus.text)
    for piece in pieces:
        place = locator.locate(piece.text, piece.start)
        if place is None:
            continue
        record: dict[str, Any] = {
            "corpus": corpus.name,
            "start": place.start,
            "end": place.end,
            "text": piece.text,
        }
        if not place.verbatim:
            record["kept"] = place.kept
        if piece.embed_text is not None:
            record["embed_text"] = piece.embed_text
        if piece.vector is not None:
            record["vector"] = piece.vector
        yield record


def run_setting(name: str, cut: Cut, corpora: Iterable[Corpus], bench: Bench, out: Path) -> None:
    """Cut all corpora at one setting; only the cutting is timed."""
    seconds, encoded, indexed = 0.0, bench.encoded, bench.indexed
    lines: list[str] = []
    for corpus in corpora:
        began, charged = time.process_time(), bench.charged
        pieces = list(cut(corpus))
        seconds += time.process_time() - began + bench.charged - charged
        lines += [json.dumps(record, ensure_ascii=False) for record in chunk_lines(corpus, pieces)]
    (out / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    cost = {
        "cpu_seconds": seconds,
        "encoded_tokens": bench.encoded - encoded,
        "index_tokens": bench.indexed - indexed,
    }
    (out / f"{name}.json").write_text(json.dumps(cost), "utf-8")  # last: it says that the setting is done


def serve(settings: Callable[[Bench], Mapping[str, Callable[[], Cut]]]) -> None:
    """The command line of a runner: run its settings one after the other, those that are done not again.

    Parameters
    ----------
    settings
        Makes, for each setting's name, a function that makes the cutter; making it is not timed.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--boundaries", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    bench = Bench(given.model, json.loads(given.boundaries.read_text("utf-8")))
    corpora = read_corpora(given.corpora)
    given.out.mkdir(parents=True, exist_ok=True)
    for name, make in settings(bench).items():
        if not (given.out / f"{name}.json").exists():
            run_setting(name, make(), corpora, bench, given.out)
