"""Contextual token vectors by any encoder of the Hugging Face ecosystem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.framing import hidden_size, make_frame
from vchunk.adapters.encoders.pooling import POOLS, pooling_of
from vchunk.adapters.encoders.tokenizer import HfTokenizer
from vchunk.adapters.encoders.torch_device import choose_device, torch_version
from vchunk.adapters.encoders.torch_model import TorchModel
from vchunk.adapters.encoders.weights import find_model
from vchunk.domain.errors import ModelError, UsageError
from vchunk.domain.ports import EncoderIdentity

INPUT_LENGTH = 256
"""How many tokens an input has unless a window is asked for, special ones included."""


class HuggingFaceEncoder:
    """A model for ``transformers.AutoModel`` with a fast tokenizer (ports ``Encoder`` and ``SentenceEncoder``).

    torch and transformers are imported at the first ``encode``; before that everything is read
    from the model's small files, and the weights are hashed when ``identity`` is asked for.

    Parameters
    ----------
    model : str or Path
        ``minilm`` (the bundled all-MiniLM-L6-v2), a local folder, or a name on the hub.
    device : str
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``; ``auto`` is CUDA where there is one,
        else the CPU.
    dtype : str
        ``auto``, ``float32``, ``bfloat16`` or ``float16``; ``auto`` is bfloat16 on CUDA, else
        float32.
    prefix : str
        Put in front of every window, as some models want it (``"passage: "``); its own vectors
        are dropped.
    window : int, optional
        The most document tokens in a window.
    batch_tokens : int, optional
        How many tokens go through the model at once; changes speed and memory only.
    revision : str, optional
        Branch, tag or commit of a model on the hub.

    Raises
    ------
    UsageError
        If an argument does not suit this model or this machine.
    ModelError
        If the model cannot be found or is not complete.
    """

    name: str
    tokenizer: HfTokenizer
    dim: int
    window: int
    text_window: int

    def __init__(
        self,
        model: str | Path = minilm.NAME,
        *,
        device: str = "auto",
        dtype: str = "auto",
        prefix: str = "",
        window: int | None = None,
        batch_tokens: int | None = None,
        revision: str | None = None,
    ) -> None:
        if batch_tokens is not None and batch_tokens < 1:
            raise UsageError(f"batch_tokens {batch_tokens}: give 1 or more")
        place = choose_device(device, dtype)
        folder = find_model(model, revision)
        frame = make_frame(folder, window=window, default=INPUT_LENGTH, prefix=prefix)
        self.name = folder.name
        self.tokenizer = folder.tokenizer
        self.dim = hidden_size(folder)
        self.window = frame.window
        self._prefix = prefix
        self._plain = make_frame(folder, window=None, default=INPUT_LENGTH)
        self.text_window = self.window + len(frame.before) - len(self._plain.before)
        self._model = TorchModel(folder, "AutoModel", frame, place, batch_tokens)

    @cached_property
    def pooling(self) -> str:
        """How the model makes one vector of a text."""
        return pooling_of(self._model.folder)

    def pool(self, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
        """One vector a text, (k, dim), in order, over all its tokens, special ones included.

        Raises
        ------
        ModelError, ValueError
            As `encode` does.
        """
        before, after = self._plain.before, self._plain.after
        whole = [np.concatenate([before, text, after]).astype(np.int32) for text in texts]
        out = np.zeros((len(texts), self.dim), np.float32)
        filled = [i for i, ids in enumerate(whole) if len(ids)]
        bare = replace(self._plain, before=(), after=())
        pool = POOLS[self.pooling]
        rows = self._model.run([whole[i] for i in filled], bare) if filled else []
        for i, vectors in zip(filled, rows, strict=True):
            out[i] = pool(vectors)
        return out

    @cached_property
    def identity(self) -> EncoderIdentity:
        """What the vectors' bits depend on; reads the weights, but for the bundled model."""
        return EncoderIdentity(
            content=self._model.folder.content,
            tokenizer=self.tokenizer.identity,
            engine=f"torch-{torch_version()} transformers-{version('transformers')}",
            device=self._model.device.label,
            dtype=self._model.device.dtype,
            prefix=self._prefix,
        )

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, dim) a window, in order.

        On a CPU a window's vectors are the same bits whatever the other windows, ``batch_tokens``
        and the number of threads.

        Raises
        ------
        ModelError
            If the model cannot be loaded or run.
        ValueError
            If a window is longer than the model can take.
        """
        filled = [window for window in windows if len(window)]
        rows = iter(self._model.run(filled) if filled else ())
        out = [next(rows) if len(window) else np.empty((0, self.dim), np.float32) for window in windows]
        for window, vectors in zip(windows, out, strict=True):
            if vectors.shape != (len(window), self.dim):
                raise ModelError(
                    f"{self.name}: {vectors.shape} values for {len(window)} tokens, not {self.dim} each"
                )
        return out
