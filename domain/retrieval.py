"""The use case of evaluating retrieval: questions against one index over the chunks of all documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Span
from vchunk.domain.retrieval_scores import (
    Excerpt,
    Ruler,
    first_occurrence,
    precision_omega,
    score,
    touches,
    within_budget,
)

Values = NDArray[np.float64]

SCORES = ("recall", "precision", "iou")
OMEGA = "precision_omega"
MIN = "min"
MOST_MIN = 20
"""Most chunks that the measure ``min`` takes, as in Chroma's framework."""

_AT_ONCE = 64  # questions whose rankings are held at once


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the text that answers it."""

    text: str
    gold: tuple[Excerpt, ...]


@dataclass(frozen=True)
class Index:
    """Chunks of all documents and their vectors at length 1, (n, dim)."""

    chunks: tuple[Excerpt, ...]
    vectors: NDArray[np.float32]

    def at_first_occurrences(self, texts: Mapping[str, str]) -> Index:
        """The same index with every chunk where its text stands first in its document."""
        moved = (Excerpt(c.document, first_occurrence(texts[c.document], c.span)) for c in self.chunks)
        return Index(tuple(moved), self.vectors)

    @cached_property
    def by_document(self) -> Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Starts and ends of the chunks of each document."""
        spans: dict[str, list[Span]] = {}
        for chunk in self.chunks:
            spans.setdefault(chunk.document, []).append(chunk.span)
        return {
            name: (np.array([s.start for s in some]), np.array([s.end for s in some]))
            for name, some in spans.items()
        }

    def touching(self, gold: Sequence[Excerpt], *, borders: bool = False) -> list[Excerpt]:
        """The chunks that hold gold text."""
        out = []
        for name in dict.fromkeys(g.document for g in gold):
            if name in self.by_document:
                starts, ends = self.by_document[name]
                hit = touches(starts, ends, (g.span for g in gold if g.document == name), borders=borders)
                spans = zip(starts[hit].tolist(), ends[hit].tolist(), strict=True)
                out += [Excerpt(name, Span(start, end)) for start, end in spans]
        return out

    def rankings(self, questions: NDArray[np.float32]) -> Iterator[NDArray[np.int64]]:
        """The chunks from the nearest to the farthest, one array (n,) a question; ties in order."""
        for start in range(0, len(questions), _AT_ONCE):
            scores = questions[start : start + _AT_ONCE] @ self.vectors.T
            yield from np.argsort(-scores, axis=1, kind="stable")


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured.

    ``top_k`` and ``budgets`` (in tokens) say how much is retrieved. With ``borders`` a chunk that only
    meets a gold span counts as holding some of it, as in Chroma's framework.
    """

    top_k: tuple[int, ...] = (5,)
    budgets: tuple[int, ...] = (400, 800, 1600)
    borders: bool = False

    @property
    def searches(self) -> tuple[str, ...]:
        """Names of the ways to retrieve: ``top_5``, ``min``, ``tokens_400`` ..."""
        return (*(f"top_{k}" for k in self.top_k), MIN, *(f"tokens_{b}" for b in self.budgets))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all numbers that there are for a question."""
        return (OMEGA, *(f"{search}.{name}" for search in self.searches for name in SCORES))


def evaluate_index(
    index: Index,
    questions: Sequence[Question],
    vectors: NDArray[np.float32],
    rulers: Mapping[str, Ruler],
    measures: Measures,
) -> dict[str, Values]:
    """One value a question for each of the measures' columns, (questions,).

    Parameters
    ----------
    vectors : (questions, dim) float32
        The questions', at length 1.
    """
    out: dict[str, Values] = {name: np.zeros(len(questions)) for name in measures.columns}
    for row, (question, order) in enumerate(zip(questions, index.rankings(vectors), strict=True)):
        touching = index.touching(question.gold, borders=measures.borders)
        out[OMEGA][row] = precision_omega(question.gold, touching)
        for search, got in _searches(index, order, len(touching), rulers, measures):
            found = score(question.gold, got)
            for name in SCORES:
                out[f"{search}.{name}"][row] = getattr(found, name)
    return out


def _searches(
    index: Index, order: NDArray[np.int64], touching: int, rulers: Mapping[str, Ruler], measures: Measures
) -> Iterator[tuple[str, list[Excerpt]]]:
    """What each way to retrieve brings back."""
    sizes = [*measures.top_k, min(touching, MOST_MIN)]
    for search, k in zip(measures.searches, sizes, strict=False):
        yield search, [index.chunks[i] for i in order[:k].tolist()]
    for search, budget in zip(measures.searches[len(sizes) :], measures.budgets, strict=True):
        yield search, within_budget((index.chunks[i] for i in order.tolist()), rulers, budget)
