"""Settings that an evaluation compares: how documents are cut, and what the chunks are found by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import Granularity

INDEXES = ("text", "embed-text", "late", "blend")
"""What a chunk is found by: its text alone, its embed text, or index vectors of these kinds."""
DEFAULT_INDEX = "embed-text"
GIVEN = "given"
"""As a count: as many chunks as the document has segments."""

_EXAMPLE = "for example preset=fine,index=blend"
_NOT_SET_HERE = {"skip", "trim", "levels"}
_SHORT = {"target": "target_tokens", "min": "min_tokens", "max": "max_tokens", "vectors": "index"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to cut and to search, and how it is called."""

    name: str
    granularity: Granularity = field(default_factory=Granularity)
    index: str = DEFAULT_INDEX
    count_given: bool = False

    def for_segments(self, segments: int) -> Granularity:
        """The granularity for a document that has so many segments."""
        return replace(self.granularity, count=segments) if self.count_given else self.granularity


def parse_setting(text: str, index: str | None = None) -> Setting:
    """Read ``preset=fine,index=blend``: fields of a `Granularity`, and ``index``.

    ``index`` is used where the text names none.

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
    try:
        granularity = Granularity(**{name: _value(name, value) for name, value in values.items()})
        if given:
            replace(granularity, count=2)  # refuses what excludes a count
    except UsageError as error:
        raise UsageError(f"--setting {text}: {error}") from None
    named = text if chosen or index is None else f"{text},index={index}"
    return Setting(named, granularity, check_index(chosen or index or DEFAULT_INDEX), given)


def check_index(name: str) -> str:
    """A kind of index.

    Raises
    ------
    UsageError
    """
    if name not in INDEXES:
        raise UsageError(f"index {name}: choose from {', '.join(INDEXES)}")
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


def _value(name: str, value: str) -> Any:
    """A field's value, read by what it looks like; the granularity checks what it must be."""
    known = [f.name for f in fields(Granularity) if f.name not in _NOT_SET_HERE]
    if name not in known:
        raise UsageError(f"{name!r} is no setting; choose from index, {', '.join(known)}")
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
