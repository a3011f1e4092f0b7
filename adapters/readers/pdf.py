"""Reads PDFs through PDFium: text in reading order, with pages, boxes, headings and furniture.

PDFium is not thread-safe: read PDFs in one thread a process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn

if TYPE_CHECKING:
    from vchunk.adapters.readers.pdf_blocks import Draft, Measure
    from vchunk.adapters.readers.pdf_headings import Entry
    from vchunk.adapters.readers.pdf_lines import Line
    from vchunk.adapters.readers.pdf_runs import Run

MEDIA_TYPE = "application/pdf"
_BAD_PASSWORD, _BAD_SECURITY = 4, 5
_LONG_WORDS = 0.001
_UNKNOWN = 0.02


class PdfReader:
    """Reads PDF files.

    Parameters
    ----------
    password
        Opens encrypted files; files that open without one ignore it.
    """

    name = "pdf"
    version = 1

    def __init__(self, password: str | None = None) -> None:
        self._password = password

    def read(self, source: Source, warn: Warn) -> Document:
        """Read the source.

        Raises
        ------
        ReadError
            If the file is damaged, needs a password, or has no text on any page.
        """
        with closing(self._open(source)) as pdf:
            return _document(pdf, source.name, f"{self.name}/{self.version}", warn)

    def _open(self, source: Source) -> Any:
        import pypdfium2

        for password in (None, self._password):
            try:
                return pypdfium2.PdfDocument(source.data, password=password)
            except pypdfium2.PdfiumError as error:
                code = getattr(error, "err_code", None)
                if code == _BAD_PASSWORD and password is None and self._password is not None:
                    continue
                raise ReadError(_reason(source.name, code, self._password is not None)) from error
        raise AssertionError("unreachable")


def _reason(name: str, code: int | None, given: bool) -> str:
    if code == _BAD_PASSWORD:
        if given:
            return f"{name}: the password given with --password does not open this PDF"
        return f"{name}: this PDF needs a password; give it with --password"
    if code == _BAD_SECURITY:
        return f"{name}: this PDF is encrypted in a way that PDFium cannot read; save it without encryption"
    return f"{name}: not a readable PDF (damaged, cut short or another format); download or export it again"


def _document(pdf: Any, name: str, reader: str, warn: Warn) -> Document:
    from vchunk.adapters.readers.pdf_blocks import measure
    from vchunk.adapters.readers.pdf_columns import regions
    from vchunk.adapters.readers.pdf_flow import furniture_last, mend_paragraphs
    from vchunk.adapters.readers.pdf_furniture import split_furniture
    from vchunk.adapters.readers.pdf_headings import (
        find_title,
        label_footnotes,
        label_headings,
        mark_outline,
    )
    from vchunk.adapters.readers.pdf_text import Assembly, vocabulary
    from vchunk.domain.repair import repair
    from vchunk.domain.roles import label_roles

    pages, heights = _pages(pdf, name, warn)
    split = split_furniture([groups[0] if groups else [] for groups in pages], heights)
    laid = [
        (head, [part for runs in (body, *groups[1:]) if runs for part in regions(runs)], foot)
        for (head, body, foot), groups in zip(split, pages, strict=True)
    ]
    parts = [part for _, page, _ in laid for part in page]
    for number, part in enumerate(parts):
        for line in part:
            line.region = number
    usual = measure(parts)
    lines = list(chain.from_iterable(parts))
    entries = list(_outline(pdf))
    matched = mark_outline(entries, lines)
    drafts = _drafts(laid, usual)
    title, shown = find_title(drafts, usual, pdf.get_metadata_value("Title") or "")
    label_headings(drafts, usual, shown, outline=matched >= 2 and matched >= 0.5 * len(entries))
    label_footnotes(drafts, usual)
    _label_tables(drafts, len(pages))
    assembly = Assembly(vocabulary(lines))
    text = assembly.write(furniture_last(mend_paragraphs(drafts)))
    _warn_of_bad_letters(text, name, warn)
    mended = repair(assembly.blocks, text, assembly.pages)
    if told := mended.describe():
        warn(f"{name}: {told}")
    return Document(
        text=text,
        blocks=label_roles(mended.blocks, text),
        pages=tuple(assembly.pages),
        boxes=tuple(assembly.boxes),
        title=title,
        media_type=MEDIA_TYPE,
        reader=reader,
    )


def _label_tables(drafts: list[Draft], pages: int) -> None:
    """Tables of contents get their role, in place."""
    from vchunk.adapters.readers.pdf_text import toc_role

    for draft in drafts:
        if draft.kind is Kind.TABLE:
            draft.role = toc_role(draft, pages)


def _warn_of_bad_letters(text: str, name: str, warn: Warn) -> None:
    """Tell when blanks are missing or many glyphs have no letter: retrieval would suffer."""
    import regex

    words = len(text.split())
    long = len(regex.findall(r"[\p{Latin}\p{Greek}\p{Cyrillic}]{31,}", text))
    if long and long >= _LONG_WORDS * words:
        warn(f"{name}: {long} of {words} words are longer than 30 letters; blanks may be missing")
    unknown = text.count("\ufffd")
    if unknown > _UNKNOWN * len(text):
        warn(f"{name}: {unknown} characters have no known letter; run OCR on it, e.g. ocrmypdf --force-ocr")


def _pages(pdf: Any, name: str, warn: Warn) -> tuple[list[list[list[Run]]], list[float]]:
    """The runs of each page, one list a reading direction, and the heights of the pages."""
    import pypdfium2

    from vchunk.adapters.readers.pdf_chars import read_chars
    from vchunk.adapters.readers.pdf_runs import page_runs

    pages: list[list[list[Run]]] = []
    heights: list[float] = []
    empty: list[int] = []
    failed: list[int] = []
    for index in range(len(pdf)):
        try:
            page = pdf[index]
        except pypdfium2.PdfiumError:
            failed.append(index + 1)
            pages.append([])
            heights.append(0.0)
            continue
        with closing(page):
            groups = page_runs(read_chars(page, index + 1))
            if not groups and pypdfium2.raw.FPDFPage_CountObjects(page.raw) > 0:
                empty.append(index + 1)
            heights.append(page.get_height())
        pages.append(groups)
    if not pages:
        raise ReadError(f"{name}: this PDF has no pages; export it again")
    if not any(pages):
        where = (
            f"page {_numbers(empty or failed)} has" if len(pages) == 1 else f"none of its {len(pages)} pages has"
        )
        raise ReadError(f"{name}: {where} text (a scan?); run OCR on it first, e.g. ocrmypdf")
    if empty:
        warn(f"{name}: no text on page{'s' * (len(empty) > 1)} {_numbers(empty)} (pictures or scans), left out")
    if failed:
        warn(f"{name}: page{'s' * (len(failed) > 1)} {_numbers(failed)} cannot be read, left out")
    return pages, heights


def _numbers(pages: list[int]) -> str:
    """Page numbers with runs shortened: 1, 3-5."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _outline(pdf: Any) -> Iterator[Entry]:
    import pypdfium2

    from vchunk.adapters.readers.pdf_headings import Entry

    try:
        for mark in pdf.get_toc():
            target = mark.get_dest()
            page = target.get_index() if target is not None else None
            title = " ".join((mark.get_title() or "").split())
            if page is None or page < 0 or page >= len(pdf) or not title:
                continue
            mode, view = target.get_view()
            at = {1: 1, 3: 0, 7: 0}.get(mode)  # XYZ, FitH, FitBH
            y = view[at] if at is not None and len(view) > at else None
            height = pdf.get_page_size(page)[1]
            yield Entry(title, mark.level + 1, page + 1, height - y if y is not None else None)
    except pypdfium2.PdfiumError:
        return  # a broken outline is no outline


def _drafts(laid: list[tuple[list[Line], list[list[Line]], list[Line]]], usual: Measure) -> list[Draft]:
    """All blocks in page order, furniture at the head and foot of its page."""
    from vchunk.adapters.readers.pdf_blocks import Draft, blocks_of

    drafts: list[Draft] = []
    for head, parts, foot in laid:
        drafts += [Draft(Kind.PARAGRAPH, [line], Role.FURNITURE) for line in head]
        for part in parts:
            drafts += blocks_of(part, usual)
        drafts += [Draft(Kind.PARAGRAPH, [line], Role.FURNITURE) for line in foot]
    return drafts
