"""HTML: what is text, what is furniture, tables, lists, code, and pages that nest without end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from document_laws import hold_laws
from vchunk.adapters.readers.html import HtmlReader
from vchunk.adapters.readers.html_tree import DEEPEST, parse, walk
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.ports import no_warning


def read(page: str | bytes) -> Document:
    data = page.encode() if isinstance(page, str) else page
    document = HtmlReader().read(Source("a.html", data), no_warning)
    hold_laws(document)
    return document


def text(page: str) -> str:
    return read(page).text


def of_kind(document: Document, kind: Kind) -> list[str]:
    return [document.slice(block.span) for block in document.blocks if block.kind is kind]


def of_role(document: Document, role: Role) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.role is role and b.parent is None]


_PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<div>", "</div>", "<ul>", "<ol start=3>", "<li>", "</li>", "</ul>", "<dl>", "<dt>",
        "<dd>", "</dl>", "<table>", "<tr>", "<td>", "<th rowspan=2>", "<td colspan=99>", "</table>",
        "<caption>", "<pre>", "<code class=language-py>", "</pre>", "<blockquote>", "</blockquote>", "<h1>",
        "</h1>", "<h3>", "<br>", "<hr>", "<nav>", "</nav>", "<main>", "</main>", "<header>", "<aside>",
        "</aside>", "<figure>", "<figcaption>", "</figure>", "<img alt=pic>", "<math>", "</math>", "<sup>",
        "</sup>", "<script>", "</script>", "<b hidden>", "<section class=footnotes>", "</section>", "<button>",
        "<template>", "word", " ", "\n", "2", "&lt;", "&nbsp;", "<!--", "-->", "\0", "日本", "<svg>", "<form>",
        "<select><option>", "<a>#</a>", "</",
    ]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_tags_give_a_lawful_document(page: str) -> None:
    read(page)


def test_blocks_part_words_and_inline_elements_do_not() -> None:
    assert text("<div>one</div><div>two<span>three</span> <b>four</b></div>five<br>six") == (
        "one\n\ntwothree four\n\nfive\nsix"
    )
    assert (
        text("<h1>A<div>b</div></h1><table><tr><th>x<p>y</p><td>z<br>w</table>")
        == "A b\n\n| x y | z w |\n| --- | --- |"
    )


def test_white_space_is_one_space_and_none_between_letters_that_know_none() -> None:
    assert text("<p>  a \n\t b\r\nc </p>") == "a b c"
    assert text("<p>日本\n  語 です<b>。</b></p>") == "日本語 です。"
    assert text("<p>soft\u00adware</p>") == "software"


def test_entities_are_decoded_once() -> None:
    document = read(
        "<title>T &amp; U</title><h1>A&nbsp;&lt;b&gt; &amp;amp; c</h1><p>&eacute;&#128640;&hellip;</p>"
    )
    assert document.title == "T & U"
    assert document.text == "A\u00a0<b> &amp; c\n\né🚀…"


def test_what_is_not_shown_is_left_out() -> None:
    page = (
        "<body><script>s</script><style>s</style><template><p>s</p></template><noscript>s</noscript>"
        "<svg><text>s</text></svg>"
        "<p hidden>s</p><p style='color:red; display:none'>s</p><select><option>s</select><button>s</button>"
        "<p>seen <span aria-hidden=true>s</span></p><!-- s -->"
    )
    assert text(page) == "seen"


def test_navigation_and_the_like_stand_last_as_furniture() -> None:
    document = read(
        "<header>Site</header><nav><a>Home</a></nav><article><header><h1>T</h1></header><p>x</p>"
        "<footer>by me</footer></article><aside>Ad</aside><div role=search>find</div><footer>imprint</footer>"
    )
    assert of_role(document, Role.BODY) == ["T", "x", "by me"]
    assert of_role(document, Role.FURNITURE) == ["Site", "Home", "Ad", "find", "imprint"]
    assert document.text.index("by me") < document.text.index("Site")


def test_headings_of_furniture_head_no_section() -> None:
    document = read("<h1>T</h1><p>x<nav><h2>Contents</h2></nav><div class=noprint>Print me</div>")
    assert of_kind(document, Kind.HEADING) == ["T"]
    assert of_role(document, Role.FURNITURE) == ["Contents", "Print me"]


def test_where_there_is_one_main_all_else_is_furniture() -> None:
    document = read("<div>menu</div><main><p>x</p><nav>in</nav></main><div>foot</div>")
    assert of_role(document, Role.BODY) == ["x"]
    assert of_role(document, Role.FURNITURE) == ["menu", "in", "foot"]
    two = read("<main>a</main><main>b</main><div>c</div>")
    assert of_role(two, Role.BODY) == ["a", "b", "c"]


def test_the_only_h1_is_a_heading_even_in_the_page_header() -> None:
    document = read("<header><p>Site</p><h1>Title</h1></header><main><h2>a</h2><p>x</p></main>")
    assert of_role(document, Role.BODY) == ["Title", "a", "x"]


def test_headings_have_levels_and_no_permalinks() -> None:
    document = read(
        "<h2 id=a>Set up <a class=headerlink href=#a>¶</a></h2>"
        "<h4>More<span class=mw-editsection>[edit]</span></h4>"
    )
    headings = [(b.level, b.title) for b in document.blocks]
    assert headings == [(2, "Set up"), (4, "More")]


def test_lists_nest_and_count() -> None:
    page = "<ol start=3><li>a<ul><li>b<p>c</p></li></ul></li><li value=9>d</li><li><p>e</p></ol>"
    document = read(page)
    assert document.text == "3. a\n  - b\n\n    c\n9. d\n10. e"
    items = [b for b in document.blocks if b.kind is Kind.LIST_ITEM]
    assert [b.level for b in items] == [1, 2, 1, 1]
    assert text("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>") == "- a\n  - b\n- c"


def test_definition_lists() -> None:
    document = read("<dl><div><dt>One<dt>First<dd>def 1<dd>def 2</div><dt>Two<dd><p>x</p><ul><li>y</ul></dl><p>z")
    assert document.text == "- One\n\n  First\n\n  def 1\n\n  def 2\n- Two\n\n  x\n  - y\n\nz"
    assert len(of_kind(document, Kind.LIST_ITEM)) == 3


def test_code_keeps_its_lines_and_names_its_language() -> None:
    document = read(
        '<pre><code class="hljs language-python">\ndef f():\n    <b>return</b> 1 &lt; 2<br>x</code></pre>'
    )
    (block,) = document.blocks
    assert (block.kind, block.language) == (Kind.CODE, "python")
    assert document.text == "def f():\n    return 1 < 2\nx"
    around = read('<div class="highlight-rust notranslate"><div class="highlight"><pre>fn x()</pre></div></div>')
    assert around.blocks[0].language == "rust"
    assert read("<pre>plain</pre>").blocks[0].language is None


def test_tables_with_spans() -> None:
    page = (
        "<table><caption>Sales</caption><thead><tr><th rowspan=2>Year<th colspan=2>Sum<tr><th>in<th>out</thead>"
        "<tr><td rowspan=2>2001<td>1<td>2<tr><td colspan=2>none | nothing<tr></table>"
    )
    document = read(page)
    assert of_kind(document, Kind.CAPTION) == ["Sales"]
    assert of_kind(document, Kind.TABLE) == [
        "| Year | Sum in | Sum out |\n| --- | --- | --- |\n| 2001 | 1 | 2 |\n| 2001 | none \\| nothing |  |"
    ]


def test_columns_in_which_nothing_begins_are_no_columns() -> None:
    assert text("<table><tr><td colspan=100>all<tr><td>a<td>b</table>") == "| all |  |\n| --- | --- |\n| a | b |"


def test_tables_in_the_cells_of_data_are_one_line() -> None:
    inner = "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
    assert text(f"<table><tr><td>a</td><td>{inner}</td></tr></table>") == "| a | 1, 2; 3, 4 |\n| --- | --- |"
    assert text("<table><tr><th>a<td><ul><li>x<li>y</ul></table>") == "| a | x; y |\n| --- | --- |"


@pytest.mark.parametrize(
    "page",
    [
        "<table role=presentation><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "<table><tr><td><table><tr><td>a</td></tr></table></td></tr><tr><td>b</td></tr></table>",
    ],
)
def test_tables_that_only_arrange_are_no_tables(page: str) -> None:
    assert text(page) == "a\n\nb"


def test_a_page_arranged_by_tables_keeps_its_headings() -> None:
    document = read("<table><tr><td>menu</td><td><h1>T</h1><p>x</p></td></tr></table>")
    assert of_kind(document, Kind.HEADING) == ["T"]


def test_spans_beyond_all_sizes_cost_nothing() -> None:
    page = (
        "<table><tr>"
        + "<th rowspan=65534 colspan=1000>x" * 50
        + "<tr>"
        + "<td rowspan=99999999999>y" * 2000
        + "</table>"
    )
    assert text(page).count("y") == 2000


def test_formulas_and_raised_digits() -> None:
    page = (
        "<p>10<sup>6</sup> H<sub>2</sub>O x<sup>th</sup> note<sup>[1]</sup> "
        "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{\\displaystyle x^2}</annotation>"
        "</semantics></math></p>"
        "<math display=block><mi>a</mi><annotation encoding='application/x-tex'>a+b</annotation></math>"
        "<script type='math/tex; mode=display'>c</script>"
    )
    document = read(page)
    assert document.text == "10⁶ H₂O xth note[1] $x^2$\n\n$$a+b$$\n\n$$c$$"
    assert of_kind(document, Kind.FORMULA) == ["$$a+b$$", "$$c$$"]


def test_figures_and_quotes() -> None:
    document = read(
        "<figure><img alt='A duck'><figcaption>Fig. 1</figcaption></figure><blockquote><p>a<p>b</blockquote>"
    )
    kinds = [(b.kind, document.slice(b.span)) for b in document.blocks]
    assert kinds[:2] == [(Kind.FIGURE, "A duck"), (Kind.CAPTION, "Fig. 1")]
    assert kinds[2] == (Kind.QUOTE, "a\n\nb")


def test_footnotes_are_backmatter() -> None:
    document = read(
        "<p>x</p><section class=footnotes><ol><li>note</ol></section><aside epub:type=footnote>two</aside>"
    )
    assert of_kind(document, Kind.FOOTNOTE) == ["1. note", "two"]
    assert {b.role for b in document.blocks[1:]} == {Role.BACKMATTER}


@pytest.mark.parametrize(
    ("head", "language", "title"),
    [
        ("<html lang=en-GB><title> A\nb </title>", "en", "A b"),
        ("<html xml:lang=de><h1>Only</h1>", "de", "Only"),
        ("<html lang='x y'><h1>One</h1><h1>Two</h1>", None, None),
    ],
)
def test_title_and_language(head: str, language: str | None, title: str | None) -> None:
    document = read(head)
    assert (document.language, document.title) == (language, title)


def test_the_encoding_that_the_page_declares() -> None:
    page = "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'><p>Zażółć</p>"
    told: list[str] = []
    assert HtmlReader().read(Source("a", page.encode("iso-8859-2")), told.append).text == "Zażółć"
    assert told == []
    assert read(page).text == "Zażółć"  # what is UTF-8 is read as such, whatever it says
    for end in (b"", b"!"):  # it was ASCII up to here, so it is no UTF-16
        assert "caf" in read(b"<meta charset=utf-16><p>caf\xe9" + end).text
    assert read(b"<meta charset=latin1><p>\x93q\x94</p>").text == "“q”"


def test_elements_that_close_themselves_in_xhtml() -> None:
    page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>x</p></body></html>'
    assert text(page) == "x"


@pytest.mark.parametrize(
    "tag", ["div", "b", "ul><li", "table><tr><td", "span", "blockquote", "p><section", "dl><dd"]
)
def test_nesting_ends_where_that_of_browsers_does(tag: str) -> None:
    page = f"<{tag}>" * 5_000 + "word" + "<p>end"
    assert "word" in read(page).text
    depth = deepest = 0

    def enter(_: object) -> bool:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        return True

    def leave(_: object) -> None:
        nonlocal depth
        depth -= 1

    root = parse(page).root
    assert root is not None
    walk(root, enter, leave)
    # A parser's time is length times depth; four elements of a table and its cell count as one.
    assert deepest <= 4 * DEEPEST + 10


def test_comment_threads_of_nested_tables() -> None:
    depth = [n % 40 for n in range(600)]
    page = "".join(
        f"{'<table><tr><td>' * d}<p>comment {i}</p>{'</td></tr></table>' * d}" for i, d in enumerate(depth)
    )
    document = read(page)
    assert len(of_kind(document, Kind.PARAGRAPH)) == 600


def test_real_pages(shared: Path) -> None:
    duck = read((shared / "real" / "docling_wiki_duck.html").read_bytes())
    assert (duck.title, duck.language) == ("Duck - Wikipedia", "en")
    titles = [b.title for b in duck.blocks if b.kind is Kind.HEADING and b.role is not Role.FURNITURE]
    assert titles[:4] == ["Duck", "Etymology", "Taxonomy", "Morphology"]
    assert any("| Kingdom: | Animalia |" in table for table in of_kind(duck, Kind.TABLE))
    body = " ".join(of_role(duck, Role.BODY))
    assert "Create account" not in body
    assert "[edit]" not in body
    assert "Hidden categories" not in body
    for language in ("arb", "eng", "hin", "jpn", "tha"):
        document = read((shared / "real" / f"udhr_{language}.html").read_bytes())
        assert sum(b.kind is Kind.HEADING for b in document.blocks) >= 30
