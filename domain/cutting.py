"""Cuts of one granularity: from units and curves to the spans of chunks."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.divisions import Divisions
from vchunk.domain.document import Document, Kind, Role, Span
from vchunk.domain.grammar import PLAIN
from vchunk.domain.granularity import Granularity
from vchunk.domain.inline import InlineSpans
from vchunk.domain.joining import DoublePassCuts
from vchunk.domain.keys import Key
from vchunk.domain.levels import solve_levels, unit_reward, unit_strength
from vchunk.domain.pieces import UNBOUNDED, Pieces, cut_pieces
from vchunk.domain.ports import BlockGrammar, Tokenizer
from vchunk.domain.prominence import find_peaks, mad
from vchunk.domain.snapping import GOOD_SCORE, snap_peaks
from vchunk.domain.splitting import split_points
from vchunk.domain.suppression import cap, suppress
from vchunk.domain.transcripts import SPEECH_TOKENS, label_ends
from vchunk.domain.units import Units

NEAR_TOKENS = 128
"""How far around a peak a snapper reads."""
SCORE_WEIGHT = 0.3
"""Of a snapper's score among the rewards of a cut by size: 1 weighs as much as a rare kind of break."""

Scorer = Callable[[NDArray[np.int64], Sequence[Span]], NDArray[np.float32]]
"""Rates boundary offsets, at least those within some spans of the text; NaN where nothing was read."""


@dataclass(frozen=True)
class Material:
    """All that is known of a document when it is cut.

    ``velocity`` gives the curve at an f_sig, ``constants`` are the encoder's; both None without
    an encoder. ``scorer`` is a snapper bound to the document's text. ``grammar`` divides blocks
    over the limit.
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

    def pieces(self, first: int, last: int, maximum: int | None) -> Pieces:
        """The units ``[first, last)`` in pieces of at most ``maximum`` tokens."""
        return cut_pieces(self.document, self.units, self.token_starts, first, last, maximum, self.divisions)


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
    units = material.units
    if not len(units):
        return [], []
    roles = unit_roles(material.document, units)
    kept, left = kept_runs(roles, wanted.skip)
    text = material.document.text
    out: list[Cut] = []
    whole: _Prominences | DoublePassCuts | None = None
    if wanted.by_prominence:
        whole = _Prominences(material, wanted, kept)
    elif wanted.by_double_pass:
        whole = DoublePassCuts(material, wanted, kept)
    for number, (first, last) in enumerate(kept):
        if whole is not None:
            pieces, cuts, finer, strength = whole.run(number)
        else:
            pieces, cuts, finer, strength = _by_size(material, wanted, first, last)
        out += _finish(material, wanted, pieces, cuts, finer, strength)
    skipped = [
        LeftOut(_trimmed(text, int(units.edges[first]), int(units.edges[last])), roles[first])
        for first, last in left
    ]
    return out, skipped


Run = tuple[Pieces, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]
"""Pieces, chosen edges, the next finer edges, and the strength at each piece's start."""


def _by_size(material: Material, wanted: Granularity, first: int, last: int) -> Run:
    levels = wanted.levels()
    units, constants = material.units, material.constants
    pieces = material.pieces(first, last, levels[0].maximum)
    masks = solve_levels(pieces, units, material.reward, levels, constants, wanted.sections, wanted.coarser_maxima)
    finer = masks[-2] if len(masks) > 1 else np.ones(len(pieces) + 1, bool)
    return pieces, masks[-1], finer, unit_strength(units, constants)[pieces.units]


class _Prominences:
    """Cuts by prominence: peaks are snapped over the whole document, then each run is cut."""

    def __init__(self, material: Material, wanted: Granularity, runs: Sequence[tuple[int, int]]) -> None:
        assert material.velocity is not None
        self._wanted = wanted
        self._min = wanted.smallest
        units = material.units
        self._pieces = [material.pieces(first, last, wanted.max_tokens) for first, last in runs]
        speech = wanted.max_tokens or SPEECH_TOKENS
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
        self._units = units

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
        token_edges = self._units.token_edges
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


def _finish(
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
        low, high = (_line_of_code(text, int(pieces.edges[at]), code) for at in (start, end))
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


def _line_of_code(text: str, at: int, code: Sequence[Span]) -> int:
    """A piece of code begins with its line, indentation included. ``code`` spans are apart, rising."""
    number = bisect.bisect_left(code, at, key=lambda block: block.start) - 1
    if number < 0 or at >= code[number].end:
        return at
    start = code[number].start
    newline = text.rfind("\n", start, at)
    line = max(newline, text.rfind("\r", max(newline, start), at)) + 1 or start
    return at if text[line:at].strip() else line
