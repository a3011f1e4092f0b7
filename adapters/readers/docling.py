"""docling's JSON: a DoclingDocument of version 1.0 to 1.10.

Blocks come in the order of the body's tree. An inline group is one line of one paragraph, or the text
of the heading or item it belongs to. Captions stand next to their table, figure or listing, and so does
what was said of a picture. Page headers and footers and all that is not of the body stand behind it as
furniture. Items that the tree does not reach follow the body: no text is lost.

The words inside a picture make one block of the role ``figure`` behind the section. They are body where
they are prose, or the picture is a table or listing by its caption, or fills its page, or is, without a
caption, all that the page shows.

The levels of headings are docling's. Where all are of level 1, numbers such as 3 and 3.1 give them;
without any they stay flat.
"""

from __future__ import annotations

import re
from typing import Any

from vchunk.adapters.readers.docling_tree import Item, Tree, graph_text, listing, mapping, references
from vchunk.adapters.readers.figure_words import Words, reads_as_prose
from vchunk.adapters.readers.parsed import DEEPEST, Draft, Run, finish, item, whole
from vchunk.adapters.readers.parsed_levels import numbered_levels
from vchunk.domain.document import Document, Kind, Role
from vchunk.domain.errors import ReadError
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Warn

READER = "docling/2"
OLDEST, NEWEST = (1, 0), (1, 10)
READ = "DoclingDocument 1.0 to 1.10"

_FURNITURE_LABELS = frozenset({"page_header", "page_footer"})
_BODY_LAYERS = frozenset({"body", "notes"})
_KINDS = {"code": Kind.CODE, "formula": Kind.FORMULA, "footnote": Kind.FOOTNOTE, "caption": Kind.CAPTION}
_BOXES = {"checkbox_selected": "[x] ", "checkbox_unselected": "[ ] "}
_LEGIBLE = 5.0  # points
_READ = re.compile(
    r"(?:table|tab\.|tabelle|tableau|tabla|listing|algorithm|example|code|query|program|quelltext|表)\s*(?:[A-Z]?\d|:)",
    re.IGNORECASE,
)
"""How the caption of what is read begins, even where a parser takes it for a picture."""
_FLAT = 3  # headings from which on it is worth saying that none lies in another
_MARK = re.compile(r"[^\w\s]|[(\[]?\w{1,4}(?:\.\w{1,4})*[.)\]]?")
"""What may mark an item: one sign, a number, a letter. Parsers give a bullet's letter of a symbol font too."""


def is_docling(data: Any) -> bool:
    """Whether a JSON value is a docling document, of whatever version."""
    return isinstance(data, dict) and data.get("schema_name") == "DoclingDocument"


def read_docling(data: Any, name: str, warn: Warn) -> Document:
    """The document of a DoclingDocument.

    Raises
    ------
    ReadError
        If it is of a version that is not read, or damaged beyond reading.
    """
    _check_version(data, name)
    walk = _Walk(Tree(data), name)
    try:
        walk.down(references(mapping(data.get("body"))), Role.BODY)
        walk.down(references(mapping(data.get("furniture"))), Role.FURNITURE)
        lost = walk.rest()
    except ValueError as error:
        raise ReadError(f"{name}: {error} cannot be read; export the document again") from error
    if lost:
        warn(f"{name}: {counted(lost, 'item')} that the body does not hold, read behind it")
    if walk.missing:
        warn(f"{name}: {counted(walk.missing, 'reference')} to what is not there, left out")
    walk.keep_shown_pages()
    title = _set_levels(walk.headings, name, warn)
    return finish(walk.drafts, name=name, reader=READER, title=title, warn=warn)


def _check_version(data: Item, name: str) -> None:
    version = data.get("version")
    match = re.fullmatch(r"(\d+)\.(\d+)(?:\.\d+)?(?:[-+].*)?", version) if isinstance(version, str) else None
    if match is None:
        raise ReadError(f"{name}: a DoclingDocument without a version; read is {READ}: export it again")
    if not OLDEST <= (int(match[1]), int(match[2])) <= NEWEST:
        raise ReadError(
            f"{name}: DoclingDocument version {version} is not read, only {READ[16:]}; "
            "update vchunk, or export it with a docling that writes one of them"
        )


def _set_levels(headings: list[tuple[Draft, int | None]], name: str, warn: Warn) -> str | None:
    """Set the headings' levels, in place; the document's title. A title (no level) is above all."""
    titles = [draft for draft, level in headings if level is None]
    sections = [(draft, level) for draft, level in headings if level is not None]
    levels = [level for _, level in sections]
    if levels and max(levels) == 1:
        numbered = numbered_levels([draft.text for draft, _ in sections])
        if numbered is None and len(levels) >= _FLAT:
            warn(f"{name}: all headings are of level 1 and no numbers (1.1) tell more: sections are flat")
        levels = numbered or levels
    for draft, level in zip((draft for draft, _ in sections), levels, strict=True):
        draft.level = level + bool(titles)
    for draft in titles:
        draft.level = 1
    return " ".join(titles[0].text.split()) if titles else None


