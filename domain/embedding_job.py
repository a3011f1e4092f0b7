"""One document on its way into the store: laid out in one thread, written in another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.derivation import Derivation
from vchunk.domain.document import Document
from vchunk.domain.embedding import ALGORITHM, KEEPS, EmbedReport, embedding_key
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, UsageError
from vchunk.domain.interval_stream import IntervalStream
from vchunk.domain.keys import Key
from vchunk.domain.mesh import mesh_interval
from vchunk.domain.ports import (
    Artifact,
    ArtifactWriter,
    Encoder,
    Hasher,
    Progress,
    RowSink,
    SentenceSplitter,
    Store,
    StoredInterval,
)
from vchunk.domain.quantize import dequantize, quantize
from vchunk.domain.units import Units, cut_units
from vchunk.domain.window_queue import Lane
from vchunk.domain.windows import Edges, WindowPlan, make_plan

BLOCK = 4096
"""Rows that are written at once, or a few more."""

EARLY_BYTES = 1 << 25
"""Quantised rows that wait, at most, until the whole text is tokenised."""

Find = Callable[[Sequence[bytes]], dict[bytes, StoredInterval]]
"""Which of these intervals need not be encoded, and where their rows are."""

Note = Callable[[Sequence[bytes], Sequence[int]], None]
"""Told the names of the next intervals, and their edges."""

Rows = tuple[NDArray[np.int8], NDArray[np.float32]]


@dataclass(frozen=True)
class Setup:
    """What embeds documents, and how."""

    encoder: Encoder
    splitter: SentenceSplitter
    store: Store
    hasher: Hasher
    keep: str = "vectors"
    windows: str = "full"

    def __post_init__(self) -> None:
        if self.keep not in KEEPS:
            raise UsageError(f"keep {self.keep!r}: choose from {', '.join(KEEPS)}")

    @cached_property
    def plan(self) -> WindowPlan:
        """How windows are laid."""
        return make_plan(self.windows, self.encoder.window)

    def key(self, document: Key) -> Key:
        """The name of a document's embedding."""
        return embedding_key(document, self.encoder, self.splitter, self.hasher, self.keep, self.windows)


