"""How a window of document tokens becomes a model's input: special tokens, prefix, padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders.weights import ModelFolder
from vchunk.domain.errors import ModelError, UsageError

PADDING_STEP = 16
"""Twice as much pads 5 % more tokens; less than this leaves batches too small."""
_POSITION_KEYS = ("max_position_embeddings", "n_positions", "max_seq_len")
# Their positions start behind the padding token's: 514 position vectors serve 512 tokens.
_OFFSET_TYPES = {
    "camembert",
    "data2vec-text",
    "ibert",
    "longformer",
    "luke",
    "mpnet",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
}


@dataclass(frozen=True)
class Frame:
    """What stands around each window.

    ``before`` and ``after`` are token ids; ``positions`` is the longest input that the model can
    take, None where nothing limits it; ``window`` the most document tokens a window may hold.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    pad_id: int
    positions: int | None
    window: int

    def rows(self, windows: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Inputs of one padded length: ids and attention mask, both (windows, length)."""
        length = self.padded_length(len(windows[0]))
        ids = np.full((len(windows), length), self.pad_id, np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            full = np.concatenate([self.before, window, self.after]).astype(np.int64)
            ids[row, : len(full)] = full
            mask[row, : len(full)] = 1
        return ids, mask

    def padded_length(self, tokens: int) -> int:
        """The length to which a window of so many tokens is padded; a function of it alone."""
        full = len(self.before) + tokens + len(self.after)
        padded = -(-full // PADDING_STEP) * PADDING_STEP
        return padded if self.positions is None else max(full, min(padded, self.positions))


def make_frame(folder: ModelFolder, *, window: int | None, default: int, prefix: str = "") -> Frame:
    """The frame of a model, read from its files.

    ``window`` is the most document tokens a window may hold; None takes the input length
    ``default`` or what the model can take, whichever is less, special tokens and prefix
    subtracted.

    Raises
    ------
    UsageError
        If the window or the prefix is longer than the model can take.
    """
    head, tail = folder.tokenizer.special_ids()
    # White space at the prefix's end belongs to the first token after it, which is the document's.
    head += folder.tokenizer.tokenize(prefix.rstrip()).ids.tolist()
    positions = usable_positions(folder)
    around = len(head) + len(tail)
    room = None if positions is None else positions - around
    if window is None:
        window = (default if positions is None else min(default, positions)) - around
        if window < 1:
            raise UsageError(f"--prefix {prefix!r} leaves {folder.name} no room for the document; shorten it")
    elif window < 1 or (room is not None and window > room):
        most = f"1 to {room}" if room is not None else "1 or more"
        raise UsageError(f"window {window}: {folder.name} takes {most} tokens at a time")
    pad = folder.config.get("pad_token_id")
    return Frame(tuple(head), tuple(tail), pad if isinstance(pad, int) and pad >= 0 else 0, positions, window)


def usable_positions(folder: ModelFolder) -> int | None:
    """The longest input that model and tokenizer allow, special tokens included; None for no limit."""
    limits = [folder.tokenizer_limit]
    config = text_config(folder)
    positions = next((config[key] for key in _POSITION_KEYS if isinstance(config.get(key), int)), None)
    if positions is not None and positions > 0:
        offset = 0
        if config.get("model_type") in _OFFSET_TYPES:
            pad = config.get("pad_token_id")
            offset = (pad if isinstance(pad, int) else 1) + 1
        limits.append(positions - offset)
    return min((limit for limit in limits if limit is not None), default=None)


def hidden_size(folder: ModelFolder) -> int:
    """The length of a token's vector.

    Raises
    ------
    ModelError
        If the configuration does not tell.
    """
    config = text_config(folder)
    for key in ("hidden_size", "d_model", "dim", "n_embd"):
        if isinstance(config.get(key), int):
            return int(config[key])
    raise ModelError(f"{folder.name}: config.json gives no hidden_size; is it a text encoder?")


def text_config(folder: ModelFolder) -> dict[str, Any]:
    """The configuration of the text model; models for several kinds of input nest it."""
    nested = folder.config.get("text_config")
    return nested if isinstance(nested, dict) else folder.config


def check_windows(windows: Sequence[NDArray[np.int32]], frame: Frame, folder: ModelFolder) -> None:
    """Refuse windows that a model cannot take.

    Raises
    ------
    ValueError
        If one is longer than the model's positions allow.
    ModelError
        If one has a token that the model has no vector for.
    """
    longest = max(map(len, windows), default=0)
    around = len(frame.before) + len(frame.after)
    if frame.positions is not None and longest > frame.positions - around:
        raise ValueError(f"a window of {longest} tokens, over the {frame.positions - around} that the model takes")
    vocabulary = text_config(folder).get("vocab_size")
    highest = max((int(window.max()) for window in windows if len(window)), default=0)
    if isinstance(vocabulary, int) and highest >= vocabulary:
        raise ModelError(
            f"{folder.name}: tokenizer.json and weights do not belong together "
            f"(token {highest}, {vocabulary} token vectors)"
        )
