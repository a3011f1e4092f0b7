"""Markdown: the block tree, with offsets into the file as it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from markdown_it.token import Token

from document_laws import hold_laws, texts
from vchunk.adapters.readers.markdown import MarkdownReader
from vchunk.adapters.readers.markdown_blocks import tokens
from vchunk.domain.document import Block, Document, Kind, Role, Source
from vchunk.domain.ports import no_warning


def read(text: str) -> Document:
    return MarkdownReader(encoding="utf-8").read(Source("a.md", text.encode()), no_warning)


def shown(text: str) -> list[tuple[int, str, str]]:
    """(depth, kind, slice) of each block."""
    document = read(text)
    hold_laws(document)
    return [(depth(document, b), str(b.kind), document.slice(b.span)) for b in document.blocks]


def depth(document: Document, block: Block) -> int:
    return 0 if block.parent is None else 1 + depth(document, document.blocks[block.parent])


def titles(text: str) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in read(text).blocks if b.kind is Kind.HEADING]


@given(texts)
def test_any_text_is_tiled_and_kept(text: str) -> None:
    document = read(text)
    hold_laws(document)
    assert document.text == text.removeprefix("\ufeff").replace("\0", "\ufffd")


@given(texts)
def test_titles_are_one_line(text: str) -> None:
    for _, title in titles(text):
        assert title is not None
        assert not re.search(r"[\r\n\0]", title)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@given(texts)
def test_the_line_end_does_not_matter(end: str, text: str) -> None:
    unix = re.sub(r"\r\n|\r", "\n", text).lstrip("\ufeff")
    other = unix.replace("\n", end)
    at = [0]
    for char in unix:
        at.append(at[-1] + (len(end) if char == "\n" else 1))
    moved = [
        replace(b, span=replace(b.span, start=at[b.span.start], end=at[b.span.end])) for b in read(unix).blocks
    ]
    assert read(other).blocks == tuple(moved)


# Headings.


def test_headings_have_level_and_title() -> None:
    text = "# One #\n\nTwo\nlines\n---\n\n###### Six\n\n####### seven\n\n#not\n"
    assert titles(text) == [(1, "One"), (2, "Two lines"), (6, "Six")]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("*a* **b** ~~c~~", "a b c"),
        ("[text](http://x.y) and ![alt](i.png)", "text and alt"),
        ("[text][ref]", "text"),
        ("use `a_b` here", "use `a_b` here"),
        ("R&amp;D \\*stars\\*", "R&D *stars*"),
        ("of $x_1 * y_1$", "of $x_1 * y_1$"),
        ("cost $5 or $6", "cost $5 or $6"),
        ("from $5 *to* $6", "from $5 to $6"),
        ("$5*a*$6", "$5a$6"),
        ("in $ *or* $ ?", "in $ or $ ?"),
        ("seen[^1] <b>bold</b>", "seen bold"),
        ("", ""),
    ],
)
def test_a_title_has_no_markup(source: str, title: str) -> None:
    assert titles(f"# {source}\n\n[ref]: /x\n[^1]: note\n") == [(1, title)]


def test_a_title_has_no_carriage_return() -> None:
    assert titles("# One\r\n\r\nTwo\r\nlines\r\n---\r\n") == [(1, "One"), (2, "Two lines")]


def test_a_heading_begins_with_its_line() -> None:
    assert shown("text\n\n  ## Two  \ntext") == [
        (0, "paragraph", "text"),
        (0, "heading", "  ## Two"),
        (0, "paragraph", "text"),
    ]


def test_stacked_headings_all_stay() -> None:
    assert titles("# A\n## B\n### C\ntext\n# D") == [(1, "A"), (2, "B"), (3, "C"), (1, "D")]


# Code.


def test_comments_in_fences_are_no_headings() -> None:
    text = (
        "```sh\n# one\n```\n\n~~~\n## two\n~~~\n\n> ```\n> # three\n> ```\n\n1. x\n\n   ```\n   # four\n   ```\n"
    )
    assert titles(text) == []
    codes = [piece for _, kind, piece in shown(text) if kind == "code"]
    assert codes == [
        "```sh\n# one\n```",
        "~~~\n## two\n~~~",
        "```\n> # three\n> ```",
        "```\n   # four\n   ```",
    ]


def test_indented_code_keeps_its_first_indentation() -> None:
    assert shown("a\n\n    b\n\n      c\n\nd") == [
        (0, "paragraph", "a"),
        (0, "code", "    b\n\n      c"),
        (0, "paragraph", "d"),
    ]


def test_indented_code_that_begins_an_item_keeps_out_of_the_marker() -> None:
    assert shown("-     code\n\n      more")[2] == (2, "code", "     code\n\n      more")


@pytest.mark.parametrize(
    ("info", "language"),
    [("Python", "python"), ("rust,ignore", "rust"), ("{r, echo=FALSE}", "r"), ("{.sh}", "sh"), ("", None)],
)
def test_the_language_of_a_fence(info: str, language: str | None) -> None:
    assert [block.language for block in read(f"```{info}\nx\n```\n").blocks] == [language]


def test_an_unclosed_fence_takes_the_rest_and_is_warned_of() -> None:
    warnings: list[str] = []
    text = "# T\r\n\r\n```py\r\nx\r\n\r\n## No heading\r\n\r\nend\r\n"
    document = MarkdownReader().read(Source("a.md", text.encode()), warnings.append)
    assert [b.kind for b in document.blocks] == [Kind.HEADING, Kind.CODE]
    assert document.slice(document.blocks[1].span) == "```py\r\nx\r\n\r\n## No heading\r\n\r\nend"
    assert [w for w in warnings if "a.md" in w and "line 3" in w] == warnings != []


def test_a_fence_that_opens_on_the_last_line_is_not_closed() -> None:
    warnings: list[str] = []
    MarkdownReader().read(Source("a.md", b"a\n\n```"), warnings.append)
    assert len(warnings) == 1


@pytest.mark.parametrize("text", ["```\nx\n```", "```\nx\n`````  \n", "~~~\nx\n~~~\n\nmore"])
def test_a_closed_fence_is_not_warned_of(text: str) -> None:
    warnings: list[str] = []
    MarkdownReader().read(Source("a.md", text.encode()), warnings.append)
    assert warnings == []


# Lists, quotes, definitions.


def test_list_items_nest_and_begin_at_their_markers() -> None:
    text = "- a\n  1. b\n\n     c\n- d\n"
    assert shown(text) == [
        (0, "list", "- a\n  1. b\n\n     c\n- d"),
        (1, "list_item", "- a\n  1. b\n\n     c"),
        (2, "paragraph", "a"),
        (2, "list", "1. b\n\n     c"),
        (3, "list_item", "1. b\n\n     c"),
        (4, "paragraph", "b"),
        (4, "paragraph", "c"),
        (1, "list_item", "- d"),
        (2, "paragraph", "d"),
    ]
    levels = [block.level for block in read(text).blocks if block.kind is Kind.LIST_ITEM]
    assert levels == [1, 2, 1]


def test_task_boxes_are_text_of_their_items() -> None:
    assert [p for _, k, p in shown("- [ ] open\n- [x] done\n") if k == "paragraph"] == ["[ ] open", "[x] done"]


def test_blocks_that_open_on_one_line_each_have_their_place() -> None:
    assert shown("- > # t\n  >\n  > p\n") == [
        (0, "list", "- > # t\n  >\n  > p"),
        (1, "list_item", "- > # t\n  >\n  > p"),
        (2, "quote", "> # t\n  >\n  > p"),
        (3, "heading", "# t"),
        (3, "paragraph", "p"),
    ]


def test_an_item_without_text_is_its_marker() -> None:
    assert shown("> -\n>\n> x\n")[1:] == [(1, "list", "-"), (2, "list_item", "-"), (1, "paragraph", "x")]


def test_a_quote_holds_its_last_line() -> None:
    assert shown("> a\n>\n\nb") == [(0, "quote", "> a\n>"), (1, "paragraph", "a"), (0, "paragraph", "b")]


def test_lines_that_the_parser_would_leave_out_are_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    from vchunk.adapters.readers import markdown_tree

    def without_paragraphs(source: str, env: dict[str, object]) -> list[Token]:
        return [token for token in tokens(source, env) if not token.type.startswith("paragraph")]

    monkeypatch.setattr(markdown_tree, "tokens", without_paragraphs)
    text = "a\n\nb\n\n# H\n\nc\n"
    assert [piece for _, _, piece in shown(text)] == ["a", "b", "# H", "c"]


def test_very_deep_nesting_loses_nothing() -> None:
    text = "- " * 3000 + "deep\n\n" + "> " * 3000 + "deep\n\n# After\n"
    hold_laws(read(text))
    assert titles(text) == [(1, "After")]


def test_a_definition_list_has_an_item_a_term() -> None:
    assert shown("Term\n: one\n: two\n\nOther\n: three\n") == [
        (0, "list", "Term\n: one\n: two\n\nOther\n: three"),
        (1, "list_item", "Term\n: one\n: two"),
        (2, "paragraph", "Term"),
        (2, "paragraph", "one"),
        (2, "paragraph", "two"),
        (1, "list_item", "Other\n: three"),
        (2, "paragraph", "Other"),
        (2, "paragraph", "three"),
    ]


def test_a_definition_list_of_white_space_hides_nothing() -> None:
    assert shown("\f\n: \f\n\n# H\n") == [(0, "paragraph", ":"), (0, "heading", "# H")]
    assert [piece for _, _, piece in shown("\f\n: x\n")] == [": x", ": x", "x"]


def test_link_definitions_are_a_paragraph() -> None:
    text = "p\n\n[a]: /x\n[b]: /y\n  'title'\n\n[c]: /z\n> [d]: /z\n"
    assert [piece for _, kind, piece in shown(text) if kind == "paragraph"] == [
        "p",
        "[a]: /x\n[b]: /y\n  'title'",
        "[c]: /z",
        "[d]: /z",
    ]


# Tables, formulas, figures, footnotes, HTML, rules.


def test_a_table_is_one_block() -> None:
    assert shown("t\n\n| a | b |\n|---|:-:|\n| `x` | y |\n\nt") == [
        (0, "paragraph", "t"),
        (0, "table", "| a | b |\n|---|:-:|\n| `x` | y |"),
        (0, "paragraph", "t"),
    ]


@pytest.mark.parametrize(
    "formula",
    [
        "$$ x = y $$",
        "$$\nx = y\n$$",
        "$$x = y\n+ z$$",
        "$$ x $$ (1)",
        "\\[\nx\n\\]",
        "\\[ x = y \\]",
        "\\begin{align*}\nx &= y \\\\\n\\end{align*}",
        "\\begin{equation} x \\end{equation}",
    ],
)
def test_display_math_is_a_formula_also_inside_a_paragraph(formula: str) -> None:
    assert shown(f"before\n{formula}\nafter") == [
        (0, "paragraph", "before"),
        (0, "formula", formula),
        (0, "paragraph", "after"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "$$ never closed\n\n$$",
        "$$x$$ is inline",
        "$5 and $6",
        "\\[a note\\]",
        "\\begin{align} open",
        "$$$ signs\n$$",
        "$$ one\n$$ two\n",
        "\\begin{tabular}\nx\n\\end{tabular}",
        "> $$ quoted\nnot $$",
        "- $$ item\nnot $$",
    ],
)
def test_what_only_looks_like_display_math_is_text(text: str) -> None:
    assert "formula" not in {kind for _, kind, _ in shown(text)}


def test_an_opening_inside_a_formula_ends_it() -> None:
    assert shown("$$ x\n$$ y\n$$")[1:] == [(0, "formula", "$$ y\n$$")]


def test_a_paragraph_of_images_alone_is_a_figure() -> None:
    text = "![a](b)\n\n[![a](b)](c)\n![d](e)\n\n![a](b) text\n\n[![a](b) text](c)\n"
    assert [kind for _, kind, _ in shown(text)] == ["figure", "figure", "paragraph", "paragraph"]


def test_footnotes_hold_their_lines() -> None:
    assert shown("t[^1]\n\n[^1]: one\n[^b]: two\n    goes on\n\n        code\n\nnext") == [
        (0, "paragraph", "t[^1]"),
        (0, "footnote", "[^1]: one"),
        (1, "paragraph", "one"),
        (0, "footnote", "[^b]: two\n    goes on\n\n        code"),
        (1, "paragraph", "two\n    goes on"),
        (1, "code", "        code"),
        (0, "paragraph", "next"),
    ]


def test_html_comments_hide_their_headings() -> None:
    text = "- a\n<!--\n# hidden\n-->\n\n<details>\n\n## Seen\n\n</details>\n"
    assert titles(text) == [(2, "Seen")]
    assert [piece for _, kind, piece in shown(text) if kind == "html"] == [
        "<!--\n# hidden\n-->",
        "<details>",
        "</details>",
    ]


def test_a_thematic_break_is_a_rule() -> None:
    assert shown("a\n\n***\n\nb")[1] == (0, "rule", "***")


# Front matter and title.


def test_front_matter_is_one_block_with_its_own_role() -> None:
    text = "---\ntitle: 'It''s: new'  # note\ntags: [a]\n# comment\nlist:\n- a\n---\n\n# H\n\n---\n\np\n\n---\n"
    document = read(text)
    assert shown(text)[0] == (0, "front_matter", text[: text.index("\n\n# H")])
    assert [b.kind for b in document.blocks[1:]] == [Kind.HEADING, Kind.RULE, Kind.PARAGRAPH, Kind.RULE]
    assert [b.role for b in document.blocks] == [Role.FRONT_MATTER] + [Role.BODY] * 4
    assert document.title == "It's: new"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nprose\n\n---\n\nmore\n",
        "---\ntitle: never closed\n\n# H\n",
        "\n---\na: b\n---\n",
        "+++\nprose\n+++\n",
        "---\n# H\n---\n",
    ],
)
def test_a_rule_at_the_top_opens_no_front_matter(text: str) -> None:
    assert "front_matter" not in {kind for _, kind, _ in shown(text)}


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("---\ntitle: Plain text\n---", "Plain text"),
        ('---\nTitle: "A \\"b\\" # c"\n---', 'A "b" # c'),
        ("---\na:\n  title: inner\ntitle: >-\n  Two\n  lines\nb: c\n---", "Two lines"),
        ("---\ntitle:\n---", "H"),
        ("---\nsubtitle: no\n...", "H"),
        ("---\n---", "H"),
        ('+++\ntitle = "Toml"\n[x]\n+++', "Toml"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_title_of_front_matter(head: str, title: str, end: str) -> None:
    document = read((head + "\n\n# H\n").replace("\n", end))
    assert document.blocks[0].kind is Kind.FRONT_MATTER
    assert document.title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("text\n\n# One\n\n## Two", "One"),
        ("## Two\n\n# One", None),
        ("> # Quoted\n\n# One", "One"),
        ("text", None),
    ],
)
def test_the_first_heading_is_the_title_if_it_is_of_level_one(text: str, title: str | None) -> None:
    assert read(text).title == title


@pytest.mark.parametrize(
    ("entry", "language"), [("lang: en-GB", "en"), ("language: DE", "de"), ("lang: 12", None)]
)
def test_the_language_of_front_matter(entry: str, language: str | None) -> None:
    assert read(f"---\n{entry}\n---\n").language == language


# Backmatter.


def body(text: str) -> set[str]:
    document = read(text)
    return {document.slice(b.span) for b in document.blocks if b.role is Role.BODY and b.parent is None}


def test_references_at_the_end_are_backmatter_and_the_appendix_is_not() -> None:
    text = "# P\n\n## 1 References in C\n\nA\n\n## References\n\n- [1] x\n\n### Books\n\nB\n\n## Appendix\n\nC\n"
    assert body(text) == {"# P", "## 1 References in C", "A", "## Appendix", "C"}


def test_items_of_backmatter_lists_are_backmatter() -> None:
    roles = {block.role for block in read("# P\n\na\n\n# References\n\n- x\n").blocks[2:]}
    assert roles == {Role.BACKMATTER}


# Whole files.


def test_blocks_of_the_cases_are_those_of_commonmark(shared: Path) -> None:
    truth = json.loads((shared / "cases" / "expected_markdown_blocks.json").read_text("utf-8"))
    for name, expected in truth.items():
        source = Source(name, (shared / "cases" / "inputs" / name).read_bytes())
        document = MarkdownReader().read(source, no_warning)
        hold_laws(document)
        assert summary(document) == expected, name


def summary(document: Document) -> dict[str, object]:
    def count(kind: Kind) -> int:
        return sum(block.kind is kind for block in document.blocks)

    codes = [document.slice(block.span) for block in document.blocks if block.kind is Kind.CODE]
    fences = sum(code.startswith(("```", "~~~")) for code in codes)
    headings = [
        {
            "level": block.level,
            "title": block.title,
            "line": 1 + len(re.findall(r"\r\n|\r|\n", document.text[: block.span.start])),
            "nested": depth(document, block),
        }
        for block in document.blocks
        if block.kind is Kind.HEADING
    ]
    return {
        "headings": headings,
        "fences": fences,
        "indented_code": len(codes) - fences,
        "tables": count(Kind.TABLE),
        "rules": count(Kind.RULE),
        "front_matter": count(Kind.FRONT_MATTER),
    }


def test_section_trees_of_real_files(shared: Path) -> None:
    files = sorted((shared / "bench" / "section_trees").glob("*.md"))
    assert files
    for file in files:
        tree = json.loads(file.with_name(f"{file.stem}.tree.json").read_text("utf-8"))
        document = MarkdownReader().read(Source(file.name, file.read_bytes()), no_warning)
        hold_laws(document)
        assert len(document.text) == tree["chars"]
        keys = ("level", "title", "start", "end", "parent")
        assert sections(document) == [tuple(heading[key] for key in keys) for heading in tree["headings"]]


def sections(document: Document) -> list[tuple[object, ...]]:
    headings = [(b.level or 0, b) for b in document.blocks if b.kind is Kind.HEADING and b.parent is None]
    found: list[tuple[object, ...]] = []
    for i, (level, block) in enumerate(headings):
        end = next((b.span.start for other, b in headings[i + 1 :] if other <= level), len(document.text))
        parent = next((j for j in range(i - 1, -1, -1) if headings[j][0] < level), None)
        found.append((level, block.title, block.span.start, end, parent))
    return found


def test_one_of_several_top_headings_is_not_the_title() -> None:
    assert read("# One\n\ntext\n\n# Two\n\ntext\n").title is None
    assert read("# One\n\ntext\n\n## Two\n\ntext\n").title == "One"
    assert read("## Two\n\n# One\n").title is None
