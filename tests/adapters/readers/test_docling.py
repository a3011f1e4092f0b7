"""docling's JSON becomes a document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docling_builder import Docling, prov
from document_laws import hold_laws
from vchunk.adapters.readers.json_forms import JsonReader
from vchunk.domain.document import Block, Document, Kind, Role, Source
from vchunk.domain.errors import ReadError


def read(made: Docling, warned: list[str] | None = None) -> Document:
    said: list[str] = [] if warned is None else warned
    document = JsonReader().read(Source("made.json", json.dumps(made.data).encode()), said.append)
    hold_laws(document)
    if warned is None:
        assert said == []
    return document


def blocks(document: Document, kind: Kind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def texts(document: Document, kind: Kind) -> list[str]:
    return [document.slice(block.span) for block in blocks(document, kind)]


def test_inline_code_stays_in_its_line() -> None:
    made = Docling(pages=1)
    inline = made.group("inline")
    made.text("Install with", parent=inline, prov=[prov(1, (10, 700, 60, 690), (0, 12))])
    made.text("pip install x", "code", parent=inline, prov=[prov(1, (61, 700, 99, 690), (0, 13))])
    made.text("first, then", parent=inline)
    made.text("run", "code", parent=inline)
    made.text(".", parent=inline)
    document = read(made)
    assert document.text == "Install with `pip install x` first, then `run`."
    assert [b.kind for b in document.blocks] == [Kind.PARAGRAPH]
    assert [(document.slice(b.span), b.x0) for b in document.boxes] == [
        ("Install with", 10.0),
        ("`pip install x`", 61.0),
    ]


def test_headings_and_items_of_inline_runs_have_their_text() -> None:
    made = Docling()
    heading = made.text("", "section_header", level=1)
    inline = made.group("inline", heading)
    made.text("The", parent=inline)
    made.text("run", "code", parent=inline)
    made.text("command", parent=inline)
    items = made.group("list")
    item = made.text("", "list_item", parent=items, marker="-")
    inline = made.group("inline", item)
    made.text("Say", parent=inline)
    made.text("go", "code", parent=inline)
    document = read(made)
    assert [block.title for block in blocks(document, Kind.HEADING)] == ["The `run` command"]
    assert document.text == "The `run` command\n\n- Say `go`"


def test_chinese_runs_are_joined_without_a_space() -> None:
    made = Docling()
    inline = made.group("inline")
    made.text("请先", parent=inline)
    made.text("安装", parent=inline)
    assert read(made).text == "请先安装"


def test_lists_nest_and_keep_their_marks() -> None:
    made = Docling()
    outer = made.group("list")
    made.text("first", "list_item", parent=outer, marker="-")
    second = made.text("second", "list_item", parent=outer, marker="-")
    inner = made.group("ordered_list", second)
    made.text("one", "list_item", parent=inner, enumerated=True, marker="1.")
    made.text("two", "list_item", parent=inner, enumerated=True, marker="")
    beside = made.group("list", outer)  # docling also puts a nested list beside its item
    made.text("deep", "list_item", parent=beside, marker="\u00b7")
    made.text("third", "list_item", parent=outer, marker="-")
    document = read(made)
    assert document.text == "- first\n- second\n  1. one\n  2. two\n  \u00b7 deep\n- third"
    items = blocks(document, Kind.LIST_ITEM)
    assert [item.level for item in items] == [1, 1, 2, 2, 2, 1]
    assert document.slice(items[1].span) == "- second\n  1. one\n  2. two\n  \u00b7 deep"
    assert len([b for b in document.blocks if b.parent is None]) == 1


def test_a_mark_that_the_text_repeats_stands_once() -> None:
    made = Docling()
    items = made.group("list")
    made.text("(a) alpha", "list_item", parent=items, enumerated=True, marker="(a)")
    assert read(made).text == "(a) alpha"


def test_an_item_that_is_a_mark_keeps_it() -> None:
    made = Docling()
    made.text("-", "list_item", parent=made.group("list"), marker="-")
    assert read(made, []).text == "- -"


def test_what_an_item_holds_besides_text_lies_in_it() -> None:
    made = Docling()
    items = made.group("list")
    item = made.text("Run it:", "list_item", parent=items, marker="-")
    made.text("go build\n  ./...", "code", parent=item, code_language="Bash")
    made.text("Then wait.", parent=item)
    document = read(made)
    assert document.text == "- Run it:\n\n  go build\n  ./...\n\n  Then wait."
    code = blocks(document, Kind.CODE)[0]
    assert (document.slice(code.span), code.language) == ("go build\n  ./...", "bash")
    assert document.blocks[code.parent or 0].kind is Kind.LIST_ITEM


def levels(
    *headings: tuple[str, int], title: str | None = None, warned: list[str] | None = None
) -> list[int | None]:
    made = Docling()
    if title:
        made.text(title, "title")
    for text, level in headings:
        made.text(text, "section_header", level=level)
    document = read(made, warned)
    assert document.title == title
    return [block.level for block in blocks(document, Kind.HEADING)]


def test_levels_are_doclings_below_the_title() -> None:
    assert levels(("One", 1), ("Two", 2), title="All") == [1, 2, 3]
    assert levels(("One", 1), ("Two", 2)) == [1, 2]


def test_numbers_give_levels_where_docling_gives_none() -> None:
    flat = [("Preface", 1), ("1 Start", 1), ("1.1 Parts", 1), ("1.1.1 Screws", 1), ("2 End", 1), ("Index", 1)]
    assert levels(*flat) == [1, 1, 2, 3, 1, 1]
    assert levels(("1 Start", 1), ("1.1 Parts", 2), ("1.1.1 Screws", 2)) == [1, 2, 2]  # docling knows better


def test_headings_without_numbers_stay_flat_and_that_is_said() -> None:
    warned: list[str] = []
    assert levels(("Slide", 1), ("Left", 1), ("Right", 1), warned=warned) == [1, 1, 1]
    assert len(warned) == 1
    assert warned[0].startswith("made.json: all headings are of level 1")


def test_a_table_is_rows_with_its_caption_above_and_its_footnote_below() -> None:
    made = Docling()
    table = made.table([["Boat", "Masts"], ["yawl | ketch", "2\nor 3"]], heads=1)
    made.claim(table, made.text("Table 1: Boats", "caption"))
    made.claim(table, made.text("a Counted twice.", "footnote"), "footnotes")
    made.text("After.")
    document = read(made)
    assert document.text == (
        "Table 1: Boats\n\n| Boat | Masts |\n| --- | --- |\n| yawl \\| ketch | 2 or 3 |\n\n"
        "a Counted twice.\n\nAfter."
    )
    assert [b.kind for b in document.blocks] == [Kind.CAPTION, Kind.TABLE, Kind.FOOTNOTE, Kind.PARAGRAPH]


def test_a_caption_that_strayed_comes_back_to_its_table() -> None:
    made = Docling()
    caption = made.text("Table 1: Boats", "caption")
    made.text("Between.")
    made.claim(made.table([["a"]]), caption)
    assert read(made).text == "Between.\n\nTable 1: Boats\n\n| a |\n| --- |"


def test_a_table_of_nothing_but_header_cells_keeps_its_rows() -> None:
    made = Docling()
    made.table([["a"], ["b"], ["c"]], heads=3)
    assert read(made).text == "| a |\n| --- |\n| b |\n| c |"


def test_a_caption_stands_above_or_below_as_on_the_page() -> None:
    for top, expected in ((790, ["caption", "table"]), (300, ["table", "caption"])):
        made = Docling(pages=1)
        table = made.table([["a"], ["b"]], prov=[prov(1, (0, 700, 99, 400), (0, 0))])
        made.claim(table, made.text("Table 1", "caption", prov=[prov(1, (0, top, 99, top - 9), (0, 7))]))
        assert [b.kind.value for b in read(made).blocks] == expected


def test_merged_cells() -> None:
    made = Docling()
    span = {"start_row_offset_idx": 0, "end_row_offset_idx": 1, "start_col_offset_idx": 1, "end_col_offset_idx": 3}
    down = {"start_row_offset_idx": 2, "end_row_offset_idx": 4, "start_col_offset_idx": 0, "end_col_offset_idx": 1}
    made.table(
        [
            ["", {"text": "Share", **span}, None],
            ["Boat", "old", "new"],
            [{"text": "yawl", **down}, "1", "2"],
            [None, "3", "4"],
        ],
        heads=2,
    )
    assert read(made).text.splitlines() == [
        "| Boat | Share old | Share new |",
        "| --- | --- | --- |",
        "| yawl | 1 | 2 |",
        "| yawl | 3 | 4 |",
    ]


def test_a_cell_that_spans_columns_of_the_body_says_its_text_once() -> None:
    made = Docling()
    wide = {"start_row_offset_idx": 1, "end_row_offset_idx": 2, "start_col_offset_idx": 0, "end_col_offset_idx": 2}
    made.table([["a", "b"], [{"text": "All sailing boats", **wide}, None], ["1", "2"]], heads=1)
    assert read(made).text.splitlines()[2] == "| All sailing boats |  |"


def test_a_rich_cell_gives_what_it_refers_to_once() -> None:
    made = Docling()
    table = made.table([["a"], ["x"]], heads=1)
    group = made.group("unspecified", table)
    made.text("bold words", parent=group)
    made.data["tables"][0]["data"]["table_cells"][1]["ref"] = {"$ref": group}
    assert read(made).text == "| a |\n| --- |\n| bold words |"


def test_a_contents_table_is_marked_and_loses_its_dots() -> None:
    made = Docling()
    made.table([["Start . . . . . . . .", ". iv"], ["End .........", "9"]], label="document_index")
    document = read(made)
    assert document.text == "| Start | iv |\n| --- | --- |\n| End | 9 |"
    assert [b.role for b in document.blocks] == [Role.TOC]


def test_the_words_in_a_picture_are_one_block_apart_from_what_was_said_of_it() -> None:
    made = Docling()
    picture = made.picture(annotations=[{"kind": "description", "text": "A drawing of a boat."}])
    made.text("mast", parent=picture)
    made.claim(picture, made.text("Figure 1: A boat", "caption", parent=picture))
    made.text("keel", parent=picture)
    bare = made.picture()
    made.claim(bare, made.text("Figure 2: Nothing", "caption"))
    document = read(made)
    assert document.text == "A drawing of a boat.\n\nFigure 1: A boat\n\nFigure 2: Nothing\n\nmast\nkeel"
    assert [b.kind for b in document.blocks] == [Kind.FIGURE, Kind.CAPTION, Kind.CAPTION, Kind.FIGURE]
    assert [b.role for b in document.blocks] == [Role.BODY] * 3 + [Role.FIGURE]


def pictured(made: Docling, words: list[str], size: float = 10, **fields: Any) -> str:
    """A picture on page 1 with a line for each of the words, in letters of a size, as docling's."""
    picture = made.picture(**fields)
    for i, line in enumerate(words):
        top = 700 - 1.3 * size * i
        box = (50.0, top, 50 + len(line) * size / 2, top - 1.2 * size)
        made.text(line, parent=picture, prov=[prov(1, box, (0, len(line)))])
    return picture


