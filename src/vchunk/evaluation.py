"""Evaluating chunks on questions or boundaries of one's own: what ``vchunk eval`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vchunk import wiring
from vchunk.chunks import Chunks
from vchunk.doc import Doc
from vchunk.domain.bootstrap import BestOfMany, Interval, best_of_many, mean_interval, paired_difference
from vchunk.domain.document import Source, Span
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.ports import Snapper, Tokenizer
from vchunk.domain.retrieval import Index, Measures, Question, Values, evaluate_index
from vchunk.domain.retrieval_scores import Excerpt, Ruler
from vchunk.domain.segmentation import Segmented, compare, mean_scores, truth_of
from vchunk.domain.segmentation_scores import even_spacing
from vchunk.domain.settings import Setting
from vchunk.domain.texts import TextEncoding, text_vectors
from vchunk.session import Session

EVEN = "even spacing"
"""The baseline of a segmentation: the right number of segments, all of one length."""


@dataclass(frozen=True)
class Outcome:
    """What one setting reached. ``columns`` has one value a question, or a document, for each score."""

    setting: str
    columns: Mapping[str, Values]
    chunks: int
    mean_tokens: float | None = None
    coverage: float | None = None

    def interval(self, column: str) -> Interval:
        """The mean of a score with its bootstrap interval."""
        return mean_interval(self.columns[column])


@dataclass(frozen=True)
class Report:
    """Outcomes side by side; the first one is what the others are compared with."""

    outcomes: tuple[Outcome, ...]
    counter: str | None = None
    """What tokens of budgets and chunks are counted with."""

    def lead(self, outcome: Outcome, column: str) -> Interval:
        """How far an outcome lies above the first, over the same questions."""
        return paired_difference(outcome.columns[column], self.outcomes[0].columns[column])

    @cached_property
    def best(self) -> BestOfMany:
        """The outcome with the best `objective`; its lead over the first pays for the choice."""
        values = np.stack([objective(o) for o in self.outcomes], axis=1)
        return best_of_many(values, values[:, 0])


def objective(outcome: Outcome) -> Values:
    """What a sweep looks for, one value a question: recall, averaged over the budgets."""
    recalls = [v for name, v in outcome.columns.items() if name.startswith("tokens_") and name.endswith(".recall")]
    if not recalls:
        raise UsageError("a sweep compares recall within budgets: give at least one")
    return np.asarray(np.mean(recalls, axis=0))


def evaluate_retrieval(
    docs: Mapping[str, Doc],
    questions: Sequence[Question],
    settings: Sequence[Setting],
    *,
    measures: Measures | None = None,
    compat: bool = False,
    query_prefix: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Score settings by retrieval: all chunks of all documents compete in one index.

    Parameters
    ----------
    docs
        Embedded documents, by the names that the questions' gold excerpts use; of one session.
    compat
        As Chroma's framework does it: chunks stand where their text stands first, meeting the border
        of gold text counts, and tokens are those of cl100k_base.

    Raises
    ------
    MissingExtra
        With ``compat``, if tiktoken is not installed.
    """
    if not questions or not docs:
        raise UsageError("there is nothing to evaluate: give documents and questions")
    snappers = _snappers(settings)
    trial = _Trial(docs, questions, measures or Measures(), compat, query_prefix)
    outcomes = []
    for number, setting in enumerate(settings):
        outcomes.append(trial.run(setting, snappers[setting.snapper]))
        if progress:
            progress(number + 1, len(settings))
    return Report(tuple(outcomes), trial.counter.name)


class _Trial:
    """Documents and questions, measured once for all settings."""

    def __init__(
        self, docs: Mapping[str, Doc], questions: Sequence[Question], measures: Measures, compat: bool, prefix: str
    ) -> None:
        self.docs = docs
        self.questions = questions
        self.compat = compat
        self.measures = Measures(measures.top_k, measures.budgets, borders=True) if compat else measures
        first = next(iter(docs.values()))
        self.session: Session = first.session
        self.counter: Tokenizer = wiring.make_cl100k() if compat else self.session.tokenizer_of(first.embedded())
        self.rulers = {name: _ruler(self.counter, doc.text) for name, doc in docs.items()}
        self.texts = {name: doc.text for name, doc in docs.items()}
        self.vectors = _question_vectors(first, questions, prefix)

    def run(self, setting: Setting, snapper: Snapper | None) -> Outcome:
        cut = {name: _chunks(doc, setting, snapper) for name, doc in self.docs.items()}
        excerpts = tuple(Excerpt(name, Span(c.start, c.end)) for name, chunks in cut.items() for c in chunks[0])
        index = Index(excerpts, np.concatenate([vectors for _, vectors in cut.values()]))
        if self.compat:
            index = index.at_first_occurrences(self.texts)
        columns = evaluate_index(index, self.questions, self.vectors, self.rulers, self.measures)
        sizes = [self.rulers[e.document].count(e.span) for e in index.chunks]
        covered = sum(_non_space(self.texts[e.document][e.span.start : e.span.end]) for e in excerpts)
        whole = sum(map(_non_space, self.texts.values()))
        return Outcome(
            setting.name,
            columns,
            len(excerpts),
            float(np.mean(sizes)) if sizes else None,
            covered / whole if whole else None,
        )


