"""Snappers bound to documents: what they read, and the scores that the store keeps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.document import Span
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, StoreError, UsageError
from vchunk.domain.granularity import Granularity
from vchunk.domain.keys import make_key
from vchunk.domain.material import Scorer
from vchunk.domain.ports import Snapper

if TYPE_CHECKING:
    from vchunk.doc import Doc

SNAPPER_READS = ("near", "whole")


def snapper_reading(granularity: Granularity, asked: str | None) -> str:
    """What a snapper reads: near the peaks where there are any, else the whole text.

    Raises
    ------
    UsageError
    """
    if asked is None:
        return "near" if granularity.by_prominence else "whole"
    if asked not in SNAPPER_READS:
        raise UsageError(f"--snapper-reads {asked}: choose from {', '.join(SNAPPER_READS)}")
    if asked == "near" and not granularity.by_prominence:
        raise UsageError("--snapper-reads near: only cuts by --prominence have peaks to read near; leave it out")
    return asked


def scorer_of(doc: Doc, snapper: Snapper, reads: str, offsets: NDArray[np.int64]) -> Scorer:
    """Rates boundaries near the peaks, or all ``offsets`` once: then the scores are kept in the store."""
    if reads == "near":
        return partial(snapper.scores, doc.text)

    def look_up(candidates: NDArray[np.int64], spans: Sequence[Span]) -> NDArray[np.float32]:  # noqa: ARG001
        return _whole_scores(doc, snapper, offsets)[np.searchsorted(offsets, candidates)]

    return look_up


def _whole_scores(doc: Doc, snapper: Snapper, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    session = doc.session
    parts: list[str | bytes] = [snapper.identity, str(doc.key), offsets.astype("<i8").tobytes()]
    key = make_key("snapping", parts, session.hasher)
    try:
        return np.asarray(session.store.read(key).arrays["scores"][:])
    except MissingArtifact:
        pass
    except DamagedArtifact:
        session.warn(f"{key} is damaged in the store: making it again")
        session.store.discard(key)
    scores = snapper.scores(doc.text, offsets)
    try:
        with session.store.write(key) as out:
            out.attributes({"document": str(doc.key), "snapper": snapper.identity})
            out.array("scores", scores)
    except StoreError as error:
        session.warn(f"the snapper's scores are not kept: {error}")
    return scores
