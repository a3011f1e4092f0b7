"""PDFs: drawings, formulas, quotations, tables with turned headings, letters that a file does not tell."""

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


def blocks(document: Document) -> list[tuple[Kind, str]]:
    return [(b.kind, document.slice(b.span)) for b in document.blocks]


def figure_page(caption: str, font: str = "F4", at: float = 240) -> list[Put]:
    return [
        *lines(72, 100, PROSE),
        Put(200, 180, "a wide arrow leads from the lamp"),
        Put(120, 200, "to the lens"),
        Put(72, at, caption, font=font),
        *lines(72, at + 30, PROSE),
    ]


def test_words_in_a_drawing_over_its_caption_are_a_figure() -> None:
    page = figure_page("Figure 1 How the light is made")
    document = read(build([page], drawn={0: [(72, 160, 420, 225)]}))
    framed = blocks(document)
    assert framed[1] == (Kind.CAPTION, "Figure 1 How the light is made")
    assert framed[-1] == (Kind.FIGURE, "a wide arrow leads from the lamp\nto the lens")
    assert [block.role for block in document.blocks] == [Role.BODY] * (len(framed) - 1) + [Role.FIGURE]
    assert Kind.FIGURE not in {kind for kind, _ in blocks(read(build([page])))}


def test_a_rule_may_part_a_drawing_from_its_caption() -> None:
    page = figure_page("Figure 1 How the light is made", at=265)
    rule, drawing = (72, 250, 420, 250.5), (72, 160, 420, 228)
    assert blocks(read(build([page], drawn={0: [drawing, rule]})))[-1][0] is Kind.FIGURE
    assert Kind.FIGURE not in {kind for kind, _ in blocks(read(build([page], drawn={0: [drawing]})))}


def test_the_labels_of_an_axis_are_turned() -> None:
    page = [*figure_page("Figure 1 How the light is made"), Put(85, 220, "lumen", turn=1)]
    document = read(build([page], drawn={0: [(72, 160, 420, 225)]}))
    assert blocks(document)[-1] == (Kind.FIGURE, "a wide arrow leads from the lamp\nto the lens\nlumen")


def test_a_drawing_in_a_form_ends_where_the_form_cuts_it_off() -> None:
    page = figure_page("Figure 1 How the light is made")
    # what the form draws reaches from the head of the page to its foot; 65 points of it are seen
    document = read(build([page], forms={0: [((72, 160, 420, 225), [(0, 0, 612, 792)])]}))
    assert blocks(document)[-1] == (Kind.FIGURE, "a wide arrow leads from the lamp\nto the lens")


def test_a_form_of_text_alone_is_no_drawing() -> None:
    words = [Put(72, 170, "the lamp"), Put(72, 200, "stands by the sea"), Put(72, 225, "and the harbour")]
    page = [*lines(72, 100, PROSE), Put(72, 240, "Figure 1 The lamp", font="F4")]
    document = read(build([page], forms={0: [((72, 150, 420, 230), words)]}))
    assert "stands by the sea" in document.text
    assert Kind.FIGURE not in {kind for kind, _ in blocks(document)}


def test_a_form_around_all_of_a_page_is_no_drawing_but_what_it_holds_is() -> None:
    page = figure_page("Figure 1 How the light is made")
    held = [*page, (72, 160, 420, 225), Put(20, 30, "North"), Put(580, 770, "9")]
    document = read(build([[]], forms={0: [((0, 0, 612, 792), held)]}))
    assert (Kind.FIGURE, "a wide arrow leads from the lamp\nto the lens") in blocks(document)


def test_prose_in_a_frame_with_a_caption_is_body() -> None:
    told = lines(80, 180, ["Write down the wind of each morning", "and of each evening, and do not", "forget it."])
    page = [*lines(72, 100, PROSE), *told, Put(72, 240, "Figure 1 The orders", font="F4"), *lines(72, 270, PROSE)]
    document = read(build([page], drawn={0: [(72, 165, 420, 225)]}))
    (figure,) = [block for block in document.blocks if block.kind is Kind.FIGURE]
    assert figure.role is Role.BODY
    assert document.text[figure.span.end :].startswith("\n\nFigure 1 The orders")


