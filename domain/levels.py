"""Levels: solving the objective from the finest granularity up, so that all of them nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.kinds import STANDALONE
from vchunk.domain.objective import (
    CONTRAST_WEIGHT,
    INFO_WEIGHT,
    SHORT_SHARE,
    Goal,
    contrast_strength,
    info,
    solve,
)
from vchunk.domain.pieces import Pieces
from vchunk.domain.splitting import stride_for
from vchunk.domain.units import Units

LADDER = (64, 128, 256, 512, 1024)
PRESETS = {"fine": 64, "medium": 128, "coarse": 256}
DEFAULT_PRESET = "medium"


@dataclass(frozen=True, slots=True)
class Level:
    """A granularity to be solved. ``maximum`` is twice the target unless it was given."""

    target: float
    maximum: int
    min_tokens: int | None = None

    @classmethod
    def of(cls, target: float) -> Level:
        """A level with the usual maximum."""
        return cls(target, int(2 * target))

    @property
    def stride(self) -> int:
        """Tokens between the places in a long word, where this is the finest level."""
        return stride_for(self.maximum, self.target, self.min_tokens)


def ladder_to(target: int, per_token: int = 1) -> list[Level]:
    """The levels to solve for a step of the ladder: all of them from the finest up.

    ``per_token`` is how many units of size the presets have for a token.
    """
    return [Level.of(t * per_token) for t in LADDER if t * per_token <= target]


def maxima_beyond(target: float, per_token: int = 1) -> list[int]:
    """Maxima of the coarser steps of the ladder."""
    return [Level.of(t * per_token).maximum for t in LADDER if t * per_token > target]


def unit_strength(units: Units, constants: EncoderConstants | None) -> NDArray[np.float64]:
    """s(b) at the start of each unit, (u,); 0 without an encoder."""
    if constants is None or units.contrast is None:
        return np.zeros(len(units))
    return contrast_strength(units.contrast, constants.contrast_median, constants.contrast_mad)


def unit_reward(units: Units, constants: EncoderConstants | None) -> NDArray[np.float64]:
    """What a cut at the start of each unit earns, (u,)."""
    levels = units.levels.copy()
    reward = np.zeros(len(units))
    reward[1:] = INFO_WEIGHT * info(levels[1:])
    reward += CONTRAST_WEIGHT * unit_strength(units, constants)
    return reward


def solve_levels(
    pieces: Pieces,
    units: Units,
    reward: NDArray[np.float64],
    levels: Sequence[Level],
    constants: EncoderConstants | None,
    sections: str = "auto",
    limits: Sequence[int] = (),
    among: NDArray[np.bool_] | None = None,
    per_token: float = 1.0,
) -> list[NDArray[np.bool_]]:
    """Cuts of each level, finest first: (k + 1,) masks over piece edges, true at both ends.

    Each level chooses among the cuts of the one before it, so they nest. ``constants`` None
    leaves the meaning out. ``limits`` are the maxima of coarser levels of the same family that are
    not solved now, so that a level is the same whatever it is solved for. ``among`` (k + 1,) are
    the edges that the finest level chooses among; None is all that may be cut. ``per_token`` is how
    many units of size an encoder's token has; the constants are in those units.
    """
    base = pieces.items(units, reward, constants is not None, sections)
    cuts: list[NDArray[np.bool_]] = []
    finer = ~pieces.glued if among is None else among
    for i, level in enumerate(levels):
        rules = pieces.rules(level.maximum, [*(coarser.maximum for coarser in levels[i + 1 :]), *limits])
        smallest = SHORT_SHARE * level.target if level.min_tokens is None else level.min_tokens
        keep = reopened(finer & rules.allowed, finer, pieces, level.maximum)
        borders = pieces.borders(smallest, sections, max(smallest, STANDALONE * level.target))
        forced = (rules.forced | borders) & keep
        items = base.merge(keep, base.border, forced)
        scale = constants.scale(level.target) if constants else 1.0
        goal = Goal(level.target, level.maximum, scale, level.min_tokens, per_token=per_token)
        starts = solve(items, goal)
        finer = np.zeros(len(pieces) + 1, bool)
        finer[items.edges[starts]] = True
        finer[[0, len(pieces)]] = True
        cuts.append(finer)
    return cuts


def reopened(keep: NDArray[np.bool_], finer: NDArray[np.bool_], pieces: Pieces, maximum: int) -> NDArray[np.bool_]:
    """The edges to keep, with all of the finer level's in stretches that are over the maximum.

    A heading that the finer level let go may fit now, but not with the chunk that begins behind it.
    """
    edges = np.flatnonzero(keep)
    out = keep.copy()
    for number in np.flatnonzero(pieces.extents(edges) > maximum).tolist():
        start, end = edges[number], edges[number + 1]
        out[start:end] |= finer[start:end]
    return out
