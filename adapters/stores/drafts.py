"""An artifact in the making: the checks that every store's writer owes its user."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from vchunk.domain.errors import StoreError
from vchunk.domain.keys import Key
from vchunk.domain.ports import Array

Slab = Callable[[Array], None]
"""Takes the next rows of an array, any number of them, never more than its shape says."""
Begin = Callable[[str, tuple[int, ...], "np.dtype[Any]"], Slab]
"""Starts an array of a name, shape and dtype."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PLAIN = "biuf"  # the kinds of dtype whose bytes every zarr v3 reader knows


def encode_json(values: Any) -> bytes:
    """The one spelling of JSON values: sorted names, no blanks, no NaN.

    Lone surrogates are kept as they are, not as escapes: two escapes in a row would be read back
    as one character.
    """
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in this machine's byte order, in which arrays are read back."""
    return dtype.newbyteorder("=")


class Sink:
    """Counts the rows of one array and refuses those that do not belong to it."""

    def __init__(self, label: str, shape: tuple[int, ...], dtype: np.dtype[Any], slab: Slab) -> None:
        self._label = label
        self._shape = shape
        self._dtype = dtype
        self._slab = slab
        self._count = 0

    def append(self, rows: Array) -> None:
        """Add rows, shape (k, *row_shape), of the array's own dtype.

        Raises
        ------
        StoreError
            If they are more than announced, or of another shape or dtype.
        """
        fits = rows.ndim == len(self._shape) and rows.shape[1:] == self._shape[1:]
        if not fits or native(rows.dtype) != self._dtype:
            raise StoreError(
                f"{self._label} takes rows of shape {self._shape[1:]} and {self._dtype}, "
                f"not an array of shape {rows.shape} and {rows.dtype}"
            )
        self._count += len(rows)
        if self._count > self._shape[0]:
            raise StoreError(f"{self._label} was announced with {self._shape[0]} rows, not {self._count}")
        if len(rows):
            self._slab(rows)

    def close(self) -> None:
        """Make sure that all rows have come."""
        if self._count != self._shape[0]:
            raise StoreError(f"{self._label} was announced with {self._shape[0]} rows and got {self._count}")


class Draft:
    """The ``ArtifactWriter`` of every store here; ``begin`` says where the rows go."""

    def __init__(self, key: Key, begin: Begin) -> None:
        self._key = key
        self._begin = begin
        self._attributes: dict[str, Any] = {}
        self._sinks: dict[str, Sink] = {}

    def array(self, name: str, data: Array) -> None:
        """Write a whole array of one dimension or more."""
        if data.ndim == 0:
            raise ValueError(f"{self._label(name)} has no rows; give a number as an attribute")
        self.stream(name, data.shape[1:], data.dtype.str, len(data)).append(data)

    def stream(self, name: str, row_shape: tuple[int, ...], dtype: str, rows: int) -> Sink:
        """Write an array of ``rows`` rows piece by piece, in order.

        Raises
        ------
        ValueError
            If the name is taken or not a plain lower-case name, or the dtype is neither bool,
            integer nor float.
        """
        kind = native(np.dtype(dtype))
        if not _NAME.fullmatch(name) or name in self._sinks:
            raise ValueError(f"{self._label(name)} is not a free name of lower-case letters, digits and _")
        if kind.kind not in _PLAIN:
            raise ValueError(f"{self._label(name)} cannot hold {kind}")
        shape = (rows, *row_shape)
        self._sinks[name] = Sink(self._label(name), shape, kind, self._begin(name, shape, kind))
        return self._sinks[name]

    def attributes(self, values: Mapping[str, Any]) -> None:
        """Add JSON attributes; a name given twice keeps its last value."""
        self._attributes.update(json.loads(encode_json(dict(values))))

    def finish(self) -> dict[str, Any]:
        """Make sure that every array is complete; gives the attributes."""
        for sink in self._sinks.values():
            sink.close()
        return self._attributes

    def _label(self, name: str) -> str:
        return f"the array {name!r} of {self._key}"
