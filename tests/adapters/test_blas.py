"""Matrix products on one thread."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from vchunk.adapters.blas import one_blas_thread


def threads() -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_products_take_one_thread_and_then_as_many_as_before() -> None:
    with threadpool_limits(2, "blas"):
        before = threads()
        with one_blas_thread():
            assert set(threads()) <= {1}
            with one_blas_thread():
                assert set(threads()) <= {1}
            assert set(threads()) <= {1}
        assert threads() == before
        with pytest.raises(KeyError), one_blas_thread():
            raise KeyError
        assert threads() == before
