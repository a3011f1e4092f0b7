"""Lists of elements become a document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.json_forms import JsonReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning


def read(data: Any, warned: list[str] | None = None) -> Document:
    said: list[str] = [] if warned is None else warned
    document = JsonReader().read(Source("made.json", json.dumps(data).encode()), said.append)
    hold_laws(document)
    if warned is None:
        assert said == []
    return document


def of(*elements: dict[str, Any], **top: Any) -> Document:
    return read({"pages": [{"elements": list(elements)}], **top})


def said(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.slice(b.span)) for b in document.blocks if b.parent is None]


def element(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, **fields}


@pytest.mark.parametrize("elements", ["elements", "regions"])
@pytest.mark.parametrize("kind", ["type", "element_type"])
@pytest.mark.parametrize("content", ["content", "text"])
def test_the_names_of_keys_may_vary(elements: str, kind: str, content: str) -> None:
    listed = [{kind: "section_header", content: "Boats"}, {kind: "text", content: "They float."}]
    expected = [("heading", "Boats"), ("paragraph", "They float.")]
    assert said(read({"pages": [{elements: listed}]})) == expected
    assert said(read({elements: listed})) == expected
    assert said(read(listed)) == expected
    assert said(read({"document": {"pages": [{elements: listed}]}, "num_pages": 1})) == expected


def test_types_in_the_spelling_of_other_parsers() -> None:
    document = of(
        element("Title", "Boats"),
        element("Section-Header", "Hulls"),
        element("NarrativeText", "They float."),
        element("ListItem", "one"),
        element("FigureCaption", "Figure 1"),
        element("h3", "Deep"),
        element("footnote", "1 A note."),
        element("blockquote", "They said."),
        element("equation", "a = b"),
    )
    kinds = ["heading", "heading", "paragraph", "list", "caption", "heading", "footnote", "quote", "formula"]
    assert [kind for kind, _ in said(document)] == kinds
    assert document.title == "Boats"


def test_unknown_types_are_paragraphs_and_named_in_one_warning() -> None:
    warned: list[str] = []
    document = read([element("sidebar", "One."), element("Sidebar", "Two."), element("blob", "Three.")], warned)
    assert [kind for kind, _ in said(document)] == ["paragraph"] * 3
    assert warned == ["made.json: elements of unknown type 'blob', 'sidebar' read as paragraphs"]


def levels(*elements: dict[str, Any]) -> list[int | None]:
    return [block.level for block in of(*elements).blocks if block.kind is Kind.HEADING]


def test_levels_of_headings() -> None:
    one, two = ({"metadata": {"level": n}} for n in (1, 2))
    assert levels(element("heading", "A", **one), element("heading", "B", **two)) == [1, 2]
    assert levels(element("title", "T"), element("heading", "A"), element("heading", "B", **two)) == [1, 2, 3]
    assert levels(element("title", "T"), element("heading", "A", **two)) == [1, 2]
    assert levels(element("h2", "A"), element("h4", "B")) == [2, 4]
    assert levels(element("heading", "1 A"), element("heading", "1.1 B"), element("heading", "2 C")) == [1, 2, 1]
    assert levels(element("heading", "A"), element("heading", "B")) == [1, 1]


def test_the_hashes_of_a_heading_are_no_part_of_it() -> None:
    assert said(of(element("section_header", "## Boats"))) == [("heading", "Boats")]


@pytest.mark.parametrize(
    "content",
    [
        [["boat", "masts"], ["yawl", 2]],
        [{"boat": "yawl", "masts": 2}],
        {"headers": ["boat", "masts"], "rows": [["yawl", 2]]},
        {"columns": ["boat", "masts"], "data": [{"masts": 2, "boat": "yawl"}]},
        {"rows": [["boat", "masts"], ["yawl", 2]]},
        {"markdown": "| boat | masts |\n| --- | --- |\n| yawl | 2 |"},
        "| boat | masts |\n| --- | --- |\n| yawl | 2 |\n",
    ],
)
def test_tables_are_rows(content: Any) -> None:
    assert said(of(element("table", content))) == [("table", "| boat | masts |\n| --- | --- |\n| yawl | 2 |")]


def test_an_object_that_is_no_table_gives_names_and_values() -> None:
    assert (
        of(element("table", {"boat": "yawl", "masts": 2})).text == "| boat | yawl |\n| --- | --- |\n| masts | 2 |"
    )


def test_a_short_row_is_filled_up_and_bars_are_escaped() -> None:
    assert of(element("table", [["a|b", "c"], [None]])).text == "| a\\|b | c |\n| --- | --- |\n|  |  |"


def test_a_table_in_html_stays_html() -> None:
    html = "<table><tr><td>a</td></tr></table>"
    assert said(of(element("table", html))) == [("html", html)]


def test_captions_of_metadata_stand_with_their_table_or_figure() -> None:
    document = of(
        element("table", [["a"]], metadata={"caption": "Table 1"}),
        element("picture", "mast", metadata={"caption": "Figure 1"}),
        element("picture", "Figure 2", metadata={"caption": "Figure 2"}),
        element("picture", ""),
    )
    kinds = ["caption", "table", "figure", "caption", "caption"]
    assert [kind for kind, _ in said(document)] == kinds
    assert [text for kind, text in said(document) if kind == "caption"] == ["Table 1", "Figure 1", "Figure 2"]


def test_items_become_lists_by_their_levels() -> None:
    document = of(
        element("list_item", "one"),
        element("list_item", "\u2022 deep", metadata={"level": 2}),
        element("list_item", "2. two"),
        element("text", "Between."),
        element("list", ["alpha", "beta"], metadata={"ordered": True}),
        element("text", "Between."),
        element("list", "- a\n- b"),
    )
    assert document.text == (
        "- one\n  \u2022 deep\n2. two\n\nBetween.\n\n1. alpha\n2. beta\n\nBetween.\n\n- a\n- b"
    )
    items = [block for block in document.blocks if block.kind is Kind.LIST_ITEM]
    assert [item.level for item in items] == [1, 2, 1, 1, 1, 1, 1]
    assert document.slice(items[0].span) == "- one\n  \u2022 deep"


def test_code_keeps_its_indentation_and_language() -> None:
    document = of(element("code", "    x = 1\n    y\n", metadata={"language": "python"}))
    assert (document.text, document.blocks[0].language) == ("    x = 1\n    y", "python")


def test_page_headers_are_furniture_at_the_end_and_contents_are_marked() -> None:
    document = of(element("page_header", "Head"), element("toc", [["One", "2"]]), element("text", "Body."))
    roles = [block.role for block in document.blocks]
    assert roles == [Role.TOC, Role.BODY, Role.FURNITURE]
    assert document.text.endswith("Body.\n\nHead")


def boxes(document: Document) -> list[tuple[float, ...]]:
    return [(b.page, b.x0, b.y0, b.x1, b.y1) for b in document.boxes]


@pytest.mark.parametrize(
    "bbox",
    [
        [10, 20, 110, 40],
        [110, 40, 10, 20],
        {"x0": 10, "y0": 20, "x1": 110, "y1": 40},
        {"l": 10, "t": 780, "r": 110, "b": 760, "coord_origin": "BOTTOMLEFT"},
        {"x": 10, "y": 20, "width": 100, "height": 20},
        {"left": 10, "top": 20, "right": 110, "bottom": 40},
        [10, 20, 110, 20, 110, 40, 10, 40],
        [[10, 20], [110, 20], [110, 40], [10, 40]],
    ],
)
def test_boxes_in_points(bbox: Any) -> None:
    page = {"page_number": 3, "width": 600, "height": 800, "elements": [element("text", "Words.", bbox=bbox)]}
    document = read({"pages": [page]})
    assert boxes(document) == [(3, 10, 20, 110, 40)]
    assert [page.number for page in document.pages] == [3]


def test_nopaddles_boxes_are_thousandths_of_the_page() -> None:
    region = element("text", "Words.", bbox={"x_min": 100, "y_min": 500, "x_max": 900, "y_max": 1000}, page=1)
    page = {"page_number": 1, "width": 600, "height": 800, "regions": [region]}
    assert boxes(read({"pages": [page], "metadata": {}})) == [(1, 60, 400, 540, 800)]
    assert boxes(read({"pages": [{**page, "width": 1000, "height": 1000}]})) == []  # not measured


@pytest.mark.parametrize("bbox", [None, [], [1, 2, 3], "1,2,3,4", [1, 2, 3, "x"], {"x0": 1}, [1, 2, 3, True], 7])
def test_boxes_that_tell_nothing_are_left_out(bbox: Any) -> None:
    document = of(element("text", "Words.", bbox=bbox))
    assert (document.boxes, len(document.pages)) == ((), 1)


def test_numbers_of_pages() -> None:
    def numbers(pages: list[dict[str, Any]]) -> list[int]:
        return [page.number for page in read({"pages": pages}).pages]

    listed = [element("text", "Words.")]
    assert numbers([{"elements": listed}, {"elements": listed}]) == [1, 2]
    assert numbers([{"page": 0, "elements": listed}, {"page": 1, "elements": listed}]) == [1, 2]
    assert numbers([{"page_number": "7", "elements": listed}]) == [7]
    loose = [element("text", "One.", page=2), element("text", "Two.", metadata={"page_number": 5})]
    assert [page.number for page in read(loose).pages] == [2, 5]
    assert read(listed).pages == ()


def test_the_title_and_language_may_stand_in_the_metadata() -> None:
    document = of(element("text", "Worte."), metadata={"title": "Boote", "language": "DE"})
    assert (document.title, document.language) == ("Boote", "de")


def test_values_that_are_no_text_are_read_as_text() -> None:
    document = of(element("text", 7), element("text", {"text": "Words."}), element("text", ["a", "b"]))
    assert document.text == "7\n\nWords.\n\na\nb"


def test_code_points_that_cannot_be_stored_are_replaced() -> None:
    data = b'[{"type": "section_header", "content": "a\\u0000b\\ud800c"}]'
    document = JsonReader().read(Source("made.json", data), no_warning)
    assert document.text == document.blocks[0].title == "a\ufffdb\ufffdc"


def test_an_element_that_is_no_object_is_an_error() -> None:
    with pytest.raises(ReadError, match=r"^made\.json: an element that is no object"):
        read({"pages": [{"elements": ["words"]}]})


def test_a_parsers_damage_is_left_out_counted_and_named() -> None:
    words = "The harbour of Skarra was closed to all sailing vessels that winter."
    pages = [{"elements": [element("text", words)]} for _ in range(2)]
    warned: list[str] = []
    document = read({"pages": pages}, warned)
    assert [block.role for block in document.blocks] == [Role.BODY, Role.DAMAGED]
    assert warned == ["made.json: mended what the parser damaged: 1 repeated block left out"]


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2000) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["text", "content", "rows", "headers", "level", "caption", "x0", "l"]), inner, max_size=3
    ),
    max_leaves=8,
)  # fmt: skip
_types = st.sampled_from(["text", "table", "list", "list_item", "title", "h2", "code", "picture", "header", "odd"])


@given(st.lists(st.tuples(_types, _json, _json, _json), max_size=6))
def test_whatever_the_values_a_lawful_document_comes_out(rows: list[tuple[str, Any, Any, Any]]) -> None:
    listed = [element(kind, content, bbox=box, metadata=about, page=box) for kind, content, box, about in rows]
    document = read({"pages": [{"elements": listed}]}, [])
    flat = " ".join(document.text.split())
    for kind, content, _, _ in rows:
        if kind == "text" and isinstance(content, str):
            assert " ".join(content.replace("\0", "\ufffd").split()) in flat
