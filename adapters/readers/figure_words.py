"""The words in pictures: whether they are prose in a frame, and where they stand in the text of record.

Labels interrupt what is read: they are put at the end of their section, before the next heading. There they
part no paragraph, and the text without them is cut where a section ends, which is a border already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from vchunk.domain.document import Kind, Role

_LEAST_LINES, _LEAST_WORDS = 3, 4
_PARAGRAPH = 25  # words
_LEADING, _INDENT = 1.7, 2.0  # ems


@dataclass(frozen=True, slots=True)
class Words:
    """A line in a picture, or a paragraph: its left edge, height on the page, size in points, count of words."""

    x0: float
    y: float
    size: float
    count: int


def reads_as_prose(lines: Sequence[Words], legible: float) -> bool:
    """Whether most words stand in paragraphs, or in lines of several words under one another.

    Parameters
    ----------
    legible
        The size, in points, below which letters are only seen, as those of a page in a picture.
    """
    read, chain = 0, list(lines[:1])
    for line in lines[1:]:
        if not _goes_on(chain[-1], line):
            read += _read(chain, legible)
            chain = []
        chain.append(line)
    return read + _read(chain, legible) > 0.5 * sum(line.count for line in lines)


def _read(chain: Sequence[Words], legible: float) -> int:
    """The words of neighbouring lines that are prose."""
    total = sum(line.count for line in chain)
    enough = len(chain) >= _LEAST_LINES or total >= _PARAGRAPH
    return total if enough and chain[0].size >= legible else 0


def _goes_on(above: Words, line: Words) -> bool:
    """Whether a line may go on with the sentence above."""
    em = above.size
    close = 0 < line.y - above.y < _LEADING * em and abs(line.x0 - above.x0) < _INDENT * em
    return close and above.count >= _LEAST_WORDS and abs(line.size - em) < 0.25 * em


class Placed(Protocol):
    """A block before its text has offsets."""

    kind: Kind
    role: Role


D = TypeVar("D", bound=Placed)


def behind_sections(drafts: Sequence[D]) -> list[D]:
    """The drafts, words in pictures behind their section; furniture stands last already.

    A heading that nothing else follows takes none, for it would stand alone: they go to the next section.
    """
    out: list[D] = []
    held: list[D] = []
    for draft in drafts:
        if draft.role is Role.FIGURE:
            held.append(draft)
            continue
        alone = bool(out) and out[-1].kind is Kind.HEADING
        if held and (draft.role is Role.FURNITURE or (draft.kind is Kind.HEADING and not alone)):
            out += held
            held = []
        out.append(draft)
    return out + held
