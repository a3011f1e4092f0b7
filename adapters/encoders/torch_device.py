"""Which device and number format a model computes in, found without importing torch where possible."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vchunk.domain.errors import ModelError, UsageError

_DTYPES = {
    "float32": "float32",
    "fp32": "float32",
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "fp16": "float16",
}
# The first that the processor has names its class: kernels are chosen by these.
_X86_CLASSES = (
    ("amx_bf16", "amx"),
    ("avx512_bf16", "avx512_bf16"),
    ("avx512f", "avx512"),
    ("avx2", "avx2"),
)
_ARM_CLASSES = (("svebf16", "sve_bf16"), ("sve", "sve"), ("bf16", "neon_bf16"))
_BFLOAT16_CLASSES = ("amx", "avx512_bf16")
"""Processors that multiply in bfloat16; others only emulate it."""
_BFLOAT16_CAPABILITY = 8  # the same of CUDA devices


@dataclass(frozen=True, slots=True)
class Device:
    """Where a model computes: names for torch, the class as far as bits depend on it, the format.

    Several names are GPUs of one class that share the work.
    """

    names: tuple[str, ...]
    label: str
    dtype: str

    @property
    def name(self) -> str:
        """The first, or only, device."""
        return self.names[0]

    @property
    def is_cpu(self) -> bool:
        return self.name == "cpu"

    @property
    def is_cuda(self) -> bool:
        return self.name.startswith("cuda")


def torch_version() -> str:
    """The version of the installed torch.

    Raises
    ------
    ModelError
        If there is none.
    """
    try:
        return version("torch")
    except PackageNotFoundError as error:
        raise ModelError("torch is not installed: pip install torch") from error


def choose_device(device: str = "auto", dtype: str = "auto") -> Device:
    """Settle device and number format.

    ``auto`` is the first CUDA device where there is one, else the CPU; in bfloat16 where the device
    computes in it, else float32. ``cuda:all`` are all CUDA devices, which must be of one class. torch
    is imported only where an NVIDIA driver is present, or Apple's GPU is asked for.

    Raises
    ------
    UsageError
        If there is no such device or format, or they do not go together.
    """
    kind, colon, number = device.partition(":")
    numbered = kind == "cuda" and (number == "all" or number.isdecimal())
    if kind not in ("auto", "cpu", "cuda", "mps") or (colon and not numbered):
        raise UsageError(f"--device {device}: not a device; give auto, cpu, cuda, cuda:N, cuda:all or mps")
    if dtype in ("int8", "int8-static"):
        raise UsageError(f"--dtype {dtype} is a format of --engine openvino, on the CPU and without --compile")
    if dtype != "auto" and dtype not in _DTYPES:
        raise UsageError(f"--dtype {dtype}: not a format; give auto, float32, bfloat16 or float16")
    if kind == "cuda" and not _has_cuda():
        raise UsageError(f"--device {device}: torch {torch_version()} sees no CUDA device here; use --device cpu")
    if kind == "mps" and not _has_mps():
        raise UsageError("--device mps: torch sees no Apple GPU here; use --device cpu")
    if kind == "cuda" or (kind == "auto" and _has_cuda()):
        return _cuda(number or "0", dtype)
    if kind == "mps":
        return Device(("mps",), f"mps-{platform.machine()}", _DTYPES.get(dtype, "float32"))
    chosen = _DTYPES.get(dtype, "bfloat16" if multiplies_bfloat16() else "float32")
    if chosen == "float16":
        raise UsageError("--dtype float16 is too slow and coarse on a CPU; use float32 or bfloat16")
    return Device(("cpu",), cpu_label(), chosen)


def usable_cpus() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def multiplies_bfloat16() -> bool:
    """Whether this CPU multiplies in bfloat16, which then is near twice as fast as float32."""
    return cpu_label().rpartition("-")[2] in _BFLOAT16_CLASSES


def _cuda(number: str, dtype: str) -> Device:
    import torch

    count = torch.cuda.device_count()
    numbers = range(count) if number == "all" else [int(number)]
    if max(numbers) >= count:
        raise UsageError(f"--device cuda:{number}: there are {count} CUDA devices")
    classes = {torch.cuda.get_device_capability(n) for n in numbers}
    if len(classes) > 1:
        raise UsageError(f"--device cuda:{number}: the devices are of different classes; name one of them")
    [(major, minor)] = classes
    automatic = "bfloat16" if major >= _BFLOAT16_CAPABILITY else "float32"
    return Device(tuple(f"cuda:{n}" for n in numbers), f"cuda-{major}.{minor}", _DTYPES.get(dtype, automatic))


@cache
def _has_cuda() -> bool:
    if torch_version().endswith("+cpu") or not _has_nvidia_driver():
        return False
    import torch

    return torch.cuda.is_available()


def _has_nvidia_driver() -> bool:
    """Whether a driver's files are there; torch need not be imported to learn that there is none."""
    if platform.system() == "Windows":
        return (Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32" / "nvcuda.dll").is_file()
    places = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/nvhost-gpu")
    return any(Path(place).exists() for place in places)


def _has_mps() -> bool:
    if platform.system() != "Darwin":
        return False
    import torch

    return torch.backends.mps.is_available()


@cache
def cpu_label() -> str:
    """The kind of CPU as far as it decides bits: architecture and instruction-set class."""
    machine = platform.machine().lower() or "unknown"
    flags = cpu_flags()
    for flag, label in _X86_CLASSES if machine in ("x86_64", "amd64", "i686") else _ARM_CLASSES:
        if flag in flags:
            return f"cpu-{machine}-{label}"
    return f"cpu-{machine}"


@cache
def cpu_flags() -> frozenset[str]:
    """What the processor can do, as Linux lists it; empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()
