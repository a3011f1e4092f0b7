"""The formats that can be read: their names, endings, media types, and what makes their readers.

To add a reader, add its line to ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vchunk.domain.ports import Reader


@dataclass(frozen=True, slots=True)
class Opening:
    """What a user may have to say for a document to be opened."""

    password: str | None = None
    encoding: str | None = None
    numbered_headings: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read; ``make`` gives its reader and imports its library, if it has one."""

    name: str
    title: str
    endings: tuple[str, ...]
    media_types: tuple[str, ...]
    make: Callable[[Opening], Reader]
    worth: Callable[[str], bool] | None = None
    """Whether a file that begins so is meant, where a folder is read; None: each of these endings is."""
    extra: str | None = None
    """The extra without which it cannot be read."""
    module: str | None = None
    """The module that the extra brings."""


def _text(opening: Opening) -> Reader:
    from vchunk.adapters.readers.text import TextReader

    return TextReader(encoding=opening.encoding, numbered=opening.numbered_headings)


def _markdown(opening: Opening) -> Reader:
    from vchunk.adapters.readers.markdown import MarkdownReader

    return MarkdownReader(encoding=opening.encoding)


def _pdf(opening: Opening) -> Reader:
    from vchunk.adapters.readers.pdf import PdfReader

    return PdfReader(password=opening.password)


def _html(opening: Opening) -> Reader:
    from vchunk.adapters.readers.html import HtmlReader

    return HtmlReader(encoding=opening.encoding)


def _docx(opening: Opening) -> Reader:  # noqa: ARG001
    from vchunk.adapters.readers.docx import DocxReader

    return DocxReader()


def _json(opening: Opening) -> Reader:
    from vchunk.adapters.readers.json_forms import JsonReader

    return JsonReader(encoding=opening.encoding)


def _may_be_parsed(head: str) -> bool:
    from vchunk.adapters.readers.json_forms import may_be_parsed

    return may_be_parsed(head)


def _vtt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import WebVttReader

    return WebVttReader(encoding=opening.encoding)


def _srt(opening: Opening) -> Reader:
    from vchunk.adapters.readers.captions import SubRipReader

    return SubRipReader(encoding=opening.encoding)


_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".qmd", ".rmd")
_WORD_ENDINGS = (".docx", ".docm", ".dotx", ".dotm")
_WORD_TYPES = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)

FORMATS = (
    Format("text", "plain text", (".txt", ".text", ".log"), ("text/plain",), _text),
    Format("markdown", "Markdown", _MARKDOWN_ENDINGS, ("text/markdown", "text/x-markdown"), _markdown),
    Format("pdf", "PDF", (".pdf",), ("application/pdf", "application/x-pdf"), _pdf),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), ("text/html", "application/xhtml+xml"), _html),
    Format("docx", "Word documents", _WORD_ENDINGS, _WORD_TYPES, _docx),
    Format(
        "json",
        "JSON of a parser, a transcript or a chat",
        (".json",),
        ("application/json",),
        _json,
        worth=_may_be_parsed,
    ),
    Format("vtt", "WebVTT captions", (".vtt",), ("text/vtt",), _vtt),
    Format("srt", "SubRip captions", (".srt",), ("application/x-subrip", "text/srt"), _srt),
)
"""All formats that can be read. A name with an unknown ending is read as the first one."""


def format_of_ending(ending: str) -> Format | None:
    """The format of an ending in lower case, dot included."""
    return next((known for known in FORMATS if ending in known.endings), None)


def names() -> str:
    """The names of all formats, for messages."""
    return ", ".join(known.name for known in FORMATS)
