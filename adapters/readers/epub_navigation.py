"""What a book's navigation calls its pages: the nav document of EPUB 3, else the NCX of EPUB 2.

A page without a heading, as many books have whose chapters begin with a picture or a line of plain
text, gets the title under which the navigation leads to it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from vchunk.adapters.readers.archives import ZipArchive
from vchunk.adapters.readers.decoding import decode
from vchunk.adapters.readers.html_tree import parse as parse_html
from vchunk.adapters.readers.html_tree import walk
from vchunk.adapters.readers.parsed import Draft, one_line
from vchunk.adapters.readers.xml_tree import child, children, parse
from vchunk.domain.document import Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from selectolax.lexbor import LexborNode

NCX = "application/x-dtbncx+xml"
_DEEPEST = 6
_OTHER_LISTS = frozenset(["page-list", "landmarks"])

Titles = dict[str, tuple[int, str]]
"""By member: level from 1 and title of the first entry that leads to it."""


def titles_of(archive: ZipArchive, items: Mapping[str, Element], folder: str) -> Titles:
    """The titles that the navigation gives to the book's pages; a damaged one gives none.

    Parameters
    ----------
    items
        The items of the package's manifest by their ids.
    folder
        Where the package lies in the archive.
    """
    for wanted, read in ((_is_nav, _of_nav), (_is_ncx, _of_ncx)):
        for item in items.values():
            member = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
            if not wanted(item) or member not in archive:
                continue
            try:
                if found := read(archive.read(member), member):
                    return found
            except ReadError:
                continue
    return {}


def name_page(drafts: list[Draft], entry: tuple[int, str] | None) -> list[Draft]:
    """The drafts of a page, under the title of its entry where they have no heading.

    A first line that is the title becomes the heading.
    """
    stack = list(drafts)
    while stack:
        draft = stack.pop()
        if draft.kind is Kind.HEADING or entry is None:
            return drafts
        stack += draft.children
    if entry is None or not any(draft.role is Role.BODY and not draft.empty for draft in drafts):
        return drafts
    level, title = entry
    first = drafts[0]
    if first.kind is Kind.PARAGRAPH and one_line(first.text).casefold() == title.casefold():
        drafts = drafts[1:]
    return [Draft(Kind.HEADING, title, level=level), *drafts]


def _is_nav(item: Element) -> bool:
    return "nav" in item.get("properties", "").split()


def _is_ncx(item: Element) -> bool:
    return item.get("media-type") == NCX


def _target(href: str, member: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(member), unquote(href.partition("#")[0])))


def _of_nav(data: bytes, member: str) -> Titles:
    found: Titles = {}
    depth = 0

    def enter(node: LexborNode) -> bool:
        nonlocal depth
        attributes = node.attributes or {}
        if node.tag == "nav" and set((attributes.get("epub:type") or "").split()) & _OTHER_LISTS:
            return False
        depth += node.tag == "ol"
        href = attributes.get("href")
        if node.tag == "a" and href and depth:
            title = one_line(node.text(deep=True))
            if title:
                found.setdefault(_target(href, member), (min(depth, _DEEPEST), title))
        return True

    def leave(node: LexborNode) -> None:
        nonlocal depth
        depth -= node.tag == "ol"

    text = decode(Source(member, data), no_warning)
    root = parse_html(text, xml=True).root
    if root is not None:
        walk(root, enter, leave)
    return found


def _of_ncx(data: bytes, member: str) -> Titles:
    found: Titles = {}
    root = parse(data, member, {})
    stack = [(point, 1) for point in reversed(list(children(child(root, "navMap"), "navPoint")))]
    while stack:
        point, depth = stack.pop()
        stack += [(inner, depth + 1) for inner in reversed(list(children(point, "navPoint")))]
        label, content = child(point, "navLabel", "text"), child(point, "content")
        title = one_line("".join(label.itertext())) if label is not None else ""
        if title and content is not None and content.get("src"):
            found.setdefault(_target(content.get("src", ""), member), (min(depth, _DEEPEST), title))
    return found
