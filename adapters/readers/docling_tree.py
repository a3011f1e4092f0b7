"""The tree of a docling document: items by reference, their text, places and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vchunk.adapters.readers.figure_words import Words
from vchunk.adapters.readers.parsed import Place, Run, one_line, whole
from vchunk.adapters.readers.parsed_tables import Cell, grid_text

LISTS = (
    "texts", "pictures", "tables", "groups", "key_value_items", "form_items", "field_regions", "field_items",
)  # fmt: skip
"""Where the items of a document stand."""

Item = Mapping[str, Any]

_WHOLE_PAGE = 0.8
_EM_AREA = 0.6  # square ems a letter takes: half an em wide, 1.2 of them high
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*")
_CLOSING = tuple(",.;:!?)]}»”’%…、。，；：！？）」』】")
_OPENING = tuple("([{«“‘（「『【")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


class Tree:
    """Looks up the items of a document and reads them."""

    def __init__(self, data: Item) -> None:
        self._lists = {name: [x for x in listing(data.get(name)) if isinstance(x, dict)] for name in LISTS}
        self._heights = dict(_sides(data.get("pages"), "height"))
        self._widths = dict(_sides(data.get("pages"), "width"))

    def refs(self) -> Iterator[str]:
        """The references of all items, list by list."""
        for name, items in self._lists.items():
            yield from (f"#/{name}/{i}" for i in range(len(items)))

    def find(self, ref: str) -> Item | None:
        """The item of a reference such as ``#/texts/3``."""
        match = re.fullmatch(r"#/(\w+)/(\d{1,9})", ref)
        items = self._lists.get(match[1], []) if match else []
        return items[int(match[2])] if match and int(match[2]) < len(items) else None

    def places(self, item: Item) -> list[Place]:
        """Where an item stands, one place for each entry of ``prov``."""
        return [place for prov in listing(item.get("prov")) if (place := self._place(prov)) is not None]

    def _place(self, prov: object) -> Place | None:
        if not isinstance(prov, dict) or not isinstance(prov.get("page_no"), int) or prov["page_no"] < 1:
            return None
        page = prov["page_no"]
        box = mapping(prov.get("bbox"))
        corners = [float(c) for c in map(box.get, "ltrb") if isinstance(c, int | float) and math.isfinite(c)]
        if len(corners) < 4:
            return Place(page)
        left, top, right, bottom = corners
        if str(box.get("coord_origin")).upper() == "BOTTOMLEFT":
            if page not in self._heights:
                return Place(page)  # without its height nothing is known of the page's top
            top, bottom = self._heights[page] - top, self._heights[page] - bottom
        return Place(page, (min(left, right), min(top, bottom), max(left, right), max(top, bottom)))

    def fills_page(self, item: Item) -> bool:
        """Whether an item covers nearly all of its page: a slide, a scan."""
        for place in self.places(item):
            width, height = self._widths.get(place.page), self._heights.get(place.page)
            if place.corners is not None and width and height:
                x0, y0, x1, y1 = place.corners
                if x1 - x0 >= _WHOLE_PAGE * width and y1 - y0 >= _WHOLE_PAGE * height:
                    return True
        return False

    def words(self, item: Item, text: str) -> Iterator[Words]:
        """The text of an item as words at its place; the size is what lets so many letters fill its box."""
        for place in self.places(item)[:1]:
            if place.corners is not None:
                x0, y0, x1, y1 = place.corners
                size = math.sqrt((x1 - x0) * (y1 - y0) / (_EM_AREA * len(text)))
                yield Words(x0, y0, size, len(text.split()))

    def runs(self, item: Item, text: str) -> list[Run]:
        """Which part of an item's text stands where.

        Several entries of ``prov`` say with ``charspan`` which part is theirs; where they do not rise,
        all of the text stands at each place.
        """
        provs = [prov for prov in listing(item.get("prov")) if self._place(prov) is not None]
        places = self.places(item)
        starts = [_first(prov.get("charspan")) for prov in provs]
        rising = [s for s in starts if s is not None]
        if len(places) < 2 or len(rising) < len(starts) or rising[0] != 0 or rising != sorted(set(rising)):
            return whole(text, places)
        ends = [*rising[1:], len(text)]
        return [Run(s, e, place) for s, e, place in zip(rising, ends, places, strict=True) if s < len(text)]

    def text(self, item: Item) -> str:
        """What an item says by itself."""
        for name in ("text", "orig"):
            value = item.get(name)
            if isinstance(value, str) and value.strip():
                return value
        return ""

    def inline(self, group: Item) -> tuple[str, list[Run], set[str]]:
        """The line that an inline group makes, its runs, and the references of what it holds.

        Code stands between backticks and formulas between dollars; runs are joined by a space where
        writing asks for one.
        """
        line, runs, used = "", [], set()
        for ref, item in self.below(group):
            used.add(ref)
            text = self.text(item)
            piece = one_line(text)
            if not piece:
                continue
            if item.get("label") == "code":
                fence = "``" if "`" in piece else "`"
                piece = f"{fence}{piece}{fence}"
            elif item.get("label") == "formula":
                piece = f"${piece}$"
            if line and _parted(line, piece, text):
                line += " "
            runs += [Run(r.start + len(line), r.end + len(line), r.place) for r in self.runs(item, piece)]
            line += piece
        return line, runs, used

    def below(self, item: Item) -> Iterator[tuple[str, Item]]:
        """All items below one, in reading order, with their references."""
        todo = references(item)[::-1]
        seen: set[str] = set()
        while todo:
            ref = todo.pop()
            found = self.find(ref)
            if found is None or ref in seen:
                continue
            seen.add(ref)
            yield ref, found
            todo += references(found)[::-1]

    def table(self, item: Item) -> tuple[str, set[str]]:
        """The rows of a table, and the references of what its cells hold.

        Raises
        ------
        ValueError
            If its grid is beyond all measure.
        """
        data = mapping(item.get("data"))
        raw = listing(data.get("table_cells"))
        if not raw:
            raw = [cell for row in listing(data.get("grid")) for cell in listing(row)]
        index = item.get("label") == "document_index"
        used: set[str] = set()
        cells = []
        for cell in raw:
            if not isinstance(cell, dict):
                continue
            text = str(cell.get("text") or "")
            if isinstance(cell.get("ref"), dict):
                ref = str(cell["ref"].get("$ref"))
                rich, below = self._flat(ref)
                used |= below
                text = rich or text
            top, left = _int(cell.get("start_row_offset_idx")), _int(cell.get("start_col_offset_idx"))
            cells.append(
                Cell(
                    _LEADERS.sub(" ", text).strip(" .·…") if index else text,
                    top,
                    left,
                    _int(cell.get("end_row_offset_idx"), top + 1),
                    _int(cell.get("end_col_offset_idx"), left + 1),
                    bool(cell.get("column_header")),
                )
            )
        rows = _int(data.get("num_rows")) or max((c.bottom for c in cells), default=0)
        columns = _int(data.get("num_cols")) or max((c.right for c in cells), default=0)
        return grid_text(cells, rows, columns), used

    def _flat(self, ref: str) -> tuple[str, set[str]]:
        """All that stands at and below a reference, in one line."""
        found = self.find(ref)
        if found is None:
            return "", set()
        line, _, used = self.inline({"children": [{"$ref": ref}]})
        tables = [item for r, item in self.below({"children": [{"$ref": ref}]}) if r.startswith("#/tables/")]
        cells = [
            one_line(str(mapping(cell).get("text") or ""))
            for table in tables
            for cell in listing(mapping(table.get("data")).get("table_cells"))
        ]
        return " ".join(filter(None, [line, *cells])), used


