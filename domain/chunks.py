"""The chunk record: a slice of the document with what is known about it."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.boundaries import INSIDE
from vchunk.domain.boxes import joined_boxes
from vchunk.domain.context import Context, Contexts, without_row_margins
from vchunk.domain.cutting import LeftOut, make_cuts
from vchunk.domain.document import Block, Box, Document, Kind, Role, Span
from vchunk.domain.finishing import Cut
from vchunk.domain.granularity import Granularity
from vchunk.domain.lines import LINE_END
from vchunk.domain.material import Material
from vchunk.domain.overlap import overlap_starts
from vchunk.domain.parts import Part, find_parts
from vchunk.domain.ports import Hasher
from vchunk.domain.sections import Section, find_sections, trail_at
from vchunk.domain.vectors import decimals, frozen

T = TypeVar("T")

TRAIL_LENGTH = 300
"""Most characters that the heading trail takes in front of a text."""

_NON_SPACE = re.compile(r"\S")
_INSIDE_METHODS = {
    Kind.CODE: "code",
    Kind.TABLE: "rows",
    Kind.FORMULA: "formula",
    Kind.HTML: "rows",
    Kind.FRONT_MATTER: "code",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A step of a heading trail: ``start`` of the heading's line to the ``end`` of its section."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document. ``text`` is exactly ``document.text[start:end]``.

    ``id`` depends on the granularity, the text and how often that text came before, not on the
    place. Lines and pages count from 1. ``boundary`` is what begins the chunk, one of
    `vchunk.domain.cutting.BORDERS`. ``strength`` is that of the cut at the start: s(b) of the
    objective for cuts by size, prominence in MADs of the velocity otherwise. ``title`` is the
    document's. ``time`` runs from the first to the last second of the cues that the chunk touches;
    ``speaker`` is who says all of it, None where that are several or nobody. ``context`` is what the
    cut took from the chunk, ``language`` that of the code in it, ``part`` its place among the pieces
    of a block that was over the limit. ``parent``, ``children`` (ids) and ``depth`` are its place in a
    family of levels. ``vector`` (dim,) is there when it was asked for, and cannot be written to; it
    plays no part in whether two chunks are equal.
    """

    id: str
    document: str
    embedding: str | None
    index: int
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    tokens: int
    size_in: str
    pages: tuple[int, ...]
    boxes: tuple[Box, ...]
    headings: tuple[Heading, ...]
    kind: str
    kinds: tuple[str, ...]
    role: str
    method: str
    strength: float
    boundary: str = "soft"
    title: str | None = None
    time: tuple[float, float] | None = None
    speaker: str | None = None
    context: tuple[Context, ...] = ()
    language: str | None = None
    part: Part | None = None
    parent: str | None = None
    children: tuple[str, ...] = ()
    depth: int = 0
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    @property
    def embed_text(self) -> str:
        """What an embedder should get: the heading trail, the context, then the text.

        Captions are paragraphs of their own; imports, signatures and a table's header stand directly
        before the text, so that rows are a table again; those of one in a list or quote lose their margin.
        An overlap runs into the text as in the document.

        The trail is put in front only when it leads with the document's title or a heading of
        level 1; a bare section name makes retrieval worse. Headings that the text itself begins
        with are not repeated. The trail is held to `TRAIL_LENGTH` characters, never the text: inner
        headings between the first and the last go first, then long ones are shortened.
        """
        led = bool(self.headings) and self.headings[0].level == 1
        titles = [h.title for h in self.headings if h.start < self.start]
        begun = self.text.startswith(self.title or "") and not self.text[len(self.title or "") :][:1].isalnum()
        known = begun or (bool(self.headings) and self.headings[0].title == self.title)
        if self.title and not known:
            led = True
            titles.insert(0, self.title)
        trail = [_trail(titles)] if led and titles else []
        captions = [c.text for c in self.context if c.kind == "caption"]
        overlap = "".join(c.text for c in self.context if c.kind == "overlap")
        lost = [c.text for c in self.context if c.kind not in ("caption", "overlap")]
        text = overlap + self.text
        if any(c.kind == "table_header" for c in self.context):
            text, lost = without_row_margins(text), [without_row_margins(part) for part in lost]
        text = "\n".join([*lost, text])
        return "\n\n".join([*trail, *captions, text])

    def as_dict(self) -> dict[str, Any]:
        """The record as it is written: JSON values only, in the documented order."""
        return {
            "id": self.id,
            "document": self.document,
            "embedding": self.embedding,
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "line_start": self.line_start,
            "line_end": self.line_end,
            "text": self.text,
            "tokens": self.tokens,
            "size_in": self.size_in,
            "title": self.title,
            "headings": [
                {"level": h.level, "title": h.title, "start": h.start, "end": h.end} for h in self.headings
            ],
            "context": [{"kind": c.kind, "text": c.text} for c in self.context],
            "pages": list(self.pages),
            "boxes": [{"page": b.page, "x0": b.x0, "y0": b.y0, "x1": b.x1, "y1": b.y1} for b in self.boxes],
            "kind": self.kind,
            "kinds": list(self.kinds),
            "language": self.language,
            "role": self.role,
            "method": self.method,
            "boundary": self.boundary,
            "strength": round(self.strength, 6),
            "part": None if self.part is None else asdict(self.part),
            "parent": self.parent,
            "children": list(self.children),
            "depth": self.depth,
            "time": None if self.time is None else list(self.time),
            "speaker": self.speaker,
            **({} if self.vector is None else {"vector": decimals(self.vector)}),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Chunk:
        """The chunk that `as_dict` wrote; the spans of its boxes are that of the chunk."""
        span = Span(record["start"], record["end"])
        return cls(
            **{
                **{name: record[name] for name in cls.__dataclass_fields__ if name != "vector"},
                "pages": tuple(record["pages"]),
                "kinds": tuple(record["kinds"]),
                "children": tuple(record["children"]),
                "time": None if record["time"] is None else tuple(record["time"]),
                "headings": tuple(Heading(**h) for h in record["headings"]),
                "context": tuple(Context(**c) for c in record["context"]),
                "part": None if record["part"] is None else Part(**record["part"]),
                "boxes": tuple(Box(span, **b) for b in record["boxes"]),
            },
            vector=None if record.get("vector") is None else frozen(record["vector"]),
        )


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks of one document at one granularity, and what no chunk holds."""

    chunks: tuple[Chunk, ...]
    left_out: tuple[LeftOut, ...]


def chunk(material: Material, wanted: Granularity, hasher: Hasher) -> Chunking:
    """Cut a document: the use case ``chunk``."""
    cuts, left_out = make_cuts(material, wanted)
    place = Places(material.document)
    return Chunking(tuple(describe(material, wanted, cuts, hasher, place)), tuple(left_out))


def describe(
    material: Material, wanted: Granularity, cuts: Sequence[Cut], hasher: Hasher, place: Places
) -> list[Chunk]:
    """The records of the cuts of one granularity."""
    document = material.document
    names = Occurrences(hasher)
    contexts = Contexts(material, wanted.maximum)
    blocks_named = Occurrences(hasher)
    parts = find_parts(document, [cut.span for cut in cuts], partial(blocks_named.id, "block"))
    laps = overlap_starts(material, wanted, cuts)
    out = []
    for index, (cut, lap) in enumerate(zip(cuts, laps, strict=True)):
        span = Span(lap, cut.span.end) if wanted.overlap_in_text else cut.span
        text = document.slice(span)
        blocks = place.blocks(span)
        kinds = _by_share(blocks, span)
        context = contexts.of(span)
        if lap < span.start:
            context = (*context, Context("overlap", document.text[lap : span.start]))
        out.append(
            Chunk(
                id=names.id(wanted.name, text),
                document=str(material.key),
                embedding=str(material.embedding) if material.embedding else None,
                index=index,
                start=span.start,
                end=span.end,
                line_start=place.line(span.start),
                line_end=place.line(max(span.end - 1, span.start)),
                text=text,
                tokens=cut.tokens if span == cut.span else material.size(span),
                size_in=material.tokenizer.name,
                pages=place.pages(span),
                boxes=place.boxes(span),
                headings=place.trail(cut.span),
                kind=kinds[0],
                kinds=tuple(dict.fromkeys(b.kind.value for b in blocks)) or (Kind.PARAGRAPH.value,),
                role=_role(blocks, span),
                method=_method(cut, blocks, wanted.method),
                strength=cut.strength,
                boundary=cut.border,
                title=document.title,
                time=_time(blocks),
                speaker=_speaker(blocks),
                context=context,
                language=_language(blocks, span),
                part=parts[index],
            )
        )
    return out


def _trail(titles: Sequence[str]) -> str:
    """Titles from the outermost in, on one line that is not too long."""
    kept = list(titles)
    while len(kept) > 2 and len(" > ".join(kept)) > TRAIL_LENGTH:
        del kept[1]
    if len(" > ".join(kept)) > TRAIL_LENGTH:
        room = TRAIL_LENGTH // len(kept) - len(" > ")
        kept = [title if len(title) <= room else f"{title[: room - 2].rstrip()} …" for title in kept]
    return " > ".join(kept)


class Occurrences:
    """Content ids: equal texts of one level are told apart by their order."""

    def __init__(self, hasher: Hasher) -> None:
        self._hasher = hasher
        self._seen: Counter[tuple[str, str]] = Counter()

    def id(self, level: str, text: str) -> str:
        """32 hex digits for the next occurrence of a text at a level."""
        number = self._seen[level, text]
        self._seen[level, text] += 1
        raw = (level.encode(), text.encode("utf-8", "surrogatepass"), str(number).encode())
        return self._hasher.digest(raw).hex()


class Places:
    """Answers where in a document a span stands."""

    def __init__(self, document: Document) -> None:
        self._lines = [m.end() for m in LINE_END.finditer(document.text)]
        self._text = document.text
        self._sections = find_sections(document)
        self._heading_ends = {
            b.span.start: b.span.end for b in document.blocks if b.kind is Kind.HEADING and b.parent is None
        }
        self._pages = _Overlaps([(p.span, p) for p in document.pages])
        self._boxes = _Overlaps([(b.span, b) for b in document.boxes])
        parents = {b.parent for b in document.blocks}
        leaves = [b for i, b in enumerate(document.blocks) if i not in parents or b.kind is not Kind.LIST]
        self._blocks = _Overlaps([(b.span, b) for b in leaves if b.kind is not Kind.LIST])

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect.bisect_right(self._lines, offset) + 1

    def pages(self, span: Span) -> tuple[int, ...]:
        """Numbers of the pages that the span touches, rising."""
        return tuple(sorted({p.number for p in self._pages.of(span)}))

    def boxes(self, span: Span) -> tuple[Box, ...]:
        """Boxes of the text in the span, those that follow one another on a line as one."""
        return joined_boxes(self._boxes.of(span))

    def blocks(self, span: Span) -> list[Block]:
        """Blocks that the span touches, lists apart, in order."""
        return list(self._blocks.of(span))

    def trail(self, span: Span) -> tuple[Heading, ...]:
        """Sections that hold the whole span, outermost first.

        Headings at its beginning that only lead to others count with the text that follows them.
        """
        start = span.start
        while (end := self._heading_ends.get(start)) is not None and end < span.end:
            following = _NON_SPACE.search(self._text, end, span.end)
            if following is None or following.start() not in self._heading_ends:
                break
            start = following.start()
        return tuple(heading_of(s) for s in trail_at(self._sections, start, span.end))


def heading_of(section: Section) -> Heading:
    """A section as a step of a trail."""
    return Heading(section.level, section.title, section.start, section.end)


class _Overlaps(Generic[T]):
    """Spans sorted by start, with the longest reach before each, so that a query stays local."""

    def __init__(self, entries: Iterable[tuple[Span, T]]) -> None:
        self._entries = sorted(entries, key=lambda e: (e[0].start, -e[0].end))
        self._starts = [span.start for span, _ in self._entries]
        self._reach: list[int] = []
        for span, _ in self._entries:
            self._reach.append(max(span.end, self._reach[-1] if self._reach else 0))

    def of(self, span: Span) -> Iterable[T]:
        """What overlaps the span, in order of start."""
        last = bisect.bisect_left(self._starts, span.end)
        first = last
        while first > 0 and self._reach[first - 1] > span.start:
            first -= 1
        return (entry for at, entry in self._entries[first:last] if at.overlaps(span))


def _by_share(blocks: Sequence[Block], span: Span) -> list[str]:
    shares: Counter[str] = Counter()
    for block in blocks:
        shares[block.kind.value] += min(block.span.end, span.end) - max(block.span.start, span.start)
    return [kind for kind, _ in shares.most_common()] or [Kind.PARAGRAPH.value]


def _language(blocks: Sequence[Block], span: Span) -> str | None:
    """The language of most of the code."""
    shares: Counter[str] = Counter()
    for block in blocks:
        if block.language is not None:
            shares[block.language] += min(block.span.end, span.end) - max(block.span.start, span.start)
    return shares.most_common(1)[0][0] if shares else None


def _role(blocks: Sequence[Block], span: Span) -> str:
    shares: Counter[str] = Counter()
    for block in blocks:
        shares[block.role.value] += min(block.span.end, span.end) - max(block.span.start, span.start)
    return shares.most_common(1)[0][0] if shares else Role.BODY.value


def _method(cut: Cut, blocks: Sequence[Block], method: str) -> str:
    """How the cut at the start came about."""
    if cut.level < INSIDE:
        return "forced"
    if cut.level == INSIDE:
        kinds = [b.kind for b in blocks if b.span.start < cut.span.start]
        return next((_INSIDE_METHODS[k] for k in reversed(kinds) if k in _INSIDE_METHODS), "forced")
    return method


def _time(blocks: Sequence[Block]) -> tuple[float, float] | None:
    """From the first second to the last of what has a time."""
    times = [block.time for block in blocks if block.time is not None]
    return (min(start for start, _ in times), max(end for _, end in times)) if times else None


def _speaker(blocks: Sequence[Block]) -> str | None:
    """Who speaks, if it is one and nothing stands outside the turns."""
    speakers = {block.speaker for block in blocks if block.kind is Kind.TURN or block.parent is None}
    return speakers.pop() if len(speakers) == 1 else None
