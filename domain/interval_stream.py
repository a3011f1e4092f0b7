"""The intervals of a text, found while it is still tokenised."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.anchors import AnchorFinder
from vchunk.domain.ports import EncoderIdentity, Hasher, StreamingTokenizer, Tokenizer, Tokens
from vchunk.domain.windows import Edges, WindowPlan, interval_names

FIRST_RUN = 4096
"""Tokens after which the first intervals are named; each run after that doubles what is known."""


class IntervalStream:
    """The tokens of a text and its intervals, as far as they are known.

    Iterating tokenises the text; each step gives the numbers of the intervals that are settled now:
    their names, their windows and the tokens in these will not change any more. ``ids`` (n,) int32,
    ``starts`` (n,) int64, ``edges`` and ``names`` are replaced or grow with each step and are those of
    the whole text after the last. As the runs double, what a step costs beside its own tokens adds
    up to no more than the text.
    """

    def __init__(
        self, text: str, tokenizer: Tokenizer, plan: WindowPlan, identity: EncoderIdentity, hasher: Hasher
    ) -> None:
        self.ids: NDArray[np.int32] = np.zeros(0, np.int32)
        self.starts: NDArray[np.int64] = np.zeros(0, np.int64)
        self.edges: Edges = np.zeros(0, np.int64)
        self.names: list[bytes] = []
        self._text = text
        self._tokenizer = tokenizer
        self._plan = plan
        self._identity = identity
        self._hasher = hasher
        self._finder = AnchorFinder(plan.radius)

    def __iter__(self) -> Iterator[range]:
        fresh: list[Tokens] = []
        count, due = 0, FIRST_RUN
        for run in _runs(self._text, self._tokenizer):
            fresh.append(run)
            count += len(run)
            if count >= due:
                yield self._take(fresh)
                fresh, due = [], 2 * count
        yield self._take(fresh, final=True)

    def _take(self, runs: list[Tokens], final: bool = False) -> range:
        """Add tokens and what follows from them; gives the intervals that are settled by that."""
        ids = [run.ids for run in runs]
        self.ids = np.concatenate((self.ids, *ids))
        self.starts = np.concatenate((self.starts, *(run.starts for run in runs)))
        anchors = [self._finder.push(run) for run in ids]
        if final:
            anchors.append(self._finder.finish())
        self.edges = np.concatenate((self.edges, *anchors))
        known = max(len(self.edges) - 1, 0)
        settled = range(len(self.names), known if final else max(known - self._plan.settled_by, len(self.names)))
        self.names += interval_names(self.ids, self.edges, self._identity, self._plan, self._hasher, settled)
        return settled


def _runs(text: str, tokenizer: Tokenizer) -> Iterator[Tokens]:
    if isinstance(tokenizer, StreamingTokenizer):
        yield from tokenizer.stream(text)
    else:
        yield tokenizer.tokenize(text)
