"""Measured constants of known encoders, by the content of their weights and tokenizer.

``python benchmarks/calibrate.py FOLDER`` prints such an entry; see `EncoderConstants`.
"""

from __future__ import annotations

from vchunk.domain.constants import EncoderConstants
from vchunk.domain.ports import EncoderIdentity

MINILM_CONTENT = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_MEASURED: dict[str, EncoderConstants] = {
    MINILM_CONTENT: EncoderConstants(
        targets=(64, 128, 256, 512, 1024, 2048),
        scales=(9.0, 17.0, 45.0, 87.0, 169.0, 226.0),
        contrast_median=0.236,
        contrast_mad=0.079,
    )
}


def measured_constants(identity: EncoderIdentity) -> EncoderConstants | None:
    """The constants that ship for an encoder, or None."""
    return next((c for content, c in _MEASURED.items() if content in identity.content), None)
