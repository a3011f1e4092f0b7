"""Settings that an evaluation compares: how documents are cut, and what the chunks are found by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import Granularity, roles_of

INDEXES = ("text", "embed-text", "late", "blend")
"""What a chunk is found by: its text alone, its embed text, or index vectors of these kinds."""
DEFAULT_INDEX = "embed-text"
GIVEN = "given"
"""As a count: as many chunks as the document has segments."""

_EXAMPLE = "for example preset=fine,index=blend"
_SHORT = {"target": "target_tokens", "min": "min_tokens", "max": "max_tokens", "vectors": "index"}
_THRESHOLDS = {"threshold_method": "method", "append_threshold": "append", "merge_threshold": "merge"}
"""What a double pass is told, and the field of its `Thresholds`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to cut and to search, and how it is called."""

    name: str
    granularity: Granularity = field(default_factory=Granularity)
    index: str = DEFAULT_INDEX
    count_given: bool = False
    snapper: str = "sentences"
    index_named: bool = False
    """Whether the text itself said what chunks are found by."""

    def for_segments(self, segments: int) -> Granularity:
        """The granularity for a document that has so many segments."""
        return replace(self.granularity, count=segments) if self.count_given else self.granularity


def parse_setting(text: str, index: str | None = None) -> Setting:
    """Read ``preset=fine,index=blend``: fields of a `Granularity`, ``index`` and ``snapper``.

    Thresholds are given one by one (``threshold-method``, ``append-threshold``, ``merge-threshold``);
    several roles of ``skip`` are joined by ``+``. ``index`` is used where the text names none.

    Raises
    ------
    UsageError
    """
    values: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = (p.strip() for p in part.partition("="))
        name = name.replace("-", "_")
        name = _SHORT.get(name, name)
        if not equals or not value:
            raise UsageError(f"--setting {text}: {part!r} is no name=value, {_EXAMPLE}")
        if name in values:
            raise UsageError(f"--setting {text}: {name} is given twice")
        values[name] = value
    if not values:
        raise UsageError(f"--setting {text!r}: is empty; give {_EXAMPLE}")
    chosen = values.pop("index", None)
    given = values.get("count") == GIVEN
    if given:
        del values["count"]
    snapper = values.pop("snapper", "sentences")
    try:
        granularity = Granularity(**_fields(values))
        if given:
            replace(granularity, count=2)  # refuses what excludes a count
    except UsageError as error:
        raise UsageError(f"--setting {text}: {error}") from None
    named = text if chosen or index is None else f"{text},index={index}"
    return Setting(
        named, granularity, check_index(chosen or index or DEFAULT_INDEX), given, snapper, chosen is not None
    )


def check_index(name: str) -> str:
    """A kind of index, of a setting or of ``--index``.

    Raises
    ------
    UsageError
    """
    if name not in INDEXES:
        raise UsageError(f"--index {name}: choose from {', '.join(INDEXES)}")
    return name


def sweep_grid(indexes: Sequence[str]) -> list[Setting]:
    """The settings that a sweep tries: sizes, with and without meaning, and prominences, each index."""
    cuts = [
        *(f"preset={name}" for name in ("medium", "fine", "coarse")),
        *(f"target={size}" for size in (48, 96, 192, 384)),
        *(f"preset={name},method=structure" for name in ("fine", "medium", "coarse")),
        *(f"prominence={p}" for p in ("0.5", "1", "2", "4")),
    ]
    return [parse_setting(cut, index) for index in indexes for cut in cuts]


def _fields(values: Mapping[str, str]) -> dict[str, Any]:
    """Fields of a granularity, read by what they look like; the granularity checks what they must be."""
    known = [f.name for f in fields(Granularity) if f.name not in ("thresholds", "levels")]
    out: dict[str, Any] = {}
    thresholds: dict[str, Any] = {}
    for name, value in values.items():
        if name == "levels":
            raise UsageError("levels: an index holds chunks of one level; compare a setting for each of them")
        if name in _THRESHOLDS:
            thresholds[_THRESHOLDS[name]] = _value(value)
        elif name not in known:
            choices = ("index", *known, *_THRESHOLDS, "snapper")
            raise UsageError(f"{name!r} is no setting; choose from {', '.join(choices)}")
        elif name == "skip":
            out[name] = roles_of(value.split("+"))
        else:
            out[name] = _value(value)
    return {**out, "thresholds": Thresholds(**thresholds)} if thresholds else out


def _value(value: str) -> Any:
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
