"""Windows on their way through the encoder, which threads of their own keep busy."""

from __future__ import annotations

import atexit
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ports import Encoder

CALLS = 2
"""Calls of the encoder that are made at once: one begins where the other runs out."""


class Dropped(Exception):
    """Nobody waits for the windows of this document any more."""


@dataclass(eq=False, slots=True)
class _Window:
    ids: NDArray[np.int32]
    lane: Lane
    vectors: Future[NDArray[np.float32]] = field(default_factory=Future)


class WindowQueue:
    """Encodes windows in the order in which they come, as many at once as keep the encoder busy.

    Windows of several documents share a call. Vectors that nobody has taken are those of `CALLS` calls
    at most: the encoder waits rather than run further ahead. So windows have to be taken in the
    order in which they were put, all of them or, by `Lane.drop`, none that is left of a document.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._at_once = max(encoder.windows_at_once, 1)
        self._waiting: deque[_Window] = deque()
        self._ahead = 0  # windows that were handed to the encoder and not taken
        self._closed = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, name="encode", daemon=True) for _ in range(CALLS)]
        for thread in self._threads:
            thread.start()

    def enqueue(self, window: _Window) -> None:
        """Let a window wait for its turn."""
        with self._changed:
            if self._closed:
                raise Dropped
            self._waiting.append(window)
            self._changed.notify_all()

    def release(self, count: int) -> None:
        """Make room: so many windows that were encoded, or are just being so, are done with."""
        with self._changed:
            self._ahead -= count
            self._changed.notify_all()

    def close(self, wait: bool = True) -> None:
        """Encode nothing more. Calls that are on are waited for here, or when Python ends."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            if wait:
                thread.join()
            else:
                atexit.register(thread.join)  # a library that computes must not outlive the interpreter

    def _work(self) -> None:
        while (group := self._next_group()) is not None:
            if group:
                self._encode(group)

    def _next_group(self) -> list[_Window] | None:
        """The windows of the next call; None when the queue is closed."""
        room = (CALLS - 1) * self._at_once
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._waiting and self._ahead <= room))
            if self._closed:
                return None
            group: list[_Window] = []
            while self._waiting and len(group) < self._at_once:
                window = self._waiting.popleft()
                if window.vectors.set_running_or_notify_cancel():
                    group.append(window)
            self._ahead += len(group)
            return group

    def _encode(self, group: list[_Window]) -> None:
        try:
            vectors = self._encoder.encode([window.ids for window in group])
            if len(vectors) != len(group):
                raise ValueError(f"the encoder gave {len(vectors)} arrays for {len(group)} windows")
        except BaseException as error:  # or whoever waits for a vector would wait for ever
            lanes = dict.fromkeys(window.lane for window in group)
            if len(lanes) > 1:  # the fault of one document must not be that of the others
                for lane in lanes:
                    self._encode([window for window in group if window.lane is lane])
                return
            for window in group:
                window.vectors.set_exception(error)
        else:
            for window, rows in zip(group, vectors, strict=True):
                window.vectors.set_result(rows)


class Lane:
    """The windows of one document in a queue, by their numbers."""

    def __init__(self, queue: WindowQueue) -> None:
        self._queue = queue
        self._windows: dict[int, _Window] = {}
        self._dropped = False
        self._lock = threading.Lock()

    def put(self, number: int, ids: NDArray[np.int32]) -> None:
        """Queue a window.

        Raises
        ------
        Dropped
            If the document was dropped, or the queue is closed.
        """
        window = _Window(ids, self)
        with self._lock:
            if self._dropped:
                raise Dropped
            self._windows[number] = window
            self._queue.enqueue(window)

    def take(self, number: int) -> NDArray[np.float32]:
        """The vectors of a window, (tokens, dim); waits for them.

        Raises
        ------
        Exception
            What the encoder raised.
        """
        vectors = self._windows[number].vectors.result()
        del self._windows[number]
        self._queue.release(1)
        return vectors

    def drop(self) -> None:
        """Do without the windows that were not taken, and those that may still come."""
        with self._lock:
            self._dropped = True
            self._queue.release(sum(not window.vectors.cancel() for window in self._windows.values()))
            self._windows.clear()
