"""The chunk record: where a chunk stands, what it is called, what an embedder gets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from materials import KEY, material_of
from strategies import documents
from vchunk.domain.chunks import TRAIL_LENGTH, Chunk, Occurrences, Places, chunk
from vchunk.domain.context import Context
from vchunk.domain.document import Block, Box, Document, Kind, Page, Role, Span
from vchunk.domain.granularity import Granularity
from vchunk.wiring import make_hasher


def chunks_of(document: Document | str, name: str = "a.md", **wanted: Any) -> tuple[Chunk, ...]:
    wanted = {"method": "structure", "skip": (), **wanted}
    return chunk(material_of(document, name), Granularity(**wanted), make_hasher()).chunks


def paragraphs(*spans: tuple[int, int], **more: Any) -> tuple[Block, ...]:
    return tuple(Block(Kind.PARAGRAPH, Span(*span), **more) for span in spans)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_count_from_one_whatever_ends_them(newline: str) -> None:
    text = newline.join(["First a b c d e.", "", "Second a b.", "Goes on.", "", "", "Third a b c d e."])
    found = chunks_of(text, "a.txt", target_tokens=7, max_tokens=7)
    assert [(c.text.split()[0], c.line_start, c.line_end) for c in found] == [
        ("First", 1, 1),
        ("Second", 3, 4),
        ("Third", 7, 7),
    ]


def test_a_mixture_of_line_ends() -> None:
    place = Places(Document("a\r\nb\rc\n\rd"))
    assert [place.line(at) for at in range(9)] == [1, 1, 1, 2, 2, 3, 3, 4, 5]


def test_a_record() -> None:
    (one, two) = chunks_of("# Title\n\nOne two.\n\n## Part\n\nThree four five.\n", target_tokens=6, max_tokens=7)
    assert (one.index, two.index) == (0, 1)
    assert (one.start, one.end, one.text) == (0, 17, "# Title\n\nOne two.")
    assert (two.text, two.tokens, two.size_in) == ("## Part\n\nThree four five.", 7, "fake")
    assert two.document == str(KEY)
    assert two.embedding is None
    assert [(h.level, h.title, h.start) for h in two.headings] == [(1, "Title", 0), (2, "Part", 19)]
    assert two.headings[1].end == len("# Title\n\nOne two.\n\n## Part\n\nThree four five.\n")
    assert (two.kind, two.kinds, two.role, two.method) == (
        "paragraph",
        ("heading", "paragraph"),
        "body",
        "structure",
    )


def test_the_record_is_json_and_reads_back() -> None:
    document = Document(
        "One two.\n\nThree.",
        paragraphs((0, 8), (10, 16)),
        pages=(Page(1, Span(0, 9)), Page(2, Span(10, 16))),
        boxes=(Box(Span(0, 16), 1, 1.0, 2.0, 3.0, 4.5),),
        title="T",
    )
    for found in chunks_of(document, max_tokens=3):
        written = json.loads(json.dumps(found.as_dict(), allow_nan=False))
        again = Chunk.from_dict(written)
        assert again == replace(found, boxes=again.boxes)
        assert again.as_dict() == written
        assert written["boxes"] == [{"page": 1, "x0": 1.0, "y0": 2.0, "x1": 3.0, "y1": 4.5}]


def test_pages_are_those_touched_in_the_order_of_their_numbers() -> None:
    text = "One one.\n\nTwo two.\n\nThree three."
    document = Document(
        text,
        paragraphs((0, 8), (10, 18), (20, 32)),
        pages=(Page(2, Span(0, 4)), Page(1, Span(4, 14)), Page(2, Span(14, 18)), Page(3, Span(20, 32))),
    )
    assert [c.pages for c in chunks_of(document, target_tokens=3, max_tokens=3)] == [(1, 2), (1, 2), (3,)]
    assert [c.pages for c in chunks_of(document, target_tokens=9, max_tokens=9)] == [(1, 2, 3)]
    assert [c.pages for c in chunks_of(text, "a.txt")] == [()]


def test_boxes_are_those_of_the_chunk() -> None:
    first, second = Box(Span(0, 8), 1, 0, 0, 1, 1), Box(Span(10, 16), 1, 0, 2, 1, 3)
    document = Document("One two.\n\nThree.", paragraphs((0, 8), (10, 16)), boxes=(second, first))
    assert [c.boxes for c in chunks_of(document, target_tokens=3, max_tokens=3)] == [(first,), (second,)]


def test_boxes_that_follow_one_another_on_a_line_are_one() -> None:
    text = "One two. Three. Far away. Below."
    spans = [(0, 8), (9, 15), (16, 25), (26, 32)]
    edges = [(0, 0, 40, 10), (43, 0, 70, 10), (90, 0, 130, 10), (131, 12, 150, 22)]
    boxes = tuple(Box(Span(*span), 1, *map(float, edge)) for span, edge in zip(spans, edges, strict=True))
    (found,) = chunks_of(Document(text, paragraphs((0, 32)), boxes=boxes))
    assert [(b.x0, b.y0, b.x1, b.y1) for b in found.boxes] == [
        (0, 0, 70, 10),
        (90, 0, 130, 10),
        (131, 12, 150, 22),
    ]
    assert found.boxes[0].span == Span(0, 15)


EMBED = Chunk(
    "", "", None, 0, 50, 54, 1, 1, "Text", 1, "fake", (), (), (), "paragraph", (), "body", "velocity", 0.0
)


def heading(level: int, title: str, start: int = 0) -> Any:
    from vchunk.domain.chunks import Heading

    return Heading(level, title, start, 99)


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        (None, [], "Text"),
        (None, [(1, "A")], "A\n\nText"),
        (None, [(1, "A"), (3, "B")], "A > B\n\nText"),
        (None, [(2, "B")], "Text"),  # a bare section name does harm
        ("T", [], "T\n\nText"),
        ("T", [(2, "B")], "T > B\n\nText"),
        ("T", [(1, "A")], "T > A\n\nText"),
        ("T", [(1, "T"), (2, "B")], "T > B\n\nText"),
        ("T", [(2, "T"), (3, "B")], "Text"),
    ],
)
def test_what_an_embedder_gets(title: str | None, headings: list[tuple[int, str]], expected: str) -> None:
    found = replace(EMBED, title=title, headings=tuple(heading(*h) for h in headings))
    assert found.embed_text == expected


def test_context_stands_between_the_trail_and_the_text() -> None:
    context = (Context("caption", "C"), Context("imports", "I"), Context("signature", "S"))
    found = replace(EMBED, headings=(heading(1, "A"),), context=context)
    assert found.embed_text == "A\n\nC\n\nI\nS\nText"
    assert replace(EMBED, context=(Context("table_header", "H"),)).embed_text == "H\nText"


def test_headings_that_the_text_begins_with_are_not_repeated() -> None:
    found = replace(EMBED, headings=(heading(1, "A"), heading(2, "B", 50)))
    assert found.embed_text == "A\n\nText"
    assert replace(EMBED, headings=(heading(1, "A", 50),)).embed_text == "Text"


def test_equal_texts_have_different_ids_and_the_first_does_not_know_of_the_second() -> None:
    once = chunks_of("Same.\n\nOther.", target_tokens=2, max_tokens=2)
    twice = chunks_of("Same.\n\nOther.\n\nSame.", target_tokens=2, max_tokens=2)
    assert [c.id for c in twice[:2]] == [c.id for c in once]
    assert twice[2].id != twice[0].id
    assert all(len(c.id) == 32 for c in twice)


def test_an_id_does_not_depend_on_the_place_but_on_the_granularity() -> None:
    here, there = (chunks_of(t, target_tokens=2, max_tokens=2)[-1] for t in ("Same.", "Before.\n\nSame."))
    assert here.id == there.id
    assert here.id != chunks_of("Same.", target_tokens=3, max_tokens=3)[0].id


def test_levels_and_numbers_are_parts_of_an_id() -> None:
    names = Occurrences(make_hasher())
    found = [
        names.id("a", "b"),
        names.id("a", "b"),
        names.id("ab", ""),
        names.id("a", "b0"),
        names.id("c", "b"),
    ]
    assert len(set(found)) == 5
    assert names.id("a", "\ud800")


def test_the_kind_is_that_of_most_of_the_text() -> None:
    text = "Short.\n\n```\n" + "x = 1\n" * 9 + "```\n\n- item"
    (found,) = chunks_of(text, max_tokens=200)
    assert found.kind == "code"
    assert found.kinds == ("paragraph", "code", "list_item")


def test_a_list_is_known_by_its_items_and_a_quote_as_a_quote() -> None:
    assert chunks_of("- a\n- b")[0].kinds[0] == "list_item"
    assert chunks_of("> a")[0].kinds[0] == "quote"


def test_each_chunk_has_one_role() -> None:
    blocks = (*paragraphs((0, 4)), *paragraphs((6, 20), role=Role.BACKMATTER))
    found = chunks_of(Document("Abc.\n\nDefg hijk lmno.", blocks))
    assert [(c.text, c.role) for c in found] == [("Abc.", "body"), ("Defg hijk lmno.", "backmatter")]


def test_how_each_cut_came_about() -> None:
    code = "```\n" + "x = 1\n" * 4 + "```"
    table = "| a | b |\n|---|---|\n| c | d |\n| e | f |"
    formula = "$$\na = b\nc = d\n$$"
    found = chunks_of(f"One.\n\n{code}\n\n{table}\n\n{formula}\n\nA b c d e f g h i j k l.", max_tokens=8)
    methods = {c.text.split("\n")[0]: c.method for c in found}
    assert methods["One."] == "structure"
    assert methods["```"] in ("structure", "code")
    assert methods["x = 1"] == "code"
    assert methods["| c | d |"] == "rows"
    assert "formula" in {c.method for c in found}
    assert [c.method for c in found if c.text[0] in "ABCDEFGHIabcdefghi" and len(c.text) < 16][-1] == "forced"


@given(documents)
def test_a_chunk_is_placed_as_a_search_would(document: Document) -> None:
    for found in chunks_of(document, max_tokens=10):
        before = document.text[: found.start].replace("\r\n", "\n").replace("\r", "\n")
        assert found.line_start == before.count("\n") + 1
        assert found.line_end >= found.line_start
        span = Span(found.start, found.end)
        assert set(found.pages) == {p.number for p in document.pages if p.span.overlaps(span)}
        kinds = {b.kind.value for b in document.blocks if b.span.overlaps(span) and b.kind is not Kind.LIST}
        assert set(found.kinds) == (kinds or {"paragraph"})
        assert found.kind in found.kinds
        assert json.dumps(found.as_dict(), allow_nan=False)


def test_stacked_headings_count_with_the_text_below_them() -> None:
    text = "# One\n\n## Two\n\n### Three\n\nBody of three.\n\n## Four\n\nBody of four.\n"
    material = material_of(text)
    chunks = chunk(material, Granularity(max_tokens=20, method="structure"), make_hasher()).chunks
    trails = {c.text: [h.title for h in c.headings] for c in chunks}
    assert trails["# One\n\n## Two\n\n### Three\n\nBody of three."] == ["One", "Two", "Three"]
    assert trails["## Four\n\nBody of four."] == ["One", "Four"]


def test_a_long_trail_is_shortened_and_the_text_is_not() -> None:
    inner = "".join(f"{'#' * n} {'inner ' * 12}{n}\n\n" for n in range(2, 6))
    text = f"# The first\n\n{inner}###### The last\n\n" + "A sentence about boats. " * 8
    chunks = chunk(material_of(text), Granularity(max_tokens=40, method="structure"), make_hasher()).chunks
    (trail, body) = chunks[-1].embed_text.split("\n\n")
    assert len(trail) <= TRAIL_LENGTH
    assert trail.startswith("The first > ")
    assert trail.endswith(" > The last")
    assert body == chunks[-1].text
    lone = f"# {'word ' * 200}\n\n## Last\n\n" + "A sentence about boats. " * 8
    chunks = chunk(material_of(lone), Granularity(max_tokens=40, method="structure"), make_hasher()).chunks
    assert len(chunks[-1].embed_text) <= TRAIL_LENGTH + 2 + len(chunks[-1].text)
