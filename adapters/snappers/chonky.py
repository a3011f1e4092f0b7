"""Boundaries rated by a token classifier that was trained to find where paragraphs end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

from vchunk.adapters.encoders.framing import make_frame
from vchunk.adapters.encoders.torch_device import choose_device, torch_version
from vchunk.adapters.encoders.torch_model import TorchModel
from vchunk.adapters.encoders.weights import ModelFolder, find_model
from vchunk.domain.anchors import find_anchors
from vchunk.domain.document import Span
from vchunk.domain.errors import ModelError, UsageError
from vchunk.domain.ports import Tokens

DEFAULT_MODEL = "mirth/chonky_modernbert_base_1"
INPUT_LENGTH = 512
"""How many tokens an input has unless a window is asked for, special ones included."""

_VERSION = 1  # of how scores are read; part of the identity
_LEAST_WINDOW = 6  # tokens; anchors need at least one position between them
_WORD_REACH = 64  # characters; a longer word is rated by its end alone
_OUTSIDE = {"o", "0", "label_0", "outside", "none"}


class ChonkySnapper:
    """A chonky model, or any other for ``AutoModelForTokenClassification`` (port ``Snapper``).

    Such models mark the last word of a paragraph with a label (``separator``). The score of a
    boundary is the greatest probability of a label other than ``O`` among the tokens of the word
    before it, punctuation included. The text is read in windows between content-defined anchors,
    each token twice; of the two readings the one in whose window it is more central counts. So
    a boundary has the same score whether its region or the whole text is read.

    Parameters
    ----------
    model : str or Path
        A local folder or a name on the hub.
    device : str
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``.
    window : int, optional
        The most tokens of text in a window.

    Raises
    ------
    UsageError
        If an argument does not suit this model or this machine.
    ModelError
        If the model cannot be found, or is no token classifier.
    """

    def __init__(
        self, model: str | Path = DEFAULT_MODEL, *, device: str = "auto", window: int | None = None
    ) -> None:
        place = choose_device(device, "float32")
        folder = find_model(model)
        frame = make_frame(folder, window=window, default=INPUT_LENGTH)
        if frame.window < _LEAST_WINDOW:
            raise UsageError(f"window {frame.window}: {folder.name} needs at least {_LEAST_WINDOW} tokens")
        self._outside = _outside_label(folder)
        self._tokenizer = folder.tokenizer
        self._model = TorchModel(folder, "AutoModelForTokenClassification", frame, place, None)

    @cached_property
    def identity(self) -> str:
        """A digest of what the scores depend on; reads the weights."""
        parts = (
            self._model.folder.content,
            self._tokenizer.identity,
            f"torch-{torch_version()} transformers-{version('transformers')}",
            self._model.device.label,
            str(self._model.frame.window),
            str(_VERSION),
        )
        return f"chonky-{xxhash.xxh3_128_hexdigest(chr(0).join(parts).encode())}"

    def scores(
        self, text: str, candidates: NDArray[np.int64], regions: Sequence[Span] | None = None
    ) -> NDArray[np.float32]:
        """A score in [0, 1] for each candidate offset, NaN for those that were not read.

        Parameters
        ----------
        text : str
        candidates : (n,) int64
            Rising offsets; each is where something begins, so it is rated by what stands before.
        regions : sequence of Span, optional
            Only candidates in one of these are rated; None rates all.

        Raises
        ------
        ModelError
            If the model cannot be loaded or run.
        """
        wanted = np.ones(len(candidates), bool) if regions is None else _inside(candidates, regions)
        out = np.full(len(candidates), np.nan, np.float32)
        if not wanted.any():
            return out
        tokens = self._tokenizer.tokenize(text)
        words = [_word_before(text, candidates, i) for i in np.flatnonzero(wanted).tolist()]
        # Tokens by their ends: those of a word end behind its start and not behind the candidate.
        ends = np.maximum.accumulate(tokens.ends)
        low = np.searchsorted(ends, [start for start, _ in words], "right")
        high = np.searchsorted(ends, [end for _, end in words], "right")
        needed = np.zeros(len(tokens), bool)
        for first, stop in zip(low, high, strict=True):
            needed[first:stop] = True
        probability = self._read(tokens, needed)
        out[wanted] = [
            probability[first:stop].max() if stop > first else 0.0 for first, stop in zip(low, high, strict=True)
        ]
        return out

    def _read(self, tokens: Tokens, needed: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The probability of a separator at each needed token, NaN at others."""
        out = np.full(len(tokens), np.nan, np.float32)
        plan = [part for part in _windows(tokens.ids, self._model.frame.window) if needed[part[2] : part[3]].any()]
        logits = self._model.run([tokens.ids[start:stop] for start, stop, _, _ in plan])
        for (start, _, first, last), rows in zip(plan, logits, strict=True):
            out[first:last] = self._separator(rows[first - start : last - start])
        return out

    def _separator(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of any label but the one that stands for nothing, (tokens,)."""
        if logits.shape[1] <= self._outside:
            raise ModelError(f"{self._model.folder.name}: {logits.shape[1]} labels; is it a token classifier?")
        if not np.isfinite(logits).all():
            raise ModelError(f"{self._model.folder.name}: gives values that are not finite; is it damaged?")
        odds = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
        share = 1.0 - odds[:, self._outside] / odds.sum(axis=1)
        clipped: NDArray[np.float32] = np.clip(share, 0.0, 1.0).astype(np.float32)
        return clipped


def _windows(ids: NDArray[np.int32], most: int) -> Iterator[tuple[int, int, int, int]]:
    """Windows as (start, stop) and, within, the tokens (first, last) that are rated by it.

    A window runs from an anchor to the second next; where two overlap each rates the half that
    is nearer to its own middle.
    """
    anchors = find_anchors(ids, (most - 2) // 4)
    if len(anchors) < 3:
        if len(ids):
            yield 0, len(ids), 0, len(ids)
        return
    middles = [0, *((anchors[1:-2] + anchors[2:-1]) // 2).tolist(), len(ids)]
    for i, start in enumerate(anchors[:-2].tolist()):
        yield start, int(anchors[i + 2]), middles[i], middles[i + 1]


def _word_before(text: str, candidates: NDArray[np.int64], index: int) -> tuple[int, int]:
    """The last word before a candidate with its punctuation, not reaching over the one before.

    Where words are not parted by white space (Chinese, Japanese, Thai) it is the last letter.
    """
    at = int(candidates[index])
    floor = max(0, int(candidates[index - 1]) if index else 0)
    end = at
    while end > floor and text[end - 1].isspace():
        end -= 1
    start = end
    floor = max(floor, end - _WORD_REACH)
    while start > floor and not text[start - 1].isspace():
        start -= 1
        if text[start].isalnum() and _is_unspaced(text[start]):
            break
    return start, end


def _is_unspaced(letter: str) -> bool:
    return "\u0e00" <= letter <= "\u0eff" or "\u3040" <= letter <= "\u9fff" or letter >= "\U00020000"


def _inside(candidates: NDArray[np.int64], regions: Sequence[Span]) -> NDArray[np.bool_]:
    """Which candidates lie in one of the regions."""
    wanted = np.zeros(len(candidates), bool)
    for region in regions:
        first, stop = np.searchsorted(candidates, [region.start, region.end], "left")
        wanted[first:stop] = True
    return wanted


def _outside_label(folder: ModelFolder) -> int:
    """The number of the label that means "no boundary here"."""
    names = folder.config.get("id2label")
    if isinstance(names, dict):
        for number, name in names.items():
            if str(name).lower() in _OUTSIDE:
                return int(number)
    return 0
