"""The OpenVINO engine against torch; skipped where it is not installed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from encoder_laws import check_calls_at_once
from vchunk.adapters.encoders import calibration_text, huggingface, openvino_model, torch_device
from vchunk.adapters.encoders.batches import Pending
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.encoders.openvino_int8 import calibration_inputs, round_all
from vchunk.adapters.encoders.openvino_model import OpenVinoModel, choose_openvino_device, openvino_version
from vchunk.domain.errors import ModelError, UsageError

pytestmark = pytest.mark.skipif(openvino_version() is None, reason="OpenVINO is not installed")

TEXT = "The river froze in the night. Interest rates rose sharply, and the court heard no music. " * 40


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("networks")


def windows(encoder: HuggingFaceEncoder, *lengths: int) -> list[NDArray[np.int32]]:
    ids = encoder.tokenizer.tokenize(TEXT).ids
    return [ids[start : start + length] for start, length in enumerate(lengths)]


def cosines(some: list[NDArray[np.float32]], others: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    a, b = np.concatenate(some), np.concatenate(others)
    found: NDArray[np.float32] = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return found


@pytest.mark.parametrize("kind", ["bert", "roberta", "modern_bert"])
def test_in_float32_it_computes_what_torch_computes(
    kind: str, request: pytest.FixtureRequest, cache: Path
) -> None:
    folder = request.getfixturevalue(kind)
    torch = HuggingFaceEncoder(folder, device="cpu", dtype="float32", engine="torch")
    other = HuggingFaceEncoder(folder, dtype="float32", engine="openvino", cache=cache)
    lengths = (torch.window, torch.window - 20, 9, 1)
    for mine, theirs in zip(
        other.encode(windows(other, *lengths)), torch.encode(windows(torch, *lengths)), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=2e-4)


NEAR = {"bfloat16": 0.9999, "int8": 0.997, "int8-static": 0.99}


@pytest.mark.parametrize("dtype", NEAR)
def test_the_bundled_model_is_faithful_and_the_batch_plays_no_part(dtype: str, cache: Path) -> None:
    encoder = HuggingFaceEncoder(engine="openvino", dtype=dtype, cache=cache)
    exact = HuggingFaceEncoder(engine="torch", dtype="float32")
    some = windows(encoder, 254, 254, 250, 200, 121, 64, 17, 1)
    together = encoder.encode(some)
    found = cosines(together, exact.encode(some))
    assert found.mean() > NEAR[dtype]
    for batch in (1, 600):
        alone = HuggingFaceEncoder(engine="openvino", dtype=dtype, cache=cache, batch_tokens=batch)
        assert all(map(np.array_equal, alone.encode(some[::-1])[::-1], together))


PROBE = """
import socket, sys
from pathlib import Path

def refuse(*_, **__):
    raise AssertionError("a socket was opened")

