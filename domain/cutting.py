"""Cuts of one granularity: from units and curves to the spans of chunks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.counts import LOOSENESS, CountOutOfReach, solve_count_of
from vchunk.domain.document import Document, Role, Span, merge_spans
from vchunk.domain.errors import UsageError
from vchunk.domain.finishing import Cut, finish, trimmed
from vchunk.domain.granularity import Granularity
from vchunk.domain.joining import DoublePassCuts
from vchunk.domain.kinds import STANDALONE_TOKENS
from vchunk.domain.levels import Level, solve_levels, unit_strength
from vchunk.domain.material import Material
from vchunk.domain.pieces import Pieces
from vchunk.domain.plurals import counted
from vchunk.domain.prominence import find_peaks, mad
from vchunk.domain.snapping import GOOD_SCORE, snap_peaks
from vchunk.domain.suppression import cap, suppress
from vchunk.domain.transcripts import SPEECH_TOKENS
from vchunk.domain.units import Units

NEAR_TOKENS = 128
"""How far around a peak a snapper reads."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stretch of text that no chunk holds because of its role."""

    span: Span
    role: Role


def unit_roles(document: Document, units: Units) -> list[Role]:
    """The role of each unit: that of the innermost block it begins in."""
    roles = [Role.BODY] * len(units)
    for block in document.blocks:
        low, high = np.searchsorted(units.offsets, (block.span.start, block.span.end), "left")
        roles[low:high] = [block.role] * int(high - low)
    return roles


