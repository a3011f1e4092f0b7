"""What a user asks for: which signal cuts, how large chunks may be, what is left out."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vchunk.domain.document import Role
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.level_names import parse_levels, prominence_of
from vchunk.domain.levels import DEFAULT_PRESET, PRESETS, Level, ladder_to, maxima_beyond
from vchunk.domain.pieces import SECTIONS
from vchunk.domain.plurals import counted
from vchunk.domain.splitting import stride_for
from vchunk.domain.velocity import DEFAULT_F_SIG

METHODS = ("velocity", "structure", "double-pass")
NESTED_METHODS = ("velocity", "structure")
"""Methods whose coarser cuts are among the finer ones, so that a tree can be grown by them."""
DEFAULT_MIN_TOKENS = 25
"""Smallest chunk of a cut by prominence and of a double pass, in tokens."""
DOUBLE_PASS_MAX_TOKENS = 128
"""Largest chunk of a double pass, in tokens, unless another is asked for."""
DEFAULT_SKIP = (Role.FURNITURE, Role.FRONT_MATTER, Role.FIGURE, Role.DAMAGED)
LARGEST_F_SIG = 50.0
LARGEST_SIZE = 1_000_000_000
DEFAULT_OVERLAP = 32
"""Tokens of ``overlap=True``: about a sentence."""
CHARS_PER_TOKEN = 4
"""Characters for a token of the presets' sizes, with ``size_in="chars"``."""


SIGNALS = ("preset", "prominence", "target_tokens", "count", "levels")
"""What says how fine the cuts are: one at a time."""
_WHOLE = ("target_tokens", "min_tokens", "max_tokens", "count", "overlap")


