"""Code by its syntax tree (tree-sitter): between definitions, then members, then statements.

What belongs to a definition stays with it: comments and decorators before it, its signature with
the first statement, a docstring with the signature. Where a stretch cannot be parsed, its blank
lines serve; where much cannot, the language is treated as unknown.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from vchunk.adapters.grammars.languages import NAMES, make_parser
from vchunk.domain.document import Kind
from vchunk.domain.grammar_lines import CLOSES, GOES_ON, INNER_BLANK, Line, body_of, glued_to_fences, lines_of
from vchunk.domain.ports import Division, InnerCut, Lost

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_OUTERMOST, _LEAST_MEMBER = 8, 6
_BLANK, _STATEMENT = 5, 4
_MOST_BROKEN = 0.25
"""Share of the lines in which errors may stand."""

_MEMBERS = frozenset(
    {
        "class_body",
        "declaration_list",
        "enum_body",
        "enum_body_declarations",
        "field_declaration_list",
        "interface_body",
        "annotation_type_body",
        "object_type",
    }
)
_STATEMENTS = frozenset(
    {
        "array",
        "array_expression",
        "block",
        "compound_statement",
        "constructor_body",
        "dictionary",
        "enum_variant_list",
        "enumerator_list",
        "initializer_list",
        "list",
        "literal_value",
        "match_block",
        "object",
        "set",
        "statement_block",
        "statement_list",
        "switch_block",
        "switch_body",
    }
)
_VISITED = _STATEMENTS | {"ERROR"}
"""What is looked into even where it stands on one row."""
_DEFINITION = re.compile(
    r"function|method|class|struct|enum|interface|impl_|trait|mod_item|namespace|constructor|record"
)
_WRAPPER = re.compile(r"decorated_|export_|template_")
_ATTACHED = re.compile(r"comment|decorator|attribute_item|access_specifier")
_IMPORT = re.compile(r"import_|future_import|use_declaration|extern_crate|preproc_include|using_declaration")


class TreeSitterGrammar:
    """Divides code in the languages whose wheels are installed; the rest it does not know."""

    def __init__(self) -> None:
        self._parsers: dict[str, Parser | None] = {}

    def divide(self, text: str, kind: Kind, language: str | None) -> Division | None:
        """Where a block of code may be cut, and what each piece of it has lost."""
        name = NAMES.get(language or "")
        if kind is not Kind.CODE or name is None:
            return None
        if name not in self._parsers:
            self._parsers[name] = make_parser(name)
        parser = self._parsers[name]
        if parser is None:
            return None
        start, end = body_of(text)
        code = _Code.of(lines_of(text, start, end))
        root = parser.parse(code.source).root_node
        walk = _Walk(code, root, end)
        walk.run()
        if walk.broken > _MOST_BROKEN * len(code.lines):
            return None
        cuts = tuple(InnerCut(code.lines[row].visible, rank) for row, rank in sorted(walk.ranks.items()))
        return Division(cuts, glued_to_fences(text, start, end), tuple(walk.lost))


@dataclass(frozen=True, slots=True)
class _Code:
    """The lines of a block without the margin that all of them share, and their bytes."""

    lines: list[Line]
    margins: list[int]
    rows: list[bytes]

    @classmethod
    def of(cls, lines: list[Line]) -> _Code:
        """Indentation of a list and marks of a quote are no part of the code."""
        seen = [line for line in lines if not line.blank]
        shared = seen[0].text[: seen[0].margin] if seen else ""
        for line in seen:
            while not line.text.startswith(shared):
                shared = shared[:-1]
        margins = [len(shared) if line.text.startswith(shared) else line.margin for line in lines]
        rows = [line.text[margin:].encode("utf-8", "replace") for line, margin in zip(lines, margins, strict=True)]
        return cls(lines, margins, rows)

    @property
    def source(self) -> bytes:
        """What is parsed."""
        return b"\n".join(self.rows)

    def offset(self, row: int, column: int) -> int:
        """The place in the block of a place in the source."""
        before = self.rows[row][:column].decode("utf-8", "ignore")
        return self.lines[row].start + self.margins[row] + len(before)

    def leads(self, row: int, column: int) -> bool:
        """Whether nothing stands before a place on its line."""
        return not self.rows[row][:column].strip()


class _Walk:
    """One pass over the tree: ``ranks`` by row, ``lost`` by offset, ``broken`` rows."""

    def __init__(self, code: _Code, root: Node, end: int) -> None:
        self._code = code
        self._root = root
        self._end = end
        self.ranks = {row: GOES_ON for row, line in enumerate(code.lines) if CLOSES.match(line.content)}
        self.lost: list[Lost] = []
        self.broken = 0

    def run(self) -> None:
        """Visit bodies and what spans several rows; ``members`` and ``statements`` count bodies around it."""
        todo: list[tuple[Node, int, int]] = [(self._root, 0, 0)]
        while todo:
            node, members, statements = todo.pop()
            if node.type == "ERROR":
                self._take_broken(node)
                continue
            children = node.named_children
            if node.parent is None or self._holds_members(node):
                self._rank(node, children, members, statements)
                members += 1
            elif node.type in _STATEMENTS and not any(child.type == "statement_list" for child in children):
                statements += 1
                self._rank(node, children, members, statements)
            self._sign(node)
            todo += [
                (child, members, statements)
                for child in children
                if _last_row(child) > child.start_point.row or child.type in _VISITED
            ]
        if self._root.type == "ERROR":
            self.broken = len(self._code.lines)

    def _holds_members(self, node: Node) -> bool:
        if node.type in _MEMBERS:
            return True
        return node.type == "block" and node.parent is not None and node.parent.type == "class_definition"

    def _take_broken(self, node: Node) -> None:
        rows = range(node.start_point.row, _last_row(node) + 1)
        self.broken += len(rows)
        for before, row in pairwise(rows):
            if self._code.lines[before].blank and not self._code.lines[row].blank:
                self.ranks.setdefault(row, INNER_BLANK)

    def _rank(self, node: Node, children: list[Node], members: int, statements: int) -> None:
        """Rank the places between the children of a body, and note the imports of a file."""
        first = node.parent is not None
        before: Node | None = None
        for group in _groups(children):
            start, item = group[0], group[-1]
            row = start.start_point.row
            if self._code.leads(row, start.start_point.column):
                if first:
                    self.ranks[row] = GOES_ON
                elif before is not None:
                    self.ranks[row] = self._rank_between(before, item, row, members, statements)
            self._hold(row, item.start_point.row)
            first, before = False, item
        if node.parent is None:
            self._note_imports(children)

    def _hold(self, first: int, last: int) -> None:
        """No piece begins behind row ``first`` up to row ``last`` unless nothing else helps."""
        for row in range(first + 1, last + 1):
            self.ranks[row] = GOES_ON

    def _rank_between(self, before: Node, item: Node, row: int, members: int, statements: int) -> int:
        blank = self._code.lines[row - 1].blank
        turns = bool(_IMPORT.match(before.type)) != bool(_IMPORT.match(item.type))
        border = turns or any(_last_row(x) > x.start_point.row for x in (before, item))
        if statements:
            best = _BLANK if border or blank else _STATEMENT
            return max(best - 2 * (statements - 1), 1)
        if border:
            return max(_OUTERMOST - members, _LEAST_MEMBER)
        return max((_BLANK if blank else _STATEMENT) - members, 2)

    def _sign(self, node: Node) -> None:
        """What pieces of a definition's body have lost: its first line or lines."""
        body = node.child_by_field_name("body")
        if body is None or not _DEFINITION.search(node.type) or _last_row(body) <= node.start_point.row:
            return
        code = self._code
        line = code.lines[node.start_point.row]
        outer = node
        while outer.parent is not None and _WRAPPER.match(outer.parent.type):
            outer = outer.parent
        self._hold(outer.start_point.row, body.start_point.row)
        inner = code.offset(body.start_point.row, body.start_point.column)
        opened = code.rows[body.start_point.row][body.start_point.column :].startswith(b"{")
        end = self._trimmed(line.start, inner + 1 if opened else inner)
        last = code.offset(node.end_point.row, node.end_point.column)
        self.lost.append(Lost("signature", line.start, end, end, last))

    def _trimmed(self, start: int, end: int) -> int:
        """An end without the white space, and the marks of a quote, before it."""
        row = bisect.bisect_left(self._code.lines, end, key=lambda line: line.start) - 1
        while row >= 0 and self._code.lines[row].start >= start:
            line = self._code.lines[row]
            content = line.text[: end - line.start]
            if content[line.margin :].strip():
                return line.start + len(content.rstrip())
            row -= 1
        return end

    def _note_imports(self, children: list[Node]) -> None:
        """Each run of imports is lost to all that comes after it."""
        run: list[Node] = []
        for child in [*children, None]:
            if child is not None and _IMPORT.match(child.type):
                run.append(child)
            elif run and (child is None or not _ATTACHED.search(child.type)):
                last = run[-1]
                start = self._code.lines[run[0].start_point.row].start
                row = _last_row(last)
                column = last.end_point.column if row == last.end_point.row else len(self._code.rows[row])
                end = self._trimmed(start, self._code.offset(row, column))
                self.lost.append(Lost("imports", start, end, end, self._end))
                run = []


def _groups(children: list[Node]) -> list[list[Node]]:
    """Children with the comments and decorators directly before them."""
    groups: list[list[Node]] = []
    held: list[Node] = []
    for child in children:
        row = child.start_point.row
        if held and _last_row(held[-1]) + 1 < row:
            groups.append(held)
            held = []
        if groups and not held and row == _last_row(groups[-1][-1]) and _ATTACHED.search(child.type):
            continue  # a comment at the end of a line
        held.append(child)
        if not _ATTACHED.search(child.type):
            groups.append(held)
            held = []
    return [*groups, held] if held else groups


def _last_row(node: Node) -> int:
    """The last row that a node has text on."""
    start, end = node.start_point.row, node.end_point
    return end.row - 1 if end.column == 0 and end.row > start else end.row
