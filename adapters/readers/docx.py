"""Word documents (docx), read from their XML.

Headings come from styles and outline levels, with their numbers as Word shows them; a title stands
above them. Text boxes stand behind the paragraph that holds them, footnotes and endnotes at the end as
backmatter, headers and footers behind all as furniture. Comments and pictures are left out, the words
that describe a picture are not. See `docx_text` for tracked changes and equations.

The standard library does it: libraries for this format write it well but know neither numbers of
headings, nor notes, text boxes, equations and tracked changes, and unfold all media into memory.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vchunk.adapters.readers.archives import ZipArchive
from vchunk.adapters.readers.docx_flow import Flow
from vchunk.adapters.readers.docx_numbering import Numbering
from vchunk.adapters.readers.docx_pages import place
from vchunk.adapters.readers.docx_styles import Styles
from vchunk.adapters.readers.html import primary_language
from vchunk.adapters.readers.parsed import Draft, compose, lists_of, only_top
from vchunk.adapters.readers.xml_tree import child, children, parse
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_WORD = "a Word document"
_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_PREFIXES = {
    f"{_TRANSITIONAL}wordprocessingml/2006/main": "w",
    f"{_STRICT}wordprocessingml/main": "w",
    f"{_TRANSITIONAL}officeDocument/2006/math": "m",
    f"{_STRICT}officeDocument/math": "m",
    f"{_TRANSITIONAL}drawingml/2006/wordprocessingDrawing": "wp",
    f"{_STRICT}drawingml/wordprocessingDrawing": "wp",
    f"{_TRANSITIONAL}markup-compatibility/2006": "mc",
    f"{_TRANSITIONAL}officeDocument/2006/relationships": "r",
    f"{_STRICT}officeDocument/relationships": "r",
    "http://purl.org/dc/elements/1.1/": "dc",
}


class DocxReader:
    """Reads docx, docm, dotx and dotm."""

    name = "docx"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:  # noqa: ARG002 - there is nothing to warn of
        """The document; its title is the paragraph in that style, else that of its properties.

        Raises
        ------
        ReadError
            If the file is damaged, encrypted or no Word document.
        """
        package = _Package(source)
        flow = Flow(Styles(package.part("styles")), Numbering(package.part("numbering")))
        body = child(package.main, "w:body")
        drafts = flow.read(body) if body is not None else []
        place(drafts, flow.notes.page)
        _lower_headings(drafts)
        drafts += _notes(package.part("footnotes"), "w:footnote", flow, flow.notes.footnotes)
        drafts += _notes(package.part("endnotes"), "w:endnote", flow, flow.notes.endnotes)
        for part in package.parts("header", "footer"):
            drafts += flow.read(part, Role.FURNITURE)
        return compose(
            list(lists_of(_once(drafts))),
            reader=f"{self.name}/{self.version}",
            media_type=MEDIA_TYPE,
            title=flow.title or package.property("dc:title") or only_top(drafts),
            language=_language(flow, package),
        )


class _Package:
    """The parts of a document and how they refer to one another."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._zip = ZipArchive(source, _WORD)
        related = self._related("")
        main = next((target for kind, target in related if kind == "officeDocument"), "word/document.xml")
        if main not in self._zip:
            raise ReadError(f"{source.name}: not a Word document: it has no {main}")
        self.main = self._parse(main)
        self._properties = next((target for kind, target in related if kind == "core-properties"), None)
        self._targets = self._related(main)

    def part(self, kind: str) -> Element | None:
        """The part of a kind; None without."""
        return next(self.parts(kind), None)

    def parts(self, *kinds: str) -> Iterator[Element]:
        """The parts of some kinds, in the order in which they are named."""
        return (self._parse(t) for kind, t in self._targets if kind in kinds and t in self._zip)

    def property(self, name: str) -> str:
        """One of the document's properties, as text."""
        if self._properties is None or self._properties not in self._zip:
            return ""
        found = child(self._parse(self._properties), name)
        return (found.text or "").strip() if found is not None else ""

    def _parse(self, name: str) -> Element:
        return parse(self._zip.read(name), f"{self._name}: {name}", _PREFIXES)

    def _related(self, part: str) -> list[tuple[str, str]]:
        """Kind and name of the parts that a part refers to."""
        folder, file = posixpath.split(part)
        name = posixpath.join(folder, "_rels", f"{file}.rels")
        if name not in self._zip:
            return []
        found = []
        for relation in children(self._parse(name), "Relationship"):
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
                found.append((relation.get("Type", "").rpartition("/")[2], target))
        return found


def _lower_headings(drafts: list[Draft]) -> None:
    """Give headings their levels: those under a title one more than their styles say."""
    headings = [draft for draft in drafts if draft.kind is Kind.HEADING]
    lower = any(draft.level == 0 for draft in headings)
    for draft in headings:
        draft.level = (draft.level or 0) + lower


def _notes(part: Element | None, tag: str, flow: Flow, marks: dict[str, str]) -> list[Draft]:
    """Notes in the order of their marks, then those that nothing refers to."""
    elements = {
        note.get("w:id", ""): note for note in children(part, tag) if note.get("w:type") in (None, "normal")
    }
    out = []
    for id in [*list(marks), *(id for id in elements if id not in marks)]:
        if id in elements:
            mark = f"[{marks[id]}] " if id in marks else ""
            lines = [
                draft.text if not draft.children else f"{draft.text} {draft.children[0].text}"
                for draft in flow.read(elements[id], Role.BACKMATTER)
            ]
            if any(lines):
                out.append(Draft(Kind.FOOTNOTE, mark + "\n".join(lines), Role.BACKMATTER))
    return out


def _once(drafts: list[Draft]) -> list[Draft]:
    """The drafts without furniture that is there already: sections repeat their headers."""
    seen: set[str] = set()
    out = []
    for draft in drafts:
        if draft.role is Role.FURNITURE:
            key = f"{draft.kind} {draft.text} {[child.text for child in draft.children]}"
            if key in seen:
                continue
            seen.add(key)
        out.append(draft)
    return out


def _language(flow: Flow, package: _Package) -> str | None:
    """The language that most of the text is said to be in."""
    for tag, _ in flow.languages.most_common(1):
        if found := primary_language(tag):
            return found
    return primary_language(package.property("dc:language"))
