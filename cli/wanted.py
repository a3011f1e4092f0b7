"""What the options of a command ask for: a granularity, and what its snapper reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

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


def granularity(
    context: typer.Context,
    *,
    preset: str | None,
    prominence: float | None,
    f_sig: float | None,
    target_tokens: int | None,
    min_tokens: int | None,
    max_tokens: int | None,
    method: str,
    threshold_method: str | None,
    append_threshold: float | None,
    merge_threshold: float | None,
    sections: str,
    skip: Sequence[str] | None,
    no_trim: bool = False,
    count: int | None = None,
    levels: str | None = None,
    overlap: int | None = None,
    overlap_in_text: bool = False,
    size_in: str = "tokens",
) -> Granularity:
    """What the options of a command ask for; a typed option wins over a variable that excludes it."""
    from vchunk.domain.double_pass import Thresholds
    from vchunk.domain.granularity import SIGNALS, Granularity
    from vchunk.domain.level_names import parse_levels

    def typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    signal = any(typed(name) for name in SIGNALS)
    double_pass = method == "double-pass"
    if double_pass and signal and not typed("method"):
        method, double_pass = "velocity", False
    if signal or (double_pass and typed("method")):
        preset = preset if typed("preset") else None
        prominence = prominence if typed("prominence") else None
        target_tokens = target_tokens if typed("target_tokens") else None
        count = count if typed("count") else None
        levels = levels if typed("levels") else None
    if prominence is None and levels is None and not typed("f_sig"):
        f_sig = None
    other_method = typed("threshold_method")
    if other_method or not double_pass:
        append_threshold = append_threshold if typed("append_threshold") else None
        merge_threshold = merge_threshold if typed("merge_threshold") else None
    if not (double_pass or other_method):
        threshold_method = None
    thresholds = None
    if (threshold_method, append_threshold, merge_threshold) != (None, None, None):
        thresholds = Thresholds(threshold_method or "percentile", append_threshold, merge_threshold)
    return Granularity(
        preset=preset,
        prominence=prominence,
        f_sig=f_sig,
        target_tokens=target_tokens,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        method=method,
        thresholds=thresholds,
        sections=sections,
        skip=roles(skip),
        trim=not no_trim,
        count=count,
        levels=None if levels is None else parse_levels(levels),
        overlap=overlap,
        overlap_in_text=overlap_in_text,
        size_in=size_in,
    )


def snapper_reads_of(context: typer.Context, reads: str | None, wanted: Granularity) -> str:
    """What a snapper is to read; a variable that says ``near`` is for cuts that have peaks.

    Raises
    ------
    UsageError
    """
    from vchunk.snapping import snapper_reading

    source = context.get_parameter_source("snapper_reads")
    typed = source is not None and source.name == "COMMANDLINE"
    return snapper_reading(wanted, None if reads == "near" and not (typed or wanted.by_prominence) else reads)
