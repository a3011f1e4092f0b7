"""Windows through a model in batches: grouped by length, several in flight, smaller when memory is full."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders.framing import Frame
from vchunk.domain.errors import ModelError
from vchunk.domain.plurals import counted

Pending = Callable[[], NDArray[np.float32]]
"""Waits for a batch and gives its output, (windows, padded length, width)."""

Submit = Callable[[NDArray[np.int64], NDArray[np.int64]], Pending]
"""Takes ids and attention mask of a batch, both (windows, padded length)."""

TOKENS_A_STREAM = 16_384
"""Tokens of windows that a stream is given at once: 64 windows of 254 tokens, 16 of 1,022."""


def windows_of_streams(streams: int, frame: Frame) -> int:
    """How many windows keep so many streams busy when they are run together; no fewer than there are streams."""
    return streams * max(TOKENS_A_STREAM // frame.window, 1)


def run_batches(
    windows: Sequence[NDArray[np.int32]],
    frame: Frame,
    submit: Submit,
    batch_tokens: int,
    *,
    in_flight: int = 1,
    memory_full: type[Exception] | tuple[type[Exception], ...] = (),
    free_memory: Callable[[], None] = lambda: None,
) -> tuple[list[NDArray[np.float32]], int]:
    """Run all windows, longest first; batches are halved when the device's memory is full.

    Only windows of one padded length share a batch, so the rest of the batch changes nothing.

    Parameters
    ----------
    in_flight : int
        Batches that are submitted before the first is waited for.
    memory_full : exception type or tuple of them
        What a full memory is called, raised by ``submit`` or by what it returns.
    free_memory : callable
        Called after memory was full, when nothing refers to the failed batch any more.

    Returns
    -------
    rows : list of (tokens of the window, width) float32
        In the windows' order, without special tokens and prefix.
    batch_tokens : int
        What fitted into memory, for the next call.

    Raises
    ------
    ModelError
        If one window alone does not fit into memory, or the model gives no vector for each token.
    """
    waiting = sorted(range(len(windows)), key=lambda i: -frame.padded_length(len(windows[i])))
    flying: deque[tuple[list[int], Pending, bool]] = deque()
    out: list[NDArray[np.float32]] = [np.zeros((0, 0), np.float32)] * len(windows)
    while waiting or flying:
        failed: list[int] = []
        alone = in_flight == 1 and not flying
        if waiting and len(flying) < in_flight:
            batch = _next_batch(waiting, windows, frame, batch_tokens)
            waiting = waiting[len(batch) :]
            try:
                flying.append((batch, submit(*frame.rows([windows[i] for i in batch])), alone))
            except memory_full:
                failed = batch
        else:
            batch, pending, alone = flying.popleft()
            try:
                _unpack(pending(), batch, windows, frame, out)
            except memory_full:
                failed = batch
        if failed:  # outside the handlers, whose tracebacks refer to the batch
            length = frame.padded_length(len(windows[failed[0]]))
            if len(failed) == 1 and alone:
                raise ModelError(
                    f"a window of {counted(length, 'token')} does not fit into the device's memory: "
                    "use --device cpu, --dtype bfloat16 or a smaller model"
                )
            waiting = failed + waiting
            batch_tokens = max(len(failed) // 2, 1) * length
            in_flight = 1
            free_memory()
    return out, batch_tokens


def _next_batch(
    waiting: Sequence[int], windows: Sequence[NDArray[np.int32]], frame: Frame, batch_tokens: int
) -> list[int]:
    length = frame.padded_length(len(windows[waiting[0]]))
    batch = waiting[: max(1, batch_tokens // length)]
    return [i for i in batch if frame.padded_length(len(windows[i])) == length]


def _unpack(
    states: NDArray[np.float32],
    batch: Sequence[int],
    windows: Sequence[NDArray[np.int32]],
    frame: Frame,
    out: list[NDArray[np.float32]],
) -> None:
    """Copy each window's rows: a view would keep the whole batch alive."""
    length = frame.padded_length(len(windows[batch[0]]))
    for row, i in zip(states, batch, strict=True):
        inner = row[len(frame.before) : len(frame.before) + len(windows[i])]
        if len(inner) != len(windows[i]) or len(row) != length:
            raise ModelError(f"the model gave {len(row)} vectors for {length} tokens; it is no token encoder")
        out[i] = inner.copy()
