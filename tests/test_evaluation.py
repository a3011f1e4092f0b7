"""Evaluations from Python, with an encoder that is right by construction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fakes import FakeEncoder, FakeSplitter
from vchunk import evaluation
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.doc import Doc
from vchunk.domain.document import Source, Span
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.retrieval import Measures, Question
from vchunk.domain.retrieval_scores import Excerpt
from vchunk.domain.segmentation import Segmented
from vchunk.domain.settings import INDEXES, parse_setting
from vchunk.evaluation import EVEN, evaluate_retrieval, evaluate_segmentation, objective
from vchunk.session import Session

TOPICS = {
    "tides": ["tide", "moon", "water", "ebb", "flood"],
    "bread": ["dough", "oven", "flour", "yeast", "crust"],
    "stars": ["star", "orbit", "light", "galaxy", "dust"],
    "horses": ["mane", "hoof", "saddle", "bridle", "foal"],
}


def passage(topic: str, sentences: int = 6) -> str:
    words = TOPICS[topic]
    return " ".join(
        f"{words[i % 5].capitalize()} {words[(i + 1) % 5]} {words[(i + 2) % 5]} {words[(i + 3) % 5]}."
        for i in range(sentences)
    )


@pytest.fixture
def encoder() -> FakeEncoder:
    return FakeEncoder("topic", topics=TOPICS)


@pytest.fixture
def session(encoder: FakeEncoder) -> Session:
    return Session(encoder=encoder, splitter=FakeSplitter(), store=MemoryStore())


@pytest.fixture
def docs(session: Session) -> dict[str, Doc]:
    texts = {"a.txt": ("tides", "bread"), "b.txt": ("stars", "horses")}
    return {
        name: session.embed(Source(name, "\n\n".join(map(passage, topics)).encode()), input_format="text")
        for name, topics in texts.items()
    }


def question(docs: dict[str, Doc], topic: str) -> Question:
    gold = passage(topic)
    name = next(name for name, doc in docs.items() if gold in doc.text)
    start = docs[name].text.index(gold)
    return Question(" ".join(TOPICS[topic][:3]) + "?", (Excerpt(name, Span(start, start + len(gold))),))


@pytest.fixture
def questions(docs: dict[str, Doc]) -> list[Question]:
    return [question(docs, topic) for topic in TOPICS]


@pytest.mark.parametrize("index", INDEXES)
def test_each_index_finds_the_passage_asked_for(
    docs: dict[str, Doc], questions: list[Question], index: str
) -> None:
    setting = parse_setting(f"target=30,index={index}")
    (outcome,) = evaluate_retrieval(docs, questions, [setting], measures=Measures((1,), (30,))).outcomes
    assert outcome.columns["top_1.recall"].tolist() == [1.0] * 4
    assert outcome.columns["tokens_30.recall"].tolist() == [1.0] * 4
    assert outcome.columns["precision_omega"].tolist() == [1.0] * 4
    assert outcome.chunks == 4
    assert outcome.coverage == 1.0
    assert outcome.mean_tokens == 30


def test_a_second_evaluation_encodes_nothing(
    encoder: FakeEncoder, docs: dict[str, Doc], questions: list[Question]
) -> None:
    settings = [parse_setting(f"target=30,index={index}") for index in INDEXES]
    first = evaluate_retrieval(docs, questions, settings)
    encoder.forget()
    second = evaluate_retrieval(docs, questions, settings)
    assert encoder.tokens_encoded == 0
    for a, b in zip(first.outcomes, second.outcomes, strict=True):
        assert {name: v.tolist() for name, v in a.columns.items()} == {n: v.tolist() for n, v in b.columns.items()}


def test_late_vectors_need_no_encoding_but_of_the_questions(
    encoder: FakeEncoder, docs: dict[str, Doc], questions: list[Question]
) -> None:
    encoder.forget()
    evaluate_retrieval(docs, questions, [parse_setting(f"target={n},index=late") for n in (10, 20, 30)])
    assert len(encoder.windows) == len(questions)


def test_the_best_setting_and_what_its_lead_is_worth(docs: dict[str, Doc], questions: list[Question]) -> None:
    settings = [parse_setting(s) for s in ("target=60,min=50,index=late", "target=30,index=late")]
    report = evaluate_retrieval(docs, questions * 10, settings, measures=Measures((1,), (20, 30)))
    means = [float(objective(outcome).mean()) for outcome in report.outcomes]
    assert report.best.index == int(np.argmax(means)) != 0
    assert report.best.lead.mean == pytest.approx(max(means) - means[0])
    assert report.best.lead.excludes_zero
    assert report.lead(report.outcomes[1], "tokens_30.recall").mean == pytest.approx(
        report.outcomes[1].columns["tokens_30.recall"].mean()
        - report.outcomes[0].columns["tokens_30.recall"].mean()
    )


def test_nothing_to_evaluate_is_said(docs: dict[str, Doc]) -> None:
    with pytest.raises(UsageError, match="nothing to evaluate"):
        evaluate_retrieval(docs, [], [parse_setting("preset=fine")])


def test_counting_as_chroma_does(session: Session, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tiktoken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(shared / "bench" / "cl100k"))
    text = "\n\n".join([passage("tides"), passage("bread"), passage("tides")])
    docs = {"a.txt": session.embed(Source("a.txt", text.encode()), input_format="text")}
    second = text.rindex(passage("tides"))
    asked = [Question("tide moon", (Excerpt("a.txt", Span(second, len(text))),))]
    setting = [parse_setting("target=30,index=text")]
    plain = evaluate_retrieval(docs, asked, setting)
    compat = evaluate_retrieval(docs, asked, setting, compat=True)
    assert plain.outcomes[0].columns["top_5.recall"].tolist() == [1.0]
    assert compat.outcomes[0].columns["top_5.recall"].tolist() == [0.0]  # its text stands first elsewhere
    assert (plain.counter, compat.counter) == ("fake", "cl100k_base")


def segmented(*topics: str) -> Segmented:
    parts = [passage(topic) for topic in topics]
    text = "\n".join(parts)
    starts = [text.index(part) for part in parts[1:]]
    return Segmented("-".join(topics), text, tuple(starts), "b.jsonl, row 1")


def test_cuts_between_topics_are_perfect_given_their_number(session: Session) -> None:
    texts = [segmented("tides", "bread", "stars"), segmented("bread", "horses")]
    report = evaluate_segmentation(session, texts, [parse_setting("count=given")])
    even, own = report.outcomes
    assert even.setting == EVEN
    assert own.columns["pk"].tolist() == own.columns["window_diff"].tolist() == [0.0, 0.0]
    assert own.columns["f1_exact"].tolist() == [1.0, 1.0]
    assert (even.chunks, own.chunks) == (5, 5)


def test_cutting_by_structure_reads_the_text_only(encoder: FakeEncoder, session: Session) -> None:
    report = evaluate_segmentation(session, [segmented("tides", "bread")], [parse_setting("method=structure")])
    assert encoder.windows == []
    assert len(report.outcomes) == 2


def test_texts_without_boundaries_tell_nothing(session: Session) -> None:
    with pytest.raises(ReadError, match="no text has a boundary"):
        evaluate_segmentation(session, [Segmented("x", "Aa. Bb.", (0,), "row 1")], [parse_setting("count=given")])


def test_a_text_that_changes_when_it_is_read_is_refused(session: Session) -> None:
    marked = Segmented("x", "\ufeffAa. Bb.", (5,), "b.jsonl, row 4")
    with pytest.raises(ReadError, match=r"b\.jsonl, row 4: its text changes"):
        evaluate_segmentation(session, [marked], [parse_setting("method=structure")])


def test_a_sweep_needs_budgets() -> None:
    with pytest.raises(UsageError, match="budgets"):
        objective(evaluation.Outcome("x", {"min.recall": np.zeros(3)}, 1))
