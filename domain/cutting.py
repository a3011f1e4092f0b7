"""Cuts of one granularity: from units and curves to the spans of chunks."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.counts import LOOSENESS, CountOutOfReach, solve_count_of
from vchunk.domain.document import Document, Kind, Role, Span
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import Granularity
from vchunk.domain.inline import InlineSpans
from vchunk.domain.levels import Level, solve_levels, unit_reward, unit_strength
from vchunk.domain.material import Material
from vchunk.domain.pieces import UNBOUNDED, Pieces
from vchunk.domain.prominence import find_peaks, mad
from vchunk.domain.snapping import snap_peaks
from vchunk.domain.splitting import split_points
from vchunk.domain.suppression import cap, suppress
from vchunk.domain.transcripts import SPEECH_TOKENS, label_ends
from vchunk.domain.units import Units

NEAR_TOKENS = 128
"""How far around a peak a snapper reads."""
GOOD_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunk to be: its span, and what is known of the boundary at its start."""

    span: Span
    tokens: int
    level: int
    strength: float


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
    """Runs of units that are kept, and runs that are left out, as (first, last) exclusive."""
    kept: list[tuple[int, int]] = []
    left: list[tuple[int, int]] = []
    start = 0
    for i in range(1, len(roles) + 1):
        ended = i == len(roles) or (roles[i] in skip) != (roles[start] in skip)
        changed_role = i < len(roles) and roles[start] in skip and roles[i] != roles[start]
        if ended or changed_role:
            (left if roles[start] in skip else kept).append((start, i))
            start = i
    return kept, left


def make_cuts(material: Material, wanted: Granularity) -> tuple[list[Cut], list[LeftOut]]:
    """The chunks' spans at the granularity wanted, and what was left out."""
    if not len(material.units):
        return [], []
    kept, left = divided(material, wanted)
    run = runs_of(material, wanted, kept)
    out: list[Cut] = []
    for number in range(len(kept)):
        out += finish(material, wanted, *run(number))
    return out, left


def divided(material: Material, wanted: Granularity) -> tuple[list[tuple[int, int]], list[LeftOut]]:
    """The runs of units that are kept, and the text that is left out."""
    units, text = material.units, material.document.text
    roles = unit_roles(material.document, units)
    kept, left = kept_runs(roles, wanted.skip)
    skipped = [
        LeftOut(_trimmed(text, int(units.edges[first]), int(units.edges[last])), roles[first])
        for first, last in left
    ]
    return kept, skipped


Run = tuple[Pieces, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]
"""Pieces, chosen edges, the next finer edges, and the strength at each piece's start."""


def runs_of(material: Material, wanted: Granularity, kept: Sequence[tuple[int, int]]) -> Callable[[int], Run]:
    """What gives the cuts of one of the runs."""
    if wanted.by_prominence:
        return _Prominences(material, wanted, kept).run
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
    pieces = material.pieces(*run, levels[0].maximum)
    reward = unit_reward(units, constants)
    return pieces, solve_levels(
        pieces, units, reward, levels, constants, wanted.sections, beyond, per_token=material.per_token
    )


def _by_count(
    material: Material, wanted: Granularity, count: int, kept: Sequence[tuple[int, int]]
) -> Callable[[int], Run]:
    """All runs together in ``count`` chunks."""
    edges = material.sized.token_edges
    target = max(sum(int(edges[last] - edges[first]) for first, last in kept) / count, 1.0)
    wanted.check_overlap_below(target, f"mean size at --count {count},")
    # Without a limit of its own no sentence is divided: there are at most as many chunks as units.
    maximum = wanted.max_tokens or int(max(LOOSENESS * target, *np.diff(edges), 1))
    pieces = [material.pieces(first, last, maximum) for first, last in kept]
    level = Level(min(target, maximum), maximum, wanted.min_tokens)
    try:
        masks = solve_count_of(
            pieces, material.units, level, count, material.scales, wanted.sections, material.per_token
        )
    except CountOutOfReach as short:
        raise UsageError(_out_of_reach(wanted, count, short.least, len(kept))) from None
    strength = unit_strength(material.units, material.constants)

    def run(number: int) -> Run:
        own = pieces[number]
        return own, masks[number], np.ones(len(own) + 1, bool), strength[own.units]

    return run


def _out_of_reach(wanted: Granularity, count: int, least: int, runs: int) -> str:
    if runs > count:
        return (
            f"--count {count}: what is left out divides the document into {runs} stretches of text, and no "
            "chunk crosses it: ask for more chunks, or keep it with --skip none"
        )
    limit = f"--max-tokens {wanted.max_tokens}" if wanted.max_tokens else f"--sections {wanted.sections}"
    return f"--count {count}: {limit} needs at least {least} chunks in this document: change one"


