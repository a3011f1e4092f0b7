"""From the tree of an HTML text to drafts of blocks: one walk, in the order of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vchunk.adapters.readers.html_inline import InlineText, formula
from vchunk.adapters.readers.html_roles import UNSEEN, Attributes, PageRoles, is_hidden, is_note
from vchunk.adapters.readers.html_tables import Grid, data_tables, spans
from vchunk.adapters.readers.html_tree import walk
from vchunk.adapters.readers.parsed import DEEPEST, Draft
from vchunk.domain.document import Kind, Role

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    [
        *_HEADINGS, "address", "article", "aside", "blockquote", "body", "button", "caption", "center", "dd",
        "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
        "header", "hgroup", "hr",
        "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "search", "section",
        "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]
)  # fmt: skip
_LISTS = frozenset(["ul", "ol", "menu", "dir", "dl"])
_LEAVES = {**dict.fromkeys(_HEADINGS, Kind.HEADING), "figcaption": Kind.CAPTION, "caption": Kind.CAPTION}
_PERMALINK = frozenset(["¶", "#", "§", "🔗", "∞", "\uf0c1"])
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?|highlight-source|highlight|brush:|sourceCode|src)[-_: ]\s*([\w+#.-]+)",
    re.IGNORECASE,
)
_NO_LANGUAGE = frozenset(["none", "default", "plaintext", "notranslate", "highlight", "text"])


def drafts_of(page: LexborHTMLParser) -> list[Draft]:
    """The blocks of a page."""
    flow = _Flow(page)
    if page.root is not None:
        walk(page.root, flow.enter, flow.leave)
    flow.flush()
    return flow.drafts


@dataclass(slots=True)
class _Container:
    """A list, item, quote or note that is open; ``number`` is the next of an ordered list."""

    draft: Draft
    tag: str
    number: int | None = None
    defined: bool = False


@dataclass(slots=True)
class _Entered:
    """What an element changed, to be undone behind it."""

    block: bool = False
    role: bool = False
    leaf: bool = False
    code: bool = False
    table: bool = False
    open: int | None = None
    mark: int | None = None


@dataclass(slots=True)
class _Table:
    """A data table being read; inside a cell the spans of it, and how many tables lie in it."""

    grid: Grid
    depth: int = 0
    across: int = 1
    down: int = 1


class _Flow:
    """Gathers text until a block begins or ends; containers are drafts that get children."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self.drafts: list[Draft] = []
        self._roles = PageRoles(page)
        self._data = data_tables(page.root) if page.root is not None else set()
        self._text = InlineText()
        self._open: list[_Container] = []
        self._kind = Kind.PARAGRAPH
        self._level: int | None = None
        self._code: list[str] | None = None
        self._language: str | None = None
        self._table: _Table | None = None
        self._entered: list[_Entered] = []

    # Text.

    def flush(self) -> None:
        """End the block that is being gathered."""
        pictured = self._text.pictured and not self._text.spoken
        text = self._text.take()
        if text:
            kind = Kind.FIGURE if pictured and self._kind is Kind.PARAGRAPH else self._kind
            if kind is Kind.HEADING and self._roles.role is Role.FURNITURE:
                kind, self._level = Kind.PARAGRAPH, None  # it heads no section of the document
            self._put(Draft(kind, text, self._roles.role, self._level))

    def _put(self, draft: Draft) -> None:
        (self._open[-1].draft.children if self._open else self.drafts).append(draft)

    def _break(self) -> None:
        """A block begins or ends here; inside titles and cells that is a space."""
        if self._table is not None or self._kind is not Kind.PARAGRAPH:
            self._text.add(" ")
        else:
            self.flush()

    # Nodes.

    def enter(self, node: LexborNode) -> bool:
        """A node begins; whether to look inside."""
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
            return False
        if tag == "br":
            self._end_line()
            return False
        if tag.startswith("-") or tag in UNSEEN:
            return tag == "-document" or self._tex(node, tag)
        attributes: Attributes = node.attributes
        if is_hidden(tag, attributes):
            return False
        if tag == "img":
            if self._code is None:
                self._text.picture(attributes.get("alt") or "")
            return False
        if tag == "math":
            self._math(node, attributes)
            return False
        if tag == "button" and self._kind is Kind.PARAGRAPH:
            return False
        if tag == "a" and self._kind is Kind.HEADING and node.text(deep=True).strip() in _PERMALINK:
            return False
        self._entered.append(self._element(node, tag, attributes))
        return True

    def _element(self, node: LexborNode, tag: str, attributes: Attributes) -> _Entered:
        entered = _Entered(block=tag in _BLOCKS)
        if self._code is not None:
            self._language = self._language or _language(attributes)
            entered.block = False
            return entered
        if entered.block:
            self._break()
        if tag in ("sup", "sub"):
            entered.mark = self._text.mark()
        elif self._table is not None:
            self._in_table(self._table, node, tag)
        elif self._kind is Kind.PARAGRAPH:
            entered.role = self._roles.enter(tag, attributes, node.mem_id)
            self._begin(node, tag, attributes, entered)
        return entered

    def leave(self, node: LexborNode) -> None:
        """An element ends."""
        tag = node.tag or ""
        if tag.startswith("-"):
            return
        entered = self._entered.pop()
        if entered.mark is not None:
            self._text.shift(entered.mark, raised=tag == "sup")
        if entered.table:
            self._end_table()
        elif self._table is not None and self._code is None:
            self._out_of_cell(self._table, tag)
        if entered.code:
            self._end_code()
        elif entered.leaf:
            self.flush()
            self._kind, self._level = Kind.PARAGRAPH, None
        elif entered.block:
            self._break()
        if entered.open is not None:
            del self._open[entered.open :]
        if entered.role:
            self._roles.leave(tag)

    # Blocks.

    def _begin(self, node: LexborNode, tag: str, attributes: Attributes, entered: _Entered) -> None:
        """An element that is or holds a block, outside titles, code and data tables."""
        if tag in _LEAVES:
            self._kind, self._level = _LEAVES[tag], _HEADINGS.get(tag)
            entered.leaf = True
        elif tag == "pre":
            self._code, self._language = [], _language(attributes) or _language_around(node)
            entered.code = True
        elif tag == "table" and node.mem_id in self._data:
            self._table = _Table(Grid())
            entered.table = True
        elif tag in _LISTS and len(self._open) < DEEPEST:
            entered.open = len(self._open)
            self._open_list(tag, attributes)
        elif tag == "li" and self._open and self._open[-1].tag in _LISTS:
            entered.open = len(self._open)
            self._open_item(self._mark(self._open[-1], attributes))
        elif tag in ("dt", "dd"):
            self._defining(tag)
        elif (tag == "blockquote" or is_note(attributes)) and len(self._open) < DEEPEST:
            kind = Kind.QUOTE if tag == "blockquote" else Kind.FOOTNOTE
            if not any(container.draft.kind is kind for container in self._open):
                entered.open = len(self._open)
                self._push(_Container(Draft(kind, role=self._roles.role), tag))

    def _push(self, container: _Container) -> None:
        self._put(container.draft)
        self._open.append(container)

    def _open_list(self, tag: str, attributes: Attributes) -> None:
        if self._open and self._open[-1].tag in _LISTS and self._open[-1].draft.children:
            # A list between the items of another belongs to the item before it.
            self._open.append(_Container(self._open[-1].draft.children[-1], "li"))
        start = attributes.get("start") or ""
        first = int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1
        self._push(_Container(Draft(Kind.LIST, role=self._roles.role), tag, first if tag == "ol" else None))

    def _open_item(self, mark: str) -> None:
        level = 1 + sum(container.draft.kind is Kind.LIST_ITEM for container in self._open)
        self._push(_Container(Draft(Kind.LIST_ITEM, mark, self._roles.role, level), "li"))

    def _mark(self, container: _Container, attributes: Attributes) -> str:
        """The mark of the next item of a list."""
        if container.number is None:
            return "-"
        value = attributes.get("value") or ""
        number = int(value) if re.fullmatch(r"-?\d{1,9}", value) else container.number
        container.number = number + 1
        return f"{number}."

    def _defining(self, tag: str) -> None:
        """A term begins an item, unless it stands beside the term before; definitions go on with it."""
        if len(self._open) > 1 and self._open[-2].tag == "dl" and tag == "dt" and self._open[-1].defined:
            self._open.pop()
        if self._open and self._open[-1].tag == "dl":
            self._open_item("-")
        if self._open and tag == "dd":
            self._open[-1].defined = True

    def _say(self, text: str) -> None:
        if self._code is not None:
            self._code.append(text)
        else:
            self._text.add(text)

    def _end_line(self) -> None:
        if self._code is not None:
            self._code.append("\n")
        elif self._table is not None or self._kind is not Kind.PARAGRAPH:
            self._text.add(" ")
        else:
            self._text.break_line()

    def _end_code(self) -> None:
        text = "".join(self._code or ()).replace("\r\n", "\n").replace("\r", "\n")
        language = self._language
        self._code = self._language = None
        self._put(Draft(Kind.CODE, text, self._roles.role, language=language))

    # Formulas.

    def _tex(self, node: LexborNode, tag: str) -> bool:
        """Take TeX out of a script that holds it; what a script holds is never looked into."""
        kind = (node.attributes.get("type") or "") if tag == "script" else ""
        if kind.startswith("math/tex"):
            self._formula(formula(node.text(deep=True)), display="display" in kind)
        return False

    def _math(self, node: LexborNode, attributes: Attributes) -> None:
        source = node.css_first('annotation[encoding*="tex" i]')
        if source is not None:
            self._formula(formula(source.text(deep=True)), display=attributes.get("display") == "block")
        else:
            self._say(" ".join(node.text(deep=True, separator=" ").split()))

    def _formula(self, tex: str, display: bool) -> None:
        if tex and display and self._table is None and self._kind is Kind.PARAGRAPH and self._code is None:
            self.flush()
            self._put(Draft(Kind.FORMULA, f"$${tex}$$", self._roles.role))
        elif tex:
            self._say(f"${tex}$")

    # Data tables.

    def _in_table(self, table: _Table, node: LexborNode, tag: str) -> None:
        if tag == "table":
            table.depth += 1
        elif table.depth:
            if tag == "tr":
                self._text.separate(";")
            elif tag in ("td", "th"):
                self._text.separate(",")
        elif tag == "li":
            self._text.separate(";")
        elif tag == "tr":
            table.grid.row()
        elif tag in ("td", "th", "caption"):
            self._text.take()
            table.across, table.down = spans(node)

    def _out_of_cell(self, table: _Table, tag: str) -> None:
        if tag == "table":
            table.depth -= 1
        elif not table.depth and tag in ("td", "th"):
            table.grid.cell(self._text.take(), table.across, table.down, header=tag == "th")
        elif not table.depth and tag == "caption":
            self._put(Draft(Kind.CAPTION, self._text.take(), self._roles.role))

    def _end_table(self) -> None:
        table, self._table = self._table, None
        self._text.take()
        if table is not None:
            self._put(Draft(Kind.TABLE, table.grid.text(), self._roles.role))


def _language(attributes: Attributes) -> str | None:
    """The language of code, by the class names that highlighters use."""
    named = attributes.get("data-lang") or attributes.get("data-language")
    if not named:
        match = _LANGUAGE.search(attributes.get("class") or "")
        named = match[1] if match else ""
    return named.lower() if named and named.lower() not in _NO_LANGUAGE else None


def _language_around(node: LexborNode) -> str | None:
    """The language that what stands around code names: highlighters wrap it once or twice."""
    for _ in range(2):
        parent = node.parent
        if parent is None or parent.tag not in ("div", "figure"):
            return None
        if (found := _language(parent.attributes)) is not None:
            return found
        node = parent
    return None
