"""The queue in front of the encoder: order, shared calls, a bound, and faults that stay where they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import FakeEncoder
from vchunk.domain.window_queue import CALLS, Dropped, Lane, WindowQueue

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


def occupy(queue: WindowQueue, encoder: GatedEncoder) -> Lane:
    """All calls that may be made at once are on, each with one window; what comes now has to wait."""
    lane = Lane(queue)
    for number in range(CALLS):
        lane.put(number, ids(90 + number))
        assert encoder.begun.acquire(timeout=SECONDS)
    return lane


def let_go(encoder: GatedEncoder, lane: Lane) -> None:
    """Those calls may end, and their windows are taken."""
    encoder.gate.set()
    for number in range(CALLS):
        lane.take(number)


def test_calls_are_made_at_once(encoder: GatedEncoder, queue: WindowQueue) -> None:
    occupy(queue, encoder)
    assert sorted(encoder.calls) == [[90], [91]]


def test_windows_of_several_documents_share_a_call(encoder: GatedEncoder, queue: WindowQueue) -> None:
    held = occupy(queue, encoder)
    first, second = Lane(queue), Lane(queue)
    fill(first, [2])
    fill(second, [3, 4, 5, 6])
    let_go(encoder, held)
    first.take(0)
    for number in range(4):
        second.take(number)
    assert encoder.calls[CALLS:] == [[2, 3, 4, 5], [6]]


def test_the_encoder_runs_two_calls_ahead_and_no_further(encoder: GatedEncoder, queue: WindowQueue) -> None:
    held, lane = occupy(queue, encoder), Lane(queue)
    fill(lane, range(20, 40))
    let_go(encoder, held)
    assert all(encoder.begun.acquire(timeout=SECONDS) for _ in range(2))
    assert not encoder.begun.acquire(timeout=0.1)
    for number in range(4):
        lane.take(number)
    assert encoder.begun.acquire(timeout=SECONDS)
    assert not encoder.begun.acquire(timeout=0.1)
    assert sum(map(len, encoder.calls[CALLS:])) == 12


def test_the_fault_of_one_document_is_not_that_of_another(encoder: GatedEncoder, queue: WindowQueue) -> None:
    held = occupy(queue, encoder)
    good, bad, other = Lane(queue), Lane(queue), Lane(queue)
    fill(good, [1, 2])
    fill(bad, [13])
    fill(other, [3])
    let_go(encoder, held)
    assert len(good.take(1)) == 2
    with pytest.raises(RuntimeError, match="token 13"):
        bad.take(0)
    assert len(other.take(0)) == 2
    assert encoder.calls[CALLS] == [1, 2, 13, 3]


def test_what_is_dropped_is_not_encoded(encoder: GatedEncoder, queue: WindowQueue) -> None:
    held, given_up, lane = occupy(queue, encoder), Lane(queue), Lane(queue)
    fill(given_up, range(20, 40))
    fill(lane, [1, 2])
    given_up.drop()
    let_go(encoder, held)
    assert len(lane.take(0)) == len(lane.take(1)) == 2
    assert encoder.calls[CALLS:] == [[1, 2]]
    with pytest.raises(Dropped):
        given_up.put(99, ids(5))


def test_dropping_what_was_handed_over_makes_the_room_that_it_took(
    encoder: GatedEncoder, queue: WindowQueue
) -> None:
    encoder.gate.set()
    for _ in range(10):
        given_up = Lane(queue)
        given_up.put(0, ids(20))
        assert encoder.begun.acquire(timeout=SECONDS)
        given_up.drop()
        given_up.drop()
    fill(Lane(queue), range(20, 40))
    while encoder.begun.acquire(timeout=0.1):
        pass
    assert 4 < sum(map(len, encoder.calls[10:])) <= 8


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
    assert len(encoder.calls) <= CALLS
    with pytest.raises(Dropped):
        lane.put(30, ids(1))