class _Prominences:
    """Cuts by prominence: peaks are snapped over the whole document, then each run is cut."""

    def __init__(self, material: Material, wanted: Granularity, runs: Sequence[tuple[int, int]]) -> None:
        assert material.velocity is not None
        self._wanted = wanted
        self._min = wanted.smallest_peak_distance
        units = material.units
        self._pieces = [material.pieces(first, last, wanted.max_tokens) for first, last in runs]
        speech = wanted.max_tokens or SPEECH_TOKENS * wanted.per_token
        self._inner = [self._allowed(pieces, speech) for pieces in self._pieces]
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

    @staticmethod
    def _allowed(pieces: Pieces, speech: int) -> NDArray[np.int64]:
        """Edges inside a run where meaning may cut: of level 0 or more, in no block but a speech."""
        allowed = pieces.open_rules(speech).allowed[:-1] & (pieces.levels >= 0)
        allowed[:1] = False
        return np.flatnonzero(allowed)

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
        scores = material.scorer(material.units.offsets[at], _merged(spans))
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
        forced = np.flatnonzero(pieces.borders(max(self._min, 1), self._wanted.sections)[:-1])
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


def _merged(spans: Sequence[Span]) -> list[Span]:
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def finish(
    material: Material,
    wanted: Granularity,
    pieces: Pieces,
    cuts: NDArray[np.bool_],
    finer: NDArray[np.bool_],
    strength: NDArray[np.float64],
) -> Iterator[Cut]:
    """Count each chunk with the tokenizer and cut again what is over the maximum."""
    text = material.document.text
    code = [b.span for b in material.document.blocks if b.kind is Kind.CODE]
    labels = dict(label_ends(material.document))
    chosen = np.flatnonzero(cuts)
    todo = list(zip(chosen[:-1].tolist(), chosen[1:].tolist(), strict=True))[::-1]
    maximum = UNBOUNDED if wanted.maximum is None else wanted.maximum
    while todo:
        start, end = todo.pop()
        low, high = (line_of_code(text, int(pieces.edges[at]), code) for at in (start, end))
        if not wanted.trim and int(pieces.units[start]) == 0 and start == 0:
            low = 0  # the white space that the text begins with
        span = _trimmed(text, low, high, wanted.trim)
        tokens = len(material.tokenizer.tokenize(text[span.start : span.end]))
        if tokens > maximum:
            inner = np.flatnonzero(finer[start + 1 : end]) + start + 1
            inner = inner if len(inner) else np.arange(start + 1, end)
            if len(inner):
                middle = (pieces.edges[start] + pieces.edges[end]) / 2
                at = int(inner[np.argmin(np.abs(pieces.edges[inner] - middle))])
                todo += [(at, end), (start, at)]
                continue
            first = Cut(span, tokens, int(pieces.levels[start]), float(strength[start]))
            yield from _split_piece(material, first, maximum, wanted.trim, labels)
            continue
        yield Cut(span, tokens, int(pieces.levels[start]), float(strength[start]))


def _split_piece(
    material: Material, whole: Cut, maximum: int, trim: bool, labels: Mapping[int, int]
) -> Iterator[Cut]:
    """A piece whose text by itself has more tokens than it had in the document."""
    text, tokenizer = material.document.text, material.tokenizer

    def measure(start: int, end: int) -> int:
        return len(tokenizer.tokenize(text[start:end]))

    def part(start: int, end: int, level: int) -> Cut:
        span = _trimmed(text, start, end, trim)
        strength = whole.strength if start == whole.span.start else 0.0
        return Cut(span, measure(span.start, span.end), level, strength)

    start, end = whole.span.start, whole.span.end
    inline = InlineSpans(material.document).within(start, end)
    points = [*split_points(text, start, end, maximum, measure, inline, labels.get(start, start)), (end, 0)]
    level = whole.level
    reached, reached_level = start, level
    for at, at_level in points:
        if measure(start, at) > maximum and reached > start:
            yield part(start, reached, level)
            start, level = reached, reached_level
        reached, reached_level = at, at_level
    yield part(start, end, level)


def _trimmed(text: str, start: int, end: int, trim: bool = True) -> Span:
    """The span without the white space at its end; it begins with none."""
    return Span(start, start + len(text[start:end].rstrip())) if trim else Span(start, end)


def line_of_code(text: str, at: int, code: Sequence[Span]) -> int:
    """A piece of code begins with its line, indentation included. ``code`` spans are apart, rising."""
    number = bisect.bisect_left(code, at, key=lambda block: block.start) - 1
    if number < 0 or at >= code[number].end:
        return at
    start = code[number].start
    newline = text.rfind("\n", start, at)
    line = max(newline, text.rfind("\r", max(newline, start), at)) + 1 or start
    return at if text[line:at].strip() else line
