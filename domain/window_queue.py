"""Windows on their way through the encoder, which threads of their own keep busy."""

from __future__ import annotations

import atexit
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ports import Encoder

CALLS = 2
"""Calls of the encoder that are made at once: one begins where the other runs out."""


class Dropped(Exception):
    """Nobody waits for the windows of this document any more."""


@dataclass(eq=False, slots=True)
class _Window:
    """A window of a lane; there are thousands, so it has no lock or event of its own."""

    lane: Lane
    ids: NDArray[np.int32]
    handed_over: bool = False
    outcome: NDArray[np.float32] | BaseException | None = None


class WindowQueue:
    """Encodes windows in the order in which they come, as many at once as keep the encoder busy.

    Windows of several documents share a call. Vectors that nobody has taken are those of `CALLS` calls
    at most: the encoder waits rather than run further ahead. So windows have to be taken in the
    order in which they were put, all of them or, by `Lane.drop`, none that is left of a document.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.lock = threading.RLock()
        self.encoded = threading.Condition(self.lock)
        self._work_there = threading.Condition(self.lock)
        self._encoder = encoder
        self._at_once = max(encoder.windows_at_once, 1)
        self._waiting: deque[_Window] = deque()
        self._ahead = 0  # windows that were handed to the encoder and not taken
        self._closed = False
        self._threads = [threading.Thread(target=self._work, name="encode", daemon=True) for _ in range(CALLS)]
        for thread in self._threads:
            thread.start()

    def enqueue(self, window: _Window) -> None:
        """Let a window wait for its turn."""
        with self.lock:
            if self._closed:
                raise Dropped
            self._waiting.append(window)
            self._work_there.notify_all()

    def release(self, count: int) -> None:
        """Make room: so many windows that were handed to the encoder are done with."""
        with self.lock:
            self._ahead -= count
            self._work_there.notify_all()

    def close(self, wait: bool = True) -> None:
        """Encode nothing more. Calls that are on are waited for here, or when Python ends."""
        with self.lock:
            self._closed = True
            self._work_there.notify_all()
        for thread in self._threads:
            if wait:
                thread.join()
            else:
                atexit.register(thread.join)  # a library that computes must not outlive the interpreter

    def _work(self) -> None:
        while (group := self._next_group()) is not None:
            self._encode(group)

    def _next_group(self) -> list[_Window] | None:
        """The windows of the next call; None when the queue is closed."""
        room = (CALLS - 1) * self._at_once
        with self.lock:
            self._work_there.wait_for(lambda: self._closed or (self._waiting and self._ahead <= room))
            if self._closed:
                return None
            group: list[_Window] = []
            while self._waiting and len(group) < self._at_once:
                window = self._waiting.popleft()
                if not window.lane.dropped:
                    window.handed_over = True
                    group.append(window)
            self._ahead += len(group)
            return group

    def _encode(self, group: list[_Window]) -> None:
        outcomes: list[Any]
        try:
            outcomes = self._encoder.encode([window.ids for window in group]) if group else []
            if len(outcomes) != len(group):
                raise ValueError(f"the encoder gave {len(outcomes)} arrays for {len(group)} windows")
        except BaseException as error:  # or whoever waits for a vector would wait for ever
            lanes = dict.fromkeys(window.lane for window in group)
            if len(lanes) > 1:  # the fault of one document must not be that of the others
                for lane in lanes:
                    self._encode([window for window in group if window.lane is lane])
                return
            outcomes = [error] * len(group)
        with self.lock:
            for window, outcome in zip(group, outcomes, strict=True):
                window.outcome = outcome
            self.encoded.notify_all()


class Lane:
    """The windows of one document in a queue, by their numbers."""

    def __init__(self, queue: WindowQueue) -> None:
        self.dropped = False
        self._queue = queue
        self._windows: dict[int, _Window] = {}

    def put(self, number: int, ids: NDArray[np.int32]) -> None:
        """Queue a window.

        Raises
        ------
        Dropped
            If the document was dropped, or the queue is closed.
        """
        window = _Window(self, ids)
        with self._queue.lock:
            if self.dropped:
                raise Dropped
            self._queue.enqueue(window)
            self._windows[number] = window

    def take(self, number: int) -> NDArray[np.float32]:
        """The vectors of a window, (tokens, dim); waits for them.

        Raises
        ------
        Exception
            What the encoder raised.
        """
        window = self._windows[number]
        with self._queue.lock:
            self._queue.encoded.wait_for(lambda: window.outcome is not None)
            if isinstance(window.outcome, BaseException):
                raise window.outcome
            del self._windows[number]
            self._queue.release(1)
        assert window.outcome is not None
        return window.outcome

    def drop(self) -> None:
        """Do without the windows that were not taken, and those that may still come."""
        with self._queue.lock:
            self.dropped = True
            self._queue.release(sum(window.handed_over for window in self._windows.values()))
            self._windows.clear()
