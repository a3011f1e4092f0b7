"""PDFs: headings, lists, code, tables, captions, footnotes and the title."""

from __future__ import annotations

import pytest

from document_laws import hold_laws
from pdf_builder import Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning

PROSE = [
    "The keeper of the lighthouse wrote down the wind each morning and",
    "each evening, and in the winter he wrote down the height of the",
    "waves as well, because the harbour master had asked him for it.",
]


def read(data: bytes) -> Document:
    document = PdfReader().read(Source("a.pdf", data), no_warning)
    hold_laws(document)
    return document


def titles(document: Document) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING]


def of_kind(document: Document, kind: Kind) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.kind is kind]


def sections(*heads: tuple[str, float, str], top: float = 60) -> list[Put]:
    """A heading (text, size, font) and a paragraph, one below the other."""
    page: list[Put] = []
    for text, size, font in heads:
        page += [Put(72, top, text, size, font), *lines(72, top + 20, PROSE)]
        top += 80
    return page


def test_numbers_give_levels_and_headings_of_their_style_share_them() -> None:
    page = sections(
        ("Abstract", 12, "F2"), ("1. Winds", 12, "F2"), ("1.1 In the morning", 10, "F2"),
        ("1.2 In the evening", 10, "F2"), ("2. Waves", 12, "F2"), ("References", 12, "F2"),
    )  # fmt: skip
    assert titles(read(build([page]))) == [
        (1, "Abstract"),
        (1, "1. Winds"),
        (2, "1.1 In the morning"),
        (2, "1.2 In the evening"),
        (1, "2. Waves"),
        (1, "References"),
    ]


def test_without_numbers_size_gives_levels() -> None:
    page = sections(("Winds", 16, "F2"), ("Morning", 12, "F2"), ("Evening", 12, "F2"), ("Waves", 16, "F2"))
    assert titles(read(build([page]))) == [(1, "Winds"), (2, "Morning"), (2, "Evening"), (1, "Waves")]


def test_parts_items_and_what_lies_below_them() -> None:
    page = sections(
        ("PART I", 10, "F2"), ("Item 1. Business", 10, "F2"), ("General", 10, "F2"), ("Item 2. Winds", 10, "F2")
    )
    assert titles(read(build([page]))) == [
        (1, "PART I"),
        (2, "Item 1. Business"),
        (3, "General"),
        (2, "Item 2. Winds"),
    ]


def test_an_outline_gives_the_levels() -> None:
    first = sections(("Winds", 12, "F2"), ("Morning", 12, "F2"), ("A word in bold", 12, "F2"))
    second = sections(("1 Waves", 12, "F2"))
    outline = [("Winds", 0, 50), (" Morning", 0, 130), ("Waves", 1, 50)]
    document = read(build([first, second], outline=outline))
    assert titles(document) == [(1, "Winds"), (2, "Morning"), (1, "1 Waves")]


def test_an_outline_finds_headings_that_look_like_text() -> None:
    page = lines(72, 60, ["Winds", *PROSE, "Waves", *PROSE])
    document = read(build([page], outline=[("Winds", 0, 50), (" Waves", 0, 98)]))
    assert titles(document) == [(1, "Winds"), (2, "Waves")]
    assert of_kind(document, Kind.PARAGRAPH) == [" ".join(PROSE)] * 2


def test_of_two_lines_alike_the_outline_means_the_larger() -> None:
    page = [
        Put(72, 60, "Winds", 9),
        *lines(72, 90, PROSE),
        Put(72, 140, "Winds", 12, "F2"),
        *lines(72, 160, PROSE),
    ]
    page += [Put(72, 210, "Waves", 12, "F2"), *lines(72, 230, PROSE)]
    document = read(build([page], outline=[("Winds", 0, -1), (" Waves", 0, -1)]))
    assert titles(document) == [(1, "Winds"), (2, "Waves")]
    assert document.text.startswith("Winds\n\n" + PROSE[0])
    assert document.blocks[0].kind is Kind.PARAGRAPH


def test_bold_lines_at_the_end_are_no_headings() -> None:
    page = [*lines(72, 100, PROSE), Put(72, 200, "The Secretary", 10, "F2")]
    assert titles(read(build([page]))) == []


def test_a_stack_of_bold_lines_is_no_heap_of_headings() -> None:
    stack = [Put(72, 200 + 30 * i, name, 10, "F2") for i, name in enumerate(["Ann Keeper", "Bo Pier", "Cy Tide"])]
    assert titles(read(build([lines(72, 100, PROSE) + stack + lines(72, 300, PROSE)]))) == []


