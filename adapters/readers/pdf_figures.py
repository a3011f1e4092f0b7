"""Figures: what is drawn directly above a caption, and the words in the drawing.

Only pages with the caption of a figure are looked at; the words of a drawing are no running text.
"""

from __future__ import annotations

import ctypes
import itertools
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c

from vchunk.adapters.readers.figure_words import Words, reads_as_prose
from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_chars import to_display
from vchunk.adapters.readers.pdf_lines import Line, lines_of
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.adapters.readers.pdf_tables import CAPTION, find_tables
from vchunk.adapters.readers.pdf_turned import as_shown
from vchunk.domain.document import Kind, Role

Place = tuple[float, float, float, float]
"""x0, y0, x1, y1 on the displayed page."""

_DRAWN = frozenset({pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_SHADING})
_MOST_OBJECTS = 20_000
_MOST_CLIPS, _MOST_POINTS = 8, 64
_CUT_OFF = 100.0  # points; what is smaller reaches nowhere, and pages have thousands of it
_TO_CAPTION, _BETWEEN = 2.5, 1.0  # ems
_RULE = 0.3  # ems
_LEAST_HEIGHT = 3.0  # ems
_WHOLE_PAGE = 0.8
_LEAST_ROWS = 4
_LEGIBLE = 0.7  # times the usual size


def figure_places(page: Any, runs: Sequence[Run]) -> list[Place]:
    """Where the drawings above the captions of a page stand."""
    likely = [run for run in runs if run.text.startswith(("Fig", "FIG", "Abb"))]
    usual = statistics.median(run.size for run in runs) if likely else 0.0
    captions = [run for run in likely if _is_caption(run, usual)]
    if not captions:
        return []
    drawn = _drawn(page)
    found = [_above(caption, drawn) for caption in captions]
    return [place for place in found if place is not None]


def _is_caption(run: Run, usual: float) -> bool:
    """Whether a run begins a caption, not a sentence about a figure."""
    match = CAPTION.match(run.text + " ")
    apart = run.italic > 0.5 or run.bold > 0.5 or run.size < 0.97 * usual
    return match is not None and (bool(match["stop"]) or apart)


def _drawn(page: Any) -> list[Place]:
    """The boxes of all that is drawn, those that end lowest first; backgrounds of the page left out.

    A form is one drawing, unless it holds all of the page: then it is what is drawn in it.
    """
    raw, width, height = page.raw, page.get_width(), page.get_height()
    groups: list[list[tuple[Place, bool]]] = []
    left = _MOST_OBJECTS
    for i in range(min(pdfium_c.FPDFPage_CountObjects(raw), _MOST_OBJECTS)):
        group = list(itertools.islice(_boxes(pdfium_c.FPDFPage_GetObject(raw, i)), left))
        left -= len(group)
        groups += [group] if group else []
    if not groups:
        return []
    boxes = np.array([box for group in groups for box, _ in group])
    places = iter(to_display(page, boxes, np.zeros((len(boxes), 2)), width)[0].tolist())
    rows: list[Place] = []
    for group in groups:
        mine = list(itertools.islice(places, len(group)))
        whole = _union(mine)
        inner = [(x0, y0, x1, y1) for (x0, y0, x1, y1), (_, word) in zip(mine, group, strict=True) if not word]
        if inner:
            rows += inner if _fills(whole, width, height) else [whole]
    return sorted((row for row in rows if not _fills(row, width, height)), key=lambda row: -row[3])


def _union(boxes: Sequence[Sequence[float]]) -> Place:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _fills(place: Place, width: float, height: float) -> bool:
    x0, y0, x1, y1 = place
    return x1 - x0 >= _WHOLE_PAGE * width and y1 - y0 >= _WHOLE_PAGE * height


def _boxes(part: Any) -> Iterator[tuple[Place, bool]]:
    """The box of what is drawn, or those in a form, in PDF space, and whether it is text.

    The objects of a form are cut off where it ends: their own boxes may reach far out of it.
    """
    kind = pdfium_c.FPDFPageObj_GetType(part)
    if kind in _DRAWN:
        box = _visible(part)
        if box is not None:
            yield box, False
    elif kind == pdfium_c.FPDF_PAGEOBJ_FORM:
        matrix = pdfium_c.FS_MATRIX()
        if not pdfium_c.FPDFPageObj_GetMatrix(part, matrix):
            return
        for i in range(max(pdfium_c.FPDFFormObj_CountObjects(part), 0)):
            inner = pdfium_c.FPDFFormObj_GetObject(part, i)
            box = _visible(inner)
            if box is not None:
                yield _moved(box, matrix), pdfium_c.FPDFPageObj_GetType(inner) == pdfium_c.FPDF_PAGEOBJ_TEXT


