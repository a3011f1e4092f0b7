"""Figures: the numbers that a plot shows."""

from __future__ import annotations

import numpy as np
import pytest

from fakes import FakeEncoder, FakeSplitter
from strategies import TOPICS
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.domain.figures import MOST_POINTS, TrajectoryFigure, VelocityFigure, cut_marks
from vchunk.domain.granularity import Granularity
from vchunk.domain.prominence import mad
from vchunk.session import Session

TEXT = "# Sea\n\n" + "River ocean fish. " * 12 + "\n\n# Trade\n\n" + "Market price stock. " * 12


def doc_of(text: str, name: str = "a.md") -> Doc:
    encoder = FakeEncoder("topic", dim=4, window=30, topics=TOPICS)
    session = Session(encoder=encoder, store=MemoryStore(), splitter=FakeSplitter())
    return session.embed(Source(name, text.encode()))


def velocity_of(doc: Doc, granularity: Granularity, **more: str) -> VelocityFigure:
    figure = doc.figure("velocity", granularity, **more)
    assert isinstance(figure, VelocityFigure)
    return figure


def trajectory_of(doc: Doc, granularity: Granularity) -> TrajectoryFigure:
    figure = doc.figure("trajectory", granularity)
    assert isinstance(figure, TrajectoryFigure)
    return figure


def test_the_curve_and_its_cuts() -> None:
    doc = doc_of(TEXT)
    granularity = Granularity(target_tokens=50)
    figure = velocity_of(doc, granularity)
    assert (figure.curve == doc.velocity()).all()
    assert figure.mad == mad(doc.velocity())
    assert figure.sigma == 40.0
    assert figure.subtitle == granularity.describe()
    assert figure.pages == ()
    chunks = doc.chunks(granularity)
    assert len(figure.cuts) == len(chunks) - 1
    assert doc.embedding is not None
    for mark, chunk in zip(figure.cuts, chunks[1:], strict=True):
        assert doc.embedding.token_starts[mark.token] == chunk.start
        assert mark.strength == chunk.strength
    assert [(m.label, m.heading_level) for m in figure.cuts if m.heading_level] == [("Trade", 1)]


def test_the_smoothing_asked_for() -> None:
    doc = doc_of(TEXT)
    figure = velocity_of(doc, Granularity(prominence=1.0, f_sig=0.1))
    assert figure.sigma == pytest.approx(8.0)
    assert (figure.curve == doc.velocity(0.1)).all()


def test_a_title_is_that_of_the_document_or_the_one_given_or_the_key() -> None:
    plain = doc_of("One two.", "a.txt")
    assert velocity_of(plain, Granularity()).title == str(plain.key)
    assert velocity_of(plain, Granularity(), title="a.txt").title == "a.txt"
    titled = doc_of("# Sea\n\nOne two.", "a.md")
    for kind in ("velocity", "trajectory"):
        figure = titled.figure(kind, Granularity(), title="a.md")
        assert (figure.title, figure.names) == ("Sea", ("a.md", str(titled.key)))
    assert velocity_of(plain, Granularity()).names == ()


def test_a_cut_is_labelled_by_its_heading_or_its_first_words() -> None:
    doc = doc_of(TEXT)
    chunks = doc.chunks(target_tokens=12)
    assert doc.embedding is not None
    marks = cut_marks(chunks, doc.embedding.token_starts)
    assert {m.label for m in marks} == {
        "Trade",
        "River ocean fish. River ocean fish. River ocean fish. …",
    } | {m.label for m in marks if m.label.startswith("Market")}
    assert cut_marks([], doc.embedding.token_starts) == ()


def test_pages_begin_at_their_first_token() -> None:
    doc = doc_of("One two.\fThree four.\fFive.", "a.txt")
    figure = velocity_of(doc, Granularity(target_tokens=3, max_tokens=3))
    assert figure.pages == ((0, 1), (3, 2), (6, 3))
    assert [m.page for m in figure.cuts] == [2, 3]


def test_the_trajectory() -> None:
    doc = doc_of(TEXT)
    figure = trajectory_of(doc, Granularity(target_tokens=50))
    tokens = len(doc.velocity())
    assert figure.tokens.tolist() == list(range(tokens))
    assert figure.points.shape == (tokens, 4)
    assert np.isfinite(figure.points).all()
    steps = np.linalg.norm(np.diff(figure.points.astype(float), axis=0), axis=1)
    np.testing.assert_allclose(steps, doc.velocity()[1:], atol=1e-5)
    chunks = doc.chunks(target_tokens=50)
    for token, owner in zip(figure.tokens.tolist(), figure.chunks.tolist(), strict=True):
        assert doc.embedding is not None
        assert chunks[owner].start <= doc.embedding.token_starts[token] < chunks[owner].end


def test_a_long_trajectory_is_thinned() -> None:
    doc = doc_of("word " * (MOST_POINTS + 500), "a.txt")
    figure = trajectory_of(doc, Granularity())
    assert len(figure.tokens) == MOST_POINTS == len(figure.points) == len(figure.chunks)
    assert figure.tokens[[0, -1]].tolist() == [0, MOST_POINTS + 499]


@pytest.mark.parametrize("text", ["", " ", "one"])
def test_almost_nothing(text: str) -> None:
    doc = doc_of(text)
    assert velocity_of(doc, Granularity()).cuts == ()
    figure = trajectory_of(doc, Granularity())
    assert len(figure.tokens) == len(figure.points) == len(figure.chunks) == len(text.split())
