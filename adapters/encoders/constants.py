"""Measured constants of known encoders, as ``vchunk calibrate FOLDER --format json`` gives them.

With ``--windows light`` those of light windows.
"""

from __future__ import annotations

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.ports import EncoderIdentity

_MINILM = ("85b97e8068c39470f2b2d553d5ca0766", "e2f75abf2c3f4e0146ee61eb755fe142")
"""Content and tokenizer of all-MiniLM-L6-v2, as it is bundled."""

_MEASURED = {
    (*_MINILM, "minima-63"): EncoderConstants(
        targets=(64, 128, 256, 512, 1024, 2048),
        scales=(8.37, 22.68, 50.32, 89.35, 153.22, 308.93),
        contrast_median=0.2139,
        contrast_mad=0.0508,
    ),
    (*_MINILM, "aligned-105-21"): EncoderConstants(
        targets=(64, 128, 256, 512, 1024, 2048),
        scales=(8.41, 17.02, 42.71, 91.65, 161.34, 334.85),
        contrast_median=0.2340,
        contrast_mad=0.0569,
    ),
}


def measured_constants(identity: EncoderIdentity, plan: str) -> EncoderConstants | None:
    """The constants that ship for an encoder with the windows of a plan of this name, or None."""
    return _MEASURED.get((identity.content, identity.tokenizer, plan))
