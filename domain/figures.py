"""What the plots show, as plain numbers; an adapter draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.chunks import Chunk
from vchunk.domain.document import Document
from vchunk.domain.embedding import Embedding
from vchunk.domain.outline import first_words
from vchunk.domain.prominence import mad
from vchunk.domain.velocity import sigma_of, smoothed_path

MOST_POINTS = 4000
"""Points of a trajectory; more cannot be told apart on a page."""


@dataclass(frozen=True, slots=True)
class CutMark:
    """A cut on a figure: where a chunk begins.

    ``label`` is the heading that begins there (``heading_level`` 1 and up) or the chunk's first
    words (``heading_level`` None).
    """

    token: int
    strength: float
    label: str
    heading_level: int | None
    page: int | None


@dataclass(frozen=True, slots=True)
class VelocityFigure:
    """The velocity curve with its cuts.

    ``curve`` (n,) float32, one value a token; ``mad`` its median absolute deviation, the unit of
    prominence; ``sigma`` of the smoothing in tokens; ``pages`` (token, number) where each page
    begins; ``subtitle`` says which cuts these are; ``names`` what the document is called besides its
    title, for pictures whose fonts lack the title's letters.
    """

    title: str
    subtitle: str
    curve: NDArray[np.float32]
    mad: float
    sigma: float
    cuts: tuple[CutMark, ...]
    pages: tuple[tuple[int, int], ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrajectoryFigure:
    """The smoothed path through meaning space at some tokens.

    ``points`` (m, dim) float32, to be projected; ``tokens`` (m,) their token positions;
    ``chunks`` (m,) the number of the chunk each lies in; ``cuts`` the cuts, in order; ``names`` as in
    a `VelocityFigure`.
    """

    title: str
    subtitle: str
    points: NDArray[np.float32]
    tokens: NDArray[np.int64]
    chunks: NDArray[np.int64]
    cuts: tuple[CutMark, ...]
    names: tuple[str, ...] = ()


Figure = VelocityFigure | TrajectoryFigure


def cut_marks(chunks: Sequence[Chunk], token_starts: NDArray[np.int64]) -> tuple[CutMark, ...]:
    """A mark where each chunk after the first begins."""
    marks = []
    for chunk in chunks[1:]:
        own = [h for h in chunk.headings if h.start == chunk.start]
        token = int(np.searchsorted(token_starts, chunk.start, "left"))
        marks.append(
            CutMark(
                token=min(token, max(len(token_starts) - 1, 0)),
                strength=chunk.strength,
                label=own[0].title if own else first_words(chunk.text),
                heading_level=own[0].level if own else None,
                page=chunk.pages[0] if chunk.pages else None,
            )
        )
    return tuple(marks)


def velocity_figure(
    document: Document,
    embedding: Embedding,
    chunks: Sequence[Chunk],
    *,
    title: str,
    subtitle: str,
    f_sig: float,
    names: tuple[str, ...] = (),
) -> VelocityFigure:
    """The curve at an f_sig with the cuts of some chunks."""
    curve = embedding.velocity(f_sig)
    starts = embedding.token_starts
    pages: dict[int, int] = {}
    for page in document.pages:
        token = int(np.searchsorted(starts, page.span.start, "left"))
        pages[page.number] = min(token, pages.get(page.number, token))
    return VelocityFigure(
        title=title,
        subtitle=subtitle,
        curve=curve,
        mad=mad(curve),
        sigma=sigma_of(f_sig),
        cuts=cut_marks(chunks, starts),
        pages=tuple(sorted((token, number) for number, token in pages.items())),
        names=names,
    )


def trajectory_figure(
    embedding: Embedding,
    chunks: Sequence[Chunk],
    *,
    title: str,
    subtitle: str,
    f_sig: float,
    names: tuple[str, ...] = (),
) -> TrajectoryFigure:
    """The path with the cuts of some chunks; reads the token vectors."""
    starts = embedding.token_starts
    count = len(starts)
    tokens = np.unique(np.linspace(0, max(count - 1, 0), min(count, MOST_POINTS)).astype(np.int64))
    rows = embedding.rows()
    points = smoothed_path(rows, count, sigma_of(f_sig), tokens) if count else np.zeros((0, 1), np.float32)
    begins = np.array([chunk.start for chunk in chunks], np.int64)
    owner = np.searchsorted(begins, starts[tokens] if count else starts, "right") - 1
    return TrajectoryFigure(
        title=title,
        subtitle=subtitle,
        points=points,
        tokens=tokens[:count],
        chunks=np.maximum(owner, 0),
        cuts=cut_marks(chunks, starts),
        names=names,
    )
