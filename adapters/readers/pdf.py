"""Reads PDFs through PDFium: text in reading order, with pages, boxes, headings and furniture.

PDFium is not thread-safe, so PDFs are read one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Warn

if TYPE_CHECKING:
    from vchunk.adapters.readers.pdf_blocks import Draft, Measure
    from vchunk.adapters.readers.pdf_cells import LiteparseTables
    from vchunk.adapters.readers.pdf_headings import Entry
    from vchunk.adapters.readers.pdf_layout import PageLayout
    from vchunk.adapters.readers.pdf_pages import PageContent

MEDIA_TYPE = "application/pdf"
_PDFIUM = threading.Lock()
_LONG_WORDS = 0.001
_UNKNOWN = 0.02


class PdfReader:
    """Reads PDF files.

    Parameters
    ----------
    password
        Opens encrypted files; files that open without one ignore it.
    ocr_command
        Reads pages without text; see `vchunk.adapters.readers.pdf_ocr`.
    tables
        Finds tables with cells; without it, rows are found by geometry alone.
    processes
        How many read a long file; None finds it. The document is the same.
    """

    name = "pdf"
    version = 3

    def __init__(
        self,
        password: str | None = None,
        ocr_command: str | None = None,
        tables: LiteparseTables | None = None,
        processes: int | None = None,
    ) -> None:
        self._password = password
        self._ocr_command = ocr_command
        self._tables = tables
        self._processes = processes

    def read(self, source: Source, warn: Warn) -> Document:
        """Read the source.

        Raises
        ------
        ReadError
            If the file is damaged, needs a password, or has no text on any page.
        """
        with _PDFIUM:
            return self._read(source, warn)

    def _read(self, source: Source, warn: Warn) -> Document:
        from vchunk.adapters.readers.pdf_layout import lay_out
        from vchunk.adapters.readers.pdf_parallel import read_pages

        pdf, data = self._open(source)
        with closing(pdf):
            pages = read_pages(pdf, data, self._password, self._processes)
            if data is not source.data:
                _tell_mended(pages, source.name, warn)
            recognised = self._recognise(pdf, pages, source.name)
            _tell_pages(pages, recognised, source.name, warn)
            grids = self._tables.find(data, self._password) if self._tables else []
            return _document(pdf, lay_out(pages, grids), recognised, source.name, self._identity(), warn)

    def _identity(self) -> str:
        """Name and version; also of what finds tables, for they change the text."""
        own = f"{self.name}/{self.version}"
        return f"{own}+{self._tables.identity}" if self._tables else own

    def _open(self, source: Source) -> tuple[Any, bytes]:
        """The open document, and its bytes; others than the source's where those had to be mended."""
        import pypdfium2

        from vchunk.adapters.readers.pdf_mend import with_trailer
        from vchunk.adapters.readers.pdf_pages import DAMAGED, open_pdf

        try:
            return open_pdf(source.data, self._password), source.data
        except pypdfium2.PdfiumError as error:
            code = getattr(error, "err_code", None)
            refusal = ReadError(_reason(source.name, code, self._password is not None))
            mended = with_trailer(source.data) if code == DAMAGED else None
            if mended is None:
                raise refusal from error
        try:
            return open_pdf(mended, None), mended
        except pypdfium2.PdfiumError as error:
            raise refusal from error

    def _recognise(self, pdf: Any, pages: Sequence[PageContent], name: str) -> dict[int, str]:
        """The text that the OCR command finds on pages without any."""
        if self._ocr_command is None:
            return {}
        from vchunk.adapters.readers.pdf_ocr import recognise

        asked = [page.number for page in pages if page.readable and page.marked and not page.groups]
        found = recognise(pdf, asked, self._ocr_command, name)
        return {number: text for number, text in found.items() if text.strip()}


def _tell_mended(pages: Sequence[PageContent], name: str, warn: Warn) -> None:
    from vchunk.adapters.readers.pdf_pages import DAMAGED

    whole = sum(bool(page.groups) for page in pages)
    if not whole:
        raise ReadError(_reason(name, DAMAGED, given=False))
    warn(
        f"{name}: damaged, its end is missing; text of {counted(whole, 'page')} was recovered, "
        "download it again for the rest"
    )


def _reason(name: str, code: int | None, given: bool) -> str:
    from vchunk.adapters.readers.pdf_pages import BAD_PASSWORD, BAD_SECURITY

    if code == BAD_PASSWORD:
        if given:
            return f"{name}: the password given with --password does not open this PDF"
        return f"{name}: this PDF needs a password; give it with --password"
    if code == BAD_SECURITY:
        return f"{name}: this PDF is encrypted in a way that PDFium cannot read; save it without encryption"
    return f"{name}: not a readable PDF (damaged, cut short or another format); download or export it again"


