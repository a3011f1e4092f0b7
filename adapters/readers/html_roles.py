"""What an element of HTML is for: shown or not, content or furniture.

Furniture is ``nav`` and ``aside``, ``header`` and ``footer`` of the page (not those of an article or a
section), what has their ARIA roles or says by its class that it is not to be printed, and, where the
page has one ``main``, all that stands outside it.
A page header that holds the page's only ``h1`` gives that as a heading all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vchunk.domain.document import Role

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

Attributes = Mapping[str, str | None]

UNSEEN = frozenset(
    [
        "audio", "canvas", "datalist", "embed", "head", "iframe", "input", "meter", "noscript", "object",
        "progress", "rp", "rt", "script", "select", "style", "svg", "template", "textarea", "title", "video",
    ]
)  # fmt: skip
"""Elements whose content is no text of the document."""

_FURNITURE_ROLES = frozenset(
    [
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "doc-toc",
        "doc-pagelist",
        "toolbar",
        "menu",
    ]
)
_NOTES = frozenset(["doc-footnote", "doc-footnotes", "doc-endnote", "doc-endnotes"])
_NOTE_TYPES = frozenset(["footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"])
_REFERENCES = frozenset(["references", "reflist", "refbegin"])  # of MediaWiki
_FURNITURE_CLASSES = frozenset(["noprint", "catlinks", "navbox", "printfooter", "mw-indicators", "breadcrumb"])
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_DECORATION = frozenset(["a", "i", "span", "svg"])
_SECTIONS = frozenset(["article", "main", "section", "blockquote", "figure"])


def is_hidden(tag: str, attributes: Attributes) -> bool:
    """Whether an element says that it is not shown: hidden, or a decoration that is not read out."""
    if not attributes:
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" and tag in _DECORATION:
        return True
    style = attributes.get("style")
    return bool(style and _HIDDEN_STYLE.search(style)) or "mw-editsection" in (attributes.get("class") or "")


def is_note(attributes: Attributes) -> bool:
    """Whether an element holds footnotes or endnotes."""
    if not attributes:
        return False
    types = {*(attributes.get("epub:type") or "").split(), *(attributes.get("role") or "").split()}
    return bool(types & (_NOTES | _NOTE_TYPES)) or "footnotes" in (attributes.get("class") or "").split()


def is_contents(attributes: Attributes) -> bool:
    """Whether an element is a table of contents."""
    types = {*(attributes.get("epub:type") or "").split(), *(attributes.get("role") or "").split()}
    names = {*(attributes.get("class") or "").split(), attributes.get("id")}
    return bool(types & {"toc", "doc-toc"} or names & {"toc", "table-of-contents"})


class PageRoles:
    """The roles of a page's elements, asked in the order of the text."""

    def __init__(self, page: LexborHTMLParser) -> None:
        mains = page.css("main, [role=main]")
        self._main = mains[0].mem_id if len(mains) == 1 else None
        first = page.css_first("h1")
        self._only_h1 = first.mem_id if first is not None and len(page.css("h1")) == 1 else None
        self._open: list[Role] = [Role.BODY if self._main is None else Role.FURNITURE]
        self._sections = 0

    @property
    def role(self) -> Role:
        """The role of what is being read."""
        return self._open[-1]

    def enter(self, tag: str, attributes: Attributes, mem_id: int) -> bool:
        """Enter an element; whether `leave` has to be told of it."""
        role = self._role_of(tag, attributes, mem_id)
        inner = tag in _SECTIONS and mem_id != self._main
        if role is None and not inner:
            return False
        self._sections += inner
        self._open.append(self.role if role is None else role)
        return True

    def leave(self, tag: str) -> None:
        """Leave an element that was entered."""
        self._sections -= tag in _SECTIONS
        self._open.pop()

    def _role_of(self, tag: str, attributes: Attributes, mem_id: int) -> Role | None:
        if mem_id in (self._main, self._only_h1):
            return Role.BODY
        classes = set((attributes.get("class") or "").split()) if attributes else set()
        if is_note(attributes) or classes & _REFERENCES:
            return Role.BACKMATTER if self.role is Role.BODY else None
        if classes & _FURNITURE_CLASSES:
            return Role.FURNITURE
        if tag in ("nav", "aside") or attributes.get("role") in _FURNITURE_ROLES:
            contents = self.role is Role.BODY and self._sections and is_contents(attributes)
            return Role.TOC if contents else Role.FURNITURE
        if tag in ("header", "footer") and not self._sections:
            return Role.FURNITURE
        return None
