"""Captions and introductions: what they belong to."""

from __future__ import annotations

import pytest

from materials import material_of
from strategies import read
from vchunk.domain.chunks import Chunk, chunk
from vchunk.domain.companions import find_companions
from vchunk.domain.document import Block, Document, Kind, Role, Span
from vchunk.domain.granularity import Granularity
from vchunk.wiring import make_hasher

TABLE = "| a | b |\n|---|---|\n| c | d |"
CODE = "```\nx\n```"


def found(text: str) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Captions by the first characters of their owner, and introductions."""
    document = read(text)
    companions = find_companions(document)

    def words(index: int) -> str:
        return document.slice(document.blocks[index].span).split("\n")[0]

    captions = [(words(owner), [words(c) for c in cs]) for owner, cs in sorted(companions.captions.items())]
    return captions, [words(i) for i in sorted(companions.introductions)]


@pytest.mark.parametrize(
    "caption",
    [
        "Table 3: Wages",
        "**Table 3.** Wages",
        "*Tab. 3:* w",
        "Table: Wages",
        "Tabelle 2.1: Löhne",
        "表 3: a",
        "TABLE A2. W",
    ],
)
def test_a_caption_before_its_table(caption: str) -> None:
    assert found(f"Text.\n\n{caption}\n\n{TABLE}\n\nMore.")[0] == [("| a | b |", [caption])]


@pytest.mark.parametrize(
    "text", ["Table 3 shows wages.", "The Table 3: a", "Tables are good.", "Table 3", "Fine: a"]
)
def test_what_is_no_caption(text: str) -> None:
    assert found(f"{text}\n\n{TABLE}")[0] == []


def test_a_figure_is_described_below_and_a_note_stands_behind() -> None:
    figure = "![a](b.png)"
    assert found(f"{figure}\n\nFigure 2. The rock.\n\n{TABLE}\n\nSource: survey\n\nText.")[0] == [
        (figure, ["Figure 2. The rock."]),
        ("| a | b |", ["Source: survey"]),
    ]
    assert found(f"Figure 2. The rock.\n\n{figure}")[0] == [(figure, ["Figure 2. The rock."])]
    assert found(f"Table 1: one\n\n{TABLE}\n\nTable 2: two\n\n{CODE}\n\nNote: x\n\nSource: y")[0] == [
        ("| a | b |", ["Table 1: one"]),
        ("```", ["Table 2: two", "Note: x", "Source: y"]),
    ]


def test_a_caption_away_from_any_table_belongs_to_none() -> None:
    assert found("Table 1: one\n\nText.\n\n" + TABLE)[0] == []
    assert found(f"{TABLE}\n\nText.\n\nSource: survey")[0] == []


def test_introductions() -> None:
    assert found(f"Do. This:\n\n{CODE}\n\nAnd **this:**\n\n- a\n\nNot this:\n\n# H\n\nEnd:")[1] == [
        "Do. This:",
        "And **this:**",
    ]


def chunks(text: str, maximum: int) -> list[Chunk]:
    wanted = Granularity(method="structure", max_tokens=maximum, skip=())
    return list(chunk(material_of(text), wanted, make_hasher()).chunks)


PADDING = "One two three four. " * 8


def test_a_caption_and_its_table_share_a_chunk_where_both_fit() -> None:
    # The caption has 6 tokens, the table 22, the note 3.
    text = f"{PADDING}\n\nTable 3: Wages by region\n\n{TABLE}\n\nSource: survey\n\n{PADDING}"
    for maximum in range(31, 60):
        (holder,) = (c for c in chunks(text, maximum) if "| c |" in c.text)
        assert "Table 3: Wages by region\n\n| a | b |" in holder.text
        assert holder.text.count("Source: survey") == 1
        assert holder.context == ()


def test_a_caption_that_does_not_fit_is_context() -> None:
    text = f"{PADDING}\n\nTable 3: Wages by region\n\n{TABLE}\n\n{PADDING}"
    (holder,) = (c for c in chunks(text, 24) if "| c |" in c.text)
    assert holder.text == TABLE
    assert [(c.kind, c.text) for c in holder.context] == [("caption", "Table 3: Wages by region")]
    assert holder.embed_text == f"Table 3: Wages by region\n\n{TABLE}"


@pytest.mark.parametrize("block", ["```\n" + "x = 1\n\n" * 12 + "```", "- " + "\n- ".join(["a b c"] * 12), TABLE])
@pytest.mark.parametrize("maximum", [12, 16, 24])
def test_an_introduction_stays_with_what_it_introduces(block: str, maximum: int) -> None:
    text = f"{PADDING}Now this:\n\n{block}\n\n{PADDING}"
    found = chunks(text, maximum)
    (holder,) = (c for c in found if "Now this:" in c.text)
    if block is TABLE and maximum == 16:
        # The header and its delimiter row leave the introduction no room; they may not be parted.
        assert "| a | b |\n|---|---|" in [c.text for c in found]
    else:
        assert not holder.text.endswith(":")
        assert len(holder.text) > holder.text.index("Now this:") + len("Now this:\n\n")


def test_an_introduction_in_an_item_stays_in_the_item() -> None:
    text = f"{PADDING}\n\n- First. Then do:\n\n  ```\n  x\n\n  y\n\n  z\n  ```\n\n- b"
    (holder,) = (c for c in chunks(text, 8) if "Then do:" in c.text)
    assert holder.text.endswith("```\n  x")


@pytest.mark.parametrize("block", [CODE, TABLE, "$$\nx = 1\n$$"])
@pytest.mark.parametrize("end", ["looks like", "are in `Fields`", "is *this*"])
def test_a_paragraph_that_ends_without_a_mark_leads_to_code_tables_and_formulas(block: str, end: str) -> None:
    _, introductions = found(f"Before it.\n\nThe struct {end}\n\n{block}")
    assert introductions == [f"The struct {end}"]
    for last in (f"The struct {end}.", f"The struct {end}?", f"The struct ({end})"):
        assert found(f"Before it.\n\n{last}\n\n{block}")[1] == []
    assert found(f"The struct {end}\n\n> A quote.")[1] == []


def test_a_caption_does_not_bind_words_in_a_picture_of_another_role() -> None:
    spans = [Span(0, 4), Span(6, 22)]
    for role, bound in ((Role.BODY, {0: (1,)}), (Role.FIGURE, {})):
        blocks = (Block(Kind.FIGURE, spans[0], role), Block(Kind.CAPTION, spans[1]))
        assert find_companions(Document("mast\n\nFigure 1: A boat", blocks)).captions == bound
