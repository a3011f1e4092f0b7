"""How a sentence model makes one vector of a text's token vectors, read from its folder.

The files are those of sentence-transformers: ``modules.json`` lists the steps, the folder of the
step Pooling holds a ``config.json``. A model without them gets the mean, as it does there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders.weights import ModelFolder
from vchunk.domain.errors import ModelError

Pool = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From the vectors of all tokens of a text, special ones included, (n, dim), to its own, (dim,)."""


def _weighted_mean(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Later tokens weigh more: 1, 2, ... n."""
    weights = np.arange(1, len(rows) + 1, dtype=np.float64)
    return np.asarray(weights @ rows / weights.sum(), np.float32)


POOLS: dict[str, Pool] = {
    "mean": lambda rows: np.asarray(rows.mean(axis=0, dtype=np.float64), np.float32),
    "cls": lambda rows: rows[0],
    "lasttoken": lambda rows: rows[-1],
    "max": lambda rows: np.asarray(rows.max(axis=0), np.float32),
    "weightedmean": _weighted_mean,
}

_FLAGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    # A constant factor, which the length of 1 takes away.
    "pooling_mode_mean_sqrt_len_tokens": "mean",
}
_STEPS = {"Transformer", "Pooling", "Normalize"}


def pooling_of(folder: ModelFolder) -> str:
    """The name of a model's pooling, one of `POOLS`.

    Raises
    ------
    ModelError
        If the model makes vectors of texts by other steps than pooling.
    """
    steps = _read(folder, folder.path / "modules.json")
    if steps is None:
        return "mean"
    kinds = {str(step.get("type", "")).rpartition(".")[2]: str(step.get("path", "")) for step in steps}
    if unknown := sorted(set(kinds) - _STEPS):
        raise ModelError(
            f"{folder.name}: its step {unknown[0]} is not supported for vectors of texts; use --vectors late"
        )
    if "Pooling" not in kinds:
        return "mean"
    config = _read(folder, folder.path / kinds["Pooling"] / "config.json") or {}
    named = config.get("pooling_mode")
    chosen = {named} if isinstance(named, str) else {mode for flag, mode in _FLAGS.items() if config.get(flag)}
    if len(chosen) != 1 or not chosen <= POOLS.keys():
        raise ModelError(
            f"{folder.name}: pooling {', '.join(sorted(map(str, chosen))) or 'none'} is not supported; "
            "use --vectors late"
        )
    return chosen.pop()


def _read(folder: ModelFolder, path: Path) -> Any:
    """The JSON of a file; None where there is none."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder.name}: {path} cannot be read ({error})") from error
