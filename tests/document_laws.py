"""What holds for the document of every reader, and texts to try it on."""

from __future__ import annotations

from hypothesis import strategies as st

from vchunk.domain.document import Block, Document, Kind

# fmt: off
_MARKS = [
    "# ", "## ", "### ", "> ", ">", "- ", "* ", "1. ", "12) ", "```", "~~~", "```py", "$$", "\\[", "\\]",
    "\\begin{align}", "\\end{align}", "---", "+++", "===", "...", "| a | b |", "|---|---|", "[^1]: ", "[^1]",
    "[a]: /x", "[a]", "![i](x)", "[![i](x)](y)", "<!--", "-->", "<div>", "</div>", "<b>", ": ", "~ ", "- [ ] ",
    "title: x", "key:", "{", "}", "_", "`", "&", "&amp;", "\\", "# References\n",
]
_SPACES = [
    " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\r\n\r\n", "\f", "\v", "\x85", "\u2028", "\u00a0", "\0",
]
# fmt: on
_WORDS = ["word", "ß", "é", "日本", "😀", "a|b", "a | b", "x\n", "-", "\u200d", "\ufffd"]

marked_up = st.lists(st.sampled_from(_MARKS + _SPACES + _WORDS + ["\n"] * 8 + [" "] * 8), max_size=60).map("".join)
texts = st.one_of(st.text(max_size=80), marked_up)


def hold_laws(document: Document) -> None:
    """Blocks are visible, ordered, nested and disjoint, and hold all that can be seen."""
    text, blocks = document.text, document.blocks
    last_end: dict[int | None, int] = {}
    for index, block in enumerate(blocks):
        assert block.span.end <= len(text)
        assert text[block.span.start : block.span.end].strip(), block
        assert not text[block.span.end - 1].isspace(), block
        indented = block.kind in (Kind.CODE, Kind.HEADING)
        assert indented or not text[block.span.start].isspace(), block
        if index:
            assert blocks[index - 1].span.start <= block.span.start
        if block.parent is not None:
            assert block.parent < index
            assert block.span in blocks[block.parent].span, (block, blocks[block.parent])
        assert last_end.get(block.parent, 0) <= block.span.start, block
        last_end[block.parent] = block.span.end
    assert not outside(text, [block for block in blocks if block.parent is None]).strip()
    for before, page in zip(document.pages, document.pages[1:], strict=False):
        assert before.span.end <= page.span.start


def outside(text: str, blocks: list[Block]) -> str:
    """What no block holds."""
    ends = [0, *(block.span.end for block in blocks)]
    starts = [*(block.span.start for block in blocks), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