def test_a_table_in_a_frame_stays_a_table() -> None:
    rows = [
        Put(x, 180 + 12 * r, text)
        for r, row in enumerate(
            [("Lamp", "Oil", "Nights"), *[(n, "4.5", "12") for n in ("north", "south", "west")]]
        )
        for x, text in zip((80, 200, 320), row, strict=True)
    ]
    page = [*lines(72, 100, PROSE), *rows, Put(72, 250, "Figure 1 The lamps", font="F4")]
    found = blocks(read(build([page], drawn={0: [(72, 165, 420, 235)]})))
    assert Kind.TABLE in {kind for kind, _ in found}
    assert Kind.FIGURE not in {kind for kind, _ in found}


def test_a_sentence_goes_on_behind_a_drawing() -> None:
    page = [
        *lines(72, 100, PROSE[:2]),
        Put(200, 180, "a wide arrow leads from the lamp"),
        Put(72, 240, "Figure 1 How the light is made", font="F4"),
        *lines(72, 270, PROSE[2:]),
    ]
    document = read(build([page], drawn={0: [(72, 160, 420, 225)]}))
    assert document.text.startswith(" ".join(PROSE))


@pytest.mark.parametrize(
    ("page", "frame"),
    [
        (figure_page("Figure 1 How the light is made"), (72, 60, 420, 130)),  # far above, around the prose
        (figure_page("Figure 1 How the light is made", at=720), (0, 0, 612, 700)),  # nearly the whole page
        (figure_page("Figure 1 shows how the light is made", font="F1"), (72, 160, 420, 225)),
    ],
)
def test_what_is_no_drawing(page: list[Put], frame: tuple[float, float, float, float]) -> None:
    found = blocks(read(build([page], drawn={0: [frame]})))
    assert Kind.FIGURE not in {kind for kind, _ in found}


def test_code_in_a_frame_stays_code() -> None:
    listing = lines(80, 180, ["for (lamp = 0; lamp < 9; lamp++) {", "    light(lamp);", "}"], font="F3")
    page = [*lines(72, 100, PROSE), *listing, Put(72, 240, "Figure 1 The loop", font="F4")]
    document = read(build([page], drawn={0: [(72, 165, 420, 225)]}))
    assert (Kind.CODE, "for (lamp = 0; lamp < 9; lamp++) {\n    light(lamp);\n}") in blocks(document)


def test_a_displayed_formula_and_its_number() -> None:
    page = [
        *lines(72, 100, PROSE),
        Put(200, 160, "h = a + b"),
        Put(360, 160, "(12)"),
        *lines(72, 190, PROSE),
    ]
    assert blocks(read(build([page])))[1] == (Kind.FORMULA, "h = a + b (12)")


def test_a_sentence_with_a_sign_is_no_formula() -> None:
    page = [*lines(72, 100, PROSE), Put(140, 160, "where height = width holds everywhere"), *lines(72, 190, PROSE)]
    assert Kind.FORMULA not in {kind for kind, _ in blocks(read(build([page])))}


def test_prose_set_in_from_both_sides_is_a_quotation() -> None:
    told = [
        "It was the coldest of nights, and the oil",
        "would not burn, so that we stood by the",
        "lamp with our hands.",
    ]
    page = [*lines(72, 100, PROSE), *lines(110, 160, told), *lines(72, 220, PROSE)]
    found = blocks(read(build([page])))
    assert found[1] == (Kind.QUOTE, " ".join(told))
    assert [kind for kind, _ in found].count(Kind.QUOTE) == 1


def test_prose_set_in_from_the_left_alone_is_none() -> None:
    page = [*lines(72, 100, PROSE), *lines(110, 160, PROSE[:2]), *lines(72, 220, PROSE)]
    assert Kind.QUOTE not in {kind for kind, _ in blocks(read(build([page])))}


