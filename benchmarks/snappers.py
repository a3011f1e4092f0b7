"""Compare ways to cut and snappers at one mean size of chunks: retrieval, and cuts at paragraph ends.

    python benchmarks/snappers.py CORPORA QUESTIONS.csv [--chonky MODEL_OR_FOLDER]... [--mean N] [--flat]

CORPORA is a folder of texts (.md, .txt). QUESTIONS has the columns ``question``, ``corpus_id`` (the
file's name without its ending) and ``references``, a JSON list of ``{"start_index", "end_index"}``, as
in Chroma's chunking evaluation. R@N is the mean share of a question's references within the first N
tokens of the chunks nearest to it. With ``--flat`` the line breaks are hidden from all that cuts, and
"paragraph" tells which cuts found them all the same.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vchunk import Chunk, Doc, Session, Source
from vchunk.domain.ports import Encoder, Snapper
from vchunk.wiring import make_snapper

BUDGETS = (400, 800, 1600)
_STEPS = 12
_BREAK = re.compile(r"[\r\n]")

Cut = Callable[[Doc, float, Snapper | None], Sequence[Chunk]]


@dataclass(frozen=True)
class Question:
    """A question and the spans of one corpus that answer it."""

    text: str
    corpus: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Way:
    """A way to cut whose chunks grow with a number between two bounds."""

    name: str
    low: float
    high: float
    cut: Cut


WAYS = (
    Way("structure", 8, 1024, lambda d, x, s: d.chunks(method="structure", target_tokens=int(x), snapper=s)),
    Way("size", 8, 1024, lambda d, x, s: d.chunks(target_tokens=int(x), snapper=s)),
    Way("prominence", 0.05, 4, lambda d, x, s: d.chunks(prominence=0.5, f_sig=x, snapper=s)),
    Way("double-pass", 25, 1024, lambda d, x, s: d.chunks(method="double-pass", max_tokens=int(x), snapper=s)),
)


def questions_of(path: Path, corpora: set[str]) -> Iterator[Question]:
    """The questions about the corpora at hand."""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["corpus_id"] in corpora:
                spans = [(r["start_index"], r["end_index"]) for r in json.loads(row["references"])]
                yield Question(row["question"], row["corpus_id"], tuple(spans))


def vectors_of(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Mean token vector of each text's first window, at length 1, (n, dim)."""
    windows = [encoder.tokenizer.tokenize(text).ids[: encoder.window] for text in texts]
    order = sorted(range(len(texts)), key=lambda i: len(windows[i]))
    out = np.zeros((len(texts), encoder.dim), np.float32)
    for at in range(0, len(order), 32):
        batch = order[at : at + 32]
        for i, rows in zip(batch, encoder.encode([windows[i] for i in batch]), strict=True):
            mean = rows.mean(axis=0) if len(rows) else out[i]
            out[i] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return out


def fitted(way: Way, docs: dict[str, Doc], snapper: Snapper | None, mean: float) -> dict[str, Sequence[Chunk]]:
    """The chunks whose mean size is nearest to the one wanted, found by bisection."""
    low, high = way.low, way.high
    best: tuple[float, dict[str, Sequence[Chunk]]] | None = None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        chunks = {name: way.cut(doc, middle, snapper) for name, doc in docs.items()}
        size = float(np.mean([c.tokens for found in chunks.values() for c in found]))
        if best is None or abs(size - mean) < best[0]:
            best = abs(size - mean), chunks
        low, high = (middle, high) if size < mean else (low, middle)
    assert best is not None
    return best[1]


def recalls(
    chunks: dict[str, Sequence[Chunk]], questions: Sequence[Question], encoder: Encoder
) -> NDArray[np.float64]:
    """Mean recall at each budget, (3,)."""
    flat = [(name, chunk) for name, found in chunks.items() for chunk in found]
    vectors = vectors_of(encoder, [chunk.text for _, chunk in flat])
    asked = vectors_of(encoder, [question.text for question in questions])
    out = np.zeros((len(questions), len(BUDGETS)))
    for row, (question, scores) in enumerate(zip(questions, asked @ vectors.T, strict=True)):
        order = np.argsort(-scores, kind="stable")
        for column, budget in enumerate(BUDGETS):
            got, left = 0.0, budget
            for i in order.tolist():
                name, chunk = flat[i]
                # The last chunk counts as far as the budget reaches into it.
                share = min(1.0, left / max(chunk.tokens, 1))
                end = chunk.start + int(share * (chunk.end - chunk.start))
                if name == question.corpus:
                    got += sum(max(0, min(end, b) - max(chunk.start, a)) for a, b in question.spans)
                left -= chunk.tokens
                if left <= 0:
                    break
            out[row, column] = got / sum(b - a for a, b in question.spans)
    mean: NDArray[np.float64] = 100 * out.mean(axis=0)
    return mean


def paragraph_share(chunks: dict[str, Sequence[Chunk]], texts: dict[str, str]) -> float:
    """Share of the cuts that stand behind a line break of the text, in percent."""
    found = total = 0
    for name, cut in chunks.items():
        for chunk in cut[1:]:
            before = texts[name][: chunk.start]
            total += 1
            found += _BREAK.search(before[len(before.rstrip()) :]) is not None
    return 100 * found / max(total, 1)


def main() -> None:
    """Print the table, one line a way and snapper."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--chonky", action="append", default=[], metavar="MODEL", help="a folder, or a name")
    parser.add_argument("--mean", type=float, default=100.0, help="mean tokens of a chunk (default: 100)")
    parser.add_argument("--flat", action="store_true", help="hide the line breaks from all that cuts")
    parser.add_argument("--store")
    given = parser.parse_args()
    session = Session(store=given.store)
    texts = {path.stem: path.read_text("utf-8") for path in sorted(given.corpora.iterdir()) if path.is_file()}
    shown = {name: _BREAK.sub(" ", text) if given.flat else text for name, text in texts.items()}
    docs = {name: session.embed(Source(f"{name}.md", text.encode())) for name, text in shown.items()}
    questions = list(questions_of(given.questions, set(texts)))
    snappers = [("sentences", None), *((name, make_snapper(f"chonky:{name}")) for name in given.chonky)]
    print(
        f"{len(texts)} texts, {len(questions)} questions, {'line breaks hidden' if given.flat else 'as they are'}"
    )
    titles = "".join(f"{f'R@{budget}':>8}" for budget in BUDGETS)
    print(f"{'cut by':<14}{'snapper':<24}{'tokens':>8}{titles}{'paragraph':>11}")
    for way in WAYS:
        for name, snapper in snappers:
            chunks = fitted(way, docs, snapper, given.mean)
            size = float(np.mean([c.tokens for found in chunks.values() for c in found]))
            figures = "".join(f"{value:8.1f}" for value in recalls(chunks, questions, session.encoder))
            share = paragraph_share(chunks, texts)
            print(f"{way.name:<14}{Path(name).name:<24}{size:8.0f}{figures}{share:10.0f}%", flush=True)


if __name__ == "__main__":
    main()
