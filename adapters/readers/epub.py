"""EPUB books: the documents of the spine, one behind the other, each read as HTML.

Title and language are those of the package; the navigation document is a table of contents, and
names pages without a heading.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from vchunk.adapters.readers.archives import ZipArchive
from vchunk.adapters.readers.decoding import decode
from vchunk.adapters.readers.epub_navigation import name_page, titles_of
from vchunk.adapters.readers.html import declared_codec, primary_language
from vchunk.adapters.readers.parsed import Draft, compose
from vchunk.adapters.readers.xml_tree import child, children, parse
from vchunk.domain.document import Document, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MEDIA_TYPE = "application/epub+zip"

_BOOK = "an EPUB book"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/2001/04/xmlenc#": "enc",
}
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")


class EpubReader:
    """Reads EPUB 2 and 3."""

    name = "epub"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document of the whole book.

        Raises
        ------
        ReadError
            If the file is damaged, or its text is encrypted.
        """
        archive = ZipArchive(source, _BOOK)
        package_name = _package_name(archive, source.name)
        package = parse(archive.read(package_name), f"{source.name}: {package_name}", _PREFIXES)
        protected = _protected(archive, source.name)
        drafts: list[Draft] = []
        items = {item.get("id", ""): item for item in children(child(package, "manifest"), "item")}
        folder = posixpath.dirname(package_name)
        titles = titles_of(archive, items, folder)
        for member, contents in _spine(package, items, folder):
            if member in protected:
                raise ReadError(
                    f"{source.name}: {_BOOK} whose text is encrypted; it can be read where it was bought"
                )
            if member not in archive:
                warn(f"{source.name}: {member} is missing in the book")
                continue
            page = Source(f"{source.name}: {member}", archive.read(member))
            drafts += name_page(_drafts(page, contents, warn), titles.get(member))
        about = child(package, "metadata")
        return compose(
            drafts,
            reader=f"{self.name}/{self.version}",
            media_type=MEDIA_TYPE,
            title=_first(about, "dc:title"),
            language=primary_language(_first(about, "dc:language")),
        )


def _drafts(page: Source, contents: bool, warn: Warn) -> list[Draft]:
    from vchunk.adapters.readers.html_flow import drafts_of
    from vchunk.adapters.readers.html_tree import parse as parse_html

    text = decode(page, warn, declared=declared_codec(page.data))
    drafts = drafts_of(parse_html(text, xml=True))
    stack = list(drafts) if contents else []
    while stack:
        draft = stack.pop()
        draft.role = Role.TOC
        stack += draft.children
    return drafts


def _package_name(archive: ZipArchive, name: str) -> str:
    container = parse(archive.read(_CONTAINER), f"{name}: {_CONTAINER}", {})
    for rootfile in children(child(container, "rootfiles"), "rootfile"):
        if path := rootfile.get("full-path"):
            return path
    raise ReadError(f"{name}: {_BOOK} whose {_CONTAINER} names no package: it is damaged")


def _spine(package: Element, items: Mapping[str, Element], folder: str) -> Iterator[tuple[str, bool]]:
    """The members of the spine that are pages, and whether each is the navigation document."""
    for reference in children(child(package, "spine"), "itemref"):
        item = items.get(reference.get("idref", ""))
        if item is not None and item.get("media-type", "") in _PAGES:
            member = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
            yield member, "nav" in item.get("properties", "").split()


def _protected(archive: ZipArchive, name: str) -> set[str]:
    """The members that are encrypted; fonts that are only obscured are among them."""
    if _ENCRYPTION not in archive:
        return set()
    root = parse(archive.read(_ENCRYPTION), f"{name}: {_ENCRYPTION}", _PREFIXES)
    return {unquote(reference.get("URI", "")) for reference in root.iter("enc:CipherReference")}


def _first(element: Element | None, name: str) -> str:
    found = child(element, name)
    return "".join(found.itertext()).strip() if found is not None else ""