class _Walk:
    """Goes down the tree; ``drafts`` and ``headings`` (with docling's level) grow."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.drafts: list[Draft] = []
        self.headings: list[tuple[Draft, int | None]] = []
        self.missing = 0
        self._tree = tree
        self._name = name
        self._seen: set[str] = set()
        self._pictures: list[tuple[Draft, bool]] = []  # words in pictures, whether a caption goes with them
        self._claimed = self._owned()

    def _owned(self) -> set[str]:
        """Captions and footnotes that a float will bring along."""
        owned: set[str] = set()
        for ref in self._tree.refs():
            found = self._tree.find(ref) or {}
            owned.update(references(found, "captions") + references(found, "footnotes"))
        return owned

    def down(self, refs: list[str], role: Role) -> None:
        """Read items and all below them, in order."""
        todo: list[tuple[str, list[Draft], int]] = [(ref, self.drafts, 0) for ref in reversed(refs)]
        while todo:
            ref, where, depth = todo.pop()
            if ref in self._seen or ref in self._claimed:
                continue
            found = self._tree.find(ref)
            if found is None:
                self.missing += 1
                continue
            self._seen.add(ref)
            into, deeper = self._read(found, where, depth, self._role(found, role))
            todo += [(child, into, deeper) for child in reversed(references(found))]

    def rest(self) -> int:
        """Read what nothing led to; how many items of the body that were."""
        lost = 0
        refs = list(self._tree.refs())
        for ref in [r for r in refs if r not in self._claimed] + refs:  # a float brings its captions
            found = self._tree.find(ref)
            if found is None or ref in self._seen:
                continue
            before = len(self.drafts)
            self._claimed.discard(ref)
            self.down([ref], Role.BODY)
            new = self.drafts[before:]
            lost += any(d.role is not Role.FURNITURE and not d.empty for d in new)
        return lost

    def _role(self, found: Item, role: Role) -> Role:
        hidden = found.get("content_layer", "body") not in _BODY_LAYERS or found.get("label") in _FURNITURE_LABELS
        return Role.FURNITURE if hidden else role

    def _read(self, found: Item, where: list[Draft], depth: int, role: Role) -> tuple[list[Draft], int]:
        """Read one item; where its children go, and how many lists they lie in."""
        label = str(found.get("label"))
        if role is Role.FURNITURE:
            where = self.drafts  # furniture never stays inside a list
        match label:
            case "list" | "ordered_list":
                return self._list(where, depth, role)
            case "inline":
                line, runs, used = self._tree.inline(found)
                self._seen |= used
                self._put(where, Draft(Kind.PARAGRAPH, line, role, runs=runs))
            case "list_item":
                return self._item(found, where, depth, role)
            case "table" | "document_index":
                self._table(found, where, role)
            case "picture" | "chart":
                self._picture(found, where, role)
            case "key_value_region" | "form":
                text = graph_text(found)
                self._float(found, where, Draft(Kind.PARAGRAPH, text, role, runs=self._all(found, text)))
            case _:
                self._text(found, label, where, role)
        return where, depth

    def _list(self, where: list[Draft], depth: int, role: Role) -> tuple[list[Draft], int]:
        """Open a list; one directly in another belongs to the item before it."""
        if depth >= DEEPEST:
            return where, depth
        if where and depth and where[-1].kind is Kind.LIST_ITEM:
            where = where[-1].children
        draft = Draft(Kind.LIST, role=role)
        where.append(draft)
        return draft.children, depth + 1

    def _item(self, found: Item, where: list[Draft], depth: int, role: Role) -> tuple[list[Draft], int]:
        text, runs = self._words(found)
        mark = str(found.get("marker") or "").strip()
        if not mark and found.get("enumerated"):
            mark = f"{1 + sum(d.kind is Kind.LIST_ITEM for d in where)}."
        draft = item(mark if _MARK.fullmatch(mark) else "-", text, runs, max(depth, 1))
        for part in (draft, *draft.children):
            part.role = role
        if depth:
            self._put(where, draft)
        else:  # an item without its list
            if not (where and where[-1].kind is Kind.LIST and where[-1].role is role):
                where.append(Draft(Kind.LIST, role=role))
            self._put(where[-1].children, draft)
        return (draft.children, max(depth, 1)) if role is not Role.FURNITURE else (where, depth)

    def _text(self, found: Item, label: str, where: list[Draft], role: Role) -> None:
        text, runs = self._words(found)
        if label in ("title", "section_header") and role is Role.BODY:
            draft = Draft(Kind.HEADING, text, role, runs=runs)
            if not draft.empty:
                level = found.get("level")
                known = level if isinstance(level, int) and level >= 1 else 1
                self.headings.append((draft, None if label == "title" else known))
        else:
            box = _BOXES.get(label, "") if text.strip() else ""
            moved = [Run(r.start + len(box), r.end + len(box), r.place) for r in runs]
            draft = Draft(_KINDS.get(label, Kind.PARAGRAPH), box + text, role, runs=moved)
        if draft.kind is Kind.CODE:
            language = str(found.get("code_language") or "").lower()
            draft.language = language if language not in ("", "unknown") else None
        self._float(found, where, draft)

    def _words(self, found: Item) -> tuple[str, list[Run]]:
        """An item's text; that of an item without any is the inline group it begins with."""
        text = self._tree.text(found)
        if not text:
            for ref in references(found)[:1]:
                group = self._tree.find(ref)
                if group is not None and group.get("label") == "inline":
                    line, runs, used = self._tree.inline(group)
                    self._seen |= used | {ref}
                    return line, runs
        return text, self._tree.runs(found, text)

    def _table(self, found: Item, where: list[Draft], role: Role) -> None:
        text, used = self._tree.table(found)
        self._seen |= used
        if found.get("label") == "document_index" and role is Role.BODY:
            role = Role.TOC
        self._float(found, where, Draft(Kind.TABLE, text, role, runs=self._all(found, text)))

    def _picture(self, found: Item, where: list[Draft], role: Role) -> None:
        """The words inside a picture, a line each; apart from them what was said of it."""
        lines: list[str] = []
        runs: list[Run] = []
        words_in: list[Words] = []
        length = 0
        for ref, inner in self._tree.below(found):
            if ref in self._claimed or ref in self._seen or self._role(inner, role) is not role:
                continue
            self._seen.add(ref)
            text = self._tree.table(inner)[0] if ref.startswith("#/tables/") else self._tree.text(inner).strip()
            if text:
                runs += [Run(r.start + length, r.end + length, r.place) for r in self._tree.runs(inner, text)]
                lines.append(text)
                words_in += self._tree.words(inner, text)
                length += len(text) + 1
        said, words = "\n".join(_descriptions(found)), "\n".join(lines)
        draft = Draft(Kind.FIGURE, words, role, runs=self._all(found, words) or runs)
        captions = [self._tree.text(self._tree.find(ref) or {}) for ref in references(found, "captions")]
        read = (
            self._tree.fills_page(found) or reads_as_prose(words_in, _LEGIBLE) or any(map(_READ.match, captions))
        )
        if role is Role.BODY and not draft.empty and not read:
            draft.role = Role.FIGURE
            self._pictures.append((draft, bool(captions)))
            self._put(self.drafts, draft)  # never inside a list, as it leaves its place
            draft = Draft(Kind.FIGURE, "", role)
        if said:
            both = f"{draft.text}\n{said}" if draft.text else said
            draft = Draft(Kind.FIGURE, both, role, runs=self._all(found, both) or draft.runs)
        self._float(found, where, draft)

    def keep_shown_pages(self) -> None:
        """Make pictures without a caption body on pages that hold no other text but headings (slides, scans)."""
        if not self._pictures:
            return
        told: set[int] = set()
        todo = [draft for draft in self.drafts if draft.role not in (Role.FURNITURE, Role.FIGURE)]
        while todo:
            draft = todo.pop()
            todo += draft.children
            if draft.kind is not Kind.HEADING:
                told.update(run.place.page for run in draft.runs)
        for draft, captioned in self._pictures:
            pages = {run.place.page for run in draft.runs}
            if pages and not captioned and not pages & told:
                draft.role = Role.BODY

    def _float(self, found: Item, where: list[Draft], draft: Draft) -> None:
        """Put a block with its captions, above or below it as on the page, and its footnotes."""
        above: list[Draft] = []
        below: list[Draft] = []
        for ref in references(found, "captions"):
            caption = self._bring(ref, Kind.CAPTION, draft.role)
            if caption is not None:
                first = self._is_above(caption, found)
                (above if (draft.kind is Kind.TABLE if first is None else first) else below).append(caption)
        notes = [self._bring(ref, Kind.FOOTNOTE, draft.role) for ref in references(found, "footnotes")]
        for part in (*above, draft, *below, *notes):
            if part is not None:
                self._put(where, part)

    def _bring(self, ref: str, kind: Kind, role: Role) -> Draft | None:
        found = self._tree.find(ref)
        if found is None or ref in self._seen:
            return None
        self._seen.add(ref)
        text, runs = self._words(found)
        return Draft(kind, text, role, runs=runs)

    def _is_above(self, caption: Draft, found: Item) -> bool | None:
        """Whether a caption stands above its float; None where the page does not tell."""
        tops = [(run.place.page, run.place.corners[1]) for run in caption.runs if run.place.corners]
        mine = [(place.page, place.corners[1]) for place in self._tree.places(found) if place.corners]
        return min(tops) < min(mine) if tops and mine else None

    def _all(self, found: Item, text: str) -> list[Run]:
        return whole(text, self._tree.places(found))

    @staticmethod
    def _put(where: list[Draft], draft: Draft) -> None:
        if draft.kind in (Kind.LIST, Kind.LIST_ITEM) or not draft.empty:
            where.append(draft)


def _descriptions(found: Item) -> list[str]:
    """What a model said of a picture."""
    notes = [
        n for n in listing(found.get("annotations")) if isinstance(n, dict) and n.get("kind") == "description"
    ]
    description = mapping(mapping(found.get("meta")).get("description"))
    texts = (str(note.get("text") or "").strip() for note in (*notes, description))
    return [text for text in dict.fromkeys(texts) if text]
