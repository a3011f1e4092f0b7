"""What every encoder owes the pipeline that keeps it busy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import models
from vchunk.domain.ports import Encoder

CALLERS = 4


def check_calls_at_once(encoder: Encoder, twin: Encoder) -> None:
    """Calls of several threads give the bits that each gives alone; the twin is an equal encoder, both are new."""
    ids = encoder.tokenizer.tokenize(models.sentences(80)).ids
    calls = [[ids[i : i + 1 + 7 * i % encoder.window] for i in range(k, 60, CALLERS)] for k in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as threads:
        together = list(threads.map(encoder.encode, calls))
    for call, found in zip(calls, together, strict=True):
        assert all(map(np.array_equal, found, twin.encode(call)))
