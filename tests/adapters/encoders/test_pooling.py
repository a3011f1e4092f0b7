"""Vectors of whole texts as sentence models make them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.encoders.pooling import POOLS, pooling_of
from vchunk.adapters.encoders.weights import find_model
from vchunk.domain.errors import ModelError
from vchunk.domain.ports import SentenceEncoder
from vchunk.domain.texts import TextEncoding

TRANSFORMER = {"path": "", "type": "sentence_transformers.models.Transformer"}
POOLING = {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}


def sentence_model(bert: Path, folder: Path, pooling: dict[str, Any], *steps: dict[str, Any]) -> Path:
    shutil.copytree(bert, folder)
    (folder / "modules.json").write_text(json.dumps([TRANSFORMER, POOLING, *steps]))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


@pytest.mark.parametrize(
    ("pooling", "name"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}, "cls"),
        ({"pooling_mode_lasttoken": True}, "lasttoken"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode_weightedmean_tokens": True}, "weightedmean"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_pooling_is_read_from_the_models_files(bert: Path, tmp_path: Path, pooling: Any, name: str) -> None:
    folder = sentence_model(bert, tmp_path / "model", pooling, {"path": "2_N", "type": "x.models.Normalize"})
    assert pooling_of(find_model(folder)) == HuggingFaceEncoder(folder).pooling == name


def test_a_model_without_such_files_gets_the_mean(bert: Path) -> None:
    assert pooling_of(find_model(bert)) == "mean"
    assert pooling_of(find_model("minilm")) == "mean"


@pytest.mark.parametrize(
    ("pooling", "steps", "message"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, [], "pooling max, mean is not"),
        ({}, [], "pooling none is not"),
        ({"pooling_mode": "strange"}, [], "pooling strange is not"),
        ({"pooling_mode_cls_token": True}, [{"path": "2", "type": "x.models.Dense"}], "step Dense is not"),
    ],
)
def test_other_ways_are_refused(bert: Path, tmp_path: Path, pooling: Any, steps: Any, message: str) -> None:
    folder = sentence_model(bert, tmp_path / "model", pooling, *steps)
    with pytest.raises(ModelError, match=f"{message} supported.*--vectors late"):
        pooling_of(find_model(folder))


def test_a_damaged_file_is_named(bert: Path, tmp_path: Path) -> None:
    folder = sentence_model(bert, tmp_path / "model", {})
    (folder / "modules.json").write_text("{")
    with pytest.raises(ModelError, match=r"modules\.json cannot be read"):
        pooling_of(find_model(folder))


def test_the_pools() -> None:
    rows = np.array([[1, 8], [3, 2], [5, 2]], np.float32)
    expected = {"mean": [3, 4], "cls": [1, 8], "lasttoken": [5, 2], "max": [5, 8], "weightedmean": [22 / 6, 3]}
    assert {name: pool(rows).tolist() for name, pool in POOLS.items()} == {
        name: pytest.approx(values) for name, values in expected.items()
    }


@pytest.mark.parametrize("prefix", ["", "query: "])
def test_a_text_has_the_vector_that_transformers_gives(bert: Path, prefix: str) -> None:
    import torch
    from transformers import AutoModel

    # The encoder's own prefix is for windows of documents: it is not put before a text again.
    encoder = HuggingFaceEncoder(bert, device="cpu", dtype="float32", prefix="the sea: ")
    assert isinstance(encoder, SentenceEncoder)
    text = "The river, the sea and the storm."
    encoding = TextEncoding(encoder, prefix)
    [vector] = encoding.encode([encoding.tokens(text)])
    ids = encoder.tokenizer.tokenize(prefix + text).ids.tolist()
    with torch.inference_mode():
        states = (
            AutoModel.from_pretrained(bert).eval()(input_ids=torch.tensor([[2, *ids, 3]])).last_hidden_state[0]
        )
    expected = states.mean(dim=0).numpy()
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-5)


def test_a_texts_vector_is_the_same_bits_whatever_the_batch(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert, device="cpu")
    ids = encoder.tokenizer.tokenize(models.sentences(60)).ids
    texts = [ids[i : i + length] for i, length in enumerate([3, 30, 31, 254, 100, 29, 0])]
    together = encoder.pool(texts)
    assert np.array_equal(together, np.concatenate([encoder.pool([text]) for text in texts]))
    assert np.array_equal(
        HuggingFaceEncoder(bert, device="cpu", batch_tokens=600).pool(texts[::-1])[::-1], together
    )


def test_the_longest_text_fills_the_models_input(bert: Path) -> None:
    assert HuggingFaceEncoder(bert).text_window == 254
    assert HuggingFaceEncoder(bert, prefix="the sea: ").text_window == 254
    assert HuggingFaceEncoder(bert, window=510).text_window == 510
    encoder = HuggingFaceEncoder(bert, window=510)
    assert encoder.pool([np.full(510, 30, np.int32)]).shape == (1, 32)
