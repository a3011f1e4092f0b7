"""How many threads numpy's matrix products take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While this block runs, products in it take one thread; then as many again as before.

    Velocity is thousands of small products. The threads of OpenBLAS wait for one another by spinning: shared
    among them these products take longer than on one, and up to ten times the CPU time where an encoder or
    another process wants the processors too. How many threads there are may also decide last bits.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
