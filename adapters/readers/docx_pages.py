"""Pages of a Word document: where Word, when it last saved the file, began new ones.

Word notes that in the text (``w:lastRenderedPageBreak``); other programs do not, and of their documents
nothing tells the pages: breaks that the author put in are not all there are. While paragraphs are read,
such a place is a mark in the text with the page's number; `place` takes the marks out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vchunk.adapters.readers.parsed import Draft, Place, Run
from vchunk.domain.document import Kind, Role

_MARK = re.compile("\ufdd0([0-9]+)\ufdd1")  # code points that are no characters


def mark(page: int) -> str:
    """What stands in the text where a page begins."""
    return f"\ufdd0{page}\ufdd1"


def unmarked(text: str) -> str:
    """The text without marks."""
    return _MARK.sub("", text)


def marks_in(text: str) -> str:
    """The marks of a text alone."""
    return "".join(match[0] for match in _MARK.finditer(text))


def with_number(number: str, text: str) -> str:
    """A number before a text, behind the mark that the text begins with."""
    lead = match[0] if (match := _MARK.match(text)) else ""
    return f"{lead}{number} {text[len(lead) :].lstrip()}".strip()


def place(drafts: Iterable[Draft], pages: int) -> None:
    """Take the marks out, in place; where there is more than one page, say on which each part stands."""
    page = 1
    stack = list(reversed(list(drafts)))
    while stack:
        draft = stack.pop()
        stack += reversed(draft.children)
        texts = _MARK.split(draft.text)  # text, number, text, number ...
        whole = "".join(texts[::2])
        lost = 0 if draft.kind is Kind.CODE else len(whole) - len(whole.lstrip())
        draft.text = whole[lost:]
        if draft.kind is Kind.LIST_ITEM and draft.children and (match := _MARK.match(draft.children[0].text)):
            page = max(page, int(match[1]))
        numbers = [page, *map(int, texts[1::2])]
        at = -lost
        for text, number in zip(texts[::2], numbers, strict=True):
            page = max(page, number)
            if pages > 1 and draft.role in (Role.BODY, Role.TOC) and at + len(text) > max(at, 0):
                draft.runs.append(Run(max(at, 0), at + len(text), Place(page)))
            at += len(text)
