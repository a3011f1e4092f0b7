"""A transformers model that runs windows of token ids in batches."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.framing import Frame, text_config
from vchunk.adapters.encoders.torch_device import Device
from vchunk.adapters.encoders.weights import ModelFolder
from vchunk.domain.errors import ModelError

Head = Literal["AutoModel", "AutoModelForTokenClassification"]
Forward = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]

CPU_BATCH_TOKENS = 2048
GPU_BATCH_TOKENS = 65536


class TorchModel:
    """Loads at the first run; a pickled copy loads again.

    ``run`` gives what the model says of each token: hidden states, or logits of a classifier.
    """

    def __init__(
        self, folder: ModelFolder, head: Head, frame: Frame, device: Device, batch_tokens: int | None
    ) -> None:
        self.folder = folder
        self.frame = frame
        self.device = device
        self._head = head
        self._batch_tokens = batch_tokens or (CPU_BATCH_TOKENS if device.is_cpu else GPU_BATCH_TOKENS)
        self._module: Any = None
        self._lock = threading.Lock()

    def run(self, windows: Sequence[NDArray[np.int32]], frame: Frame | None = None) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, width) a window, in order; in another frame where given.

        Only windows of one padded length share a batch, so the rest of the batch changes nothing.

        Raises
        ------
        ModelError
            If the model cannot be loaded, does not fit its tokenizer, or one window alone does
            not fit into the device's memory.
        """
        frame = frame or self.frame
        self._check(windows, frame)
        with self._lock:
            if self._module is None:
                self._module = load_module(self.folder, self._head, self.device)
            out, self._batch_tokens = run_batches(windows, frame, self._forward, self._batch_tokens)
        return out

    def _check(self, windows: Sequence[NDArray[np.int32]], frame: Frame) -> None:
        longest = max(map(len, windows), default=0)
        room = frame.positions
        around = len(frame.before) + len(frame.after)
        if room is not None and longest > room - around:
            raise ValueError(f"a window of {longest} tokens, over the {room - around} that the model takes")
        vocabulary = text_config(self.folder).get("vocab_size")
        highest = max((int(window.max()) for window in windows if len(window)), default=0)
        if isinstance(vocabulary, int) and highest >= vocabulary:
            raise ModelError(
                f"{self.folder.name}: tokenizer.json and weights do not belong together "
                f"(token {highest}, {vocabulary} token vectors)"
            )

    def _forward(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            output = self._module(
                input_ids=torch.from_numpy(ids).to(self.device.name),
                attention_mask=torch.from_numpy(mask).to(self.device.name),
            )
            states = output.logits if "logits" in output else output.last_hidden_state
            rows: NDArray[np.float32] = states.float().cpu().numpy()
        return rows

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_module": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


def run_batches(
    windows: Sequence[NDArray[np.int32]], frame: Frame, forward: Forward, batch_tokens: int
) -> tuple[list[NDArray[np.float32]], int]:
    """Run all windows, longest first; batches are halved when the device's memory is full.

    Returns
    -------
    rows : list of (tokens of the window, width) float32
        In the windows' order, without special tokens and prefix.
    batch_tokens : int
        What fitted into memory, for the next call.
    """
    import torch

    order = sorted(range(len(windows)), key=lambda i: -frame.padded_length(len(windows[i])))
    out: list[NDArray[np.float32] | None] = [None] * len(windows)
    at = 0
    while at < len(order):
        length = frame.padded_length(len(windows[order[at]]))
        batch = order[at : at + max(1, batch_tokens // length)]
        batch = [i for i in batch if frame.padded_length(len(windows[i])) == length]
        try:
            states = forward(*frame.rows([windows[i] for i in batch]))
        except torch.OutOfMemoryError as error:
            if len(batch) == 1:
                raise ModelError(
                    f"a window of {length} tokens does not fit into the device's memory: "
                    "use --device cpu, --dtype bfloat16 or a smaller model"
                ) from error
            states = None
        if states is None:  # outside the handler, where the failed batch is still referred to
            batch_tokens = len(batch) // 2 * length
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            continue
        for row, i in zip(states, batch, strict=True):
            inner = row[len(frame.before) : len(frame.before) + len(windows[i])]
            if len(inner) != len(windows[i]) or len(row) != length:
                raise ModelError(f"the model gave {len(row)} vectors for {length} tokens; it is no token encoder")
            out[i] = inner.copy()  # a view would keep the whole batch alive
        at += len(batch)
    return [rows for rows in out if rows is not None], batch_tokens


def load_module(folder: ModelFolder, head: Head, device: Device) -> Any:
    """The torch module, ready to run; quiet, and from local files only.

    Raises
    ------
    ModelError
        If transformers cannot load it, or weights are missing that it would make up.
    """
    import torch
    import transformers

    if folder.bundled:
        minilm.check_bundled(folder.path)
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _quiet():
        try:
            config = transformers.AutoConfig.from_pretrained(folder.path, **options)
            if hasattr(config, "reference_compile"):  # ModernBERT would compile itself, slowly
                config.reference_compile = False
            module, report = getattr(transformers, head).from_pretrained(
                folder.path,
                config=config,
                output_loading_info=True,
                **{_dtype_option(transformers.__version__): getattr(torch, device.dtype)},
                **options,
            )
        except Exception as error:  # OSError, ValueError, KeyError, safetensors' own, ...
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise ModelError(f"{folder.name}: {folder.path} cannot be loaded ({reason})") from error
        encoder_only = head == "AutoModel" and getattr(config, "is_encoder_decoder", False)
        missing = sorted(
            key
            for key in report["missing_keys"]
            if "pooler" not in key and not (encoder_only and key.startswith("decoder."))
        )
        if missing:
            raise ModelError(f"{folder.name}: {folder.path} has no weights for {missing[0]}; is it a {head}?")
        if encoder_only:
            module = module.get_encoder()
        return module.to(device.name).eval()


def _dtype_option(version: str) -> str:
    """How ``from_pretrained`` calls the number format; the older name warns in newer versions."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return "dtype" if (major, minor) >= (4, 56) else "torch_dtype"


@contextmanager
def _quiet() -> Iterator[None]:
    """No reports, bars or warnings of transformers while a model loads."""
    import transformers

    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.ERROR)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
