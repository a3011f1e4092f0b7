"""Chunks are found in their documents again, whatever a peer did to their white space."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from peers.locating import Locator, Place

TEXT = "# Light\n\nThe lamp turns.  It has\ntwo lenses.\n\nYes. No. Yes.\n\nThe end.\n"


def spans(place: Place | None) -> list[str]:
    assert place is not None
    return [TEXT[start:end] for start, end in place.kept]


def test_a_slice_with_its_offset_stays_where_it_is() -> None:
    at = TEXT.rindex("Yes.")
    place = Locator(TEXT).locate("Yes.", at)
    assert place == Place(at, at + 4, True, [(at, at + 4)])


def test_a_wrong_offset_is_not_believed() -> None:
    place = Locator(TEXT).locate("The lamp turns.", 3)
    assert place is not None
    assert (place.start, place.verbatim) == (TEXT.index("The lamp"), True)


def test_white_space_may_differ_but_is_then_not_verbatim() -> None:
    place = Locator(TEXT).locate("The lamp turns. It has two lenses.")
    assert spans(place) == ["The lamp turns.  It has\ntwo lenses."]
    assert place is not None
    assert not place.verbatim


def test_repeated_text_is_found_in_order() -> None:
    locator = Locator(TEXT)
    places = [locator.locate(chunk) for chunk in ("Yes.", "No.", "Yes.")]
    first = TEXT.index("Yes.")
    assert [place and place.start for place in places] == [first, first + 5, first + 9]


def test_a_chunk_that_lacks_text_of_its_span_keeps_only_what_it_holds() -> None:
    place = Locator(TEXT).locate("The lamp turns.\n\nSomething of its own.\n\nYes. No.")
    assert spans(place) == ["The lamp turns.", "Yes. No."]
    assert place is not None
    assert TEXT[place.start : place.end] == TEXT[TEXT.index("The lamp") : TEXT.index(" Yes.\n")]
    assert not place.verbatim


def test_a_part_that_stands_only_before_the_chunk_is_a_repetition() -> None:
    locator = Locator(TEXT)
    assert locator.locate("Yes. No.") is not None
    assert spans(locator.locate("# Light\n\nYes.\n\nThe end.")) == ["Yes.\n\nThe end."]


def test_nothing_is_found_of_blanks_and_of_foreign_text() -> None:
    locator = Locator(TEXT)
    assert locator.locate(" \n") is None
    assert locator.locate("Quite another matter.") is None
    assert locator.locate("# Light") is not None


@given(st.text(alphabet="ab. \n", min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_the_pieces_of_a_text_are_its_slices(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    locator = Locator(text)
    for start, end in pairwise(edges):
        piece = text[start:end]
        place = locator.locate(piece)
        if not piece.strip():
            assert place is None
            continue
        assert place is not None
        assert place.verbatim
        assert text[place.start : place.end] == piece.strip()
        assert start <= place.start < place.end <= end