def test_a_heading_over_two_lines_is_one() -> None:
    head = lines(
        72,
        60,
        ["2.1 A heading that is so long that it needs a second line to be read at", "all by you"],
        font="F2",
    )
    assert titles(read(build([head + lines(72, 100, PROSE)]))) == [
        (2, "2.1 A heading that is so long that it needs a second line to be read at all by you")
    ]


@pytest.mark.parametrize(
    "line",
    [
        Put(72, 200, "Note that this is no heading.", 10, "F2"),
        Put(72, 200, "(in millions)", 10, "F2"),
        Put(400, 200, "The Secretary", 10, "F2"),
        Put(72, 200, "3 of them were lost", 10, "F1"),
        Put(72, 200, "Plain words", 10, "F1"),
    ],
)
def test_what_is_no_heading(line: Put) -> None:
    page = [*lines(72, 100, PROSE), line, *lines(72, 220, PROSE), *lines(72, 280, PROSE)]
    assert titles(read(build([page]))) == []


def test_a_bold_beginning_of_a_paragraph_is_no_heading() -> None:
    page = [Put(72, 100, "Winds.", 10, "F2"), Put(108, 100, "They blow from the sea in the morning", 10)]
    document = read(build([[*page, *lines(72, 112, PROSE)]]))
    assert titles(document) == []
    assert document.text == " ".join(["Winds. They blow from the sea in the morning", *PROSE])


def test_the_title_is_the_largest_text_and_no_heading() -> None:
    page = [Put(100, 40, "On winds and waves", 20, "F2"), Put(100, 60, "A. Keeper", 12)]
    document = read(build([page + sections(("1 Winds", 12, "F2"), ("2 Waves", 12, "F2"), top=100)]))
    assert document.title == "On winds and waves"
    assert titles(document) == [(1, "1 Winds"), (1, "2 Waves")]


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("On winds", "On winds"),
        ("untitled", None),
        ("paper_final.docx", None),
        ("0001018-18-0000", None),
        ("", None),
    ],
)
def test_the_stated_title_counts_when_it_is_one(stated: str, title: str | None) -> None:
    assert read(build([lines(72, 100, PROSE)], title=stated)).title == title


def test_list_items_with_their_further_lines() -> None:
    page = [
        *lines(72, 100, PROSE),
        *lines(
            72, 150, ["• the wind in the morning, which he wrote down in a book that he", "• the waves"], lead=24
        ),
        Put(80, 162, "had bought for it"),
    ]
    document = read(build([page]))
    assert of_kind(document, Kind.LIST) == [
        "• the wind in the morning, which he wrote down in a book that he had bought for it\n• the waves"
    ]
    assert len(of_kind(document, Kind.LIST_ITEM)) == 2
    assert all(document.blocks[b.parent].kind is Kind.LIST for b in document.blocks if b.parent is not None)


def test_numbered_items() -> None:
    page = lines(
        72, 100, ["He did three things:", "1. he rose early,", "2. he wrote down the wind,", "3. he slept."]
    )
    document = read(build([page]))
    assert of_kind(document, Kind.LIST_ITEM) == ["1. he rose early,", "2. he wrote down the wind,", "3. he slept."]


def test_a_number_at_the_start_of_a_line_makes_no_item() -> None:
    page = lines(
        72,
        100,
        ["The keeper of the lighthouse wrote down the wind at the age of", "12. He went on for forty years."],
    )
    assert of_kind(read(build([page])), Kind.LIST_ITEM) == []


def test_code_keeps_its_lines_and_indents() -> None:
    code = ["def winds(day):", "    if day > 3:", "        return 'east'", "    return  'west'"]
    page = lines(72, 100, PROSE) + lines(72, 150, code, font="F3") + lines(72, 220, PROSE)
    document = read(build([page]))
    assert of_kind(document, Kind.CODE) == ["\n".join(code)]
    assert len(of_kind(document, Kind.PARAGRAPH)) == 2


def test_names_in_a_fixed_width_within_a_paragraph_are_no_code() -> None:
    page = [
        *lines(72, 100, PROSE),
        *lines(72, 136, ["north-wind, south-wind, east-wind and", "west-wind"], font="F3"),
    ]
    page += lines(72, 160, ["are the names that he gave to them."])
    assert of_kind(read(build([page])), Kind.CODE) == []


