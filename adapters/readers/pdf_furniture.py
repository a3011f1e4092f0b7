"""Furniture: running heads and feet and page numbers, known by repeating on several pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from vchunk.adapters.readers.pdf_lines import Line, lines_of
from vchunk.adapters.readers.pdf_runs import Run

_EDGE_LINES = 3
_SAME_PLACE = 6.0  # points
_INNER_SHARE = 0.25
_SAME_TYPE = 1.5  # points
_MARGIN = 0.2
_PAGE_NUMBER = regex.compile(
    r"(?:page|p\.|seite|página)?\s*[-–—(\[|]?\s*(\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})\s*[-–—)\]|]?"
    r"(?:\s*(?:of|/|von|de)\s*\d{1,4})?",
    regex.IGNORECASE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Edge:
    page: int
    line: Line
    top: bool
    depth: int
    key: str


def split_furniture(
    pages: Sequence[Sequence[Run]], heights: Sequence[float]
) -> list[tuple[list[Line], list[Run], list[Line]]]:
    """For each page: the lines of its head, the runs of its body, the lines of its foot.

    ``heights`` are those of the pages. Heads and feet stand in the outer fifths of a page; a page
    number, known by counting on, may stand anywhere below or above all else.
    """
    rows = [lines_of(runs) if runs else [] for runs in pages]
    edges = [
        edge
        for number, (lines, height) in enumerate(zip(rows, heights, strict=True))
        for edge in _edges(number, lines)
        if edge.key == "#"
        or (edge.line.base < _MARGIN * height if edge.top else edge.line.base > (1 - _MARGIN) * height)
    ]
    repeated = _repeated(edges, len(pages))
    return [
        _split(runs, lines, {id(edge.line) for edge in edges if edge.page == number and id(edge) in repeated})
        for number, (runs, lines) in enumerate(zip(pages, rows, strict=True))
    ]


def _split(
    runs: Sequence[Run], lines: list[Line], furniture: set[int]
) -> tuple[list[Line], list[Run], list[Line]]:
    top = _reach(lines, furniture)
    bottom = len(lines) - _reach(lines[top:][::-1], furniture)
    taken = {id(run) for line in lines[:top] + lines[bottom:] for run in line.runs}
    return lines[:top], [run for run in runs if id(run) not in taken], lines[bottom:]


def _reach(lines: Sequence[Line], furniture: set[int]) -> int:
    """How many lines, counted from the edge of the page, are furniture.

    They follow one another, an inner one stands nearer to the outer one than to the body, and the
    last stands apart from the body or differs from it in type: a body may repeat, too.
    """
    count = 0
    for i, line in enumerate(lines):
        if id(line) not in furniture:
            break
        inner = lines[i + 1] if i + 1 < len(lines) else None
        step = abs(inner.base - line.base) if inner else float("inf")
        if i and abs(line.base - lines[i - 1].base) > step:
            break
        if inner is None:
            apart = i == 0
        else:
            apart = step > 1.5 * max(line.size, inner.size) or abs(line.size - inner.size) > 0.05 * inner.size
            apart = apart or (line.bold, line.italic) != (inner.bold, inner.italic)
        if apart or _PAGE_NUMBER.fullmatch(line.text.strip()):
            count = i + 1
    return count


def _edges(page: int, lines: list[Line]) -> list[_Edge]:
    """The outermost lines of a page with what is the same on every page that repeats them."""
    found = []
    for depth, line in enumerate(lines[:_EDGE_LINES]):
        found.append(_Edge(page, line, True, depth, _key(line.text)))
    for depth, line in enumerate(lines[::-1][:_EDGE_LINES]):
        found.append(_Edge(page, line, False, depth, _key(line.text)))
    return found


def _key(text: str) -> str:
    if _PAGE_NUMBER.fullmatch(text.strip()):
        return "#"
    text = regex.sub(r"^[ivxlc]{1,6}(?=\s)|(?<=\s)[ivxlc]{1,6}$", "#", text.strip())
    return " ".join(regex.sub(r"\d+", "#", text).casefold().split())


def _repeated(edges: list[_Edge], pages: int) -> set[int]:
    """The ids of the edges that are furniture."""
    groups: dict[tuple[str, bool], list[_Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.key, edge.top].append(edge)
    found: set[int] = set()
    for (key, _), group in groups.items():
        if not regex.search(r"[\p{L}#]", key):
            continue
        for edge in group:
            alike = {e.page for e in group if abs(e.line.base - edge.line.base) <= _SAME_PLACE}
            if _enough(edge, alike, pages) or _counts_pages(edge, group):
                found.add(id(edge))
    return found | _set_alike(edges, found)


def _set_alike(edges: list[_Edge], found: set[int]) -> set[int]:
    """Outermost lines with a number at one end, set as furniture of two other pages is, in its place."""
    known = [edge for edge in edges if id(edge) in found and edge.depth == 0 and edge.key != "#"]
    alike: set[int] = set()
    for edge in edges:
        if id(edge) in found or edge.depth or "#" not in (edge.key[:1], edge.key[-1:]) or edge.key == "#":
            continue
        if len({other.page for other in known if _same_type(edge, other)} - {edge.page}) >= 2:
            alike.add(id(edge))
    return alike


def _same_type(a: _Edge, b: _Edge) -> bool:
    one, other = a.line, b.line
    beside = min(abs(one.x0 - other.x0), abs(one.x1 - other.x1)) < _SAME_TYPE
    level = abs(one.base - other.base) < _SAME_TYPE and abs(one.size - other.size) < 0.2
    return a.top == b.top and beside and level


def _enough(edge: _Edge, alike: set[int], pages: int) -> bool:
    """A line at the same place on three pages, on two where there are few; inner lines oftener."""
    least = 2 if pages <= 4 else 3
    if edge.depth:
        least = max(least, round(_INNER_SHARE * pages))
    return len(alike) >= least


def _counts_pages(edge: _Edge, group: list[_Edge]) -> bool:
    """Whether a number in the line counts on with the pages, wherever it stands."""
    if "#" not in edge.key or edge.depth > (0 if edge.key != "#" else 1):
        return False
    mine = {value - edge.page for value in _numbers(edge)}
    others = [{value - e.page for value in _numbers(e)} for e in group if e.page != edge.page]
    return any(mine & other for other in others)


def _numbers(edge: _Edge) -> set[int]:
    text = edge.line.text.strip()
    if edge.key == "#" and (match := _PAGE_NUMBER.fullmatch(text)) and match[1].isalpha():
        return {_roman(match[1].lower())}
    words = text.split()
    ends = [words[0], words[-1]] if words and edge.key != "#" else words
    return {int(word) for word in ends if word.isascii() and word.isdigit()}


def _roman(letters: str) -> int:
    values = [_ROMAN[letter] for letter in letters]
    return sum(-v if any(v < w for w in values[i + 1 :]) else v for i, v in enumerate(values))
