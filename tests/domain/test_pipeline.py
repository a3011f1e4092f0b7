"""Documents one behind the other in the pipeline: the result is that of one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import FakeEncoder, FakeSplitter, StreamingFakeTokenizer
from strategies import read
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain import embedding_job, interval_stream, pipeline
from vchunk.domain.document import Document
from vchunk.domain.embedding import EmbedReport
from vchunk.domain.embedding_job import Setup
from vchunk.domain.errors import ReadError, StoreError, UsageError, VchunkError
from vchunk.domain.keys import Key
from vchunk.domain.pipeline import Load, embed, embed_each
from vchunk.domain.ports import Tokens, Warn, no_progress, no_warning
from vchunk.wiring import make_hasher

SECONDS = 20.0  # to wait for what comes at once


def words(start: int, count: int) -> str:
    return " ".join(f"w{i * i % 9973} v{i % 31}." for i in range(start, start + count))


BOILERPLATE = words(5_000, 120)
TEXTS = [
    f"{words(0, 60)} {BOILERPLATE}",
    words(1_000, 200),
    f"{words(2_000, 90)} {BOILERPLATE} {words(2_500, 40)}",
    words(1_000, 200),
    "",
    f"{BOILERPLATE} {words(3_000, 30)}",
]


class GatedEncoder(FakeEncoder):
    """Encodes when it may; refuses windows with a word that is poison."""

    poison = StreamingFakeTokenizer.token_id("poison")

    def __init__(self, open_gate: bool = True) -> None:
        super().__init__(window=30, tokenizer=StreamingFakeTokenizer())
        self.gate, self.begun = threading.Event(), threading.Event()
        if open_gate:
            self.gate.set()

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        self.begun.set()
        assert self.gate.wait(SECONDS)
        if any(self.poison in window for window in windows):
            raise RuntimeError("poison")
        return super().encode(windows)


def key_of(text: str) -> Key:
    return Key("document", make_hasher().digest([text.encode()]).hex())


def load(text: str, warn: Warn) -> tuple[Document, Key]:
    if text.startswith("bad"):
        warn(f"{text} will not do")
        raise ReadError(f"{text}: cannot be read")
    if text.startswith("odd"):
        warn(f"{text[:5]} is odd")
    return read(text, "a.txt"), key_of(text)


def loads(texts: Iterable[str]) -> list[Load]:
    return [partial(load, text) for text in texts]


def make_setup(store: Any = None, encoder: FakeEncoder | None = None, **how: Any) -> Setup:
    return Setup(encoder or GatedEncoder(), FakeSplitter(), store or MemoryStore(), make_hasher(), **how)


def run(setup: Setup, texts: Iterable[str], warn: Warn = no_warning) -> list[EmbedReport | Exception]:
    out: list[EmbedReport | Exception] = []
    with closing(embed_each(setup, loads(texts))) as coming:
        for one in coming:
            try:
                out.append(one.result(no_progress, warn).report)
            except (VchunkError, RuntimeError) as error:
                out.append(error)
    return out


def one_by_one(setup: Setup, texts: Iterable[str]) -> list[EmbedReport]:
    return [embed(setup, *load(text, no_warning)) for text in texts]


def content(store: MemoryStore) -> dict[Key, tuple[Any, dict[str, bytes]]]:
    artifacts = map(store.read, store.keys())
    return {a.key: (a.attributes, {n: np.asarray(x).tobytes() for n, x in a.arrays.items()}) for a in artifacts}


def after_all_are_read(encoder: GatedEncoder, texts: Sequence[str]) -> Iterator[Load]:
    """Opens the gate when all documents were read and laid out."""
    yield from loads(texts)
    encoder.gate.set()


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_stream, "FIRST_RUN", 20)


@pytest.mark.parametrize("windows", ["full", "light"])
@pytest.mark.parametrize("keep", ["vectors", "units"])
@pytest.mark.parametrize("at_once", [1, 7, 64])
def test_the_result_is_that_of_one_document_after_the_other(windows: str, keep: str, at_once: int) -> None:
    alone, together = (make_setup(keep=keep, windows=windows) for _ in range(2))
    together.encoder.windows_at_once = at_once
    expected = one_by_one(alone, TEXTS)
    assert run(together, TEXTS) == expected
    assert content(together.store) == content(alone.store)
    assert run(together, TEXTS) == [embed(alone, *load(text, no_warning)) for text in TEXTS]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 60)), max_size=6), st.integers(1, 50))
def test_any_documents_that_share_text_give_what_they_give_one_by_one(
    parts: list[tuple[str, int]], at_once: int
) -> None:
    texts = [f"{words(100 * ord(kind), 30)} {words(0, count)} {words(400, count)}" for kind, count in parts]
    alone, together = make_setup(), make_setup()
    together.encoder.windows_at_once = at_once
    assert run(together, texts) == one_by_one(alone, texts)
    assert content(together.store) == content(alone.store)


def test_boilerplate_is_encoded_once_also_where_all_documents_are_on_their_way() -> None:
    encoder = GatedEncoder(open_gate=False)
    setup, alone = make_setup(encoder=encoder), make_setup()
    encoder.windows_at_once = 10_000  # so that all are read ahead
    reports = []
    with closing(embed_each(setup, after_all_are_read(encoder, TEXTS))) as coming:
        for one in coming:
            reports.append(one.result().report)
    assert reports == one_by_one(alone, TEXTS)
    assert sum(report.windows_encoded for report in reports) == len(encoder.windows)
    assert content(setup.store) == content(alone.store)


def test_what_a_document_repeats_is_not_taken_from_itself() -> None:
    setup = make_setup()
    report = embed(setup, *load(" ".join([BOILERPLATE] * 3), no_warning), warn=pytest.fail)
    assert report.windows_encoded == report.windows
    names = setup.store.read(report.key).arrays["interval_names"]
    assert len(np.unique(names, axis=0)) < len(names) / 2


def test_windows_of_several_documents_share_a_call() -> None:
    encoder = GatedEncoder(open_gate=False)
    encoder.windows_at_once = 40
    texts = [words(700 * i, 10) for i in range(12)]
    setup = make_setup(encoder=encoder)
    with closing(embed_each(setup, after_all_are_read(encoder, texts))) as coming:
        sizes = [one.result().report.windows for one in coming]
    assert sum(encoder.batches) == sum(sizes) < 40
    assert len(encoder.batches) <= 3


def test_the_next_document_is_read_while_one_is_encoded() -> None:
    encoder = GatedEncoder(open_gate=False)

    def second(warn: Warn) -> tuple[Document, Key]:
        assert encoder.begun.wait(SECONDS)  # the first is just being encoded
        encoder.gate.set()
        return load(TEXTS[1], warn)

    with closing(embed_each(make_setup(encoder=encoder), [partial(load, TEXTS[0]), second])) as coming:
        assert len([one.result() for one in coming]) == 2


def test_a_document_is_encoded_while_its_end_is_tokenised() -> None:
    encoder, waited = GatedEncoder(), list[bool]()

    class Waiting(StreamingFakeTokenizer):
        def stream(self, text: str) -> Iterator[Tokens]:
            for number, tokens in enumerate(super().stream(text)):
                yield tokens
                if number == 4:
                    waited.append(encoder.begun.wait(SECONDS))

    encoder.tokenizer = Waiting()
    setup = make_setup(encoder=encoder)
    told: list[tuple[int, int]] = []
    report = embed(setup, *load(TEXTS[1], no_warning), progress=lambda *x: told.append(x))
    assert waited == [True]
    assert told[-1] == (report.windows, report.windows)
    assert {total for _, total in told} == {report.windows}


@pytest.mark.parametrize("room", [1, 10**9])
def test_rows_that_are_there_before_the_text_is_read_wait_in_little_room(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_job, "EARLY_BYTES", room)
    monkeypatch.setattr(embedding_job, "BLOCK", 10)
    encoder = GatedEncoder()
    encoder.windows_at_once = 4
    reached = threading.Event()
    encode = encoder.encode

    def counted(windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        if len(encoder.windows) > 40:
            reached.set()
        return encode(windows)

    class Slow(FakeSplitter):
        """Sentences come late: when the encoder is far ahead, or where it may not run so far."""

        def starts(self, text: str, language: str | None) -> list[int]:
            assert reached.wait(SECONDS if room > 1 else 0.1) == (room > 1)
            return super().starts(text, language)

    encoder.encode = counted
    setup = Setup(encoder, Slow(), MemoryStore(), make_hasher())
    alone = make_setup()
    assert run(setup, [TEXTS[1]]) == one_by_one(alone, [TEXTS[1]])
    assert content(setup.store) == content(alone.store)


@pytest.mark.parametrize(
    ("name", "limit", "most"),
    [("MOST_AHEAD", 3, 4), ("CHARACTERS_AHEAD", 3_000, 3), ("at_once", 20, 2)],
)
def test_only_some_documents_are_read_before_their_turn(
    name: str, limit: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = GatedEncoder()
    encoder.windows_at_once = 10_000
    if name == "at_once":
        encoder.windows_at_once = limit
    else:
        monkeypatch.setattr(pipeline, name, limit)
    asked = threading.Semaphore(0)

    def counted(text: str, warn: Warn) -> tuple[Document, Key]:
        asked.release()
        return load(text, warn)

    texts = [words(700 * i, 200) for i in range(12)]
    with closing(embed_each(make_setup(encoder=encoder), [partial(counted, text) for text in texts])) as coming:
        next(coming)
        assert all(asked.acquire(timeout=SECONDS) for _ in range(most))
        assert not asked.acquire(timeout=0.1)
        next(coming)
        assert asked.acquire(timeout=SECONDS)
        assert not asked.acquire(timeout=0.1)


def test_what_is_wrong_with_a_document_stays_with_it_and_is_told_at_its_turn() -> None:
    texts = ["odd 1 " + TEXTS[0], "bad 2", TEXTS[1], "odd 3 " + TEXTS[2] + " poison", "odd 4", "bad 5", TEXTS[5]]
    heard: list[str] = []
    setup = make_setup()
    reports: list[EmbedReport | Exception] = []
    with closing(embed_each(setup, loads(texts))) as coming:
        for number, one in enumerate(coming):
            heard.append(f"turn {number}")
            try:
                reports.append(one.result(no_progress, heard.append).report)
            except (ReadError, RuntimeError) as error:
                reports.append(error)
    turns = ["turn 0", "odd 1 is odd", "turn 1", "bad 2 will not do", "turn 2", "turn 3", "odd 3 is odd"]
    assert heard == [*turns, "turn 4", "odd 4 is odd", "turn 5", "bad 5 will not do", "turn 6"]
    assert [type(report) for report in reports] == [
        EmbedReport,
        ReadError,
        EmbedReport,
        RuntimeError,
        EmbedReport,
        ReadError,
        EmbedReport,
    ]
    alone = make_setup()
    good = [0, 2, 4, 6]
    assert [reports[i].key for i in good] == [r.key for r in one_by_one(alone, [texts[i] for i in good])]
    assert content(setup.store) == content(alone.store)


class FullStore(MemoryStore):
    """One artifact cannot be written."""

    refused: Key | None = None

    def write(self, key: Key) -> AbstractContextManager[Any]:
        if key == self.refused:
            self.refused = None
            raise StoreError("no room")
        return super().write(key)


def test_a_document_that_counted_on_one_that_was_not_written_is_encoded_all_the_same() -> None:
    store, encoder = FullStore(), GatedEncoder(open_gate=False)
    encoder.windows_at_once = 10_000
    setup = make_setup(store, encoder)
    store.refused = setup.key(key_of(TEXTS[0]))
    reports: list[EmbedReport | None] = []
    with closing(embed_each(setup, after_all_are_read(encoder, TEXTS[:4]))) as coming:
        for one in coming:
            try:
                reports.append(one.result(no_progress, pytest.fail).report)
            except StoreError:
                reports.append(None)
    alone = make_setup()
    assert reports == [None, *one_by_one(alone, TEXTS[1:4])]
    assert content(store) == content(alone.store)


def test_a_document_is_left_out_that_nobody_asks_for() -> None:
    setup, alone = make_setup(), make_setup()
    setup.encoder.windows_at_once = 4  # or what is left out would fill the room of the others
    with closing(embed_each(setup, loads(TEXTS))) as coming:
        reports = [one.result().report for number, one in enumerate(coming) if number not in (0, 3)]
    texts = [text for number, text in enumerate(TEXTS) if number not in (0, 3)]
    assert [report.key for report in reports] == [report.key for report in one_by_one(alone, texts)]
    assert content(setup.store) == content(alone.store)


def test_a_result_cannot_be_had_when_its_turn_is_over() -> None:
    setup = make_setup()
    coming = list(embed_each(setup, loads([words(0, 90), words(100, 90)])))
    with closing(embed_each(setup, loads([words(200, 90)]))) as closed:
        coming.append(next(closed))
    for one in coming:
        with pytest.raises(UsageError, match="before the next"):
            one.result()
    assert list(setup.store.keys()) == []


def test_what_to_keep_is_checked() -> None:
    with pytest.raises(UsageError, match="keep 'x': choose from vectors, units"):
        make_setup(keep="x")


def test_a_fault_of_who_names_the_documents_comes_after_those_that_were_named() -> None:
    def named() -> Iterator[Load]:
        yield partial(load, TEXTS[0])
        raise OSError("the list ends here")

    setup = make_setup()
    with closing(embed_each(setup, named())) as coming:
        next(coming).result()
        with pytest.raises(OSError, match="the list ends here"):
            next(coming)
    assert len(list(setup.store.keys())) == 1


def test_no_documents() -> None:
    assert run(make_setup(), []) == []


def threads(name: str = "") -> list[threading.Thread]:
    return [
        thread for thread in threading.enumerate() if thread.name in ("read", "encode") and name in thread.name
    ]


def all_end() -> bool:
    for thread in threads():
        thread.join(SECONDS)
    return not threads()


@pytest.mark.parametrize("after", [0, 1])
def test_closing_ends_the_threads_and_leaves_only_what_is_whole(after: int) -> None:
    setup = make_setup()
    with closing(embed_each(setup, loads(TEXTS * 3))) as coming:
        for _ in range(after):
            next(coming).result()
        next(coming)
        assert threads()
    assert all_end()
    assert len(list(setup.store.keys())) == after


def interrupted(setup: Setup, texts: Sequence[str]) -> None:
    """Embeds documents; whoever is told of an odd one interrupts."""

    def interrupt(message: str) -> None:
        assert setup.encoder.begun.wait(SECONDS)
        raise KeyboardInterrupt(message)

    with closing(embed_each(setup, loads(texts))) as coming:
        for one in coming:
            one.result(no_progress, interrupt)


def test_an_interruption_waits_for_nothing_and_leaves_only_what_is_whole() -> None:
    setup = make_setup(encoder=GatedEncoder(open_gate=False))
    one_by_one(replace(setup, encoder=GatedEncoder()), [TEXTS[0]])
    with pytest.raises(KeyboardInterrupt):
        interrupted(setup, [TEXTS[0], "odd 1 " + TEXTS[1], TEXTS[2]])
    assert threads("encode")  # in the middle of a call
    setup.encoder.gate.set()
    assert all_end()
    assert len(list(setup.store.keys())) == 1


def test_rows_that_went_while_a_document_waited_are_encoded_again() -> None:
    setup, encoder = make_setup(), GatedEncoder(open_gate=False)
    first = embed(setup, *load(TEXTS[0], no_warning))
    said: list[str] = []
    with closing(embed_each(replace(setup, encoder=encoder), after_all_are_read(encoder, [TEXTS[2]]))) as coming:
        one = next(coming)
        assert encoder.gate.wait(SECONDS)
        setup.store.remove(first.key)
        report = one.result(no_progress, said.append).report
    assert len(said) == 1
    assert str(first.key) in said[0]
    assert report.windows_encoded == report.windows
    alone = make_setup()
    one_by_one(alone, [TEXTS[2]])
    assert content(setup.store) == content(alone.store)