def test_turned_words_over_the_columns_head_them() -> None:
    grid = [
        *(
            Put(72, 200 + 20 * i, f"The {name} of the tower")
            for i, name in enumerate(["lamp", "lens", "door", "step"])
        ),
        *(Put(300, 200 + 20 * i, "X") for i in range(4)),
        *(Put(340, 200 + 20 * i, "X") for i in range(0, 4, 2)),
        Put(380, 220, "X"),
        Put(380, 260, "X"),
    ]
    heads = [Put(x, 182, text, turn=1) for x, text in ((305, "Cleaned"), (345, "Painted"), (385, "Broken"))]
    page = [*lines(72, 60, PROSE), *grid, *heads]
    (table,) = [text for kind, text in blocks(read(build([page]))) if kind is Kind.TABLE]
    assert table.lstrip("\t").split("\n") == [
        "Cleaned\tPainted\tBroken",  # the label's column has none
        "The lamp of the tower\tX\tX",
        "The lens of the tower\tX\t\tX",
        "The door of the tower\tX\tX",
        "The step of the tower\tX\t\tX",
    ]


def test_text_that_is_printed_twice_is_read_once() -> None:
    shadow = [Put(75, 102.5, "Keepers of the light"), Put(72, 100, "Keepers of the light")]
    assert read(build([[*shadow, *lines(72, 140, PROSE)]])).text.count("Keepers") == 1


def test_equal_words_beside_one_another_are_both_read() -> None:
    page = [Put(72, 100, "bell bell"), Put(120, 100, "bell bell"), Put(72, 105, "bell bell")]
    assert read(build([[*page, *lines(72, 140, PROSE)]])).text.count("bell") == 6


def test_a_font_of_bare_glyph_numbers_is_unreadable() -> None:
    told: list[str] = []
    meaning = {code: bytes([0, 1 + code % 25]) for code in range(ord("a"), ord("z") + 1)}
    page = [*lines(72, 100, PROSE), *lines(72, 180, ["abcdefgh ijklmnop qrstuvw", "xyzabcde fghijkl"], font="F5")]
    document = PdfReader().read(Source("a.pdf", build([page], meaning=meaning)), told.append)
    assert [b.role for b in document.blocks] == [Role.BODY, Role.DAMAGED]
    assert "characters have no known letter" in told[0]


def test_footnotes_are_parted_by_their_numbers() -> None:
    notes = lines(
        72, 600, ["1 See the book of the keepers, north", "2 See the list of the lamps, south"], 9, size=7
    )
    found = blocks(read(build([[*lines(72, 100, PROSE), *notes]])))
    assert [text for kind, text in found if kind is Kind.FOOTNOTE] == [
        "1 See the book of the keepers, north",
        "2 See the list of the lamps, south",
    ]


def test_a_foot_set_like_the_others_is_furniture_even_if_its_words_are_its_own() -> None:
    feet = ["Chapter 1. The rock 3", "Chapter 1. The rock 9", "Chapter 1. The rock 14", "Chapter 2. The lamp 31"]
    pages = [[*lines(72, 100 + 30 * i, PROSE), Put(400, 760, foot, 8)] for i, foot in enumerate(feet)]
    document = read(build(pages))
    assert [document.slice(b.span) for b in document.blocks if b.role is Role.FURNITURE] == feet


def test_what_leads_to_a_second_table_parts_it_from_the_first() -> None:
    first = [
        Put(x, 100 + 14 * r, text) for r in range(3) for x, text in ((72, "Oil"), (250, f"{r}.5"), (330, f"{r}.7"))
    ]
    lead = Put(72, 142, "The weights of the lamps were as follows:")
    second = [
        Put(x, 156 + 14 * r, f"{r}{x}") for r in range(3) for x in (72, 120, 170, 250, 330, 400)
    ]  # fmt: skip
    tables = [text for kind, text in blocks(read(build([[*first, lead, *second]]))) if kind is Kind.TABLE]
    assert [len(table.split("\n")) for table in tables] == [3, 3]