LINES = ["The keeper wrote down the wind", "each morning and each evening,", "for the harbour master asked."]


def role_in_picture(
    words: list[str], *, size: float = 10, caption: str = "Figure 1: The lamp", alone: bool = False, **fields: Any
) -> Role:
    made = Docling(pages=1)
    if not alone:
        made.text("Boats sail.", prov=[prov(1, (50, 780, 100, 770), (0, 11))])
    picture = pictured(made, words, size, **fields)
    if caption:
        made.claim(picture, made.text(caption, "caption", parent=picture))
    (block,) = blocks(read(made), Kind.FIGURE)
    return block.role


def test_labels_and_pictured_pages_are_words_in_a_picture() -> None:
    assert role_in_picture(["mast", "keel", "a long rudder of oak"]) is Role.FIGURE
    assert role_in_picture(LINES, size=4.5) is Role.FIGURE
    assert role_in_picture(LINES, size=6) is Role.BODY


@pytest.mark.parametrize("words", [LINES, [" ".join(LINES * 2)]])
def test_prose_in_a_picture_is_body(words: list[str]) -> None:
    assert role_in_picture(words) is Role.BODY


def test_a_listing_that_was_taken_for_a_picture_is_body() -> None:
    assert role_in_picture(["alter table", "activate;"], caption="Example 3-1 Activating") is Role.BODY
    assert role_in_picture(["alter table", "activate;"], caption="Example of a boat") is Role.FIGURE