def _moved(box: Place, matrix: Any) -> Place:
    """The box of a form's object on the page."""
    corners = [
        (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f)
        for x in box[::2]
        for y in box[1::2]
    ]
    return _union([(x, y, x, y) for x, y in corners])


def _visible(part: Any) -> Place | None:
    """The box of an object inside of all that cuts it off; None where nothing is left."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium_c.FPDFPageObj_GetBounds(part, *edges):
        return None
    x0, y0, x1, y1 = (edge.value for edge in edges)
    if max(x1 - x0, y1 - y0) < _CUT_OFF:
        return x0, y0, x1, y1
    clip = pdfium_c.FPDFPageObj_GetClipPath(part)
    for i in range(min(pdfium_c.FPDFClipPath_CountPaths(clip), _MOST_CLIPS)):
        points = [
            _point(pdfium_c.FPDFClipPath_GetPathSegment(clip, i, k))
            for k in range(min(pdfium_c.FPDFClipPath_CountPathSegments(clip, i), _MOST_POINTS))
        ]
        if points:
            left, bottom, right, top = _union([(x, y, x, y) for x, y in points])
            x0, y0, x1, y1 = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
    return (x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def _point(segment: Any) -> tuple[float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
    return x.value, y.value


def _above(caption: Run, drawn: Sequence[Place]) -> Place | None:
    """The drawing that ends a little above a caption, with all that touches it."""
    em = caption.size
    found: Place | None = None
    tallest = 0.0
    for x0, y0, x1, y1 in drawn:
        floor = caption.y0 + 0.3 * em
        if found is None or tallest < _RULE * em:  # a rule between a drawing and its caption
            ceiling = (floor if found is None else found[1]) - _TO_CAPTION * em
        else:
            ceiling = found[1] - _BETWEEN * em
        beside = found or (caption.x0, 0.0, caption.x1, 0.0)
        if y1 > floor or y1 < ceiling or x1 < beside[0] - em or x0 > beside[2] + em:
            continue
        tallest = max(tallest, y1 - y0)
        found = (x0, y0, x1, y1) if found is None else (
            min(found[0], x0), min(found[1], y0), max(found[2], x1), max(found[3], y1)
        )  # fmt: skip
    if found is None or found[3] - found[1] < _LEAST_HEIGHT * em or tallest < 2 * em:
        return None
    return found


def take_words(groups: Sequence[list[Run]], places: Sequence[Place]) -> tuple[list[list[Run]], list[Draft]]:
    """The runs of each reading direction outside of all drawings, and a figure for each drawing with words.

    Code and tables in a frame stay what they are. Prose in a frame is a figure that is read; labels,
    and what is too small to be read, are only seen.
    """
    rest, figures = [list(group) for group in groups], []
    usual = statistics.median(run.size for run in rest[0]) if places and rest[0] else 0.0
    for place in places:
        inside = [[run for run in group if _lies_in(run, place)] for group in rest]
        upright = inside[0]
        lines = lines_of(upright) if upright else []
        mono = sum(run.mono * len(run.text) for run in upright) > 0.5 * sum(len(run.text) for run in upright)
        if (upright and mono) or _is_table(lines) or not any(inside):
            continue
        taken = {id(run) for group in inside for run in group}
        rest = [[run for run in group if id(run) not in taken] for group in rest]
        turned = sorted((as_shown(run) for group in inside[1:] for run in group), key=lambda run: (run.y0, run.x0))
        words = [Words(line.x0, line.base, line.size, line.words) for line in lines]
        role = Role.BODY if reads_as_prose(words, _LEGIBLE * usual) else Role.FIGURE
        figures.append(Draft(Kind.FIGURE, lines + [Line([run]) for run in turned], role))
    return rest, figures


def _lies_in(run: Run, place: Place) -> bool:
    x0, y0, x1, y1 = run.box
    return place[0] <= (x0 + x1) / 2 <= place[2] and place[1] <= (y0 + y1) / 2 <= place[3]


def _is_table(lines: Sequence[Line]) -> bool:
    """Whether nearly all lines are rows of one table."""
    most = max(find_tables(lines), key=lambda t: t.stop - t.start, default=None)
    return most is not None and len(most.rows) >= _LEAST_ROWS and most.stop - most.start >= 0.8 * len(lines)


def place_figures(drafts: list[Draft], figures: Sequence[Draft]) -> None:
    """Put the figures of a page in front of their captions, in place."""
    for figure in figures:
        bottom = max(line.base for line in figure.lines)
        below = [
            (draft.lines[0].base - bottom, i)
            for i, draft in enumerate(drafts)
            if CAPTION.match(draft.plain) and draft.lines[0].base > bottom
        ]
        drafts.insert(min(below)[1] if below else len(drafts), figure)
