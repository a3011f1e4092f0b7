"""The pages of a PDF, each read by itself: runs by reading direction, and what is drawn."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pypdfium2

from vchunk.adapters.readers.pdf_chars import read_chars
from vchunk.adapters.readers.pdf_figures import Place, figure_places
from vchunk.adapters.readers.pdf_runs import Run, page_runs

DAMAGED, BAD_PASSWORD, BAD_SECURITY = 3, 4, 5
"""Codes of PDFium's errors."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """What one page holds.

    ``groups`` are the runs of each reading direction, that of most characters first; ``figures``
    the places of drawings with a caption; ``marked`` tells whether anything is on the page at all,
    ``readable`` whether PDFium can open it.
    """

    number: int
    height: float = 0.0
    groups: list[list[Run]] = field(default_factory=list)
    figures: list[Place] = field(default_factory=list)
    marked: bool = False
    readable: bool = True


def open_pdf(data: bytes, password: str | None) -> Any:
    """The document, opened without a password where that does.

    Raises
    ------
    pypdfium2.PdfiumError
    """
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) != BAD_PASSWORD or password is None:
            raise
        return pypdfium2.PdfDocument(data, password=password)


def read_page(pdf: Any, number: int) -> PageContent:
    """A page, counted from 1."""
    try:
        page = pdf[number - 1]
    except pypdfium2.PdfiumError:
        return PageContent(number, readable=False)
    with closing(page):
        try:
            groups = page_runs(read_chars(page, number))
        except pypdfium2.PdfiumError:
            return PageContent(number, readable=False)
        marked = bool(groups) or pypdfium2.raw.FPDFPage_CountObjects(page.raw) > 0
        places = figure_places(page, groups[0]) if groups else []
        return PageContent(number, page.get_height(), groups, places, marked)