@dataclass(frozen=True, slots=True)
class Granularity:
    """A request for chunks; wrong combinations are refused when it is made.

    At most one of ``preset``, ``prominence``, ``target_tokens``, ``count`` and ``levels``; none
    means the preset medium. With ``max_tokens`` alone the target is half of it. All sizes are
    counted as ``size_in`` says: in tokens of the encoder, characters (``chars``), or the tokens of a
    ``tokenizer.json``; in characters the presets are `CHARS_PER_TOKEN` times as large.

    Raises
    ------
    UsageError
    """

    preset: str | None = None
    prominence: float | None = None
    f_sig: float | None = None
    target_tokens: int | None = None
    min_tokens: int | None = None
    max_tokens: int | None = None
    method: str = "velocity"
    sections: str = "auto"
    skip: tuple[Role, ...] = DEFAULT_SKIP
    trim: bool = True
    count: int | None = None
    levels: tuple[str, ...] | None = None
    overlap: int | None = None
    overlap_in_text: bool = False
    size_in: str = "tokens"
    thresholds: Thresholds | None = None

    def __post_init__(self) -> None:
        _one_of("--method", self.method, METHODS)
        _one_of("--sections", self.sections, SECTIONS)
        if self.preset is not None:
            _one_of("--preset", self.preset, tuple(PRESETS))
        chosen = [f"--{name.replace('_', '-')}" for name in SIGNALS if getattr(self, name) is not None]
        if len(chosen) > 1:
            raise UsageError(f"{' and '.join(chosen)} exclude one another: give one of them")
        if self.levels is not None:
            object.__setattr__(self, "levels", parse_levels(self.levels))
        self._check_numbers()
        self._check_overlap()
        if self.f_sig is not None and not self.by_prominence:
            raise UsageError("--f-sig shapes the velocity curve and needs --prominence; size cuts do not use it")
        if self.by_double_pass and chosen:
            raise UsageError(
                f"{chosen[0]} is no option of --method double-pass, which --append-threshold, "
                "--merge-threshold, --min-tokens and --max-tokens shape"
            )
        if self.thresholds is not None and not self.by_double_pass:
            raise UsageError(
                "--threshold-method, --append-threshold and --merge-threshold need --method double-pass"
            )
        if self.method == "structure" and self.by_prominence:
            option = "--prominence" if self.levels is None else f"--levels {','.join(self.levels)}"
            raise UsageError(
                f"{option} reads the velocity curve, and --method structure has none: leave out one of them"
            )
        if self.levels is not None:
            self.members()  # each is checked as if it stood alone

    def _check_numbers(self) -> None:
        self._check_types()
        if self.prominence is not None and not (math.isfinite(self.prominence) and self.prominence >= 0):
            raise UsageError(f"--prominence {self.prominence:g}: must be a finite number, 0 or more")
        if self.f_sig is not None and not 0 < self.f_sig <= LARGEST_F_SIG:
            raise UsageError(f"--f-sig {self.f_sig:g}: must be above 0 and at most {LARGEST_F_SIG:g}")
        for option, value in (
            ("--target-tokens", self.target_tokens),
            ("--max-tokens", self.max_tokens),
            ("--count", self.count),
        ):
            if value is not None and value < 1:
                raise UsageError(f"{option} {value}: must be 1 or more")
        for option, value in (("--min-tokens", self.min_tokens), ("--overlap", self.overlap)):
            if value is not None and value < 0:
                raise UsageError(f"{option} {value}: must be 0 or more")
        target = self.target
        if self.max_tokens is not None and target is not None and target > self.max_tokens:
            preset = f"--preset {self.preset or DEFAULT_PRESET} ({target:g} {self.unit})"
            option = preset if self.target_tokens is None else f"--target-tokens {target:g}"
            raise UsageError(f"{option} is above --max-tokens {self.max_tokens}: change one")
        limit = self.maximum
        if self.min_tokens is not None and limit is not None and self.min_tokens > limit:
            raise UsageError(
                f"--min-tokens {self.min_tokens} is above the maximum of {limit} {self.unit}: "
                "lower it, or ask for larger chunks"
            )

    def _check_overlap(self) -> None:
        if self.overlap_in_text and not self.overlap:
            raise UsageError("--overlap-in-text puts the overlap into the text and needs --overlap N")
        if self.overlap_in_text and self.levels is not None:
            raise UsageError("--overlap-in-text: the chunks of --levels nest and cannot overlap in their text")
        for what, size in (
            ("target", self.target),
            ("maximum", self.maximum if self.by_double_pass else self.max_tokens),
        ):
            if size is not None:
                self.check_overlap_below(size, what)

    def check_overlap_below(self, size: float, what: str) -> None:
        """Refuse an overlap that leaves no room for new text.

        Raises
        ------
        UsageError
        """
        if self.overlap and self.overlap >= size:
            raise UsageError(
                f"--overlap {self.overlap} is not below the {what} of {size:g} {self.unit}: "
                "take a smaller overlap or larger chunks"
            )

    def _check_types(self) -> None:
        for name in ("trim", "overlap_in_text"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name} {getattr(self, name)!r}: must be true or false")
        if not isinstance(self.size_in, str) or not self.size_in:
            raise UsageError(f"--size-in {self.size_in!r}: choose tokens, chars or a tokenizer.json")
        if not isinstance(self.thresholds, Thresholds | None):
            raise UsageError(f"thresholds {self.thresholds!r}: must be a vchunk.Thresholds")
        for name in (*_WHOLE, "prominence", "f_sig"):
            value, option = getattr(self, name), f"--{name.replace('_', '-')}"
            whole = name in _WHOLE
            if value is None:
                continue
            # numpy's numbers as well as Python's
            if isinstance(value, numbers.Integral) and not isinstance(value, bool):
                value = int(value)
            elif isinstance(value, numbers.Real) and not whole and not isinstance(value, bool):
                value = float(value)
            else:
                raise UsageError(f"{option} {value}: must be a {'whole ' * whole}number")
            object.__setattr__(self, name, value)
            if whole and value > LARGEST_SIZE:
                raise UsageError(f"{option} {value}: at most {LARGEST_SIZE:,} is possible")

    @property
    def by_prominence(self) -> bool:
        """Whether the velocity curve's peaks are cut, and not even sizes."""
        return self.prominence is not None or (
            self.levels is not None and prominence_of(self.levels[0]) is not None
        )

    @property
    def by_double_pass(self) -> bool:
        """Whether sentences are put together by likeness."""
        return self.method == "double-pass"

    @property
    def passes(self) -> Thresholds:
        """Thresholds of the double pass."""
        return self.thresholds or Thresholds()

    def members(self) -> tuple[Granularity, ...]:
        """One granularity for each of the levels, coarsest first; without levels itself."""
        if self.levels is None:
            return (self,)
        return tuple(self._member(level) for level in self.levels)

    def _member(self, level: str) -> Granularity:
        peaks = prominence_of(level)
        if peaks is None and self.max_tokens is not None and int(level) > self.max_tokens:
            raise UsageError(f"--levels {level} is above --max-tokens {self.max_tokens}: change one")
        signal: dict[str, Any] = {"target_tokens": int(level)} if peaks is None else {"prominence": peaks}
        try:
            return replace(self, levels=None, **signal)
        except UsageError as error:
            raise UsageError(f"--levels, at {level}: {error}") from None

    def changed(self, **changes: Any) -> Granularity:
        """The same with some fields changed; another signal, or a double pass, replaces the one that was.

        What only went with a field that is gone goes with it: ``f_sig`` with the peaks, thresholds
        with the double pass, ``overlap_in_text`` with the overlap.

        Raises
        ------
        UsageError
        """
        check_fields(changes)
        signal = any(changes.get(name) is not None for name in SIGNALS)
        if signal and self.by_double_pass:
            changes = {"method": "velocity", **changes}
        double_pass = changes.get("method", self.method) == "double-pass"
        if signal or (double_pass and not self.by_double_pass):
            changes = {**dict.fromkeys(SIGNALS), **changes}
            if self.by_prominence and changes["prominence"] is None and not _names_peaks(changes["levels"]):
                changes = {"f_sig": None, **changes}
        if self.by_double_pass and not double_pass:
            changes = {"thresholds": None, **changes}
        if "overlap" in changes and not changes["overlap"]:
            changes = {"overlap_in_text": False, **changes}
        return replace(self, **changes)

    @property
    def unit(self) -> str:
        """What sizes are counted in, in words."""
        return "characters" if self.size_in == "chars" else "tokens"

    @property
    def per_token(self) -> int:
        """How many times as large the presets are in the unit of the sizes."""
        return CHARS_PER_TOKEN if self.size_in == "chars" else 1

    @property
    def target(self) -> float | None:
        """Wanted size of a chunk; None for cuts by prominence, double pass or count, and for several levels."""
        if self.by_double_pass:
            return None
        if self.prominence is not None or self.count is not None or self.levels is not None:
            return None
        if self.target_tokens is not None:
            return float(self.target_tokens)
        if self.preset is None and self.max_tokens is not None:
            return max(self.max_tokens / 2, 1.0)
        return float(PRESETS[self.preset or DEFAULT_PRESET] * self.per_token)

    @property
    def maximum(self) -> int | None:
        """Largest size of a chunk; None for no limit."""
        if self.max_tokens is None and self.by_double_pass:
            return max(DOUBLE_PASS_MAX_TOKENS * self.per_token, self.min_tokens or 0)
        if self.max_tokens is not None or self.target is None:
            return self.max_tokens
        return int(2 * self.target)

    @property
    def smallest(self) -> int:
        """Smallest chunk of a cut by prominence or double pass."""
        return DEFAULT_MIN_TOKENS * self.per_token if self.min_tokens is None else self.min_tokens

    @property
    def smoothing(self) -> float:
        """f_sig of the velocity curve."""
        return DEFAULT_F_SIG if self.f_sig is None else self.f_sig

    @property
    def name(self) -> str:
        """The level's name, which enters the ids of its chunks."""
        counted = "" if self.size_in == "tokens" else f"-{self.size_in if self.size_in == 'chars' else 'file'}"
        if self.prominence is not None:
            return f"p{self.prominence:g}" + (f"-f{self.f_sig:g}" if self.f_sig is not None else "")
        if self.by_double_pass:
            return f"double-{self.passes.name}{counted}"
        return (f"n{self.count}" if self.count is not None else f"t{self.target:g}") + counted

    def describe(self) -> str:
        """In words, for titles."""
        if self.prominence is not None:
            words = f"cuts at peaks of prominence {self.prominence:g} MAD or more, f_sig {self.smoothing:g}"
        elif self.by_double_pass:
            words = f"double pass, thresholds by {self.passes.method}"
        elif self.count is not None:
            words = counted(self.count, "chunk")
        elif self.preset is not None:
            words = f"preset {self.preset}: chunks of about {self.target:g} {self.unit}"
        else:
            words = f"chunks of about {self.target:g} {self.unit}"
        return words if self.max_tokens is None else f"{words}, at most {self.max_tokens}"

    def ladder(self) -> list[Level]:
        """The levels to solve, finest first; the last is the one asked for.

        ``max_tokens`` holds on all of them: only so do the presets nest with it too.
        """
        target, maximum = self.target, self.maximum
        assert target is not None
        assert maximum is not None
        finer = [] if self._flat else ladder_to(int(target), self.per_token)[:-1]
        if self.max_tokens is not None:
            finer = [Level(level.target, self.max_tokens) for level in finer]
        return [*finer, Level(target, maximum, self.min_tokens)]

    def stride(self, mean: float | None = None) -> int | None:
        """Tokens between the places in a long word; None without a maximum. ``mean`` is the size by count."""
        if self.target is not None:
            return self.ladder()[0].stride
        if self.maximum is None:
            return None
        if self.count is not None:
            return stride_for(self.maximum, mean, self.min_tokens)
        return stride_for(self.maximum, minimum=self.smallest)

    @property
    def coarser_maxima(self) -> list[int]:
        """Maxima of the presets' ladder beyond the level asked for."""
        if self._flat or self.max_tokens is not None or self.target is None:
            return []
        return maxima_beyond(self.target, self.per_token)

    @property
    def _flat(self) -> bool:
        """Whether one level is solved by itself, and not the ladder up to it."""
        return self.target_tokens is not None or (self.preset is None and self.max_tokens is not None)


