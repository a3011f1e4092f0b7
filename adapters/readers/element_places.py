"""Where an element stands: its page, and its box in the shapes that parsers give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vchunk.adapters.readers.parsed import Place

Corners = tuple[float, float, float, float]

_SIDES = (
    ("x0", "y0", "x1", "y1"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("left", "top", "right", "bottom"),
    ("l", "t", "r", "b"),
)
_THOUSANDTHS = "x_min"
_UNKNOWN_SIZE = 1000.0  # NoPaddle's width and height of a page that it has not measured


def page_numbers(pages: Sequence[Any], paged: bool) -> list[int | None]:
    """The number of each page, from 1; pages counted from 0 are moved up, and none were if not ``paged``."""
    if not paged:
        return [None] * len(pages)
    given = [_whole(page, ("page_number", "page_no", "page", "number")) for page in pages]
    shift = 1 if 0 in given else 0
    numbers: list[int | None] = []
    for place, number in enumerate(given, start=1):
        numbers.append(place if number is None or number + shift < 1 else number + shift)
    return numbers


def page_number(element: Mapping[str, Any], page: int | None) -> int | None:
    """The page of an element: that of the page it is listed under, else its own."""
    if page is not None:
        return page
    about = element.get("metadata")
    own = _whole(element, ("page", "page_number", "page_no"))
    if own is None and isinstance(about, Mapping):
        own = _whole(about, ("page_number", "page", "page_no"))
    return own if own is not None and own >= 1 else None


def boxes_of(element: Mapping[str, Any], page: Mapping[str, Any], number: int | None) -> list[Place]:
    """The place of an element: none without a page, one without corners where its box tells nothing."""
    if number is None:
        return []
    box = next((element[name] for name in ("bbox", "box", "bounding_box") if element.get(name)), None)
    return [Place(number, _corners(box, page))]


def _corners(box: object, page: Mapping[str, Any]) -> Corners | None:
    if isinstance(box, Mapping):
        return _named_corners(box, page)
    if not isinstance(box, Sequence) or isinstance(box, str):
        return None
    if len(box) == 4 and (numbers := _numbers(box)):
        return _ordered(*numbers)
    flat = [c for point in box for c in point] if all(isinstance(p, list | tuple) for p in box) else list(box)
    points = _numbers(flat)
    if points is None or len(points) < 6 or len(points) % 2:
        return None
    return min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])


def _named_corners(box: Mapping[str, Any], page: Mapping[str, Any]) -> Corners | None:
    for names in _SIDES:
        numbers = _numbers([box.get(name) for name in names])
        if numbers is None:
            continue
        x0, y0, x1, y1 = numbers
        size = _numbers([page.get("width"), page.get("height")])
        if names[0] == _THOUSANDTHS:
            if size is None or size == [_UNKNOWN_SIZE, _UNKNOWN_SIZE]:
                return None
            x0, x1 = (x / 1000 * size[0] for x in (x0, x1))
            y0, y1 = (y / 1000 * size[1] for y in (y0, y1))
        elif str(box.get("coord_origin")).upper() == "BOTTOMLEFT":
            if size is None:
                return None
            y0, y1 = size[1] - y0, size[1] - y1
        return _ordered(x0, y0, x1, y1)
    for names in (("x", "y", "width", "height"), ("left", "top", "width", "height"), ("x", "y", "w", "h")):
        numbers = _numbers([box.get(name) for name in names])
        if numbers is not None:
            x, y, width, height = numbers
            return _ordered(x, y, x + width, y + height)
    return None


def _ordered(x0: float, y0: float, x1: float, y1: float) -> Corners:
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _numbers(values: Sequence[object]) -> list[float] | None:
    out = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        out.append(float(value))
    return out


def _whole(container: object, names: Sequence[str]) -> int | None:
    for name in names:
        value = container.get(name) if isinstance(container, Mapping) else None
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
