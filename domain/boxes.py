"""Where text stands: the boxes of a stretch of text, as few as cover it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vchunk.domain.document import Box, Span


def joined_boxes(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """The boxes, in order, those that follow one another on a line as one."""
    joined: list[Box] = []
    for box in boxes:
        if joined and _goes_on(joined[-1], box):
            last = joined.pop()
            box = replace(last, span=Span(last.span.start, box.span.end), x1=max(last.x1, box.x1))
        joined.append(box)
    return tuple(joined)


def _goes_on(a: Box, b: Box) -> bool:
    """Whether a box stands right behind another on the same line, at most a line's height away."""
    level = (a.page, a.y0, a.y1) == (b.page, b.y0, b.y1)
    return level and a.x0 <= b.x0 and b.x0 - a.x1 < a.y1 - a.y0
