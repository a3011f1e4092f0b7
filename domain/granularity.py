"""What a user asks for: which signal cuts, how large chunks may be, what is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vchunk.domain.document import Role
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.levels import DEFAULT_PRESET, PRESETS, Level, ladder_to, maxima_beyond
from vchunk.domain.pieces import SECTIONS
from vchunk.domain.velocity import DEFAULT_F_SIG

METHODS = ("velocity", "structure", "double-pass")
NESTED_METHODS = ("velocity", "structure")
"""Methods whose coarser cuts are among the finer ones, so that a tree can be grown by them."""
DEFAULT_MIN_TOKENS = 25
"""Smallest chunk of a cut by prominence, in tokens."""
DOUBLE_PASS_MAX_TOKENS = 128
"""Largest chunk of a double pass, in tokens, unless another is asked for."""
DEFAULT_SKIP = (Role.FURNITURE, Role.FRONT_MATTER, Role.DAMAGED)
LARGEST_F_SIG = 50.0
LARGEST_SIZE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Granularity:
    """A request for chunks; wrong combinations are refused when it is made.

    At most one of ``preset``, ``prominence`` and ``target_tokens``; none means the preset
    medium. With ``max_tokens`` alone the target is half of it.

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
    thresholds: Thresholds | None = None
    sections: str = "auto"
    skip: tuple[Role, ...] = DEFAULT_SKIP
    trim: bool = True

    def __post_init__(self) -> None:
        _one_of("--method", self.method, METHODS)
        _one_of("--sections", self.sections, SECTIONS)
        if self.preset is not None:
            _one_of("--preset", self.preset, tuple(PRESETS))
        chosen = [
            name
            for name, value in (
                ("--preset", self.preset),
                ("--prominence", self.prominence),
                ("--target-tokens", self.target_tokens),
            )
            if value is not None
        ]
        if len(chosen) > 1:
            raise UsageError(f"{' and '.join(chosen)} exclude one another: give one of them")
        self._check_numbers()
        if self.f_sig is not None and self.prominence is None:
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
        if self.method == "structure" and self.prominence is not None:
            raise UsageError("--prominence reads the velocity curve; --method structure has none")

    def _check_numbers(self) -> None:
        self._check_types()
        if self.prominence is not None and not (math.isfinite(self.prominence) and self.prominence >= 0):
            raise UsageError(f"--prominence {self.prominence:g}: must be 0 or more")
        if self.f_sig is not None and not 0 < self.f_sig <= LARGEST_F_SIG:
            raise UsageError(f"--f-sig {self.f_sig:g}: must be above 0 and at most {LARGEST_F_SIG:g}")
        for option, value in (("--target-tokens", self.target_tokens), ("--max-tokens", self.max_tokens)):
            if value is not None and value < 1:
                raise UsageError(f"{option} {value}: must be 1 or more")
        if self.min_tokens is not None and self.min_tokens < 0:
            raise UsageError(f"--min-tokens {self.min_tokens}: must be 0 or more")
        target = self.target
        if self.max_tokens is not None and target is not None and target > self.max_tokens:
            raise UsageError(f"a target of {target:g} tokens is above --max-tokens {self.max_tokens}: change one")
        limit = self.maximum
        if self.min_tokens is not None and limit is not None and self.min_tokens > limit:
            raise UsageError(f"--min-tokens {self.min_tokens} is above the maximum of {limit} tokens")

    def _check_types(self) -> None:
        for name in ("target_tokens", "min_tokens", "max_tokens", "prominence", "f_sig"):
            value, option = getattr(self, name), f"--{name.replace('_', '-')}"
            whole = name.endswith("tokens")
            kinds = (int,) if whole else (int, float)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise UsageError(f"{option} {value}: must be a {'whole ' * whole}number")
            if whole and value > LARGEST_SIZE:
                raise UsageError(f"{option} {value}: at most {LARGEST_SIZE:,} is possible")

    @property
    def by_prominence(self) -> bool:
        """Whether the velocity curve's peaks are cut, and not even sizes."""
        return self.prominence is not None

    @property
    def by_double_pass(self) -> bool:
        """Whether sentences are put together by likeness."""
        return self.method == "double-pass"

    @property
    def passes(self) -> Thresholds:
        """Thresholds of the double pass."""
        return self.thresholds or Thresholds()

    @property
    def smallest(self) -> int:
        """Fewest tokens of a chunk that is cut by meaning alone."""
        return DEFAULT_MIN_TOKENS if self.min_tokens is None else self.min_tokens

    @property
    def target(self) -> float | None:
        """Wanted tokens a chunk; None for cuts by prominence and by double pass."""
        if self.prominence is not None or self.by_double_pass:
            return None
        if self.target_tokens is not None:
            return float(self.target_tokens)
        if self.preset is None and self.max_tokens is not None:
            return max(self.max_tokens / 2, 1.0)
        return float(PRESETS[self.preset or DEFAULT_PRESET])

    @property
    def maximum(self) -> int | None:
        """Most tokens of a chunk; None for no limit."""
        if self.max_tokens is not None or self.prominence is not None:
            return self.max_tokens
        if self.by_double_pass:
            return max(DOUBLE_PASS_MAX_TOKENS, self.min_tokens or 0)
        return int(2 * (self.target or 0))

    @property
    def smoothing(self) -> float:
        """f_sig of the velocity curve."""
        return DEFAULT_F_SIG if self.f_sig is None else self.f_sig

    @property
    def name(self) -> str:
        """The level's name, which enters the ids of its chunks."""
        if self.by_double_pass:
            return f"double-{self.passes.name}"
        if self.prominence is not None:
            return f"p{self.prominence:g}" + (f"-f{self.f_sig:g}" if self.f_sig is not None else "")
        return f"t{self.target:g}"

    def describe(self) -> str:
        """In words, for titles."""
        if self.by_double_pass:
            words = f"double pass, thresholds by {self.passes.method}"
        elif self.prominence is not None:
            words = f"cuts at peaks of prominence {self.prominence:g} MAD or more, f_sig {self.smoothing:g}"
        elif self.preset is not None:
            words = f"preset {self.preset}: chunks of about {self.target:g} tokens"
        else:
            words = f"chunks of about {self.target:g} tokens"
        return words if self.max_tokens is None else f"{words}, at most {self.max_tokens}"

    def levels(self) -> list[Level]:
        """The levels to solve, finest first; the last is the one asked for.

        ``max_tokens`` holds on all of them: only so do the presets nest with it too.
        """
        target, maximum = self.target, self.maximum
        assert target is not None
        assert maximum is not None
        finer = [] if self._flat else ladder_to(int(target))[:-1]
        if self.max_tokens is not None:
            finer = [Level(level.target, self.max_tokens) for level in finer]
        return [*finer, Level(target, maximum, self.min_tokens)]

    @property
    def coarser_maxima(self) -> list[int]:
        """Maxima of the presets' ladder beyond the level asked for."""
        if self._flat or self.max_tokens is not None or self.target is None:
            return []
        return maxima_beyond(self.target)

    @property
    def _flat(self) -> bool:
        """Whether one level is solved by itself, and not the ladder up to it."""
        return self.target_tokens is not None or (self.preset is None and self.max_tokens is not None)


def roles_of(names: Sequence[str | Role]) -> tuple[Role, ...]:
    """The roles that are named; ``none`` by itself names none.

    Raises
    ------
    UsageError
        For a role that there is not.
    """
    if "none" in names:
        if len(names) > 1:
            raise UsageError("--skip none keeps everything; it goes with no other role")
        return ()
    known = [role.value for role in Role]
    for name in names:
        if name not in known:
            raise UsageError(f"--skip {name}: choose from {', '.join(known)}, none")
    return tuple(Role(name) for name in names)


def _one_of(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{option} {value}: choose from {', '.join(choices)}")
