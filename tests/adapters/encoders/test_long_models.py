"""A model of 8,192 positions: windows of its own, and all that follows from them."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import models
from vchunk.adapters.encoders import batches, openvino_model, torch_model
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.snappers.chonky import ChonkySnapper
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.session import Session

TEXT = models.sentences(700)
EDITED = TEXT[:20_000] + " It was this that nobody had said before. " + TEXT[20_030:]


@pytest.fixture(scope="module")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.modern_bert_folder(tmp_path_factory.mktemp("models") / "long", positions=8192)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of each window that the model was given."""
    lengths: list[int] = []
    run = batches.run_batches

    def record(windows: Any, *args: Any, **options: Any) -> Any:
        lengths.extend(map(len, windows))
        return run(windows, *args, **options)

    for module in (torch_model, openvino_model):
        monkeypatch.setattr(module, "run_batches", record)
    return lengths


def embed(folder: Path, text: str, store: Path, **how: Any) -> Doc:
    encoder = HuggingFaceEncoder(folder, device="cpu", dtype="float32", engine="torch")
    session = Session(encoder=encoder, store=store, warn=lambda _: None)
    return session.embed(Source("a.txt", text.encode()), **how)


def arrays(doc: Doc) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(array[:]) for name, array in doc.embedded().artifact.arrays.items()}


@pytest.mark.parametrize("windows", ["full", "light"])
def test_an_edit_encodes_few_windows_and_gives_what_a_fresh_start_gives(
    windows: str, long_model: Path, tmp_path: Path, read: list[int]
) -> None:
    doc = embed(long_model, TEXT, tmp_path / "store", windows=windows)
    assert doc.report is not None
    assert 254 < min(read) <= max(read) <= 1022
    assert doc.report.windows == len(read) > 10
    read.clear()
    edited = embed(long_model, EDITED, tmp_path / "store", windows=windows)
    assert 0 < len(read) <= 6
    fresh = embed(long_model, EDITED, tmp_path / "other", windows=windows)
    mine, theirs = arrays(edited), arrays(fresh)
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name], equal_nan=name == "contrast") for name in mine)
    chunks = edited.chunks(target_tokens=100)
    assert len(chunks) > 30
    assert all(EDITED[a.end : b.start].strip() == "" for a, b in pairwise(chunks))
    assert [c.id for c in chunks] == [c.id for c in fresh.chunks(target_tokens=100)]


def test_a_text_is_read_as_far_as_a_window_reaches(long_model: Path, tmp_path: Path, read: list[int]) -> None:
    doc = embed(long_model, TEXT, tmp_path / "store")
    read.clear()
    vectors = doc.chunks(target_tokens=2000, vectors="text").vectors
    assert vectors is not None
    assert max(read) == 1024  # special tokens and all: a text is read as one window
    assert np.isfinite(vectors).all()


def test_the_default_is_a_window_that_can_be_asked_for(long_model: Path) -> None:
    encoder = HuggingFaceEncoder(long_model, prefix="the river: ")
    assert encoder.window == 1022 - len(encoder.tokenizer.tokenize("the river:").ids)
    assert encoder.text_window == 1022
    short = HuggingFaceEncoder(long_model, window=254)
    assert (short.window, short.text_window) == (254, 254)
    most = HuggingFaceEncoder(long_model, window=8190)
    assert most.window == 8190


def test_what_is_held_at_once_does_not_grow_with_the_window(long_model: Path) -> None:
    held = [
        encoder.window * encoder.windows_at_once
        for encoder in (HuggingFaceEncoder(long_model, device="cpu", window=n) for n in (254, 1022, 8190))
    ]
    assert max(held) < 1.1 * min(held)


@pytest.mark.skipif(find_spec("openvino") is None, reason="OpenVINO is not installed")
def test_openvino_reads_far_beyond_the_length_that_it_was_converted_at(long_model: Path) -> None:
    torch = HuggingFaceEncoder(long_model, device="cpu", dtype="float32", engine="torch")
    other = HuggingFaceEncoder(long_model, dtype="float32", engine="openvino")
    ids = torch.tokenizer.tokenize(TEXT).ids
    some = [ids[:1022], ids[500:1100], ids[:40]]
    for mine, theirs in zip(other.encode(some), torch.encode(some), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-4)


def test_chonky_reads_in_windows_as_long(tmp_path: Path) -> None:
    folder = models.separator_folder(tmp_path / "separator", positions=8192)
    candidates = np.array([i for i in range(1, len(TEXT)) if TEXT[i - 1].isspace()], np.int64)
    short, long = (ChonkySnapper(folder, device="cpu", window=n) for n in (62, 1022))
    np.testing.assert_allclose(long.scores(TEXT, candidates), short.scores(TEXT, candidates), atol=1e-5)