def _document(
    pdf: Any, laid: Sequence[PageLayout], recognised: Mapping[int, str], name: str, reader: str, warn: Warn
) -> Document:
    from vchunk.adapters.readers.figure_words import behind_sections
    from vchunk.adapters.readers.parsed import mended
    from vchunk.adapters.readers.pdf_blocks import measure
    from vchunk.adapters.readers.pdf_flow import furniture_last, mend_paragraphs
    from vchunk.adapters.readers.pdf_headings import find_title, label_footnotes, label_headings, mark_outline
    from vchunk.adapters.readers.pdf_kinds import label_formulas, label_quotes, label_unreadable
    from vchunk.adapters.readers.pdf_layout import drafts_of
    from vchunk.adapters.readers.pdf_text import Assembly, vocabulary

    parts = [part for page in laid for part in page.parts]
    usual = measure(parts)
    lines = list(chain.from_iterable(parts))
    entries = list(_outline(pdf))
    matched = mark_outline(entries, lines)
    drafts = drafts_of(laid, usual, _recognised_drafts(pdf, recognised, usual))
    label_unreadable(drafts)
    label_formulas(drafts)
    label_quotes(drafts, usual)
    title, shown = find_title(drafts, usual, _stated_title(pdf))
    label_headings(drafts, usual, shown, outline=matched >= 2 and matched >= 0.5 * len(entries))
    label_footnotes(drafts, usual)
    _label_tables(drafts, len(laid))
    assembly = Assembly(vocabulary(lines))
    text = assembly.write(behind_sections(furniture_last(mend_paragraphs(drafts))))
    _warn_of_bad_letters(text, name, warn)
    document = Document(
        text=text,
        blocks=tuple(assembly.blocks),
        pages=tuple(assembly.pages),
        boxes=tuple(assembly.boxes),
        title=title,
        media_type=MEDIA_TYPE,
        reader=reader,
    )
    return mended(document, name, warn)


def _recognised_drafts(pdf: Any, recognised: Mapping[int, str], usual: Measure) -> dict[int, list[Draft]]:
    """The paragraphs that OCR found, by page."""
    from vchunk.adapters.readers.pdf_ocr import paragraphs_of

    return {
        number: paragraphs_of(text, number, pdf.get_page_size(number - 1), usual.body)
        for number, text in recognised.items()
    }


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
        warn(
            f"{name}: {long:,} of {counted(words, 'word')} {'is' if long == 1 else 'are'} "
            "longer than 30 letters; blanks may be missing"
        )
    unknown = text.count("\ufffd")
    if unknown > _UNKNOWN * len(text):
        have = f"{counted(unknown, 'character')} {'has' if unknown == 1 else 'have'}"
        warn(f"{name}: {have} no known letter; run OCR on it, e.g. ocrmypdf --force-ocr")


def _tell_pages(pages: Sequence[PageContent], recognised: Mapping[int, str], name: str, warn: Warn) -> None:
    """Say which pages give no text; raise where none does."""
    empty = [p.number for p in pages if p.readable and p.marked and not p.groups and p.number not in recognised]
    failed = [page.number for page in pages if not page.readable]
    if not pages:
        raise ReadError(f"{name}: this PDF has no pages; export it again")
    if not recognised and not any(page.groups for page in pages):
        where = (
            f"page {_numbers(empty or failed)} has" if len(pages) == 1 else f"none of its {len(pages)} pages has"
        )
        raise ReadError(
            f"{name}: {where} text (a scan?); run OCR on it first, e.g. ocrmypdf, or name one with --ocr-command"
        )
    if empty:
        warn(f"{name}: no text on page{'s' * (len(empty) > 1)} {_numbers(empty)} (pictures or scans), left out")
    if failed:
        warn(f"{name}: page{'s' * (len(failed) > 1)} {_numbers(failed)} cannot be read, left out")


def _numbers(pages: list[int]) -> str:
    """Page numbers with runs shortened: 1, 3-5."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _stated_title(pdf: Any) -> str:
    """The title in the file's metadata; empty where there is none, or it cannot be decoded."""
    from vchunk.adapters.readers.pdf_headings import clean_title

    try:
        return clean_title(pdf.get_metadata_value("Title") or "")
    except UnicodeError:
        return ""


def _outline(pdf: Any) -> Iterator[Entry]:
    import pypdfium2

    from vchunk.adapters.readers.pdf_headings import Entry, clean_title

    try:
        for mark in pdf.get_toc():
            target = mark.get_dest()
            page = target.get_index() if target is not None else None
            title = clean_title(mark.get_title() or "")
            if page is None or page < 0 or page >= len(pdf) or not title:
                continue
            mode, view = target.get_view()
            at = {1: 1, 3: 0, 7: 0}.get(mode)  # XYZ, FitH, FitBH
            y = view[at] if at is not None and len(view) > at else None
            height = pdf.get_page_size(page)[1]
            yield Entry(title, mark.level + 1, page + 1, height - y if y is not None else None)
    except (pypdfium2.PdfiumError, UnicodeError):
        return  # a broken outline is no outline
