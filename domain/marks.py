"""What stands in front of words and is never cut from them: a speaker's label, the mark of a list item."""

from __future__ import annotations

import re

from vchunk.domain.document import Document, Kind
from vchunk.domain.transcripts import label_ends

_ITEM_MARK = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_BLANKS = re.compile(r"[ \t]*")


def mark_ends(document: Document) -> dict[int, int]:
    """Where each label and mark begins, and where the words behind it do."""
    ends = dict(label_ends(document))
    for block in document.blocks:
        if block.kind is Kind.LIST_ITEM:
            blanks = _BLANKS.match(document.text, block.span.start)
            start = blanks.end() if blanks else block.span.start
            mark = _ITEM_MARK.match(document.text, start, block.span.end)
            if mark is not None and mark.end() < block.span.end:
                ends[start] = mark.end()
    return ends
