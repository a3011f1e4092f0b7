"""How much of the gold text a search brings back, and how much else: scores over character ranges.

The formulas are those of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma,
2024). Gold text counts once however often it is retrieved; retrieved text counts as often as it is
retrieved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Span, merge_spans


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A run of text of one document."""

    document: str
    span: Span


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of characters, each between 0 and 1.

    ``recall`` is the retrieved share of the gold text, ``precision`` the gold share of the retrieved
    text, ``iou`` gold and retrieved over gold or retrieved.
    """

    recall: float
    precision: float
    iou: float


@dataclass(frozen=True, slots=True)
class Ruler:
    """Measures a text in tokens.

    ``starts`` and ``ends``, both (n,) and never falling, are the code points of its tokens; what lies
    between tokens costs nothing.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def count(self, span: Span) -> int:
        """Tokens that lie in the span, at least in part."""
        if not len(span):
            return 0
        return max(int(np.searchsorted(self.starts, span.end, "left")) - self._first(span), 0)

    def cut(self, span: Span, tokens: int) -> Span:
        """The beginning of the span that holds so many tokens."""
        last = self._first(span) + tokens - 1
        if tokens < 1:
            return Span(span.start, span.start)
        return span if last >= len(self.ends) else Span(span.start, min(span.end, int(self.ends[last])))

    def _first(self, span: Span) -> int:
        return int(np.searchsorted(self.ends, span.start, "right"))


def overlap(span: Span, others: Iterable[Span]) -> int:
    """Characters that a span shares with disjoint ones."""
    return sum(max(0, min(span.end, o.end) - max(span.start, o.start)) for o in others)


def score(gold: Sequence[Excerpt], retrieved: Sequence[Excerpt]) -> Score:
    """Recall, precision and intersection over union of a retrieval.

    Gold spans that overlap count twice in what is asked for, as in the framework.
    """
    found = missed = 0
    for document, wanted in _by_document(gold).items():
        union = merge_spans(r.span for r in retrieved if r.document == document)
        found += sum(overlap(span, union) for span in merge_spans(wanted))
        missed += sum(len(span) - overlap(span, union) for span in wanted)
    asked = sum(len(g.span) for g in gold)
    total = sum(len(r.span) for r in retrieved)
    return Score(_share(found, asked), _share(found, total), _share(found, total + missed))


def precision_omega(gold: Sequence[Excerpt], touching: Sequence[Excerpt]) -> float:
    """Precision at full recall: the score of a search that finds exactly the chunks with gold text.

    It depends on the cuts alone, not on any vector. Gold text that no chunk holds counts against it.

    Parameters
    ----------
    touching
        The chunks that `touches` some gold excerpt.
    """
    found = union = 0
    asked = _by_document(gold)
    for document in {*asked, *(t.document for t in touching)}:
        held = merge_spans(t.span for t in touching if t.document == document)
        wanted = merge_spans(asked.get(document, []))
        found += sum(overlap(span, held) for span in wanted)
        union += sum(map(len, merge_spans([*held, *wanted])))
    return _share(found, union) if touching else 0.0


def touches(
    starts: NDArray[np.int64], ends: NDArray[np.int64], gold: Iterable[Span], *, borders: bool = False
) -> NDArray[np.bool_]:
    """Which spans, (n,), share a character with a gold span; with ``borders`` they may only meet it."""
    slack = 1 if borders else 0
    out = np.zeros(len(starts), bool)
    for span in gold:
        out |= np.maximum(starts, span.start) < np.minimum(ends, span.end) + slack
    return out


def within_budget(ranked: Iterable[Excerpt], rulers: Mapping[str, Ruler], budget: int) -> list[Excerpt]:
    """The best excerpts that a budget of tokens holds; the last one is cut to fit."""
    out: list[Excerpt] = []
    left = budget
    for excerpt in ranked:
        ruler = rulers[excerpt.document]
        tokens = ruler.count(excerpt.span)
        if tokens > left:
            out.append(Excerpt(excerpt.document, ruler.cut(excerpt.span, left)))
            break
        out.append(excerpt)
        left -= tokens
        if not left:
            break
    return out


def first_occurrence(text: str, span: Span) -> Span:
    """The place where a chunk's text stands first in its document, as Chroma's framework finds it.

    The framework drops one full stop at the end; a chunk without text stays where it is.
    """
    wanted = text[span.start : span.end].removesuffix(".")
    if not wanted.strip():
        return span
    start = text.find(wanted)
    return Span(start, start + len(wanted))


def _by_document(excerpts: Iterable[Excerpt]) -> dict[str, list[Span]]:
    out: dict[str, list[Span]] = {}
    for excerpt in excerpts:
        out.setdefault(excerpt.document, []).append(excerpt.span)
    return out


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
