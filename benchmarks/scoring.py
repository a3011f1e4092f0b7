"""Scores the chunks that a runner left: one search over all corpora, the same for every peer.

Exact search by cosine with the comparison's model. A chunk counts where its text first stands in its
document, as in Chroma's framework: gold excerpts point at first copies.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.gold_files import read_questions
from vchunk.domain.document import Span, merge_spans
from vchunk.domain.questions import resolve
from vchunk.domain.retrieval import OMEGA, Index, Measures, Question, evaluate_index
from vchunk.domain.retrieval_scores import Excerpt, Ruler
from vchunk.session import load_source
from vchunk.wiring import make_cl100k

BUDGETS = (400, 800, 1600)
NEAREST = 5  # chunks for which IoU is taken

Values = NDArray[np.float64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Target:
    """What is searched, and for what."""

    corpora: Mapping[str, str]
    rulers: Mapping[str, Ruler]
    questions: Sequence[Question]
    vectors: Vectors
    """Of the questions."""


@dataclass(frozen=True)
class Scores:
    """Of one setting; arrays hold one value a question, shares lie between 0 and 1."""

    chunks: int
    mean_tokens: float
    recall: Mapping[int, Values]
    iou: Values
    omega: Values
    verbatim: float
    lost: float


def questions_about(path: Path, corpora: Mapping[str, str]) -> list[Question]:
    """The questions of a file that ask about the given documents."""
    asked = read_questions(load_source(path))
    return resolve([one for one in asked if one.document in corpora], corpora)


def read_chunks(path: Path) -> list[dict[str, Any]]:
    """The records of a runner."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def rulers_of(corpora: Mapping[str, str]) -> dict[str, Ruler]:
    """The tokens of cl100k_base, by which sizes and budgets are counted."""
    counter = make_cl100k()
    tokens = {name: counter.tokenize(text) for name, text in corpora.items()}
    return {name: Ruler(some.starts, some.ends) for name, some in tokens.items()}


def score_chunks(chunks: Sequence[Mapping[str, Any]], vectors: Vectors, target: Target) -> Scores:
    """Search for every question.

    Parameters
    ----------
    vectors : (chunks, dim), rows of length 1
    """
    excerpts = tuple(Excerpt(c["corpus"], Span(c["start"], c["end"])) for c in chunks)
    index = Index(excerpts, vectors).at_first_occurrences(target.corpora)
    measures = Measures(top_k=(NEAREST,), budgets=BUDGETS)
    columns = evaluate_index(index, target.questions, target.vectors, target.rulers, measures)
    return Scores(
        chunks=len(chunks),
        mean_tokens=float(np.mean([target.rulers[c.document].count(c.span) for c in index.chunks])),
        recall={budget: columns[f"tokens_{budget}.recall"] for budget in BUDGETS},
        iou=columns[f"top_{NEAREST}.iou"],
        omega=columns[OMEGA],
        verbatim=float(np.mean(["kept" not in chunk for chunk in chunks])),
        lost=lost_share(chunks, target.corpora),
    )


def lost_share(chunks: Sequence[Mapping[str, Any]], corpora: Mapping[str, str]) -> float:
    """The share of letters, white space not counted, that no chunk holds."""
    held: dict[str, list[Span]] = defaultdict(list)
    for chunk in chunks:
        held[chunk["corpus"]] += [Span(*kept) for kept in chunk.get("kept", [(chunk["start"], chunk["end"])])]
    total = sum(map(_letters, corpora.values()))
    kept = sum(
        _letters(corpora[name][s.start : s.end]) for name, spans in held.items() for s in merge_spans(spans)
    )
    return 1 - kept / total


def _letters(text: str) -> int:
    return sum(map(len, text.split()))
