"""The queue in front of the encoder: order, shared calls, a bound, and faults that stay where they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import FakeEncoder
from vchunk.domain.window_queue import Dropped, Lane, WindowQueue

SECONDS = 20.0  # to wait for what comes at once


def ids(*tokens: int) -> NDArray[np.int32]:
    return np.array(tokens, np.int32)


class GatedEncoder(FakeEncoder):
    """Encodes when it may; refuses token 13. ``begun`` counts the calls that came in."""

    def __init__(self, at_once: int = 4) -> None:
        super().__init__()
        self.windows_at_once = at_once
        self.gate = threading.Event()
        self.begun = threading.Semaphore(0)
        self.calls: list[list[int]] = []

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        self.calls.append([int(window[0]) for window in windows])
        self.begun.release()
        assert self.gate.wait(SECONDS)
        if any(13 in window for window in windows):
            raise RuntimeError("token 13")
        return super().encode(windows)


@pytest.fixture
def encoder() -> GatedEncoder:
    return GatedEncoder()


@pytest.fixture
def queue(encoder: GatedEncoder) -> Iterator[WindowQueue]:
    with closing(WindowQueue(encoder)) as queue:
        yield queue
        encoder.gate.set()


def fill(lane: Lane, tokens: Sequence[int]) -> None:
    for number, token in enumerate(tokens):
        lane.put(number, ids(token, 99))


def test_vectors_are_those_of_the_window_that_was_put(encoder: GatedEncoder, queue: WindowQueue) -> None:
    encoder.gate.set()
    lane = Lane(queue)
    fill(lane, range(20, 30))
    for number in range(10):
        (expected,) = FakeEncoder().encode([ids(20 + number, 99)])
        assert lane.take(number).tobytes() == expected.tobytes()


def test_windows_of_several_documents_share_a_call(encoder: GatedEncoder, queue: WindowQueue) -> None:
    first, second = Lane(queue), Lane(queue)
    fill(first, [1])
    assert encoder.begun.acquire(timeout=SECONDS)
    fill(first, [2])
    fill(second, [3, 4, 5, 6])
    encoder.gate.set()
    for number in range(4):
        second.take(number)
    assert encoder.calls == [[1], [2, 3, 4, 5], [6]]


def test_the_encoder_runs_two_calls_ahead_and_no_further(encoder: GatedEncoder, queue: WindowQueue) -> None:
    encoder.gate.set()
    lane = Lane(queue)
    fill(lane, range(20, 40))
    assert all(encoder.begun.acquire(timeout=SECONDS) for _ in range(2))
    assert not encoder.begun.acquire(timeout=0.1)
    for number in range(4):
        lane.take(number)
    assert encoder.begun.acquire(timeout=SECONDS)
    assert not encoder.begun.acquire(timeout=0.1)


def test_the_fault_of_one_document_is_not_that_of_another(encoder: GatedEncoder, queue: WindowQueue) -> None:
    good, bad, other = Lane(queue), Lane(queue), Lane(queue)
    fill(good, [1])
    assert encoder.begun.acquire(timeout=SECONDS)
    fill(good, [1, 2])
    fill(bad, [13])
    fill(other, [3])
    encoder.gate.set()
    assert len(good.take(1)) == 2
    with pytest.raises(RuntimeError, match="token 13"):
        bad.take(0)
    assert len(other.take(0)) == 2
    assert [1, 13, 3][1:] in [call[-2:] for call in encoder.calls]  # they did share a call


def test_dropping_a_document_makes_room(encoder: GatedEncoder, queue: WindowQueue) -> None:
    given_up, lane = Lane(queue), Lane(queue)
    fill(given_up, range(20, 40))
    fill(lane, [1, 2])
    assert encoder.begun.acquire(timeout=SECONDS)
    given_up.drop()
    encoder.gate.set()
    assert len(lane.take(0)) == len(lane.take(1)) == 2
    assert [token for call in encoder.calls for token in call] == [20, 21, 22, 23, 1, 2]
    with pytest.raises(Dropped):
        given_up.put(99, ids(5))
    given_up.drop()
    fill(lane, range(20, 36))
    for number in range(16):  # the room that was made is that of what was encoded, not more
        lane.take(number)
        assert sum(map(len, encoder.calls[2:])) <= number + 1 + 8


def test_a_document_that_failed_can_be_dropped(encoder: GatedEncoder, queue: WindowQueue) -> None:
    encoder.gate.set()
    bad, lane = Lane(queue), Lane(queue)
    fill(bad, [13] * 20)
    with pytest.raises(RuntimeError):
        bad.take(0)
    bad.drop()
    fill(lane, range(20, 40))
    assert all(len(lane.take(number)) == 2 for number in range(20))


@pytest.mark.parametrize("arrays", [0, 2])
def test_an_encoder_that_gives_too_few_arrays_or_too_many(arrays: int) -> None:
    encoder = FakeEncoder()
    encode = encoder.encode
    encoder.encode = lambda windows: encode(windows) * arrays
    with closing(WindowQueue(encoder)) as queue:
        lane = Lane(queue)
        fill(lane, [1])
        with pytest.raises(ValueError, match="1 windows"):
            lane.take(0)


def test_a_closed_queue_encodes_nothing_more(encoder: GatedEncoder) -> None:
    queue = WindowQueue(encoder)
    lane = Lane(queue)
    fill(lane, range(20, 40))
    assert encoder.begun.acquire(timeout=SECONDS)
    encoder.gate.set()
    queue.close()
    assert len(encoder.calls) <= 2
    with pytest.raises(Dropped):
        lane.put(30, ids(1))
