"""``torch.compile``: what surrounds it, with other compilers in its place; tests/e2e has a real one."""

from __future__ import annotations

import logging
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import models
from vchunk.adapters.encoders import compiled, torch_model
from vchunk.adapters.encoders.compiled import CompiledModule
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.domain.errors import ModelError, UsageError


def windows(encoder: HuggingFaceEncoder, *lengths: int) -> list[NDArray[np.int32]]:
    ids = encoder.tokenizer.tokenize(models.sentences(60)).ids
    return [ids[start : start + length] for start, length in enumerate(lengths)]


def encode_alike(some: HuggingFaceEncoder, other: HuggingFaceEncoder, *lengths: int) -> None:
    for mine, theirs in zip(
        some.encode(windows(some, *lengths)), other.encode(windows(other, *lengths)), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_two_codes_serve_batches_of_all_sizes_in_all_streams(
    modern_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its import
        from torch import _dynamo
    traced: list[Any] = []
    real = torch.compile

    def compile(module: Any, *, dynamic: bool, fullgraph: bool, **_: Any) -> Any:
        return real(module, dynamic=dynamic, fullgraph=fullgraph, backend=trace)

    def trace(module: Any, _: Any) -> Any:
        traced.append(module)
        return module.forward

    monkeypatch.setattr(torch, "compile", compile)
    monkeypatch.setattr(torch_model, "usable_cpus", lambda: 4)
    plain = HuggingFaceEncoder(modern_bert, device="cpu", dtype="float32", batch_tokens=300)
    fused = HuggingFaceEncoder(modern_bert, device="cpu", dtype="float32", batch_tokens=300, compile=True)
    try:
        for _ in range(2):
            encode_alike(fused, plain, *range(1, 250, 7), *[60] * 9, *[20] * 30, 14, 254)
    finally:
        _dynamo.reset()
    assert len(traced) == 2  # for one window, and for more


def test_a_new_shape_runs_alone_and_a_known_one_beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[bool] = []

    def compile(module: Any, **_: Any) -> Any:
        def run(**inputs: Any) -> Any:
            alone.append(compiled._TURNS._alone)
            return module(**inputs)

        return run

    class Module:
        device = torch.device("cpu")

        def __call__(self, input_ids: Any, attention_mask: Any) -> Any:
            return input_ids * attention_mask

    monkeypatch.setattr(torch, "compile", compile)
    module = CompiledModule(Module(), "m")
    for rows, length in ((16, 16), (3, 16), (5, 16), (1, 16), (1, 16), (5, 32), (7, 32), (16, 16)):
        ids = torch.arange(rows * length).reshape(rows, length)
        assert torch.equal(module(input_ids=ids, attention_mask=torch.ones_like(ids)), ids)
    # As many rows as tokens may give code for that alone; so may a single row.
    assert alone == [True, True, False, True, False, True, False, False]


def test_what_a_compiler_says_is_one_line_with_the_way_out(
    bert: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        logging.getLogger("torch._inductor.codecache").warning("a warning")
        warnings.warn("another", stacklevel=1)
        raise RuntimeError("C++ compile error\n\nCommand:\ng++ main.cpp\n\nOutput:\nfatal error: Python.h: no\n")

    def settings() -> tuple[int, list[Any]]:
        return logging.getLogger("torch._inductor").level, list(warnings.filters)

    monkeypatch.setattr(torch, "compile", fail)
    encoder = HuggingFaceEncoder(bert, device="cpu", compile=True)
    before = settings()
    expected = (
        r"^bert: torch\.compile fails \(C\+\+ compile error: fatal error: Python\.h: no\); leave --compile out$"
    )
    for _ in range(2):
        with pytest.raises(ModelError, match=expected):
            encoder.encode(windows(encoder, 5, 5, 40))
    assert not caplog.records
    assert settings() == before


def test_a_full_memory_is_no_failure_of_the_compiler(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []

    def compile(module: Any, **_: Any) -> Any:
        def run(*, input_ids: Any, attention_mask: Any) -> Any:
            rows.append(len(input_ids))
            if len(input_ids) > 3:
                raise torch.OutOfMemoryError
            return module(input_ids=input_ids, attention_mask=attention_mask)

        return run

    monkeypatch.setattr(torch, "compile", compile)
    encoder = HuggingFaceEncoder(bert, device="cpu", dtype="float32", compile=True)
    encode_alike(encoder, HuggingFaceEncoder(bert, device="cpu", dtype="float32"), *[30] * 8)
    assert rows == [8, 4, 2, 2, 2, 2]


def test_it_is_part_of_the_identity_and_means_torch(bert: Path) -> None:
    plain = HuggingFaceEncoder(bert, device="cpu")
    fused = HuggingFaceEncoder(bert, device="cpu", compile=True)
    assert fused.identity.engine == f"{plain.identity.engine} compiled"
    assert HuggingFaceEncoder(device="cpu", compile=True).identity.engine.startswith("torch-")
    with pytest.raises(UsageError, match="--compile goes with --engine torch"):
        HuggingFaceEncoder(engine="openvino", compile=True)


@pytest.mark.parametrize("first", ["alone", "together"])
@pytest.mark.parametrize("second", ["alone", "together"])
def test_who_runs_alone_runs_beside_nobody(first: str, second: str) -> None:
    turns = compiled._Turns()
    inside = threading.Event()

    def come() -> None:
        with getattr(turns, second)():
            inside.set()

    other = threading.Thread(target=come, daemon=True)
    with getattr(turns, first)():
        other.start()
        beside = inside.wait(30 if first == second == "together" else 0.05)
    other.join(30)
    assert beside == (first == second == "together")
    assert inside.is_set()


def test_who_wants_to_run_alone_is_not_overtaken() -> None:
    turns = compiled._Turns()
    order: list[str] = []

    def come(kind: str) -> None:
        with getattr(turns, kind)():
            order.append(kind)

    alone, together = (threading.Thread(target=come, args=(kind,), daemon=True) for kind in ("alone", "together"))
    with turns.together():
        alone.start()
        while not turns._waiting:
            alone.join(1e-3)
        together.start()
        together.join(0.05)
        assert order == []
    for thread in (alone, together):
        thread.join(30)
    assert order == ["alone", "together"]
