"""The flow of the text over columns and pages: what interrupts a paragraph is put behind it."""

from __future__ import annotations

from vchunk.adapters.readers.pdf_blocks import Draft, ends_sentence, marker
from vchunk.adapters.readers.pdf_chars import HYPHEN
from vchunk.adapters.readers.pdf_lines import Line, is_cjk
from vchunk.domain.document import Kind, Role

_FLOATS = frozenset({Kind.CAPTION, Kind.TABLE, Kind.CODE, Kind.FIGURE, Kind.FOOTNOTE, Kind.RULE})
_MAX_PAGES = 2
_HYPHENS = (chr(HYPHEN), "-", "\u2010", "\u00ad")


def mend_paragraphs(drafts: list[Draft]) -> list[Draft]:
    """Join paragraphs that a column's end, a page's end or a float broke in two.

    A paragraph goes on in a later one when it ends without the end of a sentence and the later
    one begins in lower case, or its last word is hyphenated, or its last line is full.
    """
    rest = list(drafts)
    i = 0
    while i < len(rest):
        while (j := _continuation(rest, i)) is not None:
            rest[i].lines += rest[j].lines
            del rest[j]
        i += 1
    return rest


def furniture_last(drafts: list[Draft]) -> list[Draft]:
    """Running heads, feet and page numbers behind all other text.

    There they part nothing: a chunk is one slice, and it may well go on over a page's end.
    """
    return sorted(drafts, key=lambda draft: draft.role is Role.FURNITURE)


def _continuation(drafts: list[Draft], i: int) -> int | None:
    """The index of the draft in which draft ``i`` goes on."""
    draft = drafts[i]
    if draft.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM) or draft.role is not Role.BODY:
        return None
    last = draft.lines[-1]
    if ends_sentence(last.text):
        return None
    for j in range(i + 1, len(drafts)):
        other = drafts[j]
        first = other.lines[0]
        if first.page > last.page + _MAX_PAGES:
            return None
        if (
            other.role is Role.FURNITURE
            or other.kind in _FLOATS
            or abs(other.size - draft.size) > 0.06 * draft.size
        ):
            if other.kind is Kind.HEADING:
                return None
            continue
        parted = j > i + 1 or first.region != last.region
        if other.kind is not Kind.PARAGRAPH or other.role is not Role.BODY:
            return None
        if _goes_on(draft, last, first) if parted else first.text[0].islower() and _is_full(last, first):
            return j
        return None
    return None


def _goes_on(draft: Draft, last: Line, first: Line) -> bool:
    text, begin = last.text.rstrip(), first.text[0]
    if text.endswith(_HYPHENS) and len(text) > 1 and text[-2].isalpha() and begin.isalpha():
        return True
    words = sum(line.words for line in draft.lines)
    if begin.islower() and words >= 3:
        return True
    if last.bold or first.bold or marker(first) is not None or text.endswith(":"):
        return False
    if is_cjk(text[-1]) and is_cjk(begin):
        return _is_full(last, first)
    # where paragraphs are indented, one that is not goes on
    indented = len(draft.lines) > 1 and draft.lines[0].x0 - draft.lines[1].x0 > 0.7 * last.size
    flush = indented and first.x0 - first.left < 0.5 * first.size
    return words >= 8 and first.words >= 4 and (flush or _is_full(last, first))


def _is_full(last: Line, first: Line) -> bool:
    """Whether the first word of a line would not have found room on the last one."""
    return last.x1 + 0.3 * last.size + first.first_word_width() >= last.right - 0.2 * last.size
