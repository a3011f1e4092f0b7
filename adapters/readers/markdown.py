"""Markdown: CommonMark with GFM tables, front matter, footnotes, definition lists and math.

The text of record is the file itself, markup and line ends included. Blocks nest as Markdown does:
lists hold items; items, quotes and footnotes hold blocks. A definition list is a list whose items
each hold a term (a paragraph) and what defines it. A link reference definition is a paragraph.

WikiText is often kept in Markdown files. Where a file has no heading of Markdown's, but at least
three lines that are headings in WikiText, these are its headings; see `wikitext`.
"""

from __future__ import annotations

from collections.abc import Sequence

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.front_matter import entry, language
from vchunk.domain.document import Block, Document, Kind, Source
from vchunk.domain.ports import Warn
from vchunk.domain.roles import label_roles


class MarkdownReader(DecodingReader):
    """Reads Markdown, code point for code point; see ``decoding`` for what is mended."""

    name = "markdown"
    version = 2

    def read(self, source: Source, warn: Warn) -> Document:
        """The document with its block tree; a code fence that is never closed is warned of.

        The title is that of the front matter, else that of the first heading if it is the only one of
        level 1: several of them are chapters or articles, and none of those names the document.
        """
        from vchunk.adapters.readers.markdown_tree import block_tree
        from vchunk.adapters.readers.markdown_turns import with_turns
        from vchunk.adapters.readers.wikitext import only_article, with_wiki_headings

        text = decode(source, warn, self.encoding)
        blocks, unclosed = block_tree(text)
        if unclosed is not None:
            warn(f"{source.name}: line {unclosed}: code fence never closed, all that follows is read as code")
        wiki = with_wiki_headings(text, blocks, lambda part: block_tree(part)[0])
        turns = None if wiki else with_turns(text, blocks)
        head = ""
        if blocks and blocks[0].kind is Kind.FRONT_MATTER:
            head = text[blocks[0].span.start : blocks[0].span.end]
        return Document(
            text=text,
            blocks=label_roles(wiki or turns or blocks, text),
            title=entry(head, "title") or (only_article(wiki, text) if wiki else _first_title(blocks)),
            language=language(head),
            media_type="text/markdown",
            reader=self.signature,
        )


def _first_title(blocks: Sequence[Block]) -> str | None:
    """The title of the first heading outside lists and quotes, if it alone is of level 1."""
    headings = [b for b in blocks if b.kind is Kind.HEADING and b.parent is None]
    top = [b for b in headings if b.level == 1]
    return (top[0].title or None) if len(top) == 1 and top[0] is headings[0] else None