def test_a_picture_that_fills_its_page_is_body() -> None:
    full = [prov(1, (0, 800, 600, 0), (0, 0))]
    assert role_in_picture(["mast", "keel"], prov=full) is Role.BODY
    assert role_in_picture(["mast", "keel"], prov=[prov(1, (0, 800, 600, 300), (0, 0))]) is Role.FIGURE


def test_a_picture_that_is_all_its_page_shows_is_body() -> None:
    assert role_in_picture(["mast", "keel"], caption="", alone=True) is Role.BODY
    assert role_in_picture(["mast", "keel"], caption="") is Role.FIGURE
    assert role_in_picture(["mast", "keel"], alone=True) is Role.FIGURE


def test_a_slide_of_a_heading_and_a_picture_shows_nothing_else() -> None:
    made = Docling(pages=1)
    made.text("Boats", "section_header", level=1, prov=[prov(1, (50, 780, 100, 770), (0, 5))])
    pictured(made, ["mast", "keel"])
    assert [block.role for block in read(made).blocks] == [Role.BODY] * 2


def test_words_in_pictures_stand_behind_their_section() -> None:
    made = Docling()
    made.text("Boats", "section_header", level=1)
    list_ = made.group("list")
    item = made.text("oak", "list_item", parent=list_)
    made.text("mast", parent=made.picture(parent=item))
    made.text("A sentence goes on.")
    made.text("Lamps", "section_header", level=2)
    made.text("lens", parent=made.picture())
    made.text("Oils", "section_header", level=2)
    made.text("They burn.")
    document = read(made)
    # "lens" would part the heading above it from the next
    assert document.text == "Boats\n\n- oak\n\nA sentence goes on.\n\nmast\n\nLamps\n\nOils\n\nThey burn.\n\nlens"
    assert texts(document, Kind.FIGURE) == ["mast", "lens"]
    assert all(block.parent is None for block in blocks(document, Kind.FIGURE))
    assert texts(document, Kind.HEADING) == ["Boats", "Lamps", "Oils"]


