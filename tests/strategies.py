"""Texts to cut: prose, Markdown, other scripts, odd white space, and almost nothing."""

from __future__ import annotations

from hypothesis import strategies as st

from vchunk.adapters.readers.registry import reader_for
from vchunk.domain.document import Document, Source
from vchunk.domain.ports import no_warning

TOPICS = {
    "sea": ["river", "ocean", "fish", "boat", "wave", "storm"],
    "trade": ["market", "price", "stock", "money", "tax", "bank"],
    "music": ["song", "dance", "piano", "choir", "music", "drum"],
    "garden": ["tree", "leaf", "seed", "flower", "garden", "soil"],
}
"""Words of four topics, for an encoder of mode ``topic``."""

_COMMON = ["the", "of", "and", "was", "in", "that"]
_FOREIGN = [
    "日本語の文章です。",
    "次の文、句読点つき。",
    "한국어 문장입니다.",
    "नमस्ते दुनिया।",
    "e\u0301tude",
    "👩\u200d👩\u200d👧",
    "🇩🇪🇫🇷",
    "👍🏽",
    "x" * 90,
    "\u200b",
    "مرحبا",
]
_VISIBLE = st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\r\t\f")
"""Without the characters that make a file binary."""
_GAPS = [" ", " ", " ", " ", "  ", "\n", "\t", "\u00a0", "\u2028", " \n"]


def _sentence(words: list[str]) -> str:
    return " ".join(words).capitalize() + "."


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """A sentence about one topic."""
    topic = draw(st.sampled_from(list(TOPICS.values())))
    return _sentence(draw(st.lists(st.sampled_from(topic + _COMMON), min_size=2, max_size=12)))


@st.composite
def paragraphs(draw: st.DrawFn) -> str:
    """Sentences on one line, or on several."""
    gap = draw(st.sampled_from([" ", " ", "\n", "  \n"]))
    return gap.join(draw(st.lists(sentences(), min_size=1, max_size=8)))


@st.composite
def odd_paragraphs(draw: st.DrawFn) -> str:
    """Words of many scripts between white space of many kinds."""
    words = draw(st.lists(st.sampled_from(_FOREIGN + _COMMON), min_size=1, max_size=12))
    return "".join(word + draw(st.sampled_from(_GAPS)) for word in words)


_headings = st.builds(
    lambda level, title: "#" * level + " " + title, st.integers(1, 4), sentences().map(lambda s: s[:30])
)
_items = st.lists(sentences(), min_size=1, max_size=5).map(lambda s: "\n".join(f"- {item}" for item in s))
_code = st.integers(1, 12).map(
    lambda n: "```python\n" + "".join(f"{'    ' * (i % 3)}x{i} = f({i}) + {i}\n" for i in range(n)) + "```"
)
_tables = st.integers(1, 8).map(
    lambda n: "| a | b |\n|---|---|\n" + "\n".join(f"| row {i} | {i * i} |" for i in range(n))
)
_quotes = st.lists(sentences(), min_size=1, max_size=4).map(lambda s: "\n".join(f"> {line}" for line in s))
_program = st.integers(1, 5).map(
    lambda n: (
        "```python\nimport os\n\n\n@mark\nclass A:\n    # text\n\n"
        + "".join(f"    def m{i}(self,\n          a):\n        b = a\n\n        return {i}\n\n" for i in range(n))
        + "```"
    )
)
_html_tables = st.integers(1, 6).map(
    lambda n: (
        "<table>\n<tr><th>a</th></tr>" + "".join(f"<tr><td>\n{i} i</td></tr>" for i in range(n)) + "\n</table>"
    )
)
_formulas = st.integers(1, 6).map(
    lambda n: "$$\n\\begin{aligned}\n" + "\\\\ ".join(f"a_{i} = {i}" for i in range(n)) + "\\end{aligned}\n$$"
)
_companions = st.sampled_from(
    [
        "Table 1: The wages.",
        "Figure 2. A rock. It is old.",
        "Source: survey",
        "One. As follows:",
        "- Do this. So:\n\n  ```\n  a\n\n  b\n  ```",
    ]
)
_links = st.sampled_from(
    [
        "See [one. Two three](http://a.b/c_d) and `four. Five` here.",
        "It is $a. b$ and ![six. Seven, eight](i.png).",
    ]
)
_others = st.sampled_from(
    ["$$\na = b\n$$", "---", "<div>\nhtml\n</div>", "![a](b.png)", "1. one\n2. two\n\n   more"]
)

_blocks = st.one_of(
    paragraphs(), paragraphs(), paragraphs(), _headings, _headings, _items, _code, _tables, _quotes, _others,
    odd_paragraphs(), _program, _html_tables, _formulas, _companions, _companions, _links,
)  # fmt: skip


@st.composite
def _joined(draw: st.DrawFn, blocks: st.SearchStrategy[str], most: int) -> str:
    newline = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    text = "\n\n".join(draw(st.lists(blocks, min_size=1, max_size=most)))
    before, after = draw(st.sampled_from([("", "\n"), ("", ""), ("\n\n", "\n"), ("  ", " \n \n")]))
    return (before + text + after).replace("\n", newline)


@st.composite
def _with_marks_anywhere(draw: st.DrawFn) -> str:
    alphabet = st.sampled_from([*"ab .,#>-`|*\n\n\t\r\u0301\u200d\ufe0f日。👍🏽", "\U0001f1e9"])
    return draw(st.text(alphabet, max_size=80))


texts = st.one_of(
    _joined(st.one_of(paragraphs(), odd_paragraphs()), 8), st.text(_VISIBLE, max_size=60), _with_marks_anywhere()
)
markdown = st.one_of(_joined(_blocks, 14), _with_marks_anywhere())
small = st.sampled_from(
    ["", " ", "\n\n", "\u00a0", "\f", "a", "#", "é", "👍", "a b", "# a", "\na\n", "`", "\ufeff"]
)

sources = st.one_of(
    markdown.map(lambda t: Source("a.md", t.encode())),
    texts.map(lambda t: Source("a.txt", t.encode())),
    st.builds(lambda t, name: Source(name, t.encode()), small, st.sampled_from(["a.md", "a.txt"])),
)
"""Files as a user might have them."""


def read(text: str, name: str = "a.md") -> Document:
    """The document that the reader of files of this name makes of a text."""
    source = Source(name, text.encode())
    return reader_for(source).read(source, no_warning)


documents = sources.map(lambda source: reader_for(source).read(source, no_warning))
