"""Which kinds of blocks make bad neighbours, and where those meet.

Prose, code, tables, figures, notes and speech are different things to read: where one follows another
the text changes its kind. Lists, quotes and formulas are prose. A caption is of the kind of what it
belongs to, and so is a paragraph that introduces it, as far as `vchunk.domain.companions` says.

Such a border is hard where both sides could be chunks of their own; a short block and the prose around
it explain one another and may share a chunk.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.companions import Companions, shows_picture, shows_table
from vchunk.domain.document import Block, Document, Kind

STANDALONE = 0.5
"""Share of the target that both sides of a border must hold for it to be hard."""
STANDALONE_TOKENS = 64
"""The same for cuts by prominence, which have no target."""

_FAMILIES = {
    Kind.CODE: "code",
    Kind.TABLE: "table",
    Kind.FIGURE: "figure",
    Kind.FOOTNOTE: "note",
    Kind.FRONT_MATTER: "front matter",
    Kind.TURN: "speech",
    Kind.CUE: "speech",
}


def kind_borders(document: Document, companions: Companions) -> Iterator[int]:
    """Numbers of the blocks at which the text changes its kind, rising.

    Only blocks that stand in no other count. A rule is of any kind, and so is a heading.
    """
    owners = {index: owner for owner, found in companions.captions.items() for index in found}
    before: str | None = None
    for index, block in enumerate(document.blocks):
        if block.parent is not None or block.kind in (Kind.RULE, Kind.HEADING):
            continue
        family = _family(document, document.blocks[owners.get(index, index)])
        if before is not None and family != before:
            yield index
        before = family


def _family(document: Document, block: Block) -> str:
    if block.kind is Kind.HTML:
        return "table" if shows_table(document, block) else "figure" if shows_picture(document, block) else "prose"
    return _FAMILIES.get(block.kind, "prose")


def hard_kind_borders(
    borders: NDArray[np.bool_], others: NDArray[np.int64], sizes: NDArray[np.int64], alone: float
) -> NDArray[np.int64]:
    """The borders whose two sides, up to the next one, hold at least ``alone`` tokens each.

    Parameters
    ----------
    borders : (k + 1,) bool
        Item edges at which the text changes its kind.
    others : (n,) int64
        Edges at which sides end as well: those of sections.
    sizes : (k,) int64
        Tokens of each item.
    """
    total = np.concatenate(([0], np.cumsum(sizes)))
    marks = np.unique(np.concatenate((np.flatnonzero(borders), others, [0, len(sizes)]))).astype(np.int64)
    large = np.diff(total[marks]) >= alone
    inner = marks[1:-1]
    return inner[borders[inner] & large[:-1] & large[1:]]