def kept_runs(roles: Sequence[Role], skip: Sequence[Role]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Runs of units of one role that are kept, and those left out, as (first, last) exclusive.

    No chunk mixes roles: what is skipped changes nothing about the rest.
    """
    kept: list[tuple[int, int]] = []
    left: list[tuple[int, int]] = []
    start = 0
    for i in range(1, len(roles) + 1):
        if i == len(roles) or roles[i] != roles[start]:
            (left if roles[start] in skip else kept).append((start, i))
            start = i
    return kept, left


def make_cuts(material: Material, wanted: Granularity) -> tuple[list[Cut], list[LeftOut]]:
    """The chunks' spans at the granularity wanted, and what was left out."""
    if not len(material.units):
        return [], []
    kept, left = divided(material, wanted)
    out = _all_cuts(material, wanted, kept, runs_of(material, wanted, kept))
    for margin in (1, 3, 9) if wanted.count is not None and wanted.max_tokens is not None else ():
        # A text by itself may have more tokens than in its place, and then is cut again: one too many.
        if len(out) <= (wanted.count or 0):
            break
        with contextlib.suppress(UsageError):
            run = _by_count(material, wanted, wanted.count or 1, kept, margin)
            out = min(out, _all_cuts(material, wanted, kept, run), key=len)
    return out, left


def _all_cuts(
    material: Material, wanted: Granularity, kept: Sequence[tuple[int, int]], run: Callable[[int], Run]
) -> list[Cut]:
    return [cut for number in range(len(kept)) for cut in finish(material, wanted, *run(number))]


def divided(material: Material, wanted: Granularity) -> tuple[list[tuple[int, int]], list[LeftOut]]:
    """The runs of units that are kept, and the text that is left out."""
    units, text = material.units, material.document.text
    roles = unit_roles(material.document, units)
    kept, left = kept_runs(roles, wanted.skip)
    skipped = [
        LeftOut(trimmed(text, int(units.edges[first]), int(units.edges[last])), roles[first])
        for first, last in left
    ]
    return kept, skipped


Run = tuple[Pieces, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]
"""Pieces, chosen edges, the next finer edges, and the strength at each piece's start."""


def runs_of(material: Material, wanted: Granularity, kept: Sequence[tuple[int, int]]) -> Callable[[int], Run]:
    """What gives the cuts of one of the runs."""
    if wanted.by_prominence:
        return _Prominences(material, wanted, kept).run
    if wanted.by_double_pass:
        return DoublePassCuts(material, wanted, kept).run
    if wanted.count is not None:
        return _by_count(material, wanted, wanted.count, kept)
    return lambda number: _by_size(material, wanted, *kept[number])


def _by_size(material: Material, wanted: Granularity, first: int, last: int) -> Run:
    pieces, masks = solve_sizes(material, wanted, wanted.ladder(), wanted.coarser_maxima, (first, last))
    finer = masks[-2] if len(masks) > 1 else np.ones(len(pieces) + 1, bool)
    return pieces, masks[-1], finer, unit_strength(material.units, material.constants)[pieces.units]


def solve_sizes(
    material: Material, wanted: Granularity, levels: Sequence[Level], beyond: Sequence[int], run: tuple[int, int]
) -> tuple[Pieces, list[NDArray[np.bool_]]]:
    """The pieces of a run of units, and the edges that each level cuts, finest first."""
    units, constants = material.units, material.scales
    pieces = material.pieces(*run, levels[0].maximum, levels[0].stride)
    return pieces, solve_levels(
        pieces, units, material.reward, levels, constants, wanted.sections, beyond, per_token=material.per_token
    )


def _by_count(
    material: Material, wanted: Granularity, count: int, kept: Sequence[tuple[int, int]], margin: int = 0
) -> Callable[[int], Run]:
    """All runs together in ``count`` chunks, which stay ``margin`` below a maximum that was given."""
    edges = material.sized.token_edges
    whole_text = sum(int(edges[last] - edges[first]) for first, last in kept)
    if wanted.min_tokens is not None and count > 1 and count * wanted.min_tokens > whole_text:
        most = max(whole_text // wanted.min_tokens, 1)
        raise UsageError(
            f"--count {count}: --min-tokens {wanted.min_tokens} leaves room for {most} at most in this document, "
            f"which has {whole_text:,} {wanted.unit}: change one"
        )
    target = max(whole_text / count, 1.0)
    wanted.check_overlap_below(target, f"mean size at --count {count},")
    whole = int(max(*np.diff(edges), 1))

    def divide(maximum: int, count: int = count) -> tuple[list[Pieces], list[NDArray[np.bool_]]]:
        level = Level(min(target, maximum), maximum, wanted.min_tokens)
        pieces = [material.pieces(first, last, maximum, level.stride) for first, last in kept]
        rules = material.scales, wanted.sections, material.per_token
        return pieces, solve_count_of(pieces, material.units, material.reward, level, count, *rules)

    try:
        if wanted.max_tokens is not None:
            pieces, masks = divide(max(wanted.max_tokens - margin, 1))
        else:
            # Without a limit of its own no sentence is divided; blocks are where there are too few chunks else.
            pieces, masks = _divide_freely(
                divide, count, [max(int(s * target), whole) for s in LOOSENESS], whole_text
            )
    except CountOutOfReach as short:
        if wanted.max_tokens is not None or wanted.sections == "hard":
            raise UsageError(_out_of_reach(wanted, count, short.least, len(kept))) from None
        pieces, masks = divide(whole_text, short.least)
    strength = unit_strength(material.units, material.constants)

    def run(number: int) -> Run:
        own = pieces[number]
        return own, masks[number], np.ones(len(own) + 1, bool), strength[own.units]

    return run


Divide = Callable[[int], tuple[list[Pieces], list[NDArray[np.bool_]]]]
"""Pieces that fit into a maximum, and the edges that are cut, of each run."""


def _divide_freely(
    divide: Divide, count: int, maxima: Sequence[int], whole: int
) -> tuple[list[Pieces], list[NDArray[np.bool_]]]:
    """The division under the first of the maxima with so many chunks, else the last that can be.

    Where even the first needs more chunks, it is raised, up to the ``whole`` text.

    Raises
    ------
    CountOutOfReach
    """
    maximum = maxima[0]
    while True:
        try:
            found = divide(maximum)
            break
        except CountOutOfReach:
            if maximum >= whole:
                raise
            maximum = min(2 * maximum, whole)
    for tighter in dict.fromkeys(maxima[1:]) if maximum == maxima[0] else ():
        if sum(int(mask.sum()) - 1 for mask in found[1]) == count:
            break
        try:
            found = divide(tighter)
        except CountOutOfReach:
            break
    return found


def _out_of_reach(wanted: Granularity, count: int, least: int, runs: int) -> str:
    if runs > count:
        return (
            f"--count {count}: what is left out divides the document into {runs} stretches of text, and no "
            "chunk crosses it: ask for more chunks, or keep it with --skip none"
        )
    limit = f"--max-tokens {wanted.max_tokens}" if wanted.max_tokens else f"--sections {wanted.sections}"
    return f"--count {count}: {limit} needs at least {counted(least, 'chunk')} in this document: change one"


class _Prominences:
    """Cuts by prominence: peaks are snapped over the whole document, then each run is cut."""

    def __init__(self, material: Material, wanted: Granularity, runs: Sequence[tuple[int, int]]) -> None:
        assert material.velocity is not None
        self._wanted = wanted
        self._min = wanted.smallest
        units = material.units
        self._pieces = [material.pieces(first, last, wanted.max_tokens, wanted.stride()) for first, last in runs]
        speech = wanted.max_tokens or SPEECH_TOKENS * wanted.per_token
        self._inner = [pieces.inner_edges(speech) for pieces in self._pieces]
        curve = material.velocity(wanted.smoothing)
        peaks, heights = find_peaks(curve)
        allowed = [pieces.units[at] for pieces, at in zip(self._pieces, self._inner, strict=True)]
        at = np.concatenate(allowed) if allowed else np.zeros(0, np.int64)
        self.prominences = np.zeros(len(units))
        heights = heights / mad(curve)
        if material.scorer is None:
            self.prominences[at] = snap_peaks(peaks, heights, units.token_edges[at])
        else:
            assert wanted.prominence is not None
            strong = heights >= wanted.prominence
            self._snap_by_score(material, peaks[strong], heights[strong], at)
        self._sizes = material.sized.token_edges

    def _snap_by_score(
        self, material: Material, peaks: NDArray[np.int64], heights: NDArray[np.float64], at: NDArray[np.int64]
    ) -> None:
        """Snap each peak to the nearest boundary that the snapper likes; where it likes none, to any.

        What one peak gets does not depend on the others, so that cuts nest here too.
        """
        assert material.scorer is not None
        starts = material.token_starts
        low = np.maximum(peaks - NEAR_TOKENS, 0)
        high = np.minimum(peaks + NEAR_TOKENS, len(starts) - 1)
        spans = [Span(int(starts[a]), int(starts[b])) for a, b in zip(low, high, strict=True)]
        scores = material.scorer(material.units.offsets[at], merge_spans(spans))
        positions = material.units.token_edges[at]
        liked = _any_within(positions, peaks) & (np.nan_to_num(scores, nan=0.0) >= GOOD_SCORE)
        served = _any_within(peaks, positions[liked])
        for group, choice in ((served, liked), (~served, np.ones(len(at), bool))):
            found = snap_peaks(peaks[group], heights[group], positions[choice])
            self.prominences[at[choice]] = np.maximum(self.prominences[at[choice]], found)

    def run(self, number: int) -> Run:
        """The cuts of one run of units."""
        pieces, inner = self._pieces[number], self._inner[number]
        count = len(pieces)
        prominence = self.prominences[pieces.units]
        alone = max(self._min, STANDALONE_TOKENS * self._wanted.per_token)
        borders = pieces.borders(max(self._min, 1), self._wanted.sections, alone)
        forced = np.flatnonzero(borders[:-1])
        candidates = np.union1d(inner[prominence[inner] > 0], forced).astype(np.int64)
        strengths = np.where(np.isin(candidates, forced), np.inf, prominence[candidates])
        token_edges = self._sizes
        origin = int(token_edges[pieces.units[0]])
        length = int(pieces.sizes.sum())
        stays = suppress(token_edges[pieces.units[candidates]] - origin, strengths, length, self._min)
        pool = np.zeros(count + 1)
        pool[candidates[stays]] = strengths[stays]
        assert self._wanted.prominence is not None
        cuts = (pool > 0) & (pool >= self._wanted.prominence)
        cuts[[0, count]] = True
        if self._wanted.max_tokens is not None:
            cuts = cap(pieces, cuts, pool, self._wanted.max_tokens, self._min)
        return pieces, cuts, np.ones(count + 1, bool), prominence


def _any_within(places: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether one of the others, rising, is at most `NEAR_TOKENS` from each place."""
    low = np.searchsorted(others, places - NEAR_TOKENS, "left")
    inside: NDArray[np.bool_] = low < np.searchsorted(others, places + NEAR_TOKENS, "right")
    return inside
