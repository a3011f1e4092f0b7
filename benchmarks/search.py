"""The comparison's search: all chunks of a setting embedded, all questions asked."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from peers.minilm import WINDOW, Embedder
from peers.protocol import Corpus
from scoring import Target, Vectors, questions_about, read_chunks, rulers_of, score_chunks
from tables import Row
from vchunk.adapters.encoders.minilm import bundled_folder

INDEXED = ("text", "embed_text")
"""What of a chunk is indexed, where it has no vector."""


class Search:
    """The comparison's model, on all cores in 16 bits (cosine to 32 bits: .9999 and more).

    Vectors are kept: many peers make the same chunks.
    """

    def __init__(self, kept: Path) -> None:
        self.embedder = Embedder(bundled_folder(), threads=os.cpu_count() or 1, dtype=torch.bfloat16)
        self._kept = sqlite3.connect(kept)
        self._kept.execute("create table if not exists vectors (name blob primary key, vector blob)")

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """(texts, dim), rows of length 1."""
        names = [hashlib.sha256(text.encode()).digest() for text in texts]
        found: dict[bytes, Vectors] = {}
        for name in set(names):
            row = self._kept.execute("select vector from vectors where name = ?", [name]).fetchone()
            if row:
                found[name] = np.frombuffer(row[0], np.float32)
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in found}
        made = self.embedder.embed(list(missing.values())) if missing else ()
        for name, vector in zip(missing, made, strict=True):
            found[name] = vector
            self._kept.execute("insert into vectors values (?, ?)", [name, vector.tobytes()])
        self._kept.commit()
        return np.array([found[name] for name in names])


def rows_of(peer: str, folder: Path, target: Target, search: Search, tokens: int) -> Iterator[Row]:
    """The rows of a peer's settings, in the order in which they ran."""
    for cost_file in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
        setting = cost_file.stem
        cost = json.loads(cost_file.read_text("utf-8"))
        chunks = read_chunks(folder / f"{setting}.jsonl")
        for indexed in ["vector"] if "vector" in chunks[0] else [x for x in INDEXED if x in chunks[0]]:
            if indexed == "vector":
                vectors, read = np.array([chunk["vector"] for chunk in chunks], np.float32), cost["index_tokens"]
            else:
                texts = [chunk[indexed] for chunk in chunks]
                vectors, read = search.vectors(texts), sum(min(search.embedder.count(t), WINDOW) for t in texts)
            yield Row(
                peer.replace("_", "-"),
                setting,
                indexed,
                score_chunks(chunks, vectors, target),
                cost["encoded_tokens"] / tokens,
                read / tokens,
                cost["cpu_seconds"],
            )


def score_all(folders: Mapping[str, Path], corpora: Sequence[Corpus], questions: Path, work: Path) -> list[Row]:
    """The rows of all peers."""
    search = Search(work / "vectors.sqlite")
    texts = {corpus.name: corpus.text for corpus in corpora}
    asked = questions_about(questions, texts)
    vectors = search.vectors([question.text for question in asked])
    target = Target(texts, rulers_of(texts), asked, vectors)
    tokens = sum(map(search.embedder.count, texts.values()))
    return [row for name, folder in folders.items() for row in rows_of(name, folder, target, search, tokens)]
