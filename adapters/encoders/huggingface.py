"""Contextual token vectors by any encoder of the Hugging Face ecosystem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.framing import hidden_size, make_frame, usable_positions
from vchunk.adapters.encoders.openvino_model import OpenVinoModel, choose_openvino_device, openvino_version
from vchunk.adapters.encoders.pooling import POOLS, pooling_of
from vchunk.adapters.encoders.tokenizer import HfTokenizer
from vchunk.adapters.encoders.torch_device import choose_device
from vchunk.adapters.encoders.torch_model import TorchModel
from vchunk.adapters.encoders.weights import ModelFolder, find_model
from vchunk.domain.errors import ModelError, UsageError
from vchunk.domain.ports import EncoderIdentity

ENGINES = ("auto", "torch", "openvino")
INPUT_LENGTH = 256
"""How many tokens an input has unless a window is asked for, special ones included."""
LONG_INPUT_LENGTH = 1024
"""The same of models that read long texts. Twice as many would cost half as much again on a CPU."""
LONG_POSITIONS = 2048
"""What a model that reads long texts can take at least."""


class HuggingFaceEncoder:
    """A model for ``transformers.AutoModel`` with a fast tokenizer (ports ``Encoder`` and ``SentenceEncoder``).

    What computes is imported at the first ``encode``; before that everything is read from the
    model's small files, and the weights are hashed when ``identity`` is asked for.

    Parameters
    ----------
    model : str or Path
        ``minilm`` (the bundled all-MiniLM-L6-v2), a local folder, or a name on the hub.
    device : str
        ``auto``, ``cpu``, ``cuda``, ``cuda:N``, ``cuda:all`` or ``mps``; ``auto`` is CUDA where there
        is one, else the CPU.
    dtype : str
        ``auto``, ``float32``, ``bfloat16``, ``float16`` (on GPUs), ``int8`` or ``int8-static`` (of OpenVINO);
        ``auto`` is bfloat16 where the device computes in it, else float32, and int8 for the
        bundled model on OpenVINO where the CPU has instructions for it.
    engine : str
        ``auto``, ``torch`` or ``openvino`` (the CPU only); ``auto`` is OpenVINO for the bundled model
        where it is installed and no GPU is used, else torch.
    compile : bool
        Whether ``torch.compile`` fuses the model's kernels at the first batch: some percent faster for a
        minute of compiling, on torch only. It changes bits, so it is part of the identity.
    cache : Path, optional
        A folder that keeps what an engine makes of a model's weights.
    prefix : str
        Put in front of every window, as some models want it (``"passage: "``); its own vectors
        are dropped.
    window : int, optional
        The most document tokens in a window; by default an input has 256 tokens with the special ones
        and the prefix, 1,024 where the model can take 2,048 or more.
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
        engine: str = "auto",
        compile: bool = False,
        cache: Path | None = None,
        prefix: str = "",
        window: int | None = None,
        batch_tokens: int | None = None,
        revision: str | None = None,
    ) -> None:
        if batch_tokens is not None and batch_tokens < 1:
            raise UsageError(f"batch_tokens {batch_tokens}: give 1 or more")
        folder = find_model(model, revision)
        length = _input_length(folder)
        frame = make_frame(folder, window=window, default=length, prefix=prefix)
        self.name = folder.name
        self.tokenizer = folder.tokenizer
        self.dim = hidden_size(folder)
        self.window = frame.window
        self._prefix = prefix
        self._plain = make_frame(folder, window=None, default=length)
        self.text_window = self.window + len(frame.before) - len(self._plain.before)
        self._model: TorchModel | OpenVinoModel
        if _is_openvino(engine, folder, device, dtype, compile):
            place = choose_openvino_device(dtype, known=folder.bundled)
            self._model = OpenVinoModel(folder, frame, place, batch_tokens, cache)
        else:
            place = choose_device(device, dtype)
            self._model = TorchModel(folder, "AutoModel", frame, place, batch_tokens, compile=compile)

    @property
    def windows_at_once(self) -> int:
        """How many windows keep streams and devices busy when they are encoded together."""
        return self._model.windows_at_once

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
            engine=self._model.engine,
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


def _input_length(folder: ModelFolder) -> int:
    """How many tokens an input of a model has by default, or may have."""
    positions = usable_positions(folder)
    return LONG_INPUT_LENGTH if positions is not None and positions >= LONG_POSITIONS else INPUT_LENGTH


def _is_openvino(engine: str, folder: ModelFolder, device: str, dtype: str, compile: bool) -> bool:
    """Whether OpenVINO computes: asked for, or installed, as fast as anything, and known to be faithful.

    Raises
    ------
    UsageError
        If there is no such engine, or it does not go with the device or with ``torch.compile``.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: choose from {', '.join(ENGINES)}")
    if engine == "openvino":
        if device not in ("auto", "cpu"):
            raise UsageError(f"--engine openvino computes on the CPU; --device {device} goes with --engine torch")
        if compile:
            raise UsageError("--compile goes with --engine torch; openvino compiles every model by itself")
        if openvino_version() is None:
            raise UsageError("--engine openvino is not installed: pip install vchunk[openvino]")
        return True
    if engine == "torch" or compile or not folder.bundled or openvino_version() is None:
        return False
    if dtype in ("float16", "fp16"):
        return False
    return device == "cpu" or (device == "auto" and choose_device().is_cpu)
