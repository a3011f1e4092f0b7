"""The formats that can be read: their names, endings, media types, and what makes their readers.

To add a reader, add its line to ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from vchunk.adapters.readers.source_code import LANGUAGES
from vchunk.domain.ports import Reader


@dataclass(frozen=True, slots=True)
class Opening:
    """What a user may have to say for a document to be opened."""

    password: str | None = None
    """Opens an encrypted document, where its format knows passwords."""
    ocr_command: str | None = None
    """Prints the text of PDF pages that have none."""
    encoding: str | None = None
    """The encoding of a text; None finds it."""
    numbered_headings: bool = False
    """Whether numbered lines of plain text are headings."""
    text_field: str | None = None
    """The field that holds the text of records in JSON."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read; ``make`` gives its reader and imports its library, if it has one."""

    name: str
    title: str
    endings: tuple[str, ...]
    media_types: tuple[str, ...]
    make: Callable[[Opening], Reader]
    extra: str | None = None
    """The extra without which it cannot be read; its library is found by ``module``."""
    module: str | None = None

    @property
    def installed(self) -> bool:
        """Whether this installation reads it."""
        return self.module is None or find_spec(self.module) is not None


def _text(opening: Opening) -> Reader:
    from vchunk.adapters.readers.text import TextReader

    return TextReader(encoding=opening.encoding, numbered=opening.numbered_headings)


def _markdown(opening: Opening) -> Reader:
    from vchunk.adapters.readers.markdown import MarkdownReader

    return MarkdownReader(encoding=opening.encoding)


def _pdf(opening: Opening) -> Reader:
    from vchunk.adapters.readers.pdf import PdfReader

    tables = None
    if find_spec("liteparse") is not None:  # the extra pdf-tables
        from vchunk.adapters.readers.pdf_cells import LiteparseTables

        tables = LiteparseTables()
    return PdfReader(opening.password, opening.ocr_command, tables)


def _html(opening: Opening) -> Reader:
    from vchunk.adapters.readers.html import HtmlReader

    return HtmlReader(encoding=opening.encoding)


def _web(opening: Opening) -> Reader:
    from vchunk.adapters.readers.web import WebReader

    return WebReader(encoding=opening.encoding)


def _docx(opening: Opening) -> Reader:  # noqa: ARG001
    from vchunk.adapters.readers.docx import DocxReader

    return DocxReader()


def _epub(opening: Opening) -> Reader:  # noqa: ARG001
    from vchunk.adapters.readers.epub import EpubReader

    return EpubReader()


def _notebook(opening: Opening) -> Reader:
    from vchunk.adapters.readers.notebook import NotebookReader

    return NotebookReader(encoding=opening.encoding)


def _asciidoc(opening: Opening) -> Reader:
    from vchunk.adapters.readers.asciidoc import AsciiDocReader

    return AsciiDocReader(encoding=opening.encoding)


def _rst(opening: Opening) -> Reader:
    from vchunk.adapters.readers.restructured import RestructuredTextReader

    return RestructuredTextReader(encoding=opening.encoding)


def _csv(opening: Opening) -> Reader:
    from vchunk.adapters.readers.delimited import DelimitedReader

    return DelimitedReader("csv", encoding=opening.encoding)


def _tsv(opening: Opening) -> Reader:
    from vchunk.adapters.readers.delimited import DelimitedReader

    return DelimitedReader("tsv", encoding=opening.encoding)


def _jsonl(opening: Opening) -> Reader:
    from vchunk.adapters.readers.records import JsonLinesReader

    return JsonLinesReader(encoding=opening.encoding, field=opening.text_field)


def _code(opening: Opening) -> Reader:
    from vchunk.adapters.readers.source_code import CodeReader

    return CodeReader(encoding=opening.encoding)


def _json(opening: Opening) -> Reader:
    from vchunk.adapters.readers.json_forms import JsonReader

    return JsonReader(encoding=opening.encoding, field=opening.text_field)


def _vtt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import WebVttReader

    return WebVttReader(encoding=opening.encoding)


def _srt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import SubRipReader

    return SubRipReader(encoding=opening.encoding)


_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd")
_WORD_ENDINGS = (".docx", ".docm", ".dotx", ".dotm")
_WORD_TYPES = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)
_JSON_LINES = ("application/jsonl", "application/x-ndjson", "application/jsonlines")

FORMATS = (
    Format("text", "plain text", (".txt", ".text", ".log"), ("text/plain",), _text),
    Format("markdown", "Markdown", _MARKDOWN_ENDINGS, ("text/markdown", "text/x-markdown"), _markdown),
    Format("pdf", "PDF", (".pdf",), ("application/pdf", "application/x-pdf"), _pdf),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), ("text/html", "application/xhtml+xml"), _html),
    Format("web", "HTML, its main content alone", (), (), _web, extra="web", module="trafilatura"),
    Format("docx", "Word documents", _WORD_ENDINGS, _WORD_TYPES, _docx),
    Format("epub", "EPUB books", (".epub",), ("application/epub+zip",), _epub),
    Format("ipynb", "Jupyter notebooks", (".ipynb",), ("application/x-ipynb+json",), _notebook),
    Format("asciidoc", "AsciiDoc", (".adoc", ".asciidoc"), ("text/asciidoc",), _asciidoc),
    Format("rst", "reStructuredText", (".rst", ".rest"), ("text/x-rst",), _rst),
    Format("csv", "comma-separated values", (".csv",), ("text/csv",), _csv),
    Format("tsv", "tab-separated values", (".tsv", ".tab"), ("text/tab-separated-values",), _tsv),
    Format("json", "JSON of a parser, a transcript, a chat, or texts", (".json",), ("application/json",), _json),
    Format("jsonl", "JSON Lines of texts or a chat", (".jsonl", ".ndjson"), _JSON_LINES, _jsonl),
    Format("vtt", "WebVTT captions", (".vtt",), ("text/vtt",), _vtt),
    Format("srt", "SubRip captions", (".srt",), ("application/x-subrip", "text/srt"), _srt),
    Format("code", "source code", tuple(LANGUAGES), (), _code),
)
"""All formats that can be read. A name with an unknown ending is read as the first one."""


def format_of_ending(ending: str) -> Format | None:
    """The format of an ending in lower case, dot included."""
    return next((known for known in FORMATS if ending in known.endings), None)


def names() -> str:
    """The names of all formats, for messages."""
    return ", ".join(known.name for known in FORMATS)


@dataclass(frozen=True, slots=True)
class Addition:
    """What an extra adds to formats that are read without it; its library is found by ``module``."""

    extra: str
    title: str
    module: str


ADDITIONS = (
    Addition("code", "code over the limit is cut by its syntax tree", "tree_sitter"),
    Addition("pdf-tables", "tables of PDFs as GitHub tables", "liteparse"),
)
"""What extras add; those that a format needs are said with it."""
