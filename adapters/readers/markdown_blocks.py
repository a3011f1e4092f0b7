"""The block parser of Markdown: markdown-it with the place of every block.

markdown-it tells the lines of a block but not where on its first line it begins. The parser here
notes that place, so ``- > # title`` gives four blocks with four starts. It also

- reads front matter before everything else, and only where it is a mapping: a document may open
  with a thematic break;
- reads display math: ``$$ ... $$``, ``\\[ ... \\]`` and the environments of amsmath, also in the
  middle of a paragraph, as LaTeX does; no blank line may stand in it;
- reads what is nested deeper than ``DEEPEST`` as paragraphs. markdown-it drops it, and with it all
  that follows.

Task lists need no rule: their boxes are text of the item.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import (
    StateBlock,
    code,
    fence,
    heading,
    hr,
    html_block,
    lheading,
    paragraph,
)
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from vchunk.adapters.readers.front_matter import front_matter_lines

PLACE = "place"
"""Key of a token's meta: (line, offset), the offset where the block begins."""
LEFT = "left"
"""Key of an indented code token's meta: the offset where its first line's indentation begins."""

DEEPEST = 96
_LONGEST_FORMULA = 1000  # lines; bounds the search for an end that may not come
_ENVIRONMENTS = "equation|multline|gather|align|alignat|flalign|matrix|[pbBvV]matrix|eqnarray"
_BEGIN = re.compile(rf"\\begin\{{(?:{_ENVIRONMENTS})\*?\}}")
_LABEL = re.compile(r"\$\$\s*\([^)$]+\)$")  # $$ ... $$ (1)
_MATHS = re.compile(r"[=^_\\{<>]")
_ITEMS = {"bullet_list_open": "list_item_open", "ordered_list_open": "list_item_open", "dl_open": "dt_open"}
_LEAVES = (code, fence, hr, html_block, heading, lheading, paragraph)


class LocatingParser(ParserBlock):
    """A block parser that notes where each block begins, see ``PLACE`` and ``LEFT``."""

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: MutableMapping[str, Any],
        outTokens: list[Token],  # noqa: N803
    ) -> list[Token]:
        """Parse a text with ``\\n`` line ends; front matter is the first token."""
        state = StateBlock(src, md, env, outTokens)
        lines = front_matter_lines(src)
        if lines:
            token = state.push("front_matter", "", 0)
            token.map = [0, lines]
            token.meta[PLACE] = (0, 0)
        self.tokenize(state, min(lines, state.lineMax), state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Tokenize lines of the state, as markdown-it does, noting each block's place.

        Whether a list is tight matters to who renders it and is left out.
        """
        rules = self.ruler.getRules("")
        line = startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            left = state.bMarks[line]
            place = left + state.tShift[line]
            count = len(state.tokens)
            for rule in rules if state.level < DEEPEST else _LEAVES:
                if rule(state, line, endLine, False):
                    break
            if len(state.tokens) > count:
                _note(state, count, line, place, left)
            line = state.line
            if line < endLine and state.isEmpty(line):
                line += 1
                state.line = line


def _note(state: StateBlock, first: int, line: int, place: int, left: int) -> None:
    """Note the place of the block that was added last, and of a list's items."""
    token = state.tokens[first]
    token.meta[PLACE] = (line, place)
    if token.type == "code_block":
        token.meta[LEFT] = left
    item = _ITEMS.get(token.type)
    if item is None:
        return
    # The list's rule has put the marks of its lines back, so they point at the markers again.
    for inner in state.tokens[first + 1 :]:
        if inner.type == item and inner.level == token.level + 1 and inner.map is not None:
            row = inner.map[0]
            inner.meta[PLACE] = (row, state.bMarks[row] + state.tShift[row])


def formula(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803
    """Rule for display math that fills whole lines."""
    if state.is_code_block(startLine):
        return False
    end = _formula_end(state, startLine, endLine)
    if end is None:
        return False
    if not silent:
        state.line = end
        token = state.push("formula", "math", 0)
        token.map = [startLine, end]
    return True


def _formula_end(state: StateBlock, start: int, end: int) -> int | None:
    """The line after the formula that begins on line ``start``, None if none does."""
    first = _line(state, start)
    if first.startswith("$$"):
        opening, closing, body = "$$", "$$", first[2:]
        if first.startswith("$$$") or ("$$" in body and not (body.endswith("$$") or _LABEL.search(body))):
            return None  # $$x$$ within a sentence
    elif first.startswith("\\["):
        opening, closing, body = "\\[", "\\]", first[2:]
        # \[note\] is text in escaped brackets.
        if body.removesuffix("\\]").strip() and not _MATHS.search(body.removesuffix("\\]")):
            return None
    elif match := _BEGIN.match(first):
        opening, body = match[0], first[match.end() :]
        closing = opening.replace("begin", "end", 1)
    else:
        return None
    if body.endswith(closing) or (closing == "$$" and _LABEL.search(body)):
        return start + 1
    for line in range(start + 1, min(end, start + _LONGEST_FORMULA)):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return None
        body = _line(state, line)
        if body.endswith(closing) or (closing == "$$" and _LABEL.search(body)):
            return line + 1
        if body.startswith(opening):
            return None
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


@cache
def parser() -> MarkdownIt:
    """CommonMark, GFM tables, footnotes, definition lists and math; its inline rules read titles."""
    md = MarkdownIt("commonmark", {"inline_definitions": True})
    md.block = LocatingParser()
    md.enable(["table", "strikethrough"])
    footnote_plugin(md, inline=False)  # its core rule, which moves notes to the end, never runs
    deflist_plugin(md)
    dollarmath_plugin(md, allow_labels=False, allow_space=False, allow_digits=False)
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]}
    md.block.ruler.at("math_block", formula, interrupts)
    return md


def tokens(source: str, env: MutableMapping[str, Any]) -> list[Token]:
    """The block tokens of a text with ``\\n`` line ends; their inline content is not parsed."""
    return parser().block.parse(source, parser(), env, []) or []


def inline(content: str, env: MutableMapping[str, Any]) -> list[Token]:
    """The inline tokens of a block's content; ``env`` is that of its document."""
    found: list[Token] = []
    parser().inline.parse(content, parser(), env, found)
    return found


def plain(found: Sequence[Token]) -> str:
    """What a reader sees of inline tokens: no emphasis, link targets, tags or footnote marks.

    Code keeps its backticks and math its dollars: without them ``a_b`` and ``<T>`` read as markup.
    """
    parts = []
    for token in found:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type in ("math_inline", "code_inline"):
            parts.append(f"{token.markup}{token.content}{token.markup}")
        elif token.type == "image":
            parts.append(plain(token.children or ()))
        elif token.type in ("text", "text_special"):
            parts.append(token.content)
    return "".join(parts).strip()


def is_image(found: Sequence[Token]) -> bool:
    """Whether inline tokens are one image or several, linked or not, and nothing else."""
    around = ("image", "link_open", "link_close", "softbreak", "hardbreak")
    return any(token.type == "image" for token in found) and all(
        token.type in around or (token.type == "text" and not token.content.strip()) for token in found
    )