def references(item: Item, name: str = "children") -> list[str]:
    """The references that an item lists under a name."""
    return [str(r["$ref"]) for r in listing(item.get(name)) if isinstance(r, dict) and "$ref" in r]


def graph_text(item: Item) -> str:
    """The cells of a key-value item or a form: ``key: value`` a line.

    Cells that name an item of the document are left to that item.
    """
    graph = mapping(item.get("graph"))
    cells = {
        cell.get("cell_id"): one_line(str(cell.get("text") or cell.get("orig") or ""))
        for cell in listing(graph.get("cells"))
        if isinstance(cell, dict) and not cell.get("item_ref")
    }
    values: dict[Any, list[Any]] = {}
    for link in listing(graph.get("links")):
        if isinstance(link, dict):
            ends = (link.get("source_cell_id"), link.get("target_cell_id"))
            key, value = ends if link.get("label") == "to_value" else ends[::-1]
            if link.get("label") in ("to_value", "to_key") and value in cells and value != key:
                values.setdefault(key, []).append(value)
    taken = {value for key, found in values.items() if cells.get(key) for value in found}
    lines = []
    for cell, text in cells.items():
        if cell not in taken and text:
            found = ", ".join(dict.fromkeys(cells[v] for v in values.get(cell, ()) if cells[v]))
            lines.append(f"{text.rstrip(':')}: {found}" if found else text)
    return "\n".join(lines)


def _parted(line: str, piece: str, text: str) -> bool:
    """Whether a space stands between a line and the run that goes on with it."""
    if text[:1].isspace():
        return True
    if piece.startswith(_CLOSING) or line.endswith(_OPENING):
        return False
    return not (_CJK.match(line[-1]) and _CJK.match(piece[0]))


def _sides(pages: object, side: str) -> Iterator[tuple[int, float]]:
    """The heights or widths of pages, in points, with their numbers."""
    for page in pages.values() if isinstance(pages, dict) else listing(pages):
        number, length = mapping(page).get("page_no"), mapping(mapping(page).get("size")).get(side)
        if isinstance(number, int) and isinstance(length, int | float) and math.isfinite(length):
            yield number, float(length)


def mapping(value: object) -> Item:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def _int(value: object, default: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _first(charspan: object) -> int | None:
    return charspan[0] if isinstance(charspan, list) and charspan and isinstance(charspan[0], int) else None