def test_a_title_in_a_picture_is_no_heading() -> None:
    made = Docling()
    made.text("Boats", "section_header", level=1)
    made.text("They sail.")
    made.text("USING THE TUBE", "section_header", parent=made.picture(), level=1)
    document = read(made)
    assert texts(document, Kind.HEADING) == ["Boats"]
    assert texts(document, Kind.FIGURE) == ["USING THE TUBE"]


def test_furniture_stands_behind_all_else() -> None:
    made = Docling()
    made.text("Journal of Boats", "page_header")
    made.text("Body one.")
    made.text("DRAFT", content_layer="background")
    old = made.text("7", "page_footer", parent="")
    made.data["furniture"]["children"].append({"$ref": old})
    made.text("Body two.")
    document = read(made)
    assert document.text == "Body one.\n\nBody two.\n\nJournal of Boats\n\nDRAFT\n\n7"
    assert [b.role.value for b in document.blocks] == ["body", "body", "furniture", "furniture", "furniture"]


def test_kinds_of_texts() -> None:
    made = Docling()
    made.text("", "formula", orig="a 2 + 8 = 12")
    made.text("  x = 1\n", "code", code_language="unknown")
    made.text("note", "footnote")
    made.text("Done", "checkbox_selected")
    made.text("Old", "paragraph")
    document = read(made)
    said = [(b.kind.value, document.slice(b.span)) for b in document.blocks]
    assert said == [
        ("formula", "a 2 + 8 = 12"),
        ("code", "  x = 1"),
        ("footnote", "note"),
        ("paragraph", "[x] Done"),
        ("paragraph", "Old"),
    ]


def test_keys_and_values() -> None:
    made = Docling()
    cells = [{"cell_id": i, "text": t, "orig": t, "label": "key"} for i, t in enumerate(["Name:", "Ada", "Loose"])]
    links = [{"label": "to_value", "source_cell_id": 0, "target_cell_id": 1}]
    made.add("key_value_items", "key_value_region", "#/body", graph={"cells": cells, "links": links})
    assert read(made).text == "Name: Ada\nLoose"


