"""HTML: what a reader of the page sees, as text.

Scripts, styles, templates, forms' controls and what is hidden are left out. White space, formulas and
raised digits: see `html_inline`; tables are written as GitHub's (`html_tables`); navigation and the
like stands at the end as furniture (`html_roles`). Links keep their words, pictures their alternative
text, ruby its base. Lists are marked with ``-`` or their numbers, code keeps its lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.domain.document import Document, Source
from vchunk.domain.ports import Warn

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MEDIA_TYPE = "text/html"

_DECLARED = re.compile(
    rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)|\A\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_FIRST_BYTES = 4096  # HTML's own limit is 1024; editors put licences and scripts in front
_XHTML = re.compile(r"\s*<\?xml\b|<html[^>]*\sxmlns\s*=", re.IGNORECASE)


class HtmlReader(DecodingReader):
    """Reads HTML and XHTML, in the encoding of its ``<meta charset>`` where it has one."""

    name = "html"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document; its title is that of the page, else its only first heading."""
        text = decode(source, warn, self.encoding, declared=declared_codec(source.data))
        return read_page(text, self.signature)


def read_page(text: str, reader: str) -> Document:
    """The document of a page that was decoded."""
    from vchunk.adapters.readers.html_flow import drafts_of
    from vchunk.adapters.readers.html_tree import parse
    from vchunk.adapters.readers.parsed import compose, only_top

    page = parse(text, xml=is_xhtml(text))
    drafts = drafts_of(page)
    title, language = page_facts(page)
    title = title or only_top(drafts)
    return compose(drafts, reader=reader, media_type=MEDIA_TYPE, title=title, language=language)


def page_facts(page: LexborHTMLParser) -> tuple[str | None, str | None]:
    """The title and the language that a page says it has."""
    head = page.css_first("head > title") or page.css_first("title")
    root = page.css_first("html")
    named = root.attributes.get("lang") or root.attributes.get("xml:lang") if root is not None else None
    return head.text(deep=True).strip() if head is not None else None, primary_language(named)


def is_xhtml(text: str) -> bool:
    """Whether a page is written as XML."""
    return _XHTML.search(text[:_FIRST_BYTES]) is not None


def declared_codec(data: bytes) -> str | None:
    """The encoding that a page says it is in."""
    match = _DECLARED.search(data[:_FIRST_BYTES])
    return (match[1] or match[2]).decode("ascii", "replace") if match else None


def primary_language(tag: str | None) -> str | None:
    """The primary subtag: "en" of "en-GB"."""
    match = re.fullmatch(r"\s*([A-Za-z]{2,3})(?:[-_][\w-]*)?\s*", tag or "")
    return match[1].lower() if match else None
