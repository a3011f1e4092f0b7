"""A model of transformers that OpenVINO runs on the CPU."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vchunk.adapters.encoders import calibration_text
from vchunk.adapters.encoders.batches import Pending, run_batches, windows_of_streams
from vchunk.adapters.encoders.framing import Frame, check_windows
from vchunk.adapters.encoders.torch_device import Device, cpu_flags, cpu_label, multiplies_bfloat16, usable_cpus
from vchunk.adapters.encoders.weights import ModelFolder
from vchunk.domain.errors import ModelError, UsageError

BATCH_TOKENS = 1024
ACTIVATION_GROUP = 128
"""How many numbers of an activation share a scale in int8. Whole rows are 4 % faster and half as exact."""
_DTYPES = {
    "float32": "float32",
    "fp32": "float32",
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "int8": "int8",
    "int8-static": "int8-static",
}
INT8, INT8_STATIC = "int8", "int8-static"
_INT8_FLAGS = {"avx512_vnni", "avx_vnni", "amx_int8"}


def openvino_version() -> str | None:
    """The version of the installed OpenVINO; it is not imported."""
    try:
        return version("openvino")
    except PackageNotFoundError:
        return None


def choose_openvino_device(dtype: str = "auto", *, known: bool = False) -> Device:
    """The CPU and a number format.

    ``auto`` is int8 for a model whose fidelity in it is ``known``, where the processor has
    instructions for it; else bfloat16 where it multiplies in it; else float32.

    Raises
    ------
    UsageError
        For a format that this engine has not.
    """
    if dtype != "auto" and dtype not in _DTYPES:
        raise UsageError(f"--dtype {dtype}: the engine openvino has auto, float32, bfloat16, int8 and int8-static")
    fast = "int8" if known and multiplies_int8() else "bfloat16" if multiplies_bfloat16() else "float32"
    label = f"{cpu_label()}-vnni" if multiplies_int8() else cpu_label()
    return Device(("cpu",), label, _DTYPES.get(dtype, fast))


def multiplies_int8() -> bool:
    """Whether this CPU has instructions for products of 8-bit integers."""
    return bool(_INT8_FLAGS & cpu_flags())


def import_openvino() -> Any:
    """The package, kept from reporting its use over the network.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    # It sends an event at each import; without this module it does without.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    try:
        import openvino
    except ImportError as error:
        raise ModelError("the engine openvino is not installed: pip install vchunk[openvino]") from error
    return openvino


class OpenVinoModel:
    """Hidden states by OpenVINO, one stream of one thread for each CPU.

    The model is converted from the weights of transformers at the first run, and kept in ``cache``
    where one is given; from then on torch is not imported. In int8 the weights of products are
    rounded once, a scale an output channel, and activations as they come, a scale for each
    `ACTIVATION_GROUP` numbers; in int8-static activations too have scales that are fixed, measured once on
    passages that come along. The rest is computed in bfloat16 where the CPU has it.
    """

    def __init__(
        self,
        folder: ModelFolder,
        frame: Frame,
        device: Device,
        batch_tokens: int | None = None,
        cache: Path | None = None,
        streams: int | None = None,
    ) -> None:
        self.folder = folder
        self.frame = frame
        self.device = device
        self._batch_tokens = batch_tokens or BATCH_TOKENS
        self._cache = cache
        self._streams = streams or usable_cpus()
        self._compiled: Any = None
        self._free: list[Any] = []
        self._lock = threading.Lock()

    @property
    def windows_at_once(self) -> int:
        """How many windows keep all streams busy when they are run together."""
        return windows_of_streams(self._streams, self.frame)

    @property
    def engine(self) -> str:
        """The library that computes, with its version, and how it rounds."""
        rounding = {INT8: f" group-{ACTIVATION_GROUP}", INT8_STATIC: f" calibration-{calibration_text.VERSION}"}
        return f"openvino-{openvino_version()}{rounding.get(self.device.dtype, '')}"

    def run(self, windows: Sequence[NDArray[np.int32]], frame: Frame | None = None) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, width) a window, in order; in another frame where given.

        Raises
        ------
        ModelError
            If the model cannot be converted or does not fit its tokenizer.
        ValueError
            If a window is longer than the model can take.
        """
        frame = frame or self.frame
        check_windows(windows, frame, self.folder)
        with self._lock:
            if self._compiled is None:
                self._compiled = self._compile()
                self._run_first()
        return run_batches(windows, frame, self._submit, self._batch_tokens, in_flight=self._streams)[0]

    def _compile(self) -> Any:
        from vchunk.adapters.encoders.openvino_files import load_network

        openvino = import_openvino()
        network = load_network(self.folder, self._cache, self.device.dtype)
        exact = self.device.dtype == "float32" or not multiplies_bfloat16()
        return openvino.Core().compile_model(
            network,
            "CPU",
            {
                "NUM_STREAMS": str(self._streams),
                "INFERENCE_NUM_THREADS": str(self._streams),
                "INFERENCE_PRECISION_HINT": "f32" if exact and self.device.dtype != "bfloat16" else "bf16",
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(ACTIVATION_GROUP if self.device.dtype == INT8 else 0),
            },
        )

    def _run_first(self) -> None:
        """Run a token before several threads do: OpenVINO loads numpy's interface at its first arrays.

        It guards that by a lock, which one thread may hold while it waits for Python's, and another
        may wait for while it holds Python's.
        """
        token = np.zeros((1, 1), np.int64)
        self._submit(token, np.ones_like(token))()

    def _submit(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Pending:
        """Hand a batch to the next stream that is free; another call may have batches there too."""
        try:
            request = self._free.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        request.start_async({0: ids, 1: mask})

        def collect() -> NDArray[np.float32]:
            request.wait()
            rows: NDArray[np.float32] = request.get_output_tensor(0).data.copy()
            self._free.append(request)
            return rows

        return collect

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None, "_free": [], "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())
