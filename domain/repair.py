"""What parsers and OCR damage, and no author writes: text that came twice, text in the wrong block.

Three kinds are mended, all without a change to the text:

- *Repeated*: blocks that end a page and stand again at the head of the next one. The second is left
  out. Its text has `LEAST` characters or more, is no table, caption, code or formula, occurs twice in
  the document and no more, and at most `BETWEEN` blocks, none a heading, lie between the two.
- *Cut off*: a block whose last sentence breaks off, and the next block begins with all that there is
  of that sentence and goes on. The fragment is left out.
- *Bled*: a heading that ends with the beginning of the block behind it (that end is left out), or that
  holds sentences: what follows its first one, if that is short, becomes a paragraph, else all of it.

What is left out gets the role ``damaged``. An author's own repetition stands within a page, far away,
under another heading or more than twice, so it is never touched.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vchunk.domain.document import Block, Kind, Page, Role, Span
from vchunk.domain.plurals import counted

LEAST = 40
"""Characters of a repeated text, white space counted once."""
BETWEEN = 3
"""Most blocks between the two copies of a repeated text."""
LEAST_FRAGMENT = 24
"""Characters of a sentence that was cut off at the end of a page, or of body text in a heading."""
LEAST_WORDS = 4
LONGEST_TITLE = 60
"""Characters of a first sentence that may be a title by itself."""
LONGEST_HEADING = 120
"""Characters of a heading that may end with a full stop."""
LONGEST = 240
"""Characters of a heading."""

_REPEATABLE = frozenset({Kind.PARAGRAPH, Kind.LIST, Kind.LIST_ITEM, Kind.QUOTE, Kind.HEADING})
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\S+")
_ENDED = re.compile(r"[.!?…:;。！？：；]['\"”’»)\]]*\s*$")
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_A-Z]{3})[.!?…]['\"”’»)\]]*\s+(?=['\"“‘«(\[]?[^\W\d_a-z])|[。！？]\s*(?=\S)"
)
_ABBREVIATION = re.compile(
    r"\b(?:inc|corp|etc|approx|dept|prof|assn|bros|univ|figs?|eqs?|secs?|vols?)$", re.IGNORECASE
)
_TITLE_END = re.compile(r"[^\W\d_]{3,}\s+$")
_FULL_STOP = re.compile(r"[.!?。！？]['\"”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class Repair:
    """The blocks after the repair, and how often each kind of damage was found."""

    blocks: tuple[Block, ...]
    repeated: int = 0
    cut_off: int = 0
    bled: int = 0

    def describe(self) -> str | None:
        """One line for the user; None if nothing was damaged."""
        found = [
            counted(count, one, many)
            for count, one, many in (
                (self.repeated, "repeated block left out", "repeated blocks left out"),
                (self.cut_off, "cut-off sentence left out", "cut-off sentences left out"),
                (self.bled, "heading parted from body text", "headings parted from body text"),
            )
            if count
        ]
        return f"mended what the parser damaged: {', '.join(found)}" if found else None


def repair(blocks: Sequence[Block], text: str, pages: Sequence[Page]) -> Repair:
    """Find the damage of a parser and mark it; only for blocks that a parser or OCR made.

    Parameters
    ----------
    pages
        By start; without them nothing is taken for repeated.
    """
    parted, bled = _part_headings(list(blocks), text)
    fragments, cut_off = _mark_fragments(parted, text, pages)
    marked, repeated = _mark_repeats(fragments, text, pages)
    return Repair(tuple(marked), repeated, cut_off, bled)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _body(blocks: Sequence[Block]) -> list[int]:
    """The blocks of the body that lie in no other."""
    return [i for i, b in enumerate(blocks) if b.parent is None and b.role is Role.BODY]


def _insert(blocks: Sequence[Block], new: dict[int, list[Block]]) -> list[Block]:
    """The blocks with some of them replaced by several; none of these has children."""
    place: list[int] = []
    out: list[Block] = []
    for i, block in enumerate(blocks):
        place.append(len(out))
        parent = None if block.parent is None else place[block.parent]
        out += [replace(b, parent=parent) for b in new.get(i, [block])]
    return out


def _part_headings(blocks: list[Block], text: str) -> tuple[list[Block], int]:
    body = _body(blocks)
    new: dict[int, list[Block]] = {}
    for place, i in enumerate(body):
        if blocks[i].kind is not Kind.HEADING:
            continue
        after = blocks[body[place + 1]] if place + 1 < len(body) else None
        parts = _parts_of_heading(blocks[i], after, text)
        if parts is not None:
            new[i] = parts
    return _insert(blocks, new), len(new)


def _parts_of_heading(block: Block, after: Block | None, text: str) -> list[Block] | None:
    """What a heading with body text in it really is; None for one without."""
    said = text[block.span.start : block.span.end]
    if after is not None and after.kind is Kind.PARAGRAPH:
        at = _overlap(said, _flat(text[after.span.start : after.span.end]))
        if at is not None:
            return _split(block, text, block.span.start + at, Role.DAMAGED)
    end = _first_sentence(said)
    rest = said[end:].split() if end else []
    sentences = len(_flat(said)) > LONGEST_HEADING or _FULL_STOP.search(said)
    if end and len(rest) >= LEAST_WORDS and sentences:
        if len(_flat(said[:end])) <= LONGEST_TITLE:
            return _split(block, text, block.span.start + end, Role.BODY)
        return [replace(block, kind=Kind.PARAGRAPH, level=None, title=None)]
    length = len(_flat(said))
    if length > LONGEST or (length > LONGEST_HEADING and _FULL_STOP.search(said)):
        return [replace(block, kind=Kind.PARAGRAPH, level=None, title=None)]
    return None


def _first_sentence(said: str) -> int | None:
    """Where the second sentence of a heading begins."""
    for match in _SENTENCE_END.finditer(said):
        if not _ABBREVIATION.search(said, 0, match.start()):
            return match.end()
    return None


def _overlap(said: str, following: str) -> int | None:
    """Where the end of a heading begins that is the beginning of what follows it.

    It reads like a sentence, not like a title that the text takes up ("Part 1: The State"): it begins
    with a capital, goes on in lower case, and a word of a title stands before it.
    """
    for match in list(_WORD.finditer(said))[1:]:
        end = _flat(said[match.start() :])
        words = end.split()
        if len(end) < LEAST_FRAGMENT or len(words) < LEAST_WORDS:
            return None
        plain = 2 * sum(word[0].islower() for word in words) >= len(words)
        if end[0].isupper() and plain and following.startswith(end) and _TITLE_END.search(said, 0, match.start()):
            return match.start()
    return None


def _split(block: Block, text: str, at: int, role: Role) -> list[Block]:
    """A heading up to ``at``, and a paragraph of that role from there."""
    head = text[block.span.start : at].rstrip()
    first = replace(block, span=Span(block.span.start, block.span.start + len(head)), title=_flat(head))
    return [first, Block(Kind.PARAGRAPH, Span(at, block.span.end), role)]


def _mark_fragments(blocks: list[Block], text: str, pages: Sequence[Page]) -> tuple[list[Block], int]:
    body = [i for i in _body(blocks) if blocks[i].kind is not Kind.FOOTNOTE]
    on = _Pages(pages)
    new: dict[int, list[Block]] = {}
    for here, there in itertools.pairwise(body):
        block, after = blocks[here], blocks[there]
        if block.kind is not Kind.PARAGRAPH or after.kind is not Kind.PARAGRAPH:
            continue
        a, b = on.last(block.span), on.first(after.span)
        if a is not None and b is not None and b - a > 1:
            continue
        said = text[block.span.start : block.span.end]
        if _ENDED.search(said):
            continue
        ends = list(_SENTENCE_END.finditer(said))
        at = ends[-1].end() if ends else 0
        fragment, full = _flat(said[at:]), _flat(text[after.span.start : after.span.end])
        least = LEAST_FRAGMENT if a is not None and b == a + 1 else LEAST
        # A fragment may end with half a word, or with the hyphen that parts one.
        bare = fragment.removesuffix("-") if fragment[-2:-1].isalpha() else fragment
        if (
            len(bare) < least
            or len(bare.split()) < LEAST_WORDS
            or not full.startswith(bare)
            or len(full) <= len(fragment)
        ):
            continue
        start = block.span.start + at
        lost = replace(block, span=Span(start, block.span.end), role=Role.DAMAGED)
        kept = text[block.span.start : start].rstrip()
        whole = [replace(block, span=Span(block.span.start, block.span.start + len(kept)))] if kept else []
        new[here] = [*whole, lost]
    return _insert(blocks, new), len(new)


def _mark_repeats(blocks: list[Block], text: str, pages: Sequence[Page]) -> tuple[list[Block], int]:
    if not pages:
        return blocks, 0
    on = _Pages(pages)
    body = _body(blocks)
    said = [_flat(text[blocks[i].span.start : blocks[i].span.end]) for i in body]
    kinds = [blocks[i].kind for i in body]
    often = Counter(said)
    damaged: set[int] = set()
    place_of: dict[str, int] = {}
    for place, words in enumerate(said):
        before = place_of.setdefault(words, place)
        if before == place or often[words] != 2 or len(words) < LEAST or body[place] in damaged:
            continue
        a, b = on.only(blocks[body[before]].span), on.only(blocks[body[place]].span)
        if a is None or b != a + 1:
            continue

        def same(step: int, before: int = before, place: int = place) -> bool:
            one, other = before + step, place + step
            inside = one >= 0 and other < len(body)
            return inside and said[one] == said[other] and kinds[one] is kinds[other] and kinds[one] in _REPEATABLE

        # What was repeated with it, headings and short blocks too, belongs to the copy.
        first = last = 0
        while same(first - 1) and place + first - 1 > before + last:
            first -= 1
        while same(last + 1) and before + last + 1 < place + first:
            last += 1
        between = range(before + last + 1, place + first)
        if same(0) and len(between) <= BETWEEN and all(kinds[j] is not Kind.HEADING for j in between):
            damaged.update(body[place + first : place + last + 1])
    return _with_role(blocks, damaged), len(damaged)


def _with_role(blocks: Sequence[Block], damaged: set[int]) -> list[Block]:
    """The blocks with some, and all that lies in them, damaged; a damaged heading begins no section."""
    out: list[Block] = []
    inside: set[int] = set()
    for i, block in enumerate(blocks):
        if i in damaged or block.parent in inside:
            inside.add(i)
            block = replace(block, role=Role.DAMAGED)
            if block.kind is Kind.HEADING:
                block = replace(block, kind=Kind.PARAGRAPH, level=None, title=None)
        out.append(block)
    return out


class _Pages:
    """The pages of spans."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._starts = [page.span.start for page in pages]

    def first(self, span: Span) -> int | None:
        """The page on which a span begins."""
        at = bisect.bisect_right(self._starts, span.start) - 1
        return self._pages[at].number if at >= 0 and self._pages[at].span.overlaps(span) else None

    def last(self, span: Span) -> int | None:
        """The page on which a span ends."""
        at = bisect.bisect_left(self._starts, span.end) - 1
        return self._pages[at].number if at >= 0 and self._pages[at].span.overlaps(span) else None

    def only(self, span: Span) -> int | None:
        """The page on which all of a span stands; None if there are several."""
        first = self.first(span)
        return first if first == self.last(span) else None
