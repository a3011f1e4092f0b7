"""Figures: what is drawn directly above a caption, and the words in the drawing.

Only pages with the caption of a figure are looked at; the words of a drawing are no running text.
"""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c

from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_chars import to_display
from vchunk.adapters.readers.pdf_lines import lines_of
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.adapters.readers.pdf_tables import CAPTION
from vchunk.domain.document import Kind

Place = tuple[float, float, float, float]
"""x0, y0, x1, y1 on the displayed page."""

_DRAWN = frozenset({pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_SHADING,
                    pdfium_c.FPDF_PAGEOBJ_FORM})  # fmt: skip
_MOST_OBJECTS = 20_000
_TO_CAPTION, _BETWEEN = 2.5, 1.0  # ems
_LEAST_HEIGHT = 3.0  # ems
_WHOLE_PAGE = 0.8


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
    """The boxes of all that is drawn, those that end lowest first; backgrounds of the page left out."""
    raw, width, height = page.raw, page.get_width(), page.get_height()
    edges = [ctypes.c_float() for _ in range(4)]
    boxes = []
    for i in range(min(pdfium_c.FPDFPage_CountObjects(raw), _MOST_OBJECTS)):
        part = pdfium_c.FPDFPage_GetObject(raw, i)
        if pdfium_c.FPDFPageObj_GetType(part) in _DRAWN and pdfium_c.FPDFPageObj_GetBounds(part, *edges):
            boxes.append([edge.value for edge in edges])
    if not boxes:
        return []
    places, _ = to_display(page, np.array(boxes), np.zeros((len(boxes), 2)), width)
    rows = [(x0, y0, x1, y1) for x0, y0, x1, y1 in places.tolist()]
    rows = [r for r in rows if r[2] - r[0] < _WHOLE_PAGE * width or r[3] - r[1] < _WHOLE_PAGE * height]
    return sorted(rows, key=lambda r: -r[3])


def _above(caption: Run, drawn: Sequence[Place]) -> Place | None:
    """The drawing that ends a little above a caption, with all that touches it."""
    em = caption.size
    found: Place | None = None
    tallest = 0.0
    for x0, y0, x1, y1 in drawn:
        floor = caption.y0 + 0.3 * em
        ceiling = floor - _TO_CAPTION * em if found is None else found[1] - _BETWEEN * em
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


def take_words(runs: Sequence[Run], places: Sequence[Place]) -> tuple[list[Run], list[Draft]]:
    """The runs outside of all drawings, and a figure for each drawing with words; code stays code."""
    rest, figures = list(runs), []
    for x0, y0, x1, y1 in places:
        inside = [r for r in rest if x0 <= (r.x0 + r.x1) / 2 <= x1 and y0 <= r.middle <= y1]
        if not inside or sum(r.mono * len(r.text) for r in inside) > 0.5 * sum(len(r.text) for r in inside):
            continue
        taken = {id(run) for run in inside}
        rest = [run for run in rest if id(run) not in taken]
        figures.append(Draft(Kind.FIGURE, lines_of(inside)))
    return rest, figures


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