def test_a_table_keeps_its_rows_whole() -> None:
    rows = [
        ("", "2016", "2017"),
        ("Net sales", "135,987", "177,866"),
        ("Income", "(4,186)", "4,106"),
        ("Other", "90", "202"),
    ]
    cells = []
    for i, (label, *numbers) in enumerate(rows):
        cells += [Put(72, 160 + 16 * i, label)] * bool(label)
        # Helvetica's digits are 5.56 wide at 10 points, its commas 2.78, its parentheses 3.33
        widths = [sum({",": 2.78, "(": 3.33, ")": 3.33}.get(c, 5.56) for c in n) for n in numbers]
        cells += [Put(edge - w, 160 + 16 * i, n) for edge, w, n in zip((360, 440), widths, numbers, strict=True)]
    document = read(build([lines(72, 100, PROSE) + cells + lines(72, 260, PROSE)]))
    assert of_kind(document, Kind.TABLE) == [
        "2016\t2017\nNet sales\t135,987\t177,866\nIncome\t(4,186)\t4,106\nOther\t90\t202"
    ]
    assert len(of_kind(document, Kind.PARAGRAPH)) == 2


def test_a_row_whose_label_wraps_is_one_row() -> None:
    def row(y: float, label: str, number: str) -> list[Put]:
        return [Put(72, y, label), Put(360, y, number), Put(440, y, number)]

    page = row(100, "Winds", "11") + row(116, "Waves", "12") + [Put(72, 132, "Waves that came from the north and")]
    page += row(143, "then went south", "13") + row(159, "Tides", "14") + row(175, "Boats", "15")
    assert (
        "Waves that came from the north and then went south\t13\t13" in of_kind(read(build([page])), Kind.TABLE)[0]
    )


@pytest.mark.parametrize(("first", "x"), [("The winds", 127), ("the winds", 132)])
def test_loose_lines_are_no_table(first: str, x: float) -> None:
    # blanks under one another: narrow ones, or wide ones in sentences that run on
    page = []
    for i in range(4):
        page += [
            Put(72, 100 + 12 * i, first),
            Put(x, 100 + 12 * i, "of the morning that he wrote down each day and"),
        ]
    document = read(build([page]))
    assert of_kind(document, Kind.TABLE) == []


def test_captions() -> None:
    page = [*lines(72, 100, PROSE), Put(72, 180, "Figure 3. The tower from the sea."), *lines(72, 220, PROSE)]
    page += [
        Put(72, 290, "Table 2-1 Winds", 8, "F4"),
        *lines(72, 330, ["Figure 3 shows the tower from the sea.", *PROSE]),
    ]
    assert of_kind(read(build([page])), Kind.CAPTION) == ["Figure 3. The tower from the sea.", "Table 2-1 Winds"]


def test_a_caption_that_begins_with_a_line_in_bold_is_one() -> None:
    page = [
        *lines(72, 100, PROSE),
        Put(72, 180, "Figure 3. The tower from the sea and from the long pier of Rona.", 10, "F2"),
    ]
    page += [*lines(72, 192, ["It was drawn by the keeper."]), *lines(72, 240, PROSE)]
    assert of_kind(read(build([page])), Kind.CAPTION) == [
        "Figure 3. The tower from the sea and from the long pier of Rona. It was drawn by the keeper."
    ]


def test_a_cell_that_wraps_to_the_right_of_its_label() -> None:
    page = []
    for i, (tag, word) in enumerate([("000", "object"), ("010", "double"), ("100", "string"), ("110", "boolean")]):
        page += [
            Put(72, 100 + 12 * i, tag),
            Put(120, 100 + 12 * i, word),
            Put(220, 100 + 12 * i, f"a thing of kind {i}"),
        ]
    page += [Put(120, 148, "or null"), *lines(72, 200, PROSE)]
    assert of_kind(read(build([page])), Kind.TABLE)[0].endswith("110\tboolean or null\ta thing of kind 3")


def test_footnotes_stand_behind_the_paragraph_that_they_interrupt() -> None:
    first = [
        *lines(72, 100, PROSE * 3),
        *lines(72, 208, ["and then he went down to the pier and looked for the boat that was"]),
    ]
    first += lines(72, 600, ["1 The pier was built of the stones of an older tower."], size=7)
    document = read(build([first, lines(72, 100, ["lost in the night.", *PROSE])]))
    assert of_kind(document, Kind.FOOTNOTE) == ["1 The pier was built of the stones of an older tower."]
    assert "the boat that was lost in the night." in document.text


