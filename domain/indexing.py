"""The use case ``--vectors``: give the chunks of a document their index vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.ancestors import Generation, find_ancestors
from vchunk.domain.chunks import Chunk, Places, describe
from vchunk.domain.document import Span
from vchunk.domain.finishing import Cut
from vchunk.domain.granularity import Granularity
from vchunk.domain.material import Material
from vchunk.domain.ports import Hasher
from vchunk.domain.vectors import Layer, VectorWish, blend


@dataclass(frozen=True)
class VectorSources:
    """Where vectors come from, (k, dim) at length 1: ``late`` of spans, ``text`` of texts."""

    late: Callable[[Sequence[Span]], NDArray[np.float32]]
    text: Callable[[Sequence[str]], NDArray[np.float32]]


def index_vectors(
    material: Material,
    wanted: Granularity,
    chunks: Sequence[Chunk],
    wish: VectorWish,
    sources: VectorSources,
    hasher: Hasher,
) -> NDArray[np.float32]:
    """The vectors of the chunks of ``material`` at the granularity ``wanted``, (c, dim) at length 1."""
    spans = tuple(Span(chunk.start, chunk.end) for chunk in chunks)
    own = Generation(spans, np.arange(len(spans)))
    generations = [own, *find_ancestors(material, wanted, spans, wish.ancestors_needed)]
    parts = [
        {"late": sources.late(generation.spans)} if wish.takes_late(number) else {}
        for number, generation in enumerate(generations)
    ]
    asked = [number for number in range(len(generations)) if wish.takes_text(number)]
    bare, place = replace(wanted, overlap=None, overlap_in_text=False), Places(material.document)
    texts = [
        [record.embed_text for record in describe(material, bare, _cuts(generations[number]), hasher, place)]
        if number
        else [chunk.embed_text for chunk in chunks]
        for number in asked
    ]
    if asked:
        # All texts at once: batches are fuller, and what is kept is one artifact.
        found = sources.text([text for some in texts for text in some])
        ends = np.cumsum([len(some) for some in texts])
        for number, rows in zip(asked, np.split(found, ends[:-1]), strict=True):
            parts[number]["text"] = rows
    if wish.kind != "blend":
        return parts[0][wish.kind]
    return blend([Layer(part, g.of) for part, g in zip(parts, generations, strict=True)])


def _cuts(generation: Generation) -> list[Cut]:
    """Its spans as cuts, of which only the text matters."""
    return [Cut(span, 0, 0, 0.0) for span in generation.spans]
