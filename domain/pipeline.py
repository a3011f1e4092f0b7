"""The use case ``embed``: read documents with an encoder once, keep all that cuts need.

Documents follow one another through three threads: while one is written, the next ones are encoded,
and those after them are read and tokenised. What comes out is that of one document after the other,
in bytes and in what is reused: what a document shares with one before it is not encoded again, also
where that one is not in the store yet.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue

from vchunk.domain.document import Document
from vchunk.domain.embedding import EmbedReport
from vchunk.domain.embedding_job import EmbeddingJob, LostInterval, Setup
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, UsageError
from vchunk.domain.keys import Key
from vchunk.domain.ports import Progress, Warn, no_progress, no_warning
from vchunk.domain.underway import Underway
from vchunk.domain.window_queue import Lane, WindowQueue

MOST_AHEAD = 256
"""Documents, at most, that are read before their turn ..."""

CHARACTERS_AHEAD = 1 << 22
"""... until they hold so many characters, or windows enough for a call of the encoder. One always is."""

PATIENCE = 1.0
"""Seconds to wait for a document that is just being read when nobody wants it any more."""

Load = Callable[[Warn], tuple[Document, Key]]
"""Reads a document and puts it into the store."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document, and what embedding it took."""

    document: Document
    report: EmbedReport


def embed(
    setup: Setup,
    document: Document,
    document_key: Key,
    *,
    progress: Progress = no_progress,
    warn: Warn = no_warning,
) -> EmbedReport:
    """Embed a document into the store, or find that it is there.

    Raises
    ------
    ModelError, StoreError
    """
    with closing(embed_each(setup, [lambda _: (document, document_key)])) as coming:
        return next(coming).result(progress, warn).report


def embed_each(setup: Setup, loads: Iterable[Load]) -> Generator[Coming, None, None]:
    """Embed documents into the store, in order.

    Parameters
    ----------
    loads : iterable of callable
        Each reads a document. They are asked for and called in another thread, one at a time, some
        documents before their turn.

    Yields
    ------
    Coming
        One a document, to be finished by its ``result`` before the next is asked for. One that is
        not is left out.
    """
    pipeline = _Pipeline(setup)
    try:
        for course in pipeline.courses(loads):
            try:
                yield Coming(pipeline, course)
            finally:
                course.over = True
                pipeline.leave(course)
    finally:
        pipeline.close()


class Coming:
    """A document whose turn it is."""

    def __init__(self, pipeline: _Pipeline, course: _Course) -> None:
        self._pipeline = pipeline
        self._course = course

    def result(self, progress: Progress = no_progress, warn: Warn = no_warning) -> Embedded:
        """Wait for the document and write it; to be called once, before the next one's turn.

        Parameters
        ----------
        progress : Progress
            Told how many windows are done.
        warn : Warn
            Told what came up when this document was read, and what is wrong with the store.

        Raises
        ------
        VchunkError
            What is wrong with this document; no other one suffers from it.
        UsageError
            If its turn is over: its windows are dropped by then.
        """
        if self._course.over:
            raise UsageError("a document's result is to be asked for before the next document, not later")
        return self._pipeline.finish(self._course, progress, warn)


@dataclass(eq=False, slots=True)
class _Course:
    """A document on its way.

    ``step`` is its report where it is in the store, the job where it has to be made, or None where
    an equal document before it is on its way.
    """

    heard: list[str] = field(default_factory=list)
    read: Future[tuple[Document, Key]] = field(default_factory=Future)
    step: Future[EmbedReport | EmbeddingJob | None] = field(default_factory=Future)
    lane: Lane | None = None
    key: Key | None = None
    characters: int = 0
    windows: int = 0
    over: bool = False