socket.socket.connect = refuse
socket.getaddrinfo = refuse
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
encoder = HuggingFaceEncoder(sys.argv[1], engine="openvino", dtype="float32", cache=Path(sys.argv[2]))
encoder.encode([encoder.tokenizer.tokenize("the river").ids])
print("torch" in sys.modules, bool(sys.modules.get("openvino_telemetry")))
"""


def test_a_kept_network_needs_no_torch_and_nothing_is_reported(bert: Path, tmp_path: Path) -> None:
    def probe() -> str:
        command = [sys.executable, "-c", PROBE, str(bert), str(tmp_path / "kept")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert done.stderr == ""
        return done.stdout

    assert probe() == "True False\n"
    [kept] = (tmp_path / "kept").iterdir()
    assert probe() == "False False\n"
    (kept / "network.xml").write_text("<net")
    assert probe() == "True False\n"
    assert probe() == "False False\n"


def test_a_cache_that_cannot_be_written_is_no_hindrance(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    encoder = HuggingFaceEncoder(bert, engine="openvino", cache=tmp_path / "file" / "models")
    assert encoder.encode(windows(encoder, 5))[0].shape == (5, 32)


def test_a_model_that_it_computes_differently_is_refused(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vchunk.adapters.encoders import openvino_files

    monkeypatch.setattr(openvino_files, "_ALIKE", 0.0)
    encoder = HuggingFaceEncoder(bert, engine="openvino")
    with pytest.raises(ModelError, match="use --engine torch"):
        encoder.encode(windows(encoder, 5))


def test_activations_are_calibrated_for_any_model(modern_bert: Path, cache: Path) -> None:
    exact = HuggingFaceEncoder(modern_bert, dtype="float32", engine="openvino", cache=cache)
    static = HuggingFaceEncoder(modern_bert, dtype="int8-static", engine="openvino", cache=cache)
    some = windows(exact, 40, 9)
    assert cosines(static.encode(some), exact.encode(some)).mean() > 0.98


def test_a_model_too_delicate_for_fixed_ranges_is_refused(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vchunk.adapters.encoders import openvino_files

    monkeypatch.setattr(openvino_files, "_NEAR", 0.0)
    encoder = HuggingFaceEncoder(bert, engine="openvino", dtype="int8-static")
    with pytest.raises(ModelError, match="use --dtype int8"):
        encoder.encode(windows(encoder, 5))


def test_ranges_are_those_of_the_activations() -> None:
    """One product of known numbers: a channel forty times the others costs the others nothing."""
    openvino = pytest.importorskip("openvino")
    from openvino import opset13 as ops

    weights = np.random.default_rng(3).standard_normal((8, 16)).astype(np.float32)
    scale = np.ones(8, np.float32)
    scale[5], weights[5] = 40.0, weights[5] / 40.0
    ids = ops.parameter([-1, -1], np.int64)
    mask = ops.parameter([-1, -1], np.int64)
    table = np.random.default_rng(4).uniform(-1, 1, (50, 8)).astype(np.float32) * scale
    looked_up = ops.gather(ops.constant(table), ids, ops.constant(0))
    used = ops.multiply(looked_up, ops.unsqueeze(ops.convert(mask, "f32"), ops.constant(2)))
    network = openvino.Model([ops.matmul(used, ops.constant(weights), False, False)], [ids, mask])
    inputs = calibration_inputs(np.arange(50, dtype=np.int32), (), (), 20)
    assert [row.shape for row, _ in inputs] == [(1, 20), (1, 20), (1, 10)]
    assert round_all(network, inputs) == 1
    found = openvino.Core().compile_model(network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(list(inputs[0]))[0]
    expected = table[:20] @ weights
    assert np.abs(found[0] - expected).max() < 0.03 * np.abs(expected).max()  # 0.18 with one scale for all


def test_identity_names_engine_and_format(bert: Path) -> None:
    torch = HuggingFaceEncoder(bert, engine="torch").identity
    eight = HuggingFaceEncoder(bert, engine="openvino", dtype="int8").identity
    exact = HuggingFaceEncoder(bert, engine="openvino", dtype="fp32").identity
    static = HuggingFaceEncoder(bert, engine="openvino", dtype="int8-static").identity
    assert len({torch, eight, exact, static}) == 4
    assert static.engine.endswith(f"calibration-{calibration_text.VERSION}")
    assert (eight.content, eight.tokenizer) == (torch.content, torch.tokenizer)
    assert eight.engine.startswith(f"openvino-{openvino_version()} ")
    assert (eight.dtype, exact.dtype) == ("int8", "float32")


@pytest.mark.parametrize(
    ("flags", "known", "expected"),
    [
        ({"avx512f", "avx512_vnni", "avx512_bf16"}, True, "int8"),
        ({"avx512f", "avx512_vnni", "avx512_bf16"}, False, "bfloat16"),
        ({"avx512f"}, True, "float32"),
    ],
)
def test_the_format_is_the_fastest_that_is_known_to_be_faithful(
    flags: set[str], known: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (torch_device, openvino_model):
        monkeypatch.setattr(module, "cpu_flags", lambda: frozenset(flags))
    monkeypatch.setattr(torch_device.platform, "machine", lambda: "x86_64")
    torch_device.cpu_label.cache_clear()
    try:
        assert choose_openvino_device(known=known).dtype == expected
    finally:
        torch_device.cpu_label.cache_clear()


def test_auto_is_openvino_for_the_bundled_model_only(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert HuggingFaceEncoder(device="cpu").identity.engine.startswith("openvino")
    assert HuggingFaceEncoder(bert, device="cpu").identity.engine.startswith("torch")
    monkeypatch.setattr(huggingface, "openvino_version", lambda: None)
    assert HuggingFaceEncoder(device="cpu").identity.engine.startswith("torch")
    with pytest.raises(UsageError, match=r"pip install vchunk\[openvino\]"):
        HuggingFaceEncoder(engine="openvino")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"engine": "onnx"}, "--engine onnx"),
        ({"engine": "openvino", "device": "cuda"}, "--device cuda"),
        ({"engine": "openvino", "dtype": "float16"}, "--dtype float16"),
    ],
)
def test_what_the_engine_cannot_do_is_refused(options: dict[str, str], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        HuggingFaceEncoder(**options)  # type: ignore[arg-type]


def test_calls_of_several_threads_give_what_they_give_alone(bert: Path, cache: Path) -> None:
    check_calls_at_once(*(HuggingFaceEncoder(bert, engine="openvino", cache=cache) for _ in range(2)))


def test_one_thread_comes_first(bert: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    submit = OpenVinoModel._submit

    def observed(model: OpenVinoModel, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Pending:
        seen.append(("begins", ids.size))
        collect = submit(model, ids, mask)

        def collected() -> NDArray[np.float32]:
            rows = collect()
            seen.append(("ends", ids.size))
            return rows

        return collected

    monkeypatch.setattr(OpenVinoModel, "_submit", observed)
    encoder = HuggingFaceEncoder(bert, engine="openvino", cache=cache)
    some = windows(encoder, 20)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(encoder.encode, [some, some]))
    assert seen[:2] == [("begins", 1), ("ends", 1)]
    assert all(size > 1 for _, size in seen[2:])


def test_a_pickled_encoder_encodes_alike(cache: Path) -> None:
    import pickle

    encoder = HuggingFaceEncoder(engine="openvino", cache=cache)
    some = windows(encoder, 20)
    copy = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(copy.encode(some)[0], encoder.encode(some)[0])


def test_sentences_mean_what_they_mean(cache: Path) -> None:
    encoder = HuggingFaceEncoder(engine="openvino", cache=cache)
    texts = ["a cat sat on the mat", "a kitten lay on the rug", "interest rates rose sharply"]
    pooled = [v.mean(axis=0) for v in encoder.encode([encoder.tokenizer.tokenize(text).ids for text in texts])]
    cat, kitten, rates = (v / np.linalg.norm(v) for v in pooled)
    assert cat @ kitten > 0.5 > 0.2 > cat @ rates