class LostInterval(Exception):
    """The rows of a stored interval cannot be had after all."""

    def __init__(self, key: Key, reason: Exception) -> None:
        super().__init__(str(reason))
        self.key = key


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The next intervals of a document, from number ``first`` on, all that they depend on known."""

    first: int
    names: list[bytes]
    edges: Edges
    found: dict[bytes, StoredInterval]


@dataclass(frozen=True, slots=True)
class _Layout:
    """What is known when the whole text is read."""

    starts: NDArray[np.int64]
    edges: Edges
    names: list[bytes]
    units: Units
    windows_needed: int


class EmbeddingJob:
    """A document that is not in the store as an embedding.

    ``lay_out`` may run in another thread than ``write``, which begins with what is laid out already.
    """

    def __init__(self, setup: Setup, document: Document, document_key: Key, lane: Lane) -> None:
        self.key = setup.key(document_key)
        self._setup = setup
        self._document = document
        self._document_key = document_key
        self._lane = lane
        self._stretches: SimpleQueue[_Stretch | None] = SimpleQueue()
        self._layout: Future[_Layout] = Future()

    def lay_out(self, find: Find, note: Note | None = None) -> int:
        """Tokenise, find intervals, queue the windows that must run; gives how many these are.

        What fails is raised by ``write`` too.
        """
        try:
            layout = self._lay_out(find, note)
        except BaseException as error:
            self._layout.set_exception(error)
            raise
        else:
            self._layout.set_result(layout)
            return layout.windows_needed
        finally:
            self._stretches.put(None)

    def _lay_out(self, find: Find, note: Note | None) -> _Layout:
        setup, text = self._setup, self._document.text
        tokenizer, identity = setup.encoder.tokenizer, setup.encoder.identity
        stream = IntervalStream(text, tokenizer, setup.plan, identity, setup.hasher)
        needed = 0
        queued = -1
        for settled in stream:
            names = stream.names[settled.start :]
            found = find(names)
            for interval, name in zip(settled, names, strict=True):
                if name in found:
                    continue
                for window in setup.plan.covering(stream.edges, interval):
                    if window > queued:
                        low, high = setup.plan.bounds(stream.edges, window)
                        self._lane.put(window, stream.ids[low:high])
                        needed, queued = needed + 1, window
            if note is not None:
                note(names, stream.edges[settled.start : settled.stop + 1].tolist())
            self._stretches.put(_Stretch(settled.start, names, stream.edges, found))
        units = cut_units(text, find_boundaries(self._document, setup.splitter), stream.starts)
        return _Layout(stream.starts, stream.edges, stream.names, units, needed)

    def write(self, progress: Progress) -> EmbedReport:
        """Mesh the windows as they are encoded and put the embedding into the store.

        Raises
        ------
        LostInterval
            If rows that were found are gone or damaged.
        StoreError, ModelError
        """
        keep, store = self._setup.keep, self._setup.store
        rows = self._rows(progress)
        early = self._early(rows)
        layout = self._layout.result()
        n, dim = len(layout.starts), self._setup.encoder.dim
        with store.write(self.key) as out:
            sinks: tuple[RowSink, ...] = (
                (out.stream("vectors", (dim,), "int8", n), out.stream("scales", (), "float32", n))
                if keep == "vectors"
                else ()
            )
            means = out.stream("unit_means", (dim,), "float16", len(layout.units))
            derivation = Derivation(layout.units, layout.edges, dim, means)
            while block := early.popleft() if early else next(rows, None):
                for sink, data in zip(sinks, block, strict=False):
                    sink.append(np.asarray(data))
                derivation.push(dequantize(*block))
            windows = self._setup.plan.count(layout.edges)
            self._write_rest(out, layout, derivation, windows)
        if keep == "vectors":
            store.add_intervals(self.key, layout.names, layout.edges.tolist())
        return EmbedReport(self.key, self._document_key, n, windows, layout.windows_needed)

    def _early(self, rows: Iterator[Rows]) -> deque[Rows]:
        """Rows that are there before the layout is."""
        early: deque[Rows] = deque()
        room = EARLY_BYTES
        while room > 0 and not self._layout.done():
            block = next(rows, None)
            if block is None:
                break
            early.append(block)
            room -= sum(data.nbytes for data in block)
        return early

    def _rows(self, progress: Progress) -> Iterator[Rows]:
        """Quantised rows of all intervals in order, many at a time."""
        plan = self._setup.plan
        vectors: dict[int, NDArray[np.float32]] = {}
        artifacts: dict[Key, Artifact] = {}
        batch: list[Rows] = []
        rows = taken = 0
        for stretch in iter(self._stretches.get, None):
            for interval, name in enumerate(stretch.names, stretch.first):
                if name in stretch.found:
                    batch.append(_stored_rows(self._setup.store, artifacts, stretch.found[name]))
                else:
                    covering = plan.covering(stretch.edges, interval)
                    new = [window for window in covering if window not in vectors]
                    vectors = {w: v for w, v in vectors.items() if w >= covering[0]}
                    vectors |= {window: self._lane.take(window) for window in new}
                    taken += len(new)
                    batch.append(quantize(mesh_interval(interval, stretch.edges, vectors, plan)))
                rows += len(batch[-1][1])
                if rows >= BLOCK:
                    self._tell(progress, taken)
                    yield _joined(batch)
                    batch, rows = [], 0
        if batch:
            self._tell(progress, taken)
            yield _joined(batch)

    def _tell(self, progress: Progress, taken: int) -> None:
        """How many windows are done, as soon as it is known of how many."""
        if taken and self._layout.done() and self._layout.exception() is None:
            progress(taken, self._layout.result().windows_needed)

    def _write_rest(self, out: ArtifactWriter, layout: _Layout, derivation: Derivation, windows: int) -> None:
        units = layout.units
        arrays: dict[str, NDArray[Any]] = {
            "token_starts": layout.starts.astype(np.int32),
            "velocity": derivation.velocity,
            "interval_names": np.frombuffer(b"".join(layout.names), np.uint8).reshape(-1, 16),
            "interval_edges": layout.edges.astype(np.int32),
            "unit_edges": units.edges.astype(np.int32),
            "unit_levels": units.levels,
            "unit_tokens": units.token_edges.astype(np.int32),
            "contrast": derivation.contrast,
        }
        for name, data in arrays.items():
            out.array(name, data)
        encoder, identity, plan = self._setup.encoder, self._setup.encoder.identity, self._setup.plan
        out.attributes(
            {
                "algorithm": ALGORITHM,
                "document": str(self._document_key),
                "tokens": len(layout.starts),
                "windows": windows,
                "window_plan": plan.name,
                "window_kind": plan.kind,
                "splitter": self._setup.splitter.identity,
                "keep": self._setup.keep,
                "encoder": {
                    "name": encoder.name,
                    "content": identity.content,
                    "tokenizer": identity.tokenizer,
                    "engine": identity.engine,
                    "device": identity.device,
                    "dtype": identity.dtype,
                    "prefix": identity.prefix,
                    "dim": encoder.dim,
                    "window": encoder.window,
                },
            }
        )


def _joined(batch: list[Rows]) -> Rows:
    return np.concatenate([q for q, _ in batch]), np.concatenate([s for _, s in batch])


def _stored_rows(store: Store, artifacts: dict[Key, Artifact], at: StoredInterval) -> Rows:
    try:
        if at.key not in artifacts:
            artifacts[at.key] = store.read(at.key)
        arrays = artifacts[at.key].arrays
        return np.asarray(arrays["vectors"][at.start : at.stop]), np.asarray(arrays["scales"][at.start : at.stop])
    except (DamagedArtifact, MissingArtifact) as reason:
        raise LostInterval(at.key, reason) from reason
