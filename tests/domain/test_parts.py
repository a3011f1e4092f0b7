"""Pieces of one block know one another."""

from __future__ import annotations

from materials import material_of
from vchunk.domain.chunks import chunk
from vchunk.domain.document import Block, Document, Kind, Span
from vchunk.domain.granularity import Granularity
from vchunk.domain.parts import Part, find_parts
from vchunk.wiring import make_hasher

ROWS = "\n".join(f"| row {n} | value {n} |" for n in range(20))
TEXT = f"# Title\n\nA sentence before.\n\n| name | value |\n|---|---|\n{ROWS}\n\nA sentence behind.\n"


def test_pieces_of_a_table_have_one_parent_and_an_order() -> None:
    wanted = Granularity(max_tokens=40, method="structure")
    chunks = chunk(material_of(TEXT), wanted, make_hasher()).chunks
    pieces = [c.part for c in chunks if "table" in c.kinds]
    assert len(pieces) > 2
    assert len({part.parent for part in pieces if part}) == 1
    assert [(part.index, part.count) for part in pieces if part] == [(n, len(pieces)) for n in range(len(pieces))]
    assert all(c.part is None for c in chunks if "table" not in c.kinds)


def test_a_block_that_fits_has_no_parts() -> None:
    chunks = chunk(material_of(TEXT), Granularity(preset="coarse", method="structure"), make_hasher()).chunks
    assert [c.part for c in chunks] == [None] * len(chunks)


def test_the_inner_of_two_blocks_that_are_cut_alike() -> None:
    blocks = (Block(Kind.QUOTE, Span(0, 20)), Block(Kind.CODE, Span(4, 20), parent=0))
    document = Document("x" * 30, blocks)
    found = find_parts(document, [Span(0, 6), Span(6, 12), Span(12, 20), Span(20, 30)], str.upper)
    quote, code = "X" * 20, "X" * 16
    assert found == [Part(quote, 0, 3), Part(code, 1, 3), Part(code, 2, 3), None]


def test_equal_blocks_are_told_apart() -> None:
    text = TEXT + TEXT
    chunks = chunk(material_of(text), Granularity(max_tokens=40, method="structure"), make_hasher()).chunks
    assert len({c.part.parent for c in chunks if c.part}) == 2
