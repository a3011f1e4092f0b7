"""PDFs: the text of record, its pages and boxes, and what cannot be read."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from document_laws import hold_laws
from pdf_builder import HEIGHT, Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

PROSE = [
    "The keeper of the lighthouse wrote down the wind each morning and",
    "each evening, and in the winter he wrote down the height of the",
    "waves as well, because the harbour master had asked him for it.",
    "Nobody read the book until a student found it in a cellar and",
    "copied the numbers of forty years into a table of her own.",
]


def read(data: bytes, password: str | None = None) -> Document:
    document = PdfReader(password).read(Source("a.pdf", data), no_warning)
    hold_laws(document)
    return document


def body(document: Document) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.role is Role.BODY and b.parent is None]


def test_lines_of_a_paragraph_are_joined_and_paragraphs_parted() -> None:
    page = lines(72, 100, PROSE) + lines(72, 184, ["A second paragraph stands apart from the first one."])
    document = read(build([page]))
    assert document.text == " ".join(PROSE) + "\n\nA second paragraph stands apart from the first one."
    assert [b.kind for b in document.blocks] == [Kind.PARAGRAPH] * 2
    assert document.media_type == "application/pdf"
    assert document.reader == "pdf/3"


def test_an_indented_first_line_begins_a_paragraph() -> None:
    page = [
        *lines(72, 100, PROSE),
        Put(84, 160, "Then the tower was closed, and the"),
        *lines(72, 172, PROSE[1:3]),
    ]
    assert body(read(build([page]))) == [
        " ".join(PROSE),
        " ".join(["Then the tower was closed, and the", *PROSE[1:3]]),
    ]


def test_a_hanging_indent_does_not() -> None:
    first = "Miller, A. and Smith, B. 1999. On the height of waves in the northern"
    page = [
        Put(72, 100, first),
        *lines(90, 112, ["sea, as seen from three lighthouses. Journal of Waves and Tides,", "pages 1 to 20."]),
    ]
    assert len(body(read(build([page])))) == 1


def test_every_box_and_page_run_holds_its_text() -> None:
    document = read(build([lines(72, 100, PROSE), lines(72, 100, PROSE[2:])]))
    lines_read = [document.slice(box.span) for box in document.boxes]
    assert lines_read == PROSE + PROSE[2:]
    for i, box in enumerate(document.boxes):
        on_page = i if i < 5 else i - 5
        assert box.page == (1 if i < 5 else 2)
        assert box.x0 == pytest.approx(72, abs=1)
        assert box.y0 < 100 + 12 * on_page < box.y1
        assert box.y1 - box.y0 < 15
        assert any(page.number == box.page and box.span in page.span for page in document.pages)


def test_a_sentence_that_begins_in_a_line_has_a_box_of_its_own() -> None:
    data = build([lines(72, 100, ["The wind rose. Then the keeper", "came. (He was old.) Waves broke."])])
    document = read(data)
    shown = [document.slice(box.span) for box in document.boxes]
    assert shown == ["The wind rose.", "Then the keeper", "came.", "(He was old.)", "Waves broke."]
    with closing(pypdfium2.PdfDocument(data)) as pdf, closing(pdf[0].get_textpage()) as page:
        for box, text in zip(document.boxes, shown, strict=True):
            # PDFium's own answer to what lies in the box
            inside = page.get_text_bounded(box.x0, HEIGHT - box.y1, box.x1, HEIGHT - box.y0)
            assert inside.strip() == text


def test_boxes_of_a_turned_page_are_those_of_the_page_as_shown() -> None:
    # /Rotate 90 shows what was written upwards at the left edge running to the right at the top
    page = [Put(100 + 12 * i, HEIGHT - 72, text, turn=1) for i, text in enumerate(PROSE)]
    document = read(build([page], rotate=90))
    assert document.text == " ".join(PROSE)
    box = document.boxes[0]
    assert (box.x0, box.y0 < 100 < box.y1) == (pytest.approx(72, abs=1), True)
    assert box.x1 - box.x0 > 200


def test_the_size_may_lie_in_the_text_matrix() -> None:
    heading = Put(72, 80, "Winds", 16, "F2", matrix=True)
    plain = [Put(72, 104 + 12 * i, text, matrix=True) for i, text in enumerate(PROSE)]
    more = [Put(72, 190, "Waves", 16, "F2", matrix=True)] + [
        Put(72, 214 + 12 * i, text, matrix=True) for i, text in enumerate(PROSE)
    ]
    document = read(build([[heading, *plain, *more]]))
    assert [b.title for b in document.blocks if b.kind is Kind.HEADING] == ["Winds", "Waves"]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("the wind was very diffi-", "cult to measure on the tower", "difficult to measure"),
        ("he read a well-known book, the well-", "known book of the wind and waves", "the well-known book of"),
        ("a tower for every winter and harbour, a winter-", "harbour indeed for all", "a winter-harbour indeed"),
        ("he stood with it out of the wind, with-", "out a lamp in his hand", "wind, without a lamp"),
        ("he called the harbour of the north x-", "harbour for many years", "north x-harbour for"),
        ("he wrote to the harbour of Stratford-", "Upon and to no other place", "Stratford-Upon and"),
        ("he wrote it down in the years 1990-", "1999 and in no other year", "years 1990-1999 and"),
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, joined: str) -> None:
    assert joined in read(build([lines(72, 100, [first, second])])).text


def test_a_hyphen_inside_a_line_stays() -> None:
    assert read(build([lines(72, 100, ["a state-of-the-art tower"])])).text == "a state-of-the-art tower"


def test_odd_characters_follow_the_rules() -> None:
    meaning = {
        0x61: "\ufb03".encode("utf-16-be"),
        0x62: "😀".encode("utf-16-be"),
        0x63: b"\x00\x00",
        0x64: b"\xd8\x3d",
        0x65: "x".encode("utf-16-be"),
        0x66: b"\xff\xff",
        0x67: "日".encode("utf-16-be"),
    }
    text = read(build([[Put(72, 100, "ebeaedeceg", font="F5")]], meaning=meaning)).text
    assert text == "x😀xffix\ufffdx\ufffdx日"


def test_lines_in_chinese_are_joined_without_a_blank() -> None:
    letters = "春眠不覚暁处处闻啼鸟夜来风雨声花落知多少"
    meaning = {0x61 + i: letter.encode("utf-16-be") for i, letter in enumerate(letters)}
    rows = ["".join(chr(0x61 + i) for i in range(10)), "".join(chr(0x61 + i) for i in range(10, 20))]
    document = read(
        build([[Put(72, 100 + 12 * i, row, font="F5") for i, row in enumerate(rows)]], meaning=meaning)
    )
    assert document.text == letters


def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = lines(60, 100, PROSE, size=8), lines(330, 100, [text.upper() for text in PROSE], size=6)
    mixed = [put for pair in zip(left, right, strict=True) for put in pair]
    text = read(build([mixed])).text
    assert text.replace("\n\n", " ") == " ".join(PROSE) + " " + " ".join(PROSE).upper()


def test_a_title_over_two_columns_comes_first() -> None:
    page = [Put(150, 60, "A book of winds and waves", 18, "F2")]
    page = lines(60, 100, PROSE, size=8) + lines(330, 100, PROSE, size=8) + page
    document = read(build([page]))
    assert document.text.startswith("A book of winds and waves\n\nThe keeper")
    assert document.title == "A book of winds and waves"


def test_a_sentence_goes_on_over_the_column_and_the_page() -> None:
    start, end = (
        ["The crane was moved to the north pier", "before the ice came and the boats that"],
        "lay there were sold.",
    )
    left = lines(60, 100, [*PROSE, *start], size=8)
    right = [Put(330, 100, end, 8), *lines(330, 124, PROSE + start, size=8)]
    after = [Put(60, 100, end, 8), *lines(60, 124, PROSE, size=8)]
    heads = [[Put(60, 40, "Harbour news", 7, "F4"), Put(300, 760, str(n), 7)] for n in (7, 8, 9)]
    document = read(build([left + right + heads[0], after + heads[1], lines(60, 100, PROSE, size=8) + heads[2]]))
    whole = " ".join([*start, end])
    assert document.text.count(whole) == 2
    assert [document.slice(b.span) for b in document.blocks if b.role is Role.FURNITURE] == [
        "Harbour news", "7", "Harbour news", "8", "Harbour news", "9",
    ]  # fmt: skip
    over = document.text.rindex(whole)
    runs = [page.number for page in document.pages if over <= page.span.start < over + len(whole)]
    assert 2 in runs
    assert document.text.index("\n\n7") > over  # the foot is behind the sentence it interrupted


def test_text_that_is_not_repeated_is_no_furniture() -> None:
    pages = [[Put(72, 40, f"{word} day", 10), *lines(72, 100, PROSE)] for word in ("Calm", "Wild", "Grey")]
    assert all(b.role is Role.BODY for b in read(build(pages)).blocks)


def test_a_body_that_repeats_is_no_furniture() -> None:
    document = read(build([lines(72, 60, PROSE)] * 4))
    assert all(b.role is Role.BODY for b in document.blocks)
    assert document.text.count(PROSE[0]) == 4


def test_pages_without_text_are_told() -> None:
    told: list[str] = []
    data = build([lines(72, 100, PROSE), [], []], pictures=True)
    PdfReader().read(Source("scan.pdf", data), told.append)
    assert told == ["scan.pdf: no text on pages 2-3 (pictures or scans), left out"]


def test_blank_pages_are_not() -> None:
    told: list[str] = []
    PdfReader().read(Source("a.pdf", build([lines(72, 100, PROSE), []])), told.append)
    assert told == []


def test_lost_blanks_are_told() -> None:
    told: list[str] = []
    PdfReader().read(
        Source("a.pdf", build([lines(72, 100, ["thevelocityofthesurfaceofthewater", "is here"])])), told.append
    )
    assert told == ["a.pdf: 1 of 3 words is longer than 30 letters; blanks may be missing"]


def test_a_scan_is_refused() -> None:
    with pytest.raises(ReadError, match=r"^a\.pdf: none of its 2 pages has text \(a scan\?\); run OCR"):
        read(build([[], []], pictures=True))


@pytest.mark.parametrize("data", [b"", b"<html><p>no</p></html>", build([lines(72, 100, PROSE)])[:300]])
def test_a_damaged_file_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(ReadError, match=r"^a\.pdf: not a readable PDF[^\n]*$"):
        read(data)


def test_encrypted_files() -> None:
    page = [lines(72, 100, PROSE)]
    assert read(build(page, password="")).text == " ".join(PROSE)
    assert read(build(page, password=""), "not needed").text == " ".join(PROSE)
    assert read(build(page, password="winds"), "winds").text == " ".join(PROSE)
    with pytest.raises(ReadError, match=r"^a\.pdf: this PDF needs a password; give it with --password$"):
        read(build(page, password="winds"))
    with pytest.raises(ReadError, match="--password does not open"):
        read(build(page, password="winds"), "waves")


_places = st.tuples(  # far enough from the edges for the longest text, whichever way it is turned
    st.integers(120, 480),
    st.integers(120, 660),
    st.sampled_from(["A", "the wind", "of  it.", "12", "- x", "(1)", "co-", "é."]),
)
_puts = st.builds(
    lambda at, size, font, turn: Put(at[0], at[1], at[2], size, font, turn=turn),
    _places,
    st.sampled_from([1, 7, 10, 24]),
    st.sampled_from(["F1", "F2", "F3"]),
    st.sampled_from([0, 0, 0, 1, 2, 3]),
)


@settings(max_examples=40)
@given(st.lists(st.lists(_puts, max_size=14), min_size=1, max_size=4))
def test_any_layout_gives_a_document_that_holds_all_letters(pages: list[list[Put]]) -> None:
    data = build(pages)
    try:
        document = read(data)
    except ReadError:
        assert not any(pages)
        return
    for box in document.boxes:
        assert document.slice(box.span).strip()
        assert any(page.number == box.page and box.span in page.span for page in document.pages)
    found, put = _letters(document.text), _letters(_as_pdfium_reads(data))
    assert not found - put
    if not any(_overprints(page) for page in pages):
        assert found == put


def _overprints(page: list[Put]) -> bool:
    """Whether a text stands over itself."""
    pairs = itertools.combinations(page, 2)
    return any(a.text == b.text and abs(a.x - b.x) < 20 and abs(a.y - b.y) < 20 for a, b in pairs)


def _letters(text: str) -> Counter[str]:
    return Counter(char for char in text if char.isalnum())


def _as_pdfium_reads(data: bytes) -> str:
    with closing(pypdfium2.PdfDocument(data)) as pdf:
        texts = []
        for page in pdf:
            text_page = page.get_textpage()
            texts.append(text_page.get_text_range())
            text_page.close()
            page.close()
        return "".join(texts)


def test_pdfs_are_read_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = threading.Semaphore(1)

    def one(*_: object) -> Document:
        assert inside.acquire(blocking=False)  # PDFium knows no threads
        threading.Event().wait(0.01)
        inside.release()
        return Document("")

    monkeypatch.setattr(PdfReader, "_read", one)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: PdfReader().read(Source("a.pdf", b""), no_warning), range(4)))
