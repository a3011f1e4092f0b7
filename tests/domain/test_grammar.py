"""Where blocks over the limit may be cut, by their kinds."""

from __future__ import annotations

import pytest

from vchunk.domain.document import Kind
from vchunk.domain.grammar import PLAIN, FirstOf
from vchunk.domain.ports import Division, InnerCut


def cuts(text: str, kind: Kind) -> list[tuple[str, int]]:
    """What follows each cut, to the end of its line, with its rank."""
    found = PLAIN.divide(text, kind, None).cuts
    return [(text[cut.offset :].split("\n")[0].strip(), cut.rank) for cut in found]


def glued(text: str, kind: Kind) -> list[str]:
    return [text[at:].split("\n")[0].strip() for at in PLAIN.divide(text, kind, None).glued]


def lost(text: str, kind: Kind) -> list[tuple[str, str, str]]:
    """What is lost, and the first line that has lost it."""
    return [
        (x.kind, text[x.start : x.end], text[x.first : x.last].strip().split("\n")[0])
        for x in PLAIN.divide(text, kind, None).lost
    ]


def test_code_is_cut_after_blank_lines_outer_ones_first() -> None:
    code = "```x\na\n\nb {\n  c\n\n  d\n\n}\n```"
    assert cuts(code, Kind.CODE) == [("b {", 5), ("d", 3), ("}", -1)]
    assert glued(code, Kind.CODE) == ["a", "```"]


def test_code_without_fences_and_code_that_is_never_closed() -> None:
    assert glued("a\n\nb", Kind.CODE) == []
    assert cuts("a\n\nb", Kind.CODE) == [("b", 5)]
    assert glued("~~~\na\nb", Kind.CODE) == ["a"]
    assert glued("~~~\na\n```", Kind.CODE) == ["a"]  # no fence of its kind
    assert glued("```", Kind.CODE) == []


def test_the_marks_of_a_quote_are_no_code() -> None:
    code = "```\n> a\n>\n> b\n> ```"
    assert [cut.offset for cut in PLAIN.divide(code, Kind.CODE, None).cuts] == [code.index("b")]
    assert glued(code, Kind.CODE) == ["> a", "> ```"]


def test_a_table_is_cut_between_rows_and_its_header_stays_with_the_first() -> None:
    table = "| a | b |\n|:--|--:|\n| c | d |\n| e | f |"
    assert cuts(table, Kind.TABLE) == [("| c | d |", -1)]
    assert glued(table, Kind.TABLE) == ["|:--|--:|"]
    assert lost(table, Kind.TABLE) == [("table_header", "| a | b |\n|:--|--:|", "| c | d |")]


def test_a_table_without_a_delimiter_has_no_header() -> None:
    assert PLAIN.divide("a  b\nc  d\ne  f", Kind.TABLE, None) == Division()
    assert PLAIN.divide("| a |", Kind.TABLE, None) == Division()
    assert lost("| a |\n|---|", Kind.TABLE) == []


HTML = """<table class="x">
<thead><tr><th>a</th><th>b</th></tr></thead>
<tbody><tr><td>c</td>
<td>d</td></tr><tr><td><table><tr><td>in</td></tr><tr><td>ner</td></tr></table></td></tr>
</tbody>
<tbody>
<tr><td>g</td></tr></tbody></table>"""


def test_an_html_table_is_cut_between_its_own_rows() -> None:
    found = [(text[:22], rank) for text, rank in cuts(HTML, Kind.HTML)]
    assert found == [("<tbody><tr><td>c</td>", -1), ("<tr><td><table><tr><td", 3), ("<tbody>", 3)]
    head = '<table class="x">\n<thead><tr><th>a</th><th>b</th></tr></thead>'
    assert lost(HTML, Kind.HTML) == [("table_header", head, "<tbody><tr><td>c</td>")]


def test_an_html_header_is_known_by_its_cells_too() -> None:
    table = "<TABLE><tr><th>a</th></tr>\n<tr><td>b</td></tr>\n<tr><th>c</th><td>d</td></tr></TABLE>"
    assert [rank for _, rank in cuts(table, Kind.HTML)] == [-1, 3]
    assert lost(table, Kind.HTML)[0][1] == "<TABLE><tr><th>a</th></tr>"
    assert lost("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", Kind.HTML) == []


def test_html_without_rows_is_cut_like_lines() -> None:
    assert cuts("<pre>\na\n\nb\n</pre>", Kind.HTML) == [("b", 5)]
    assert [rank for _, rank in cuts("<table><tr><td>never closed<tr><td>a", Kind.HTML)] == [3]


def test_many_nested_tables_are_read_once() -> None:
    deep = "<table><tr><td>" * 3000 + "x" + "</td></tr></table>" * 3000
    assert cuts(f"{deep}", Kind.HTML) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_formula_is_cut_at_its_line_breaks(newline: str) -> None:
    formula = newline.join(
        ["$$", "\\begin{aligned}", "a &= b \\\\", "c &= d \\\\[2pt] e &= f", "\\end{aligned}", "$$"]
    )
    division = PLAIN.divide(formula, Kind.FORMULA, None)
    after = [formula[cut.offset :].split()[0] for cut in division.cuts]
    assert (after, [cut.rank for cut in division.cuts]) == (["c", "e"], [4, 4])
    assert [formula[at:].split()[0] for at in division.glued] == ["\\begin{aligned}", "a", "\\end{aligned}", "$$"]


def test_environments_side_by_side_come_first_and_inner_breaks_last() -> None:
    formula = "$$\n\\begin{a} x \\\\ \\begin{b} i \\\\ j \\end{b} \\end{a}\n\\begin{a} y \\end{a}\n$$"
    found = {text.split()[0] + text.split()[1][:2]: rank for text, rank in cuts(formula, Kind.FORMULA) if text}
    assert found == {"\\begin{b}i": 4, "j\\e": 2, "\\begin{a}y": 5}


def test_what_is_escaped_or_a_comment_is_no_break() -> None:
    assert cuts("$$\na \\% b % \\\\ no\n\\{ c \\}\n$$", Kind.FORMULA) == []


class Knows:
    """A grammar of one language."""

    def divide(self, text: str, kind: Kind, language: str | None) -> Division | None:
        return Division((InnerCut(len(text) - 1, 8),)) if language == "mine" and kind is Kind.CODE else None


def test_the_first_grammar_that_knows_a_block_divides_it() -> None:
    grammar = FirstOf([Knows()])
    assert grammar.divide("a\n\nb", Kind.CODE, "mine").cuts == (InnerCut(3, 8),)
    assert grammar.divide("a\n\nb", Kind.CODE, "other").cuts == (InnerCut(3, 5),)
