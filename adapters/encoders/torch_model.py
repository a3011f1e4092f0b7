"""A transformers model that runs windows of token ids in batches."""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from itertools import cycle
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.batches import Pending, run_batches, windows_of_streams
from vchunk.adapters.encoders.compiled import CompiledModule
from vchunk.adapters.encoders.framing import Frame, check_windows
from vchunk.adapters.encoders.torch_device import Device, torch_version, usable_cpus
from vchunk.adapters.encoders.weights import ModelFolder
from vchunk.domain.errors import ModelError

Head = Literal["AutoModel", "AutoModelForTokenClassification"]

CPU_BATCH_TOKENS = 1024
GPU_BATCH_TOKENS = 65536


class TorchModel:
    """Loads at the first run; a pickled copy loads again.

    ``run`` gives what the model says of each token: hidden states, or logits of a classifier.
    """

    def __init__(
        self,
        folder: ModelFolder,
        head: Head,
        frame: Frame,
        device: Device,
        batch_tokens: int | None,
        *,
        compile: bool = False,
    ) -> None:
        self.folder = folder
        self.frame = frame
        self.device = device
        self._head = head
        self._compiles = compile
        self._batch_tokens = batch_tokens or (CPU_BATCH_TOKENS if device.is_cpu else GPU_BATCH_TOKENS)
        self._modules: list[Any] = []
        self._turns: Iterator[Any] = iter(())
        self._streams: Executor | None = None
        self._lock = threading.Lock()

    @property
    def windows_at_once(self) -> int:
        """How many windows keep all streams or devices busy when they are run together."""
        if self.device.is_cuda:
            return 4 * len(self.device.names) * self._batch_tokens // self.frame.window + 1
        return windows_of_streams(usable_cpus(), self.frame)

    @property
    def engine(self) -> str:
        """The libraries that compute, with their versions."""
        compiled = " compiled" if self._compiles else ""
        return f"torch-{torch_version()} transformers-{version('transformers')}{compiled}"

    def run(self, windows: Sequence[NDArray[np.int32]], frame: Frame | None = None) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, width) a window, in order; in another frame where given.

        On a CPU there is a stream of one thread for each processor: threads that share a product
        wait for one another. On GPUs batches are copied and computed while earlier ones are waited
        for; several GPUs take turns.

        Raises
        ------
        ModelError
            If the model cannot be loaded, does not fit its tokenizer, or one window alone does
            not fit into the device's memory.
        ValueError
            If a window is longer than the model can take.
        """
        frame = frame or self.frame
        check_windows(windows, frame, self.folder)
        with self._lock:
            if not self._modules:
                self._load()
            if not self.device.is_cpu:  # one call at a time, for its batches are as large as the memory
                return self._run(windows, frame)
        return self._run(windows, frame)

    def _run(self, windows: Sequence[NDArray[np.int32]], frame: Frame) -> list[NDArray[np.float32]]:
        import torch

        out, self._batch_tokens = run_batches(
            windows,
            frame,
            self._queue if self.device.is_cuda else self._hand_over,
            self._batch_tokens,
            in_flight=2 * (len(self._modules) if self.device.is_cuda else usable_cpus()),
            memory_full=torch.OutOfMemoryError,
            free_memory=_empty_cache,
        )
        return out

    def _load(self) -> None:
        module = load_module(self.folder, self._head, self.device)
        modules = [module, *(copy.deepcopy(module).to(n) for n in self.device.names[1:])]
        self._modules = [CompiledModule(m, self.folder.name) for m in modules] if self._compiles else modules
        self._turns = cycle(self._modules)
        if not self.device.is_cuda:
            streams = usable_cpus() if self.device.is_cpu else 1
            self._streams = ThreadPoolExecutor(streams, "encoder", _compute_alone)

    def _hand_over(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Pending:
        """Give a batch to the next stream that is free."""
        assert self._streams is not None
        return self._streams.submit(self._compute, ids, mask).result

    def _compute(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            states = _states(
                self._modules[0],
                torch.from_numpy(ids).to(self.device.name),
                torch.from_numpy(mask).to(self.device.name),
            )
            rows: NDArray[np.float32] = states.cpu().numpy()
        return rows

    def _queue(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Pending:
        """Queue a batch on the next GPU; copies run beside the computation."""
        import torch

        module = next(self._turns)
        with torch.cuda.device(module.device), torch.inference_mode():
            inputs = [
                torch.from_numpy(array).pin_memory().to(module.device, non_blocking=True) for array in (ids, mask)
            ]
            states = _states(module, *inputs)
            host = torch.empty(states.shape, dtype=torch.float32, pin_memory=True)
            host.copy_(states, non_blocking=True)
            done = torch.cuda.current_stream().record_event()

        def collect() -> NDArray[np.float32]:
            done.synchronize()
            rows: NDArray[np.float32] = host.numpy()
            return rows

        return collect

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_modules": [], "_turns": iter(()), "_streams": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


def _states(module: Any, ids: Any, mask: Any) -> Any:
    """What the model says of each token, float32 on its device."""
    output = module(input_ids=ids, attention_mask=mask)
    return (output.logits if "logits" in output else output.last_hidden_state).float()


def _compute_alone() -> None:
    """Let the thread that calls this compute by itself; the setting of other threads stays."""
    import torch

    torch.set_num_threads(1)


def _empty_cache() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


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
    with quiet():
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


def _dtype_option(installed: str) -> str:
    """How ``from_pretrained`` calls the number format; the older name warns in newer versions."""
    major, minor = (int(part) for part in installed.split(".")[:2])
    return "dtype" if (major, minor) >= (4, 56) else "torch_dtype"


@contextmanager
def quiet() -> Iterator[None]:
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
