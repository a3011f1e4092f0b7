"""What chunks have lost by their cuts, and what an embedder gets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from materials import material_of
from strategies import documents
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.document import Document, Kind
from vchunk.domain.granularity import Granularity
from vchunk.domain.ports import Division, Lost
from vchunk.wiring import make_grammar, make_hasher


def chunks_of(document: Document | str, maximum: int, **more: Any) -> list[Chunk]:
    wanted = Granularity(method="structure", max_tokens=maximum, skip=())
    return list(chunk(material_of(document, **more), wanted, make_hasher()).chunks)


def columns(text: str) -> list[int]:
    """How many columns each table of a text has."""
    found = MarkdownIt("commonmark").enable("table").parse(text)
    return [
        sum(token.type == "th_open" for token in found[i : found.index(token, i) + 40])
        for i, token in enumerate(found)
        if token.type == "table_open"
    ]


TABLE = "| name | size |\n|:--|--:|\n" + "\n".join(f"| row {n} | {n} |" for n in range(20))
HEADER = "| name | size |\n|:--|--:|"


@pytest.mark.parametrize("maximum", [40, 60])
@pytest.mark.parametrize("before", ["", "# Title\n\n", "# Title\n\nTable 1: All rows.\n\n"])
def test_every_piece_of_a_table_is_a_table_for_an_embedder(before: str, maximum: int) -> None:
    found = [c for c in chunks_of(before + TABLE, maximum) if "| row" in c.text]
    assert len(found) > 2
    for piece in found:
        assert columns(piece.embed_text) == [2]
    for piece in found[1:]:
        kinds = ["caption", "table_header"] if "Table 1" in before else ["table_header"]
        assert [c.kind for c in piece.context] == kinds
        assert piece.context[-1].text == HEADER
        assert HEADER not in piece.text
        assert piece.method == "rows"
        assert all(line.startswith("| row") and line.endswith(" |") for line in piece.text.split("\n"))
    assert found[0].context == ()


def test_a_header_over_half_of_the_maximum_is_not_repeated() -> None:
    # The header has 14 tokens, a row 6.
    assert all(c.context == () for c in chunks_of(TABLE, 27))
    assert any(c.context for c in chunks_of(TABLE, 28))
    assert all(c.tokens <= 27 for c in chunks_of(TABLE, 27))


def test_no_header_ends_a_chunk_while_a_row_fits_with_it() -> None:
    for maximum in range(21, 60):
        for found in chunks_of(f"One two three. Four.\n\n{TABLE}", maximum):
            assert not found.text.endswith("|:--|--:|")
            assert not found.text.endswith("| name | size |")


def test_an_html_table_in_markdown() -> None:
    rows = "".join(f"<tr><td>row</td>\n<td>{n}</td></tr>" for n in range(9))
    text = f"<table>\n<tr><th>a</th><th>b</th></tr>\n{rows}\n</table>"
    found = chunks_of(text, 110)
    assert len(found) > 1
    for piece in found[1:]:
        assert piece.text.startswith("<tr><td>")
        assert piece.method == "rows"
        assert [c.text for c in piece.context] == ["<table>\n<tr><th>a</th><th>b</th></tr>"]
    assert all(piece.text.endswith(("</tr>", "</table>")) for piece in found)


def test_code_knows_its_language_its_class_and_its_imports() -> None:
    pytest.importorskip("tree_sitter")
    methods = "".join(f"    def m{n}(self):\n        return {n} + {n}\n\n" for n in range(6))
    text = f"# Code\n\nText.\n\n```python\nimport os\n\n\nclass A:\n    '''Doc.'''\n\n{methods}```\n\nEnd."
    found = chunks_of(text, 36, grammar=make_grammar())
    pieces = [c for c in found if c.method == "code"]
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.language == "python"
        assert piece.text.startswith(("class A", "    def m"))
        if piece.text.startswith("    def"):
            assert [(c.kind, c.text) for c in piece.context] == [
                ("imports", "import os"),
                ("signature", "class A:"),
            ]
            assert piece.embed_text == f"Code\n\nimport os\nclass A:\n{piece.text}"
    assert found[-1].language is None


class Loses:
    """A grammar by which each piece but the first has lost three stretches of 2, 3 and 4 tokens."""

    def divide(self, text: str, kind: Kind, language: str | None) -> Division:  # noqa: ARG002
        end = len(text)
        return Division(
            lost=(
                Lost("imports", 4, 7, 8, end),
                Lost("signature", 8, 13, 14, end),
                Lost("signature", 14, 21, 22, end),
            )
        )


CODE = "```\na b\nc d e\nf g h i\n" + "j k l m\n" * 30 + "```"


@pytest.mark.parametrize(
    ("maximum", "expected"),
    [
        (18, ["a b", "c d e", "f g h i"]),
        (14, ["c d e", "f g h i"]),
        (12, ["a b", "f g h i"]),
        (8, ["f g h i"]),
        (6, ["c d e"]),
    ],
)
def test_context_takes_half_of_the_maximum_the_nearest_first(maximum: int, expected: list[str]) -> None:
    last = chunks_of(CODE, maximum, grammar=Loses())[-1]
    assert [c.text for c in last.context] == expected


@given(documents, st.integers(4, 40))
def test_context_is_taken_from_the_document_and_from_elsewhere(document: Document, maximum: int) -> None:
    for found in chunks_of(document, maximum):
        for context in found.context:
            assert context.text
            assert context.text in document.text[: found.start] + "\0" + document.text[found.end :]
        assert found.embed_text.endswith(found.text)


@pytest.mark.parametrize("margin", ["", "> ", ">", "   ", "- x\n\n  > "])
def test_pieces_of_a_table_in_a_list_or_quote_are_tables(margin: str) -> None:
    first, _, mark = margin.rpartition("\n")
    rows = "".join(f"{mark}| c {i} | d |\n" for i in range(8))
    text = f"{first}\n\n{mark}| a | b |\n{mark}|---|---|\n{rows}".lstrip("\n")
    pieces = [c for c in chunks_of(text, 40) if "table" in c.kinds]
    assert len(pieces) > 1
    for piece in pieces[1:]:
        assert piece.embed_text.startswith("| a | b |\n|---|---|\n| c ")
        assert all(line.startswith("|") for line in piece.embed_text.splitlines())


def test_a_caption_stands_once_before_each_piece() -> None:
    rows = "".join(f"| c {i} | d |\n" for i in range(8))
    pieces = chunks_of(f"Table 1: Wages\n\n| a | b |\n|---|---|\n{rows}", 40)
    assert len(pieces) > 1
    assert [p.embed_text.count("Wages") for p in pieces] == [1] * len(pieces)
