"""PDFs: columns, what stands beside them, and furniture."""

from __future__ import annotations

from document_laws import hold_laws
from pdf_builder import Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning

PROSE = [
    "The keeper of the lighthouse wrote down the wind each morning and",
    "each evening, and in the winter he wrote down the height of the",
    "waves as well, because the harbour master had asked him for it.",
    "Nobody read the book until a student found it in a cellar and",
    "copied the numbers of forty years into a table of her own.",
]
WHOLE = " ".join(PROSE)


def read(pages: list[list[Put]]) -> Document:
    document = PdfReader().read(Source("a.pdf", build(pages)), no_warning)
    hold_laws(document)
    return document


def furniture(document: Document) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.role is Role.FURNITURE]


def test_the_last_line_of_a_caption_over_two_columns_stays_with_it() -> None:
    wide = [
        "Figure 1. The tower from the sea, as it was drawn by the keeper before the great storm of the year 1870,"
    ]
    wide += ["with the pier that was lost and the two boats."]
    page = lines(60, 100, wide) + lines(60, 150, PROSE, size=8) + lines(330, 150, PROSE, size=8)
    document = read([page])
    assert [document.slice(b.span) for b in document.blocks if b.kind is Kind.CAPTION] == [" ".join(wide)]


def test_a_narrow_column_beside_a_wide_one() -> None:
    names = ["The first keeper", "of the tower", "The second one", "of the pier", "The third one", "of the sea"]
    aside = [Put(60, 100 + 12 * i + 6 * (i // 2), name, 9, "F2") for i, name in enumerate(names)]
    document = read([aside + lines(200, 100, PROSE * 2)])
    assert WHOLE in document.text.replace("\n\n", " ")
    assert "The second one of the pier" in document.text.replace("\n\n", " ")


def test_a_table_of_two_columns_of_prose_is_read_by_rows() -> None:
    left = (
        ["The wind that blows in the", "morning from the sea"],
        ["The wind that blows in the", "evening from the land"],
    )
    right = (
        ["It was written down in the", "book by the first keeper"],
        ["It was written down in the", "book by the second one"],
    )
    page = []
    for i, (a, b) in enumerate(zip(left * 2, right * 2, strict=True)):
        page += lines(72, 100 + 40 * i, a, size=9) + lines(330, 100 + 40 * i, b, size=9)
    text = read([page]).text
    assert text.index("first keeper") < text.index("evening from")


def test_three_columns() -> None:
    short = [
        "The keeper wrote down the winds",
        "of each morning and of each",
        "evening, and the waves as well,",
        "in a book of his own.",
    ]
    page = [
        put
        for i, x in enumerate((40, 230, 420))
        for put in lines(x, 100, [*short, f"So ends column {i}."], size=9)
    ]
    text = read([sorted(page, key=lambda put: put.y)]).text
    assert text.replace("\n\n", " ") == " ".join(" ".join([*short, f"So ends column {i}."]) for i in range(3))


def test_page_numbers_are_known_by_counting_on() -> None:
    # at another height on each page, as where the foot follows the text
    pages = [[*lines(72, 60, PROSE), Put(300, 300 + 50 * n, str(41 + n))] for n in range(3)]
    document = read(pages)
    assert furniture(document) == ["41", "42", "43"]


def test_a_number_that_does_not_count_on_is_text() -> None:
    pages = [[*lines(72, 60, PROSE), Put(300, 300 + 50 * n, str(number))] for n, number in enumerate((41, 7, 99))]
    assert furniture(read(pages)) == []


def test_roman_page_numbers() -> None:
    pages = [[*lines(72, 60, PROSE), Put(300, 760, number)] for number in ("ii", "iii", "iv")]
    assert furniture(read(pages)) == ["ii", "iii", "iv"]


def test_heads_that_differ_in_their_numbers_alone() -> None:
    pages = [[Put(72, 40, f"Winds and waves {n}"), *lines(72, 100, PROSE)] for n in (7, 8, 9)]
    assert furniture(read(pages)) == ["Winds and waves 7", "Winds and waves 8", "Winds and waves 9"]


def test_sentences_that_end_lines_early_end_paragraphs() -> None:
    page = lines(
        72,
        100,
        [*PROSE[:3], "He did so.", "Nobody read the book until a student found it in a cellar and", "kept it."],
    )
    found = [b for b in read([page]).blocks if b.kind is Kind.PARAGRAPH]
    assert len(found) == 2


def test_a_word_parted_by_a_page_break_is_whole() -> None:
    start = [*PROSE[:3], "and nobody else was asked for it in all the years of the light-"]
    assert (
        "the years of the lighthouse keeper"
        in read([lines(72, 600, start), lines(72, 100, ["house keeper of the north."])]).text
    )


def test_a_hyphen_at_the_end_of_a_page_goes_on_with_a_name() -> None:
    start = [*PROSE[:3], "and went to Stratford-"]
    assert "Stratford-Upon" in read([lines(72, 600, start), lines(72, 100, ["Upon and to no other place."])]).text


def test_where_paragraphs_are_indented_one_that_is_not_goes_on() -> None:
    start = [
        Put(90, 600, "In the north the keeper wrote down the wind each morning and"),
        *lines(72, 612, PROSE[1:3]),
    ]
    start = [*start[:-1], Put(72, 624, "waves for the Second")]
    document = read(
        [start, lines(72, 100, ["Harbour Master of the north, who had asked him for it.", "Then he slept."])]
    )
    assert "for the Second Harbour Master" in document.text


def test_a_full_last_line_goes_on_with_a_name() -> None:
    start = [*PROSE[:3], "and so the book was given by the harbour master to the student"]
    text = read(
        [
            lines(72, 600, start),
            lines(72, 100, ["Anna of the north, who copied it into a table of her own, and kept", "it."]),
        ]
    ).text
    assert "to the student Anna of the north" in text


def test_turned_text_is_read_by_itself() -> None:
    page = [*lines(72, 100, PROSE), *[Put(30 + 12 * i, 500, text, turn=1) for i, text in enumerate(PROSE[:2])]]
    assert read([page]).text == WHOLE + "\n\n" + " ".join(PROSE[:2])


def test_a_column_of_phrases_beside_names_and_numbers_is_a_column_of_their_table() -> None:
    people = ["Ada T. Barlow", "Bert V. Conner", "Cora L. Dunbar", "Dora K. Eason", "Emil S. Farrow"]
    posts = ["Keeper of the northern light", "Pilot of the outer harbour", "Master of the lower quay",
             "Writer of the book of winds", "Mender of the western pier"]  # fmt: skip
    page = lines(72, 40, ["The following people kept the harbour in the year of the great storm, as"], 12)
    for i, (name, post) in enumerate(zip(people, posts, strict=True)):
        page += [Put(72, 80 + 14 * i, name), Put(190, 80 + 14 * i, str(40 + i)), Put(300, 80 + 14 * i, post)]
    text = read([page]).text
    for i, (name, post) in enumerate(zip(people, posts, strict=True)):
        assert f"{name}\t{40 + i}\t{post}" in text
