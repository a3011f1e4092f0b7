"""The use case ``calibrate``: measure an encoder's constants on texts, and keep them for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vchunk.domain.boundaries import RULES_VERSION
from vchunk.domain.constants import EncoderConstants, calibrate, ward_gains
from vchunk.domain.errors import DamagedArtifact, MissingArtifact, UsageError
from vchunk.domain.keys import Key, make_key
from vchunk.domain.plurals import counted
from vchunk.domain.ports import EncoderIdentity, Hasher, Store
from vchunk.domain.units import Units

TARGETS = (64, 128, 256, 512, 1024, 2048)
LEAST_BOUNDARIES = 100
"""Boundaries that a median needs; a level with fewer is left to the slope of the others."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Constants, and on how much they stand: ``boundaries`` behind lambda at each of the targets."""

    constants: EncoderConstants
    boundaries: tuple[int, ...]
    documents: int
    tokens: int

    def as_dict(self) -> dict[str, Any]:
        """JSON values only."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            "targets": [int(target) for target in self.constants.targets],
            "scales": [round(scale, 4) for scale in self.constants.scales],
            "boundaries": list(self.boundaries),
            "contrast_median": round(self.constants.contrast_median, 4),
            "contrast_mad": round(self.constants.contrast_mad, 4),
        }


def measure(documents: Sequence[Units]) -> Calibration:
    """Constants of the encoder whose means and contrasts these units hold.

    Raises
    ------
    UsageError
        If the texts are too short for any level.
    """
    counts = {target: sum(len(ward_gains(units, target)) for units in documents) for target in TARGETS}
    targets = [target for target, count in counts.items() if count >= LEAST_BOUNDARIES]
    tokens = sum(int(units.token_edges[-1]) for units in documents)
    if not targets:
        raise UsageError(
            f"{counted(tokens, 'token')} in {counted(len(documents), 'document')} "
            f"{'is' if tokens == 1 else 'are'} too little to calibrate: give texts of 10,000 tokens or more"
        )
    constants = calibrate(documents, targets)
    return Calibration(constants, tuple(counts[target] for target in targets), len(documents), tokens)


def _key(identity: EncoderIdentity, plan: str, hasher: Hasher) -> Key:
    """The name of an encoder's constants: of its model, prefix and windows with the present rule for units.

    Longer windows make neighbours more alike: four hundred tokens instead of two hundred read together
    took a third off lambda at 128 tokens, light windows instead of full ones a quarter.
    """
    parts = [RULES_VERSION, identity.content, identity.tokenizer, identity.prefix, plan]
    return make_key("constants", parts, hasher)


def keep_constants(
    calibration: Calibration, identity: EncoderIdentity, plan: str, store: Store, hasher: Hasher
) -> None:
    """Keep the constants of an encoder with the windows of a plan of this name, in place of earlier ones.

    Raises
    ------
    StoreError
    """
    key = _key(identity, plan, hasher)
    if key in store:
        store.remove(key)
    constants = calibration.constants
    with store.write(key) as out:
        out.attributes(
            {
                **calibration.as_dict(),
                "content": identity.content,
                "tokenizer": identity.tokenizer,
                "prefix": identity.prefix,
                "window_plan": plan,
            }
        )
        out.array("targets", np.array(constants.targets, np.float64))
        out.array("scales", np.array(constants.scales, np.float64))
        out.array("contrast", np.array([constants.contrast_median, constants.contrast_mad], np.float64))


def find_constants(identity: EncoderIdentity, plan: str, store: Store, hasher: Hasher) -> EncoderConstants | None:
    """The constants that were kept for an encoder and a plan of its windows; damaged ones are as good as none."""
    key = _key(identity, plan, hasher)
    try:
        arrays = store.read(key).arrays
        targets, scales, contrast = (np.asarray(arrays[n][:]).tolist() for n in ("targets", "scales", "contrast"))
    except MissingArtifact:
        return None
    except DamagedArtifact:
        store.discard(key)
        return None
    return EncoderConstants(tuple(targets), tuple(scales), *contrast)
