"""Kinds of paragraphs that their place and their signs tell: formulas, quotations, unreadable text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import regex

from vchunk.adapters.readers.pdf_blocks import Draft, Measure
from vchunk.adapters.readers.pdf_chars import UNKNOWN
from vchunk.adapters.readers.pdf_lines import Line
from vchunk.domain.document import Kind, Role

_RELATION = regex.compile(r"[=<>≤≥≈≠≡∝∈⊂⊆→⇒⇔∑∫∏√]|\\sum|:=")
_NUMBER = regex.compile(r"\(\d{1,3}(?:\.\d{1,3})?[a-z]?\)$")
_WORD = regex.compile(r"\p{L}{4,}")
_FUNCTIONS = frozenset({"argmax", "argmin", "tanh", "sinh", "cosh", "softmax", "where", "otherwise", "diag"})
_MOST_LINES = 4
_INDENT = 1.5  # ems
_CENTRED = 2.5  # ems
_MOST_UNKNOWN = 0.5


def label_unreadable(drafts: Sequence[Draft]) -> None:
    """Blocks of which the file does not tell most letters, in place."""
    for draft in drafts:
        text = draft.plain.replace(" ", "")
        if draft.role is Role.BODY and text.count(chr(UNKNOWN)) > _MOST_UNKNOWN * len(text):
            draft.role = Role.DAMAGED


def label_formulas(drafts: list[Draft]) -> None:
    """Displayed formulas: short, centred or numbered, with a relation and hardly a word, in place.

    What stands above or below on the same formula (limits, parts of fractions) becomes part of it.
    """
    i = 0
    while i < len(drafts):
        if not _is_formula(drafts[i]):
            i += 1
            continue
        drafts[i].kind = Kind.FORMULA
        while i + 1 < len(drafts) and _belongs(drafts[i].lines[-1], drafts[i + 1]):
            drafts[i].lines += drafts.pop(i + 1).lines
        while i and _belongs(drafts[i].lines[0], drafts[i - 1]):
            drafts[i - 1].lines += drafts.pop(i).lines
            i -= 1
            drafts[i].kind = Kind.FORMULA
        i += 1


def _is_formula(draft: Draft) -> bool:
    if draft.kind is not Kind.PARAGRAPH or draft.role is not Role.BODY or len(draft.lines) > _MOST_LINES:
        return False
    text = draft.plain
    words = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    if not _RELATION.search(text) or len(words) > 0.15 * len(text.split()) or draft.bold:
        return False
    first = draft.lines[0]
    if first.entry or first.x0 - first.left < _INDENT * first.size:
        return False
    return _NUMBER.search(text) is not None or all(_is_centred(line) for line in draft.lines)


def _is_centred(line: Line) -> bool:
    return abs((line.x0 + line.x1) - (line.left + line.right)) / 2 < _CENTRED * line.size


def _belongs(line: Line, draft: Draft) -> bool:
    """Whether a block next to a line of a formula is one more part of it."""
    if draft.kind is not Kind.PARAGRAPH or draft.role is not Role.BODY or len(draft.lines) > 2:
        return False
    other = draft.lines[0] if draft.lines[0].base >= line.base else draft.lines[-1]
    near = other.region == line.region and abs(other.base - line.base) < 1.8 * line.size
    wordless = not _WORD.search(draft.plain) and len(draft.plain.split()) <= 12
    return near and wordless and other.x0 - other.left > _INDENT * other.size


def label_quotes(drafts: list[Draft], usual: Measure) -> None:
    """Prose set in from both edges of the column's text, in place; not what follows an abstract's heading."""
    edges: dict[int, Counter[int]] = defaultdict(Counter)
    for draft in drafts:
        if draft.kind is Kind.PARAGRAPH and draft.role is Role.BODY and len(draft.lines) > 1:
            for line in draft.lines[1:]:
                edges[line.region][round(line.x0)] += 1
    for i, draft in enumerate(drafts):
        if draft.kind is not Kind.PARAGRAPH or draft.role is not Role.BODY or len(draft.lines) < 2 or not i:
            continue
        region = draft.lines[0].region
        usual_left, count = edges[region].most_common(1)[0]
        inner = len(draft.lines) - 1
        if count < 2 * inner or draft.size > 1.05 * usual.body or draft.bold:
            continue
        before = drafts[i - 1]
        told = before.kind is Kind.PARAGRAPH and len(before.lines) > 1 and before.lines[0].region == region
        if told and _is_set_in(draft, usual_left):
            draft.kind = Kind.QUOTE


def _is_set_in(draft: Draft, left: float) -> bool:
    room = _INDENT * draft.size
    rest = draft.lines[1:]
    flush = max(line.x0 for line in rest) - min(line.x0 for line in rest) < 0.5 * draft.size
    aside = min(line.x0 for line in rest) > left + room
    short = all(line.x1 < line.right - room for line in draft.lines)
    words = sum(line.words for line in draft.lines)
    return flush and aside and short and words >= 5 * len(draft.lines) and draft.lines[0].x0 > left + room