def _snappers(settings: Sequence[Setting]) -> dict[str, Snapper | None]:
    """One snapper of a name for all documents and settings: a classifier is loaded once."""
    return {name: wiring.make_snapper(name) for name in dict.fromkeys(setting.snapper for setting in settings)}


def _chunks(doc: Doc, setting: Setting, snapper: Snapper | None) -> tuple[Chunks, NDArray[np.float32]]:
    """A document's chunks and what they are found by, (chunks, dim) at length 1."""
    if setting.index == "text":
        chunks = doc.chunks(setting.granularity, snapper=snapper)
        return chunks, _text_vectors(doc, [chunk.text for chunk in chunks])
    kind = {"embed-text": "text"}.get(setting.index, setting.index)
    chunks = doc.chunks(setting.granularity, vectors=kind, snapper=snapper)
    assert chunks.vectors is not None
    return chunks, chunks.vectors


def _question_vectors(doc: Doc, questions: Sequence[Question], prefix: str) -> NDArray[np.float32]:
    """Kept in the store like those of chunks."""
    return _text_vectors(doc, [question.text for question in questions], TextEncoding(doc.session.encoder, prefix))


def _text_vectors(doc: Doc, texts: Sequence[str], encoding: TextEncoding | None = None) -> NDArray[np.float32]:
    session = doc.session
    return text_vectors(
        texts,
        encoding or session.text_encoding(doc.embedding),
        doc.key,
        session.store,
        session.hasher,
        progress=session.progress,
        warn=session.warn,
    )


def _ruler(counter: Tokenizer, text: str) -> Ruler:
    tokens = counter.tokenize(text)
    return Ruler(tokens.starts, np.maximum.accumulate(tokens.ends))


def _non_space(text: str) -> int:
    return sum(map(len, text.split()))


def evaluate_segmentation(
    session: Session,
    texts: Sequence[Segmented],
    settings: Sequence[Setting],
    *,
    tolerance: int = 100,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Score settings by how well their cuts meet given boundaries; the first outcome is even spacing.

    Scores are averaged over documents. Texts without a boundary or with one word tell nothing and
    are left out.

    Parameters
    ----------
    tolerance
        How far, in characters that are not white space, a cut may lie from a boundary for F1.
    """
    truths = [(one, *truth_of(one)) for one in texts]
    truths = [truth for truth in truths if truth[2]]
    if not truths:
        raise ReadError("no text has a boundary inside it: there is nothing to compare with")
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in (EVEN, *(s.name for s in settings))}
    made = dict.fromkeys(rows, 0)
    snappers = _snappers(settings)
    for number, (one, line, given) in enumerate(truths):
        cuts = {EVEN: even_spacing(len(line), len(given) + 1)}
        for setting in settings:
            doc = _text_doc(session, one, encode=setting.granularity.method != "structure")
            wanted = setting.for_segments(len(given) + 1)
            chunks = doc.chunks(wanted, snapper=snappers[setting.snapper])
            cuts[setting.name] = line.positions(c.start for c in chunks)
        for name, positions in cuts.items():
            rows[name].append(compare(line, given, positions, tolerance))
            made[name] += len(positions) + 1
        if progress:
            progress(number + 1, len(truths))
    return Report(tuple(Outcome(name, mean_scores(found), made[name]) for name, found in rows.items()))


def _text_doc(session: Session, one: Segmented, encode: bool) -> Doc:
    """The document of a text, which has to be kept code point for code point."""
    source = Source(one.name, one.text.encode("utf-8", "surrogatepass"), one.media_type)
    form = "markdown" if one.media_type == "text/markdown" else "text"
    doc = session.embed(source, input_format=form) if encode else session.read(source, input_format=form)
    if doc.text != one.text:
        raise ReadError(f"{one.place}: its text changes when it is read, so that its boundaries would not fit")
    return doc