def test_a_table_of_contents_has_its_role() -> None:
    entries = ["1 Winds " + ". " * 30 + "3", "2 Waves " + ". " * 30 + "14", "3 Tides " + ". " * 30 + "20"]
    document = read(build([lines(72, 100, entries), lines(72, 100, PROSE)]))
    assert [b.role for b in document.blocks if b.kind is Kind.LIST_ITEM] == [Role.TOC] * 3
    assert document.blocks[-1].role is Role.BODY


def test_references_at_the_end_are_backmatter() -> None:
    items = ["[1] A. Keeper. Winds. 1999.", "[2] B. Keeper. Waves. 2001.", "[3] C. Keeper. Tides. 2004."]
    page = sections(("1 Winds", 12, "F2"), ("2 Waves", 12, "F2"), ("3 Tides", 12, "F2"), ("4 Boats", 12, "F2"))
    page += [Put(72, 400, "References", 12, "F2"), *lines(72, 420, items)]
    document = read(build([page]))
    assert {b.role for b in document.blocks if document.slice(b.span).startswith("[")} == {Role.BACKMATTER}


def test_one_line_in_italics_between_upright_paragraphs_is_a_heading_where_there_are_several() -> None:
    heads = [("Waves", 12, "F2"), ("Wind from the west", 10, "F4"), ("Wind from the east", 10, "F4")]
    heads += [("Tides", 12, "F2"), ("Calm", 10, "F4")]
    assert titles(read(build([sections(*heads)]))) == [
        (1, "Waves"),
        (2, "Wind from the west"),
        (2, "Wind from the east"),
        (1, "Tides"),
        (2, "Calm"),
    ]
    assert titles(read(build([sections(*heads[:-1])]))) == [(1, "Waves"), (1, "Tides")]  # two are none


def test_a_heading_may_come_again_under_every_section_but_at_the_top_of_every_page() -> None:
    page = sections(("Waves", 14, "F2"), ("Causes", 10, "F2"), ("Winds", 14, "F2"), ("Causes", 10, "F2"))
    page += sections(("Tides", 14, "F2"), ("Causes", 10, "F2"), top=380)
    assert [title for _, title in titles(read(build([page])))] == [
        "Waves", "Causes", "Winds", "Causes", "Tides", "Causes",
    ]  # fmt: skip
    pages = [sections(("Harbour Office", 10, "F2"), top=60) + sections(("Wave", 12, "F2"), top=200)] * 3
    assert "Harbour Office" not in [title for _, title in titles(read(build(pages)))]


def test_a_long_title_whose_words_are_capitalised_is_a_heading() -> None:
    long = [
        "Our Harbour Could Suffer if We Are Unsuccessful in Securing, Entering Into",
        "and Managing Agreements With Keepers, Pilots, Strategic Alliances, Other Owners and Crews",
    ]
    page = [*lines(72, 60, PROSE), *lines(72, 120, long, font="F2"), *lines(72, 160, PROSE)]
    assert titles(read(build([page]))) == [(1, " ".join(long))]
    low = [long[0].capitalize(), long[1].lower()]
    page = [*lines(72, 60, PROSE), *lines(72, 120, low, font="F2"), *lines(72, 160, PROSE)]
    assert titles(read(build([page]))) == []


def test_a_number_of_a_house_in_small_type_is_no_footnote() -> None:
    foot = [Put(72, 700, "410 Terry Avenue North", 8)]
    assert of_kind(read(build([[*lines(72, 60, PROSE), *foot]])), Kind.FOOTNOTE) == []
    notes = [Put(72, 690, "109 The height is in feet.", 8), Put(72, 700, "110 The wind is in knots.", 8)]
    assert len(of_kind(read(build([[*lines(72, 60, PROSE), *notes]])), Kind.FOOTNOTE)) == 2


def test_links_in_a_fixed_width_at_the_foot_are_footnotes() -> None:
    notes = [
        Put(72, 690, "1 http://www.skarra.example", 8, "F3"),
        Put(72, 700, "2 http://www.pier.example/", 8, "F3"),
    ]
    document = read(build([[*lines(72, 60, PROSE), *notes]]))
    assert of_kind(document, Kind.FOOTNOTE) == ["1 http://www.skarra.example", "2 http://www.pier.example/"]
    assert of_kind(document, Kind.CODE) == []


def test_a_call_alone_on_its_line_is_code() -> None:
    page = [
        *lines(72, 60, PROSE),
        Put(72, 120, "VERIFY_GROUP (CURRENT_USER, 'JUDY', 'TONY')", 10, "F3"),
        *lines(72, 160, PROSE),
    ]
    assert of_kind(read(build([page])), Kind.CODE) == ["VERIFY_GROUP (CURRENT_USER, 'JUDY', 'TONY')"]
