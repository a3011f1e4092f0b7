"""Intervals found while a text is tokenised: what is settled is what the whole text gives."""

from __future__ import annotations

import random
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeEncoder, FakeTokenizer, StreamingFakeTokenizer
from vchunk.domain import interval_stream
from vchunk.domain.interval_stream import IntervalStream
from vchunk.domain.windows import FullPlan, LightPlan, WindowPlan, interval_names
from vchunk.wiring import make_hasher

IDENTITY = FakeEncoder().identity
PLANS: list[WindowPlan] = [FullPlan(3), FullPlan(7), LightPlan.for_window(16), LightPlan.for_window(60)]


def stream_of(text: str, plan: WindowPlan, tokenizer: FakeTokenizer) -> IntervalStream:
    return IntervalStream(text, tokenizer, plan, IDENTITY, make_hasher())


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_stream, "FIRST_RUN", 20)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
@given(count=st.integers(0, 400), kinds=st.integers(1, 26), run=st.integers(1, 90), seed=st.integers(0, 99))
def test_what_is_settled_early_is_what_the_whole_text_gives(
    plan: WindowPlan, count: int, kinds: int, run: int, seed: int
) -> None:
    text = " ".join(random.Random(seed).choices(string.ascii_lowercase[:kinds], k=count))
    ids = FakeTokenizer().tokenize(text).ids
    edges = plan.anchors(ids)
    names = interval_names(ids, edges, IDENTITY, plan, make_hasher())
    stream = stream_of(text, plan, StreamingFakeTokenizer(run))
    settled = 0
    for intervals in stream:
        assert intervals.start == settled
        settled = intervals.stop
        for i in intervals:
            assert stream.names[i] == names[i]
            assert plan.covering(stream.edges, i) == plan.covering(edges, i)
            for window in plan.covering(edges, i):
                low, high = plan.bounds(edges, window)
                assert plan.bounds(stream.edges, window) == (low, high)
                assert stream.ids[low:high].tolist() == ids[low:high].tolist()
                assert plan.taper(stream.edges, window).tolist() == plan.taper(edges, window).tolist()
    assert settled == len(names)
    assert stream.names == names
    assert stream.edges.tolist() == edges.tolist()
    assert stream.starts.tolist() == FakeTokenizer().tokenize(text).starts.tolist()


def test_a_long_text_is_settled_step_by_step_in_runs_that_double() -> None:
    text = " ".join(f"w{i * i % 97}" for i in range(2_000))
    steps = list(stream_of(text, FullPlan(3), StreamingFakeTokenizer(10)))
    stops = [step.stop for step in steps[:-1]]  # after 20, 40, 80 ... tokens
    assert len(stops) == 7
    assert all(20 * 2**i / 7 - 4 <= stop <= 20 * 2**i / 4 - 2 for i, stop in enumerate(stops))


def test_a_tokenizer_that_cannot_stream_gives_the_same() -> None:
    text = " ".join(f"w{i * i % 97}" for i in range(500))
    whole, streamed = (stream_of(text, FullPlan(3), t) for t in (FakeTokenizer(), StreamingFakeTokenizer(10)))
    assert [list(whole), list(streamed)][0][-1].stop == len(whole.names)
    assert (whole.names, whole.edges.tolist()) == (streamed.names, streamed.edges.tolist())
    assert np.array_equal(whole.starts, streamed.starts)