def test_pages_and_boxes_are_measured_from_the_top() -> None:
    made = Docling(pages=2)
    text = "It begins here and goes on there."
    made.text(text, prov=[prov(1, (10, 100, 200, 50), (0, 16)), prov(2, (10, 60, 200, 80), (16, 33), "TOPLEFT")])
    document = read(made)
    assert [(p.number, document.slice(p.span)) for p in document.pages] == [(1, text[:16]), (2, text[16:])]
    corners = [(b.page, document.slice(b.span), b.x0, b.y0, b.x1, b.y1) for b in document.boxes]
    assert corners == [(1, text[:16], 10, 700, 200, 750), (2, text[16:], 10, 60, 200, 80)]


def test_without_the_height_of_a_page_there_is_no_box_but_the_page() -> None:
    made = Docling()
    made.text("Words.", prov=[prov(3, (1, 9, 5, 4), (0, 6))])
    document = read(made)
    assert ([p.number for p in document.pages], document.boxes) == ([3], ())


def test_nothing_is_lost_that_the_body_does_not_hold() -> None:
    made = Docling()
    made.text("Seen.")
    made.text("Lost.", parent="")
    table = made.table([["a"]], parent="")
    made.claim(table, made.text("Table 1", "caption", parent=""))
    made.data["body"]["children"] += [{"$ref": "#/texts/99"}, {"$ref": "#/body"}, {"$ref": "#/texts/0"}]
    warned: list[str] = []
    assert read(made, warned).text == "Seen.\n\nLost.\n\nTable 1\n\n| a |\n| --- |"
    assert [w for w in warned if "2 items that the body does not hold" in w]
    assert [w for w in warned if "2 references" in w]


def test_a_ring_of_references_ends() -> None:
    made = Docling()
    one = made.group("section")
    two = made.group("list", one)
    made.find(two)["children"].append({"$ref": one})
    made.text("in it", "list_item", parent=two)
    assert read(made).text == "- in it"


def test_deep_lists_are_read() -> None:
    made = Docling()
    parent = "#/body"
    for depth in range(3000):
        parent = made.group("list", parent)
        made.text(f"item {depth}", "list_item", parent=parent, marker="-")
    assert all(f"item {depth}" in read(made).text for depth in (0, 31, 32, 2999))


@pytest.mark.parametrize("version", ["1.0.0", "1.5.0", "1.10.0", "1.10"])
def test_versions_that_are_read(version: str) -> None:
    made = Docling(version)
    made.text("Words.")
    assert read(made).text == "Words."


@pytest.mark.parametrize("version", ["1.11.0", "2.0.0", "0.9.0", "one"])
def test_other_versions_are_refused_by_name(version: str) -> None:
    with pytest.raises(ReadError) as error:
        read(Docling(version))
    message = str(error.value)
    assert message.startswith("made.json: ")
    assert "1.0 to 1.10" in message
    assert version in message or version == "one"
    assert "\n" not in message


def test_a_table_beyond_all_measure_is_an_error_in_one_line() -> None:
    made = Docling()
    made.table([["a"]])
    made.data["tables"][0]["data"] |= {"num_rows": 10**9, "num_cols": 10**9}
    with pytest.raises(ReadError, match=r"^made\.json: a table of"):
        read(made)


_WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
_LABELS = ["text", "section_header", "title", "list_item", "code", "formula", "footnote", "caption", "page_header"]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from([*_LABELS, "list", "inline", "picture", "table"]), _WORDS)
    )
)
def test_every_text_is_covered_whatever_the_tree(nodes: list[tuple[int, str, str]]) -> None:
    made = Docling()
    parents = ["#/body"]
    for at, label, said in nodes:
        parent = parents[at % len(parents)]
        if label in ("list", "inline"):
            parents.append(made.group(label, parent))
        elif label == "picture":
            parents.append(made.picture(parent))
        elif label == "table":
            made.table([[said]], parent=parent)
        else:
            parents.append(made.text(said, label, parent))
    document = read(made, [])
    flat = " ".join(document.text.replace("\\|", "|").split())
    for item in made.data["texts"]:
        assert " ".join(item["text"].replace("\0", "\ufffd").split()) in flat


def test_json_of_other_shapes_inside_is_survived() -> None:
    made = Docling()
    made.text("Words.", prov=[{"page_no": "1"}, 7], level="x")
    broken: list[Any] = [None, 3, {"$ref": 5}, {"$ref": "#/texts/0"}, {"$ref": "#/groups/x"}]
    made.data["body"]["children"] = broken
    made.data["pages"] = None
    made.data["tables"] = [{"label": "table", "data": None}]
    assert read(made, []).text == "Words."
