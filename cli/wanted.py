"""What the options of a command ask for: a granularity, and what its snapper reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from vchunk.cli.options import Cuts

if TYPE_CHECKING:
    from vchunk.domain.document import Role
    from vchunk.domain.granularity import Granularity


def roles(names: Sequence[str] | None) -> tuple[Role, ...]:
    """The roles to leave out.

    Raises
    ------
    UsageError
        For a role that there is not.
    """
    from vchunk.domain.granularity import DEFAULT_SKIP, roles_of

    if not names:
        return DEFAULT_SKIP
    # A variable of the environment may name several.
    return roles_of([word for name in names for word in name.replace(",", " ").split()] or [""])


def granularity(context: typer.Context, cuts: Cuts) -> Granularity:
    """What the options of a command ask for; a typed option wins over a variable that excludes it."""
    from vchunk.domain.double_pass import Thresholds
    from vchunk.domain.granularity import SIGNALS, Granularity
    from vchunk.domain.level_names import parse_levels

    def typed_only(*names: str) -> Cuts:
        """Without what variables say for these options."""
        off: dict[str, Any] = {name: None for name in names if not _is_typed(context, name)}
        return replace(cuts, **off)

    signal = any(_is_typed(context, name) for name in SIGNALS)
    method_typed = _is_typed(context, "method")
    if signal and cuts.method == "double-pass" and not method_typed:
        cuts = replace(cuts, method="velocity")
    double_pass = cuts.method == "double-pass"
    if signal or (double_pass and method_typed):
        cuts = typed_only(*SIGNALS)
    if cuts.prominence is None and cuts.levels is None:
        cuts = typed_only("f_sig")
    if not double_pass or _is_typed(context, "threshold_method"):
        cuts = typed_only("threshold_method", "append_threshold", "merge_threshold")
    thresholds = None
    if (cuts.threshold_method, cuts.append_threshold, cuts.merge_threshold) != (None, None, None):
        thresholds = Thresholds(cuts.threshold_method or "percentile", cuts.append_threshold, cuts.merge_threshold)
    return Granularity(
        preset=cuts.preset,
        prominence=cuts.prominence,
        f_sig=cuts.f_sig,
        target_tokens=cuts.target_tokens,
        min_tokens=cuts.min_tokens,
        max_tokens=cuts.max_tokens,
        method=cuts.method,
        thresholds=thresholds,
        sections=cuts.sections,
        skip=roles(cuts.skip),
        trim=not cuts.no_trim,
        count=cuts.count,
        levels=None if cuts.levels is None else parse_levels(cuts.levels),
        overlap=cuts.overlap,
        overlap_in_text=cuts.overlap_in_text,
        size_in=cuts.size_in,
    )


def snapper_reads_of(context: typer.Context, cuts: Cuts, wanted: Granularity) -> str:
    """What a snapper is to read; a variable that says ``near`` is for cuts that have peaks.

    Raises
    ------
    UsageError
    """
    from vchunk.snapping import snapper_reading

    reads = cuts.snapper_reads
    if reads == "near" and not (wanted.by_prominence or _is_typed(context, "snapper_reads")):
        reads = None
    return snapper_reading(wanted, reads)


def _is_typed(context: typer.Context, name: str) -> bool:
    """Whether the command line has this option, and not only a variable."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