def check_fields(names: Iterable[str]) -> None:
    """Refuse what is no field of a `Granularity`.

    Raises
    ------
    UsageError
    """
    unknown = sorted(set(names) - set(Granularity.__dataclass_fields__))
    if unknown:
        raise UsageError(f"{unknown[0]}: no option of chunks; see vchunk.Granularity")


def roles_of(names: str | Role | Iterable[str | Role]) -> tuple[Role, ...]:
    """The roles that are named, one or several; ``none`` by itself names none.

    Raises
    ------
    UsageError
        For a role that there is not.
    """
    if not isinstance(names, Iterable):
        raise UsageError(f"--skip {names}: name one role or several, or none")
    names = (names,) if isinstance(names, str) else tuple(names)
    if "none" in names:
        if len(names) > 1:
            raise UsageError("--skip none keeps everything; it goes with no other role")
        return ()
    known = [role.value for role in Role]
    for name in names:
        if name not in known:
            raise UsageError(f"--skip {name}: choose from {', '.join(known)}, none")
    return tuple(Role(name) for name in names)


def _names_peaks(levels: str | Sequence[str | int | float] | None) -> bool:
    return levels is not None and prominence_of(parse_levels(levels)[0]) is not None


def _one_of(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{option} {value}: choose from {', '.join(choices)}")
