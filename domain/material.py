"""Material: all that is known of a document when it is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.divisions import Divisions
from vchunk.domain.document import Document, Span
from vchunk.domain.grammar import PLAIN
from vchunk.domain.keys import Key
from vchunk.domain.levels import unit_reward
from vchunk.domain.pieces import Pieces, cut_pieces
from vchunk.domain.ports import BlockGrammar, Tokenizer
from vchunk.domain.prominence import round_to_grid
from vchunk.domain.sizes import size_starts
from vchunk.domain.units import Units

SCORE_WEIGHT = 0.3
"""Of a snapper's score among the rewards of a cut by size: 1 weighs as much as a rare kind of break."""

Scorer = Callable[[NDArray[np.int64], Sequence[Span]], NDArray[np.float32]]
"""Rates boundary offsets, at least those within some spans of the text; NaN where nothing was read."""


@dataclass(frozen=True)
class Material:
    """All that is known of a document when it is cut.

    ``velocity`` gives the curve at an f_sig, ``constants`` are the encoder's; both None without
    an encoder. ``scorer`` is a snapper bound to the document's text. ``grammar`` divides blocks
    over the limit. ``tokenizer`` counts sizes; where it is not the encoder's, ``counted_starts`` says
    where its tokens start.
    """

    document: Document
    key: Key
    units: Units
    token_starts: NDArray[np.int64]
    tokenizer: Tokenizer
    embedding: Key | None = None
    velocity: Callable[[float], NDArray[np.float32]] | None = None
    constants: EncoderConstants | None = None
    scorer: Scorer | None = None
    grammar: BlockGrammar = PLAIN
    counted_starts: NDArray[np.int64] | None = None

    def counted_by(self, counter: Tokenizer) -> Material:
        """The same with sizes in another unit."""
        return replace(self, tokenizer=counter, counted_starts=size_starts(self.document.text, counter))

    @cached_property
    def sized(self) -> Units:
        """The units, their sizes in the unit of the counter."""
        if self.counted_starts is None:
            return self.units
        edges = np.searchsorted(self.counted_starts, self.units.edges, "left").astype(np.int64)
        return replace(self.units, token_edges=edges)

    @cached_property
    def per_token(self) -> float:
        """Units of size for a token of the encoder; in steps of 20 %, so that a far edit moves no cut."""
        if self.counted_starts is None or not len(self.counted_starts) or not len(self.token_starts):
            return 1.0
        return round_to_grid(len(self.counted_starts) / len(self.token_starts))

    @cached_property
    def scales(self) -> EncoderConstants | None:
        """The encoder's constants in the unit of the sizes."""
        return None if self.constants is None else self.constants.counted(self.per_token)

    @cached_property
    def divisions(self) -> Divisions:
        """How the document's blocks are divided."""
        return Divisions(self.document, self.grammar)

    @cached_property
    def reward(self) -> NDArray[np.float64]:
        """What a cut by size at the start of each unit earns, (u,); the same at all levels."""
        earned = unit_reward(self.units, self.constants)
        if self.scorer is None:
            return earned
        scores = self.scorer(self.units.offsets, [Span(0, len(self.document.text))])
        return earned + SCORE_WEIGHT * np.nan_to_num(scores, nan=0.0) * (self.units.levels >= 0)

    def size(self, span: Span) -> int:
        """Size of a stretch of the text by itself."""
        return len(self.tokenizer.tokenize(self.document.slice(span)))

    def pieces(self, first: int, last: int, maximum: int | None, stride: int | None = None) -> Pieces:
        """The units ``[first, last)`` in pieces of at most ``maximum`` tokens; see `cut_pieces`."""
        starts = self.token_starts if self.counted_starts is None else self.counted_starts
        return cut_pieces(self.document, self.sized, starts, first, last, maximum, self.divisions, stride)
