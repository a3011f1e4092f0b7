"""Plain text: paragraphs are runs of lines that are not blank, form feeds end pages."""

from __future__ import annotations

from vchunk.adapters.readers.decoding import decode
from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.domain.document import Block, Document, Kind, Page, Source, Span
from vchunk.domain.ports import Warn


class TextReader:
    """Reads plain text, code point for code point; see ``decoding`` for what is mended.

    Parameters
    ----------
    encoding
        The encoding of the bytes; None finds it.
    """

    name = "text"
    version = 1

    def __init__(self, encoding: str | None = None) -> None:
        self.encoding = encoding

    def read(self, source: Source, warn: Warn) -> Document:
        """One paragraph block for each run of lines that are not blank."""
        text = decode(source, warn, self.encoding)
        return Document(
            text=text,
            blocks=tuple(Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text)),
            pages=_pages(text),
            media_type="text/plain",
            reader=f"{self.name}/{self.version}",
        )


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
