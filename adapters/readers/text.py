"""Plain text: paragraphs are runs of lines that are not blank, form feeds end pages.

Lines that WikiText marks as headings are headings (see `wikitext`), numbered ones where that is
asked for and WikiText has none (see `numbered`). A text without headings that is a conversation,
``Ada: Good morning.``, is read as turns (see `speakers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.adapters.readers.numbered import numbered_headings
from vchunk.adapters.readers.speakers import turn_blocks
from vchunk.adapters.readers.wikitext import only_article, wiki_headings
from vchunk.domain.document import Block, Document, Kind, Page, Source, Span
from vchunk.domain.ports import Warn
from vchunk.domain.roles import label_roles


class TextReader(DecodingReader):
    """Reads plain text, code point for code point; see ``decoding`` for what is mended.

    Parameters
    ----------
    encoding
        The encoding of the bytes; None finds it.
    numbered
        Whether numbered lines are headings: ``1.1 Scope``, ``PART I``, ``§ 5``.
    """

    name = "text"
    version = 2

    def __init__(self, encoding: str | None = None, *, numbered: bool = False) -> None:
        super().__init__(encoding)
        self.numbered = numbered

    def read(self, source: Source, warn: Warn) -> Document:
        """Headings, turns, and a paragraph for each run of lines that are not blank.

        The title is that of the only article of a text in WikiText.
        """
        text = decode(source, warn, self.encoding)
        headings = wiki_headings(text)
        title = only_article(headings, text)
        if not headings and self.numbered:
            headings = numbered_headings(text)
        if headings:
            blocks = label_roles(list(_between(text, headings)), text)
        else:
            blocks = turn_blocks(text) or tuple(_between(text, ()))
        return Document(
            text=text,
            blocks=blocks,
            pages=_pages(text),
            title=title,
            media_type="text/plain",
            reader=self.signature,
        )


def _between(text: str, headings: Sequence[Block]) -> Iterator[Block]:
    """Headings, and the paragraphs between them."""
    at = 0
    for heading in headings:
        yield from (Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text, at, heading.span.start))
        yield heading
        at = heading.span.end
    yield from (Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text, at))


def _pages(text: str) -> tuple[Page, ...]:
    """The pages of a text with form feeds; each form feed is the last character of its page.

    What follows the last form feed is a page of its own only if it can be seen.
    """
    ends = [i + 1 for i, char in enumerate(text) if char == "\f"] if "\f" in text else []
    if not ends:
        return ()
    if text[ends[-1] :].strip():
        ends.append(len(text))
    ends[-1] = len(text)
    starts = [0, *ends[:-1]]
    return tuple(
        Page(number, Span(start, end))
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    )
