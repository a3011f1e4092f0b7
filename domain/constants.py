"""What an encoder's vectors look like on average: the scales that the objective is measured in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vchunk.domain.units import Units


@dataclass(frozen=True, slots=True)
class EncoderConstants:
    """Scales of one encoder with one rule for units.

    ``targets`` and ``scales`` give lambda_T: the median gain in scatter of splitting 2T tokens
    at a boundary in their middle. ``contrast_median`` and ``contrast_mad`` describe the contrast
    at boundaries.
    """

    targets: tuple[float, ...]
    scales: tuple[float, ...]
    contrast_median: float
    contrast_mad: float

    def scale(self, target: float) -> float:
        """lambda at any target: between levels in logs, beyond them along the end slope."""
        x, y = np.log(self.targets), np.log(self.scales)
        at = np.log(target)
        if len(x) == 1:
            return float(self.scales[0])
        i = int(np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2))
        slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        return float(np.exp(y[i] + slope * (at - x[i])))

    def counted(self, per_token: float) -> EncoderConstants:
        """The same where sizes are ``per_token`` times as large: scatter grows with the size."""
        return replace(
            self,
            targets=tuple(target * per_token for target in self.targets),
            scales=tuple(scale * per_token for scale in self.scales),
        )


def ward_gains(units: Units, target: float) -> NDArray[np.float64]:
    """Gain in scatter of a cut at each boundary between the T tokens before and after it.

    The gain of Ward (1963): ``SSE(both) - SSE(left) - SSE(right)``. Windows are whole units; a
    boundary without a full window on both sides is left out.
    """
    assert units.means is not None
    norms = np.linalg.norm(units.means, axis=1, keepdims=True)
    directions = np.divide(units.means, norms, out=np.zeros_like(units.means), where=norms > 0)
    mass = directions.astype(np.float64) * units.sizes[:, None]
    total = np.concatenate((np.zeros((1, mass.shape[1])), np.cumsum(mass, axis=0)))
    at = units.token_edges
    inner = np.arange(1, len(units))
    inner = inner[(units.levels[1:] >= 0) & (at[inner] >= target) & (at[-1] - at[inner] >= target)]
    low = np.searchsorted(at, at[inner] - target, "left")
    high = np.searchsorted(at, at[inner] + target, "right") - 1
    fits = (low < inner) & (inner < high)
    low, inner, high = low[fits], inner[fits], high[fits]

    def pull(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        inside = total[b] - total[a]
        squared = np.einsum("ij,ij->i", inside, inside)
        return np.asarray(squared / np.maximum(at[b] - at[a], 1), np.float64)

    return pull(low, inner) + pull(inner, high) - pull(low, high)


def calibrate(documents: Sequence[Units], targets: Sequence[float]) -> EncoderConstants:
    """Constants from embedded documents; targets too long for all of them are left out."""
    kept, scales = [], []
    for target in targets:
        gains = np.concatenate([ward_gains(units, target) for units in documents] or [np.zeros(0)])
        if len(gains):
            kept.append(float(target))
            scales.append(max(float(np.median(gains)), 1e-3))
    contrast = np.concatenate([u.contrast[u.levels >= 0] for u in documents if u.contrast is not None])
    contrast = contrast[np.isfinite(contrast)].astype(np.float64)
    median = float(np.median(contrast)) if len(contrast) else 0.0
    deviation = float(np.median(np.abs(contrast - median))) if len(contrast) else 0.0
    if not kept:
        kept, scales = [float(targets[0])], [float(targets[0]) / 8]
    return EncoderConstants(tuple(kept), tuple(scales), median, max(deviation, 1e-3))
