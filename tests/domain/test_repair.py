"""Damage that parsers do is marked; what authors repeat is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.document import Block, Kind, Page, Role, Span
from vchunk.domain.repair import Repair, repair

LONG = "The harbour of Skarra was closed to all sailing vessels in the winter of 1911."
OTHER = "A keeper wrote in his log that the lamp had burned for nine nights in a row."
Made = tuple[Kind, str]


def p(text: str) -> Made:
    return Kind.PARAGRAPH, text


def h(text: str) -> Made:
    return Kind.HEADING, text


def build(*pages: list[Made], roles: dict[str, Role] | None = None) -> tuple[list[Block], str, list[Page]]:
    text, blocks, runs = "", [], []
    for number, page in enumerate(pages, start=1):
        first = len(text)
        for kind, said in page:
            start = len(text)
            level, title = (1, said) if kind is Kind.HEADING else (None, None)
            role = (roles or {}).get(said, Role.BODY)
            blocks.append(Block(kind, Span(start, start + len(said)), role, level, None, title))
            text += said + "\n\n"
        if page:
            runs.append(Page(number, Span(first, len(text) - 2)))
    return blocks, text, runs


def mended(*pages: list[Made], roles: dict[str, Role] | None = None) -> tuple[Repair, list[str], list[str]]:
    """The repair, what was left out, and the rest with its kind."""
    blocks, text, runs = build(*pages, roles=roles)
    done = repair(blocks, text, runs)
    lost = [text[b.span.start : b.span.end] for b in done.blocks if b.role is Role.DAMAGED]
    kept = [f"{b.kind}: {text[b.span.start : b.span.end]}" for b in done.blocks if b.role is Role.BODY]
    return done, lost, kept


def test_a_block_that_stands_again_on_the_next_page_is_left_out_the_second_time() -> None:
    done, lost, kept = mended([p(OTHER), p(LONG)], [p(LONG.replace(" ", "\n", 1)), p("Then.")])
    assert lost == [LONG.replace(" ", "\n", 1)]
    assert kept == [f"paragraph: {OTHER}", f"paragraph: {LONG}", "paragraph: Then."]
    assert done.describe() == "mended what the parser damaged: 1 repeated block left out"


def test_what_was_repeated_with_it_goes_too_and_makes_no_section() -> None:
    run = [h("The log"), *[p(f"{OTHER} Night {i}.") for i in range(6)], p("Short.")]
    done, lost, _ = mended([p(LONG), *run], [*run, p("Then.")])
    assert lost == [said for _, said in run]
    assert done.repeated == len(run)
    assert sum(block.kind is Kind.HEADING for block in done.blocks) == 1


@pytest.mark.parametrize(
    "pages",
    [
        ([p(LONG), p(LONG)],),  # on one page
        ([p(LONG)], [p(OTHER)], [p(LONG)]),  # not on neighbouring pages
        ([p("A refrain of few words.")], [p("A refrain of few words.")]),  # short
        ([p(LONG)], [p(LONG)], [p(LONG)]),  # on every page
        ([h("Part 1"), p(LONG)], [h("Part 2"), p(LONG)]),  # under another heading
        ([p(LONG), *[p(f"{OTHER} {i}") for i in range(4)]], [p(LONG)]),  # not at the seam
        ([(Kind.TABLE, LONG)], [(Kind.TABLE, LONG)]),
        ([(Kind.CAPTION, LONG)], [(Kind.CAPTION, LONG)]),
        ([(Kind.CODE, LONG)], [(Kind.CODE, LONG)]),
        ([p(LONG)], [(Kind.QUOTE, LONG)]),
    ],
)
def test_an_authors_own_repetition_is_not_touched(pages: tuple[list[Made], ...]) -> None:
    done, lost, _ = mended(*pages)
    blocks, _, _ = build(*pages)
    assert (lost, done.describe()) == ([], None)
    assert list(done.blocks) == blocks


def test_furniture_and_a_footnote_between_do_not_hide_a_repeat() -> None:
    pages = [p(LONG), p("7"), (Kind.FOOTNOTE, "a note")], [p("Head"), p(LONG), p("Then.")]
    _, lost, _ = mended(*pages, roles={"7": Role.FURNITURE, "Head": Role.FURNITURE})
    assert lost == [LONG]


def test_without_pages_nothing_is_a_repeat() -> None:
    blocks, text, _ = build([p(LONG)], [p(LONG)])
    assert repair(blocks, text, ()).blocks == tuple(blocks)


def test_a_list_is_left_out_with_its_items() -> None:
    text = f"- {LONG}\n\n- {LONG}"
    size = 2 + len(LONG)
    blocks = []
    for start in (0, size + 2):
        blocks += [
            Block(Kind.LIST, Span(start, start + size)),
            Block(Kind.LIST_ITEM, Span(start, start + size), parent=len(blocks)),
            Block(Kind.PARAGRAPH, Span(start + 2, start + size), parent=len(blocks) + 1),
        ]
    done = repair(blocks, text, [Page(1, Span(0, size)), Page(2, Span(size + 2, len(text)))])
    assert [block.role for block in done.blocks] == [Role.BODY] * 3 + [Role.DAMAGED] * 3
    assert done.repeated == 1


def test_a_cut_off_sentence_goes_where_its_full_version_follows() -> None:
    done, lost, kept = mended([p("It was cold. The harbour of Skarra was clo")], [p(LONG)])
    assert lost == ["The harbour of Skarra was clo"]
    assert kept == ["paragraph: It was cold.", f"paragraph: {LONG}"]
    assert done.describe() == "mended what the parser damaged: 1 cut-off sentence left out"


def test_a_footnote_between_does_not_hide_a_cut_off_sentence() -> None:
    assert mended([p(LONG[:50]), (Kind.FOOTNOTE, "1 A note.")], [p(LONG)])[1] == [LONG[:50]]


@pytest.mark.parametrize("cut", ["The harbour of Skarra was closed to all sailing ves-", LONG[:50]])
def test_a_cut_off_block_goes_as_a_whole(cut: str) -> None:
    _, lost, kept = mended([p(cut), p(LONG)])
    assert (lost, kept) == ([cut], [f"paragraph: {LONG}"])


@pytest.mark.parametrize(
    "pages",
    [
        ([p("The harbour of Skarra")], [p(LONG)]),  # too little to be sure
        ([p(LONG[:30]), p(LONG)],),  # on one page a line may well begin as the next one does
        ([p("The harbour of Skarra was closed.")], [p("The harbour of Skarra was closed. It was cold.")]),
        ([(Kind.LIST_ITEM, LONG[:50])], [(Kind.LIST_ITEM, LONG)]),
        ([p(LONG[:50])], [p(OTHER)], [p(LONG)]),
        ([h(LONG[:50])], [p(LONG)]),
    ],
)
def test_sentences_that_only_begin_alike_are_kept(pages: tuple[list[Made], ...]) -> None:
    assert mended(*pages)[1] == []


def test_body_text_that_follows_anyway_is_left_out_of_the_heading() -> None:
    done, lost, _ = mended([h("Methods The harbour of Skarra was closed"), p(LONG)])
    assert lost == ["The harbour of Skarra was closed"]
    assert [block.title for block in done.blocks if block.kind is Kind.HEADING] == ["Methods"]
    assert done.describe() == "mended what the parser damaged: 1 heading parted from body text"


def test_sentences_in_a_heading_become_a_paragraph() -> None:
    done, lost, kept = mended([h(f"Results. {LONG} {OTHER}"), p("Then.")])
    assert lost == []
    assert kept == ["heading: Results.", f"paragraph: {LONG} {OTHER}", "paragraph: Then."]
    assert done.bled == 1


@pytest.mark.parametrize(
    "text", [f"{LONG} {OTHER}", f"{LONG[:-1]} and {OTHER}", f"{LONG[:-1]} and " * 4 + "so on"]
)
def test_a_heading_that_is_text_is_a_paragraph(text: str) -> None:
    assert mended([h(text)])[2] == [f"paragraph: {text}"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("1. Introduction", "It began."),
        ("Dr. Smith and the keepers of St. Petersburg", "They met."),
        ("Amazon.com Inc. Annual Report for the Fiscal Year Ended", "It said."),
        ("What is a lighthouse? A short introduction for sailors and keepers", "It is."),
        ("Chapter 1 The state of the harbour of Skarra", "The state of the harbour of Skarra was bad."),
        ("Keeping The State Of The Harbour In Winter", "The State Of The Harbour In Winter is a book."),
        ("Keeping the state of the harbour in winter", "the state of the harbour in winter is bad."),
        ("Papers of the Skarra Corp. Letters of the first keepers.", "They wrote."),
        ("The harbour of Skarra was closed", LONG),  # the text takes up its title
        ("A study of the harbours of the north and of those who kept them, from the first charts to the last "
         "lights, with notes on the weather", "It was long."),
    ],
)  # fmt: skip
def test_titles_are_left_alone(title: str, text: str) -> None:
    assert mended([h(title), p(text)])[2] == [f"heading: {title}", f"paragraph: {text}"]


_said = st.sampled_from([LONG, OTHER, LONG[:50], "Short.", f"Results. {LONG}", "1. One", LONG[:30]])
_made = st.tuples(st.sampled_from([Kind.PARAGRAPH, Kind.HEADING, Kind.TABLE, Kind.LIST_ITEM]), _said)


@given(st.lists(st.lists(_made, max_size=5), max_size=4))
def test_no_text_is_lost_and_some_copy_always_stays(pages: list[list[Made]]) -> None:
    blocks, text, runs = build(*pages)
    done = repair(blocks, text, runs)
    held = "".join(text[b.span.start : b.span.end] for b in done.blocks)
    assert "".join(held.split()) == "".join(text.split())
    ends = [0, *(b.span.end for b in done.blocks)]
    assert all(end <= b.span.start for end, b in zip(ends, done.blocks, strict=False))
    kept = " ".join(text[b.span.start : b.span.end] for b in done.blocks if b.role is Role.BODY)
    for said in {said for page in pages for _, said in page}:
        assert said in kept
