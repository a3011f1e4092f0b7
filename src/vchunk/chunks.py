"""The chunks of a document at one granularity, and how they are asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.chunks import Chunk
from vchunk.domain.cutting import LeftOut
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import CHARS_PER_TOKEN, DEFAULT_OVERLAP, Granularity, roles_of
from vchunk.domain.plurals import counted

_BESIDE = ("snapper", "snapper_reads", "vectors", "blend_ancestors")
"""What `Doc.chunks` takes beside a granularity."""


class Chunks(Sequence[Chunk]):
    """The chunks of a document at one granularity, in order; never changed.

    ``left_out`` lists what no chunk holds, with its role; ``granularity`` is what was asked for.
    ``vectors`` (n, dim) float32 are the chunks' index vectors at length 1 where they were asked for,
    else None.
    """

    def __init__(
        self,
        chunks: Iterable[Chunk],
        left_out: Iterable[LeftOut],
        granularity: Granularity | None = None,
        again: Callable[..., Chunks] | None = None,
        vectors: NDArray[np.float32] | None = None,
    ) -> None:
        self._chunks = tuple(chunks)
        self.left_out = tuple(left_out)
        self.granularity = granularity
        self._again = again
        self.vectors = vectors
        if vectors is not None:
            vectors.flags.writeable = False
            self._chunks = tuple(replace(c, vector=v) for c, v in zip(self._chunks, vectors, strict=True))

    def to(
        self,
        prominence: float | None = None,
        overlap: bool | int | None = None,
        min_chunk_size: int | None = None,
        **changed: Any,
    ) -> Chunks:
        """Cut the same document again, with some options changed and the others kept.

        The index vectors and the snapper are kept as well, unless others are named.

        Parameters
        ----------
        prominence : float, optional
        overlap : bool or int, optional
            True is an overlap of a sentence or two, False none.
        min_chunk_size : int, optional
            ``min_tokens`` by another name.
        **changed
            Any other argument of ``Doc.chunks``: fields of a `Granularity`, ``vectors``, ``blend_ancestors``,
            ``snapper``, ``snapper_reads``. Another ``preset``, ``prominence``, ``target_tokens``, ``count`` or
            ``levels`` replaces the one that was asked for before, and so does a double pass.

        Raises
        ------
        UsageError
        """
        given = {"prominence": prominence, "overlap": overlap, "min_tokens": min_chunk_size}
        changed |= {name: value for name, value in given.items() if value is not None}
        if self.granularity is None or self._again is None:
            raise UsageError("these chunks do not know their document: cut it with doc.chunks(...)")
        others = {name: changed.pop(name) for name in _BESIDE if name in changed}
        unit = changed.get("size_in", self.granularity.size_in)
        return self._again(self.granularity.changed(**normalised(changed, unit)), **others)

    def __getitem__(self, index: Any) -> Any:
        return self._chunks[index]

    def __len__(self) -> int:
        return len(self._chunks)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._chunks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chunks) and (self._chunks, self.left_out) == (other._chunks, other.left_out)

    def __hash__(self) -> int:
        return hash((self._chunks, self.left_out))

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'chunk')}>"

    def without_vectors(self) -> Chunks:
        """The same chunks, without their index vectors."""
        return Chunks(
            (replace(chunk, vector=None) for chunk in self), self.left_out, self.granularity, self._again
        )


def normalised(wanted: dict[str, Any], size_in: object) -> dict[str, Any]:
    """``skip`` as roles: one name or several, ``"none"`` for none; ``overlap`` as a number."""
    if "skip" in wanted:
        wanted = {**wanted, "skip": roles_of(wanted["skip"])}
    if isinstance(wanted.get("overlap"), bool):
        unit = CHARS_PER_TOKEN if size_in == "chars" else 1
        wanted = {**wanted, "overlap": DEFAULT_OVERLAP * unit if wanted["overlap"] else None}
    return wanted
