from __future__ import annotations

import platform
from pathlib import Path

import pytest
import torch

from vchunk.adapters.encoders import torch_device
from vchunk.adapters.encoders.torch_device import choose_device, cpu_label
from vchunk.domain.errors import UsageError

needs_no_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A machine with two CUDA devices of this capability."""
    capability = [9, 0]
    monkeypatch.setattr(torch_device, "_has_cuda", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: tuple(capability))
    return capability


@needs_no_cuda
@pytest.mark.parametrize(
    ("label", "dtype"),
    [
        ("cpu-x86_64-amx", "bfloat16"),
        ("cpu-x86_64-avx512_bf16", "bfloat16"),
        ("cpu-x86_64-avx512", "float32"),
        ("cpu-x86_64-avx2", "float32"),
        ("cpu-aarch64-neon_bf16", "float32"),
    ],
)
def test_without_a_gpu_everything_runs_on_the_cpu_in_its_fastest_format(
    label: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_device, "cpu_label", lambda: label)
    device = choose_device()
    assert (device.name, device.label, device.dtype) == ("cpu", label, dtype)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("fp32", "float32"), ("float32", "float32"), ("bf16", "bfloat16"), ("bfloat16", "bfloat16")],
)
def test_formats_have_short_names(written: str, meant: str) -> None:
    assert choose_device("cpu", written).dtype == meant


@pytest.mark.parametrize("written", ["fp16", "float16"])
def test_float16_is_refused_on_the_cpu(written: str) -> None:
    with pytest.raises(UsageError, match="--dtype float16"):
        choose_device("cpu", written)


@needs_no_cuda
@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_a_gpu_that_is_not_there_is_refused(device: str) -> None:
    with pytest.raises(UsageError, match=f"--device {device}: .*--device cpu"):
        choose_device(device)


@pytest.mark.skipif(platform.system() == "Darwin", reason="there may be an Apple GPU")
def test_an_apple_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="--device mps"):
        choose_device("mps")


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "cuda:x", "cuda:-1", "cuda:", "mps:all", ""])
def test_other_devices_are_refused(device: str) -> None:
    with pytest.raises(UsageError, match="--device"):
        choose_device(device)


def test_other_formats_are_refused() -> None:
    with pytest.raises(UsageError, match="--dtype int4: not a format"):
        choose_device("cpu", "int4")


@pytest.mark.parametrize("dtype", ["int8", "int8-static"])
def test_formats_of_the_other_engine_are_named_as_such(dtype: str) -> None:
    with pytest.raises(UsageError, match=f"--dtype {dtype} is a format of --engine openvino"):
        choose_device("auto", dtype)


def test_a_gpu_is_taken_where_there_is_one(cuda: list[int]) -> None:
    device = choose_device()
    assert (device.name, device.label, device.dtype) == ("cuda:0", "cuda-9.0", "bfloat16")
    assert choose_device("cuda:1", "fp16") == torch_device.Device(("cuda:1",), "cuda-9.0", "float16")
    assert choose_device("cpu").is_cpu
    cuda[0] = 7
    assert choose_device("cuda").dtype == "float32"


@pytest.mark.usefixtures("cuda")
def test_all_gpus_of_one_class_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    device = choose_device("cuda:all")
    assert device == torch_device.Device(("cuda:0", "cuda:1"), "cuda-9.0", "bfloat16")
    assert device.is_cuda
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda number: (7 + number, 0))
    with pytest.raises(UsageError, match="different classes"):
        choose_device("cuda:all")


@pytest.mark.usefixtures("cuda")
def test_a_gpu_beyond_the_last_is_refused() -> None:
    with pytest.raises(UsageError, match="cuda:2"):
        choose_device("cuda:2")


@pytest.mark.parametrize(
    ("machine", "flags", "label"),
    [
        ("x86_64", {"avx2", "fma"}, "cpu-x86_64-avx2"),
        ("x86_64", {"avx2", "avx512f"}, "cpu-x86_64-avx512"),
        ("AMD64", {"avx2", "avx512f", "avx512_bf16"}, "cpu-amd64-avx512_bf16"),
        ("x86_64", {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}, "cpu-x86_64-amx"),
        ("x86_64", {"sse2"}, "cpu-x86_64"),
        ("aarch64", {"asimd", "sve"}, "cpu-aarch64-sve"),
        ("arm64", set(), "cpu-arm64"),
    ],
)
def test_the_kind_of_cpu_is_its_highest_instruction_set(
    monkeypatch: pytest.MonkeyPatch, machine: str, flags: set[str], label: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch_device, "cpu_flags", lambda: flags)
    assert cpu_label.__wrapped__() == label


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no such file here")
def test_the_flags_of_this_cpu_are_read() -> None:
    assert torch_device.cpu_flags()
