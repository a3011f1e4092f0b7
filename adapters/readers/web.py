"""Web pages without their boilerplate: what trafilatura takes for the main content, read as HTML.

Where it finds none, the page is read as any HTML, with a warning. All else is left out of the text, not
kept as furniture.
"""

from __future__ import annotations

from vchunk.adapters.readers.decoding import decode
from vchunk.adapters.readers.html import MEDIA_TYPE, declared_codec, page_facts, read_page
from vchunk.domain.document import Document, Source
from vchunk.domain.errors import MissingExtra
from vchunk.domain.ports import Warn


class WebReader:
    """Reads the main content of web pages.

    Parameters
    ----------
    encoding
        The encoding of the bytes; None finds it.

    Raises
    ------
    MissingExtra
        Without the extra ``web``.
    """

    name = "web"
    version = 1

    def __init__(self, encoding: str | None = None) -> None:
        try:
            import trafilatura
        except ImportError:
            raise MissingExtra("--input-format web", "web") from None
        self._extract = trafilatura.extract
        self._name = f"web/{self.version}-{trafilatura.__version__}"
        self.encoding = encoding

    def read(self, source: Source, warn: Warn) -> Document:
        """The document; title and language are those of the whole page."""
        from vchunk.adapters.readers.html_flow import drafts_of
        from vchunk.adapters.readers.html_tree import parse
        from vchunk.adapters.readers.parsed import compose

        text = decode(source, warn, self.encoding, declared=declared_codec(source.data))
        content = self._extract(text, output_format="html", include_comments=False, include_tables=True)
        if not content:
            warn(f"{source.name}: no main content found in the page, so all of it is read")
            return read_page(text, self._name)
        title, language = page_facts(parse(text))
        drafts = drafts_of(parse(content))
        return compose(drafts, reader=self._name, media_type=MEDIA_TYPE, title=title, language=language)