class _Pipeline:
    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._windows = WindowQueue(setup.encoder)
        self._underway = Underway(setup.store)
        self._coming: SimpleQueue[_Course | BaseException | None] = SimpleQueue()
        self._ahead: deque[_Course] = deque()
        self._closed = False
        self._interrupted = False
        self._changed = threading.Condition()
        self._reader: threading.Thread | None = None

    # What the caller's thread does

    def courses(self, loads: Iterable[Load]) -> Iterator[_Course]:
        """The documents, each when its turn comes."""
        self._reader = threading.Thread(target=self._read_all, args=(loads,), name="read", daemon=True)
        self._reader.start()
        while (course := self._coming.get()) is not None:
            if isinstance(course, BaseException):
                raise course
            with self._changed:
                self._ahead.popleft()
                self._changed.notify_all()
            yield course

    def finish(self, course: _Course, progress: Progress, warn: Warn) -> Embedded:
        """Write a document, or find that it is there."""
        try:
            return self._finish(course, progress, warn)
        except KeyboardInterrupt:
            self._interrupted = True
            raise

    def _finish(self, course: _Course, progress: Progress, warn: Warn) -> Embedded:
        try:
            document, document_key = course.read.result()
            step = course.step.result()
        finally:
            for message in course.heard:
                warn(message)
        if isinstance(step, EmbedReport):
            return Embedded(document, step)
        avoid: set[Key] = set()
        if step is not None:
            try:
                return Embedded(document, step.write(progress))
            except LostInterval as lost:
                # Its rows cannot be had after all: do without that artifact.
                if not self._underway.failed(lost.key):  # else it was told already what became of it
                    warn(str(lost))
                avoid.add(lost.key)
            finally:
                self.leave(course)
        elif report := self._stored(document_key, warn):
            return Embedded(document, report)
        return Embedded(document, self._write_alone(document, document_key, avoid, progress, warn))

    def _write_alone(
        self, document: Document, document_key: Key, avoid: set[Key], progress: Progress, warn: Warn
    ) -> EmbedReport:
        """Encode and write a document outside the order of the others; ``avoid`` names what not to reuse."""
        while True:
            with closing(WindowQueue(self._setup.encoder)) as windows:
                job = EmbeddingJob(self._setup, document, document_key, Lane(windows))
                try:
                    job.lay_out(partial(self._underway.find_stored, avoid))
                    return job.write(progress)
                except LostInterval as lost:
                    warn(str(lost))
                    avoid.add(lost.key)

    def leave(self, course: _Course) -> None:
        """Be done with a document, whatever became of it."""
        if course.lane is not None:
            course.lane.drop()
        if course.key is not None:
            self._underway.end(course.key)

    def close(self) -> None:
        """Stop the other threads; who interrupts does not want to wait for what they are at."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._windows.close(wait=not self._interrupted)
        if self._reader is not None and not self._interrupted:
            self._reader.join(PATIENCE)

    # What the reading thread does

    def _read_all(self, loads: Iterable[Load]) -> None:
        end: BaseException | None = None
        try:
            coming = iter(loads)
            while self._wait_for_room() and (load := next(coming, None)) is not None:
                course = _Course()
                with self._changed:
                    self._ahead.append(course)
                self._coming.put(course)
                self._read(course, load)
        except BaseException as error:  # of who names the documents: the caller hears of it
            end = error
        finally:
            self._coming.put(end)

    def _wait_for_room(self) -> bool:
        """Wait until a document may be read; False if none will be wanted."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._has_room())
            return not self._closed

    def _has_room(self) -> bool:
        ahead = self._ahead
        return not ahead or (
            len(ahead) < MOST_AHEAD
            and sum(course.characters for course in ahead) < CHARACTERS_AHEAD
            and sum(course.windows for course in ahead) < self._setup.encoder.windows_at_once
        )

    def _read(self, course: _Course, load: Load) -> None:
        """Read a document and lay it out; what fails is kept for its turn."""
        try:
            document, document_key = load(course.heard.append)
            course.characters = len(document.text)
            course.read.set_result((document, document_key))
            self._lay_out(course, document, document_key)
        except BaseException as error:
            for outcome in (course.read, course.step):
                if not outcome.done():
                    outcome.set_exception(error)

    def _lay_out(self, course: _Course, document: Document, document_key: Key) -> None:
        key = self._setup.key(document_key)
        if not self._underway.begin(key):
            course.step.set_result(None)
            return
        course.key = key
        if report := self._stored(document_key, course.heard.append):
            course.step.set_result(report)
            return
        course.lane = Lane(self._windows)
        job = EmbeddingJob(self._setup, document, document_key, course.lane)
        course.step.set_result(job)
        note = partial(self._underway.note, key) if self._setup.keep == "vectors" else None
        course.windows = job.lay_out(partial(self._underway.find, key), note)

    def _stored(self, document_key: Key, warn: Warn) -> EmbedReport | None:
        """The report of an embedding that the store holds, whole; a damaged one is set aside."""
        key, store = self._setup.key(document_key), self._setup.store
        if key not in store:
            return None
        try:
            store.verify(key)
            attributes = store.read(key).attributes
            return EmbedReport(key, document_key, attributes["tokens"], attributes["windows"], 0)
        except DamagedArtifact:
            warn(f"{key} is damaged in the store: making it again")
            store.discard(key)
        except MissingArtifact:
            pass
        return None
