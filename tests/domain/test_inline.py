"""Inline markup that is never cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from materials import material_of
from vchunk.domain.document import Document
from vchunk.domain.inline import InlineSpans, covers, inline_spans


def spans(text: str) -> list[str]:
    return [text[a:b] for a, b in inline_spans(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [a. B](http://x.y/z) now.", ["[a. B](http://x.y/z)"]),
        ('An ![im. A](i.png "T. U") here', ['![im. A](i.png "T. U")']),
        ("[![a](b)](c) [d][e] [f]: [^g]", ["[![a](b)](c)", "[d][e]", "[^g]"]),
        ("[a](u_(v)) [b] (c. d)", ["[a](u_(v))"]),
        ("`a. b` and ``c ` d`` and ` open", ["`a. b`", "``c ` d``"]),
        ("$a. b$ and $5 and $6, $$x = y$$", ["$a. b$", "$$x = y$$"]),
        ("$5 to 6$7 and $x\n\ny$", []),
        ("\\(a. b\\) \\[c\\] \\`d. e\\`", ["\\(a. b\\)"]),
        ("<https://a.b/c> <b class='d e'> 1 < 2 > 0", ["<https://a.b/c>", "<b class='d e'>"]),
        ("`[a](` b)", ["`[a](`"]),
        ("[`a`. $b$](c)", ["[`a`. $b$](c)"]),
        ("] [a]( b ] c", []),
    ],
)
def test_spans(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


def test_no_spans_in_plain_text_nor_in_code() -> None:
    assert InlineSpans(Document("`a. b`")).within(0, 6) == []
    document = material_of("`a. b`\n\n```\n`c. d`\n```\n\n`e`").document
    found = InlineSpans(document)
    at = document.text.index("`c")
    assert found.within(0, 6) == [(0, 6)]
    assert found.within(at, at + 6) == []
    assert found.within(document.text.index("`e"), len(document.text)) != []


def test_covers_only_the_inside() -> None:
    assert [at for at in range(8) if covers([(1, 3), (5, 7)], at)] == [2, 6]


def test_no_sentence_begins_inside_a_link() -> None:
    material = material_of("One. See [a. B. C](d) here. `e. f` g. Two.")
    starts = [material.document.text[at:][:3] for at in material.units.offsets]
    assert starts == ["One", "See", "`e.", "Two"]
    material = material_of("See [a.\nB](c). Two.")  # nor a line
    assert len(material.units) == 2


@given(st.text(st.sampled_from("ab \n`[]()!$\\<>\"'."), max_size=60))
def test_spans_are_apart_and_rising(text: str) -> None:
    found = inline_spans(text, 0, len(text))
    at = 0
    for start, end in found:
        assert at <= start < end <= len(text)
        at = end


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "](" * 50_000, "`" * 3 + " ` `` " * 20_000, "$a " * 40_000, "<a " * 40_000]
)
def test_marks_without_a_partner_take_linear_time(text: str) -> None:
    assert len(inline_spans(text, 0, len(text))) <= 40_000
