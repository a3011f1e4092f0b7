from __future__ import annotations

import json
import pickle
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import models
from encoder_laws import check_calls_at_once
from vchunk.adapters.encoders import torch_model
from vchunk.adapters.encoders.framing import Frame
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.domain.errors import ModelError, UsageError
from vchunk.domain.ports import Encoder

Windows = list[NDArray[np.int32]]


def cut(encoder: HuggingFaceEncoder, *lengths: int, text: str | None = None) -> Windows:
    ids = encoder.tokenizer.tokenize(text or models.sentences(60)).ids
    return [ids[i : i + length] for i, length in enumerate(lengths)]


def changed(folder: Path, target: Path, file: str, **changes: Any) -> Path:
    shutil.copytree(folder, target)
    values = json.loads((target / file).read_text())
    (target / file).write_text(json.dumps(values | changes))
    return target


def same(first: list[NDArray[np.float32]], second: list[NDArray[np.float32]]) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def minilm() -> HuggingFaceEncoder:
    return HuggingFaceEncoder()


def test_a_window_gives_the_vectors_that_transformers_gives(bert: Path) -> None:
    from transformers import AutoModel

    encoder: Encoder = HuggingFaceEncoder(bert, device="cpu", dtype="float32")
    ids = encoder.tokenizer.tokenize("The river, the sea and the storm.").ids
    [vectors] = encoder.encode([ids])
    model = AutoModel.from_pretrained(bert).eval()
    with torch.inference_mode():
        expected = model(input_ids=torch.tensor([[2, *ids.tolist(), 3]])).last_hidden_state[0, 1:-1]
    np.testing.assert_allclose(vectors, expected.numpy(), atol=1e-5)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(ids), encoder.dim) == (9, 32)


@pytest.mark.parametrize("kind", ["bert", "roberta", "modern_bert"])
@pytest.mark.usefixtures("threads")
def test_vectors_are_the_same_bits_whatever_the_batch(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind)
    encoder = HuggingFaceEncoder(folder, device="cpu")
    # Up to the padded length and below it: a batch without padding may run without a mask.
    longest = encoder.window
    windows = cut(encoder, *range(longest - 9, longest + 1), 30, 29, 3, 1)
    alone = [encoder.encode([window])[0] for window in windows]
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for batch in (1, 2, 8, 32):
            other = HuggingFaceEncoder(folder, device="cpu", batch_tokens=batch * (longest + 2))
            assert same(other.encode(windows), alone)
            assert same(other.encode(windows[::-1]), alone[::-1])


@pytest.mark.usefixtures("threads")
def test_the_bundled_models_vectors_are_the_same_bits_whatever_the_batch(minilm: HuggingFaceEncoder) -> None:
    windows = cut(minilm, 254, 253, 240, 30, 17)
    alone = [minilm.encode([window])[0] for window in windows]
    assert minilm.dim == 384
    for threads, batch in ((1, 1), (1, 2), (2, 8), (2, 32)):
        torch.set_num_threads(threads)
        assert same(HuggingFaceEncoder(batch_tokens=batch * 256).encode(windows), alone)


def test_the_bundled_model_knows_what_words_mean(minilm: HuggingFaceEncoder) -> None:
    texts = ["a cat sat on the mat", "a kitten lay on the rug", "interest rates rose sharply"]
    pooled = [v.mean(axis=0) for v in minilm.encode([minilm.tokenizer.tokenize(text).ids for text in texts])]
    cat, kitten, rates = (v / np.linalg.norm(v) for v in pooled)
    assert cat @ kitten > 0.5 > 0.2 > cat @ rates


def test_vectors_depend_on_the_window_around(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert)
    one, two = encoder.encode([encoder.tokenizer.tokenize(text).ids for text in ("the river", "the price")])
    assert not np.array_equal(one[0], two[0])


def test_no_windows_and_empty_windows_load_nothing(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("loaded")

    monkeypatch.setattr(torch_model, "load_module", refuse)
    encoder = HuggingFaceEncoder(bert)
    assert encoder.encode([]) == []
    assert encoder.encode([np.empty(0, np.int32)])[0].shape == (0, 32)


def test_an_empty_window_among_others_keeps_its_place(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert)
    ids = cut(encoder, 5)[0]
    assert [len(v) for v in encoder.encode([ids[:0], ids, ids[:0], ids[:2]])] == [0, 5, 0, 2]


def test_a_prefix_is_read_and_its_vectors_are_dropped(bert: Path) -> None:
    from transformers import AutoModel

    encoder = HuggingFaceEncoder(bert, device="cpu", dtype="float32", prefix="the: ")
    ids = encoder.tokenizer.tokenize("the river").ids
    [vectors] = encoder.encode([ids])
    prefix = encoder.tokenizer.tokenize("the:").ids.tolist()
    with torch.inference_mode():
        states = AutoModel.from_pretrained(bert).eval()(input_ids=torch.tensor([[2, *prefix, *ids.tolist(), 3]]))
    np.testing.assert_allclose(vectors, states.last_hidden_state[0, 3:5].numpy(), atol=1e-5)
    plain = HuggingFaceEncoder(bert)
    assert encoder.window == plain.window - 2
    assert encoder.identity.prefix == "the: "
    assert encoder.identity != plain.identity


def test_white_space_at_a_prefixs_end_is_the_documents(modern_bert: Path) -> None:
    assert HuggingFaceEncoder(modern_bert, prefix="query: ").window == (
        HuggingFaceEncoder(modern_bert, prefix="query:").window
    )


def test_the_bundled_weights_are_checked_before_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from vchunk.adapters.encoders import minilm

    monkeypatch.setattr(minilm, "SHA256", "0" * 64)
    encoder = HuggingFaceEncoder()
    with pytest.raises(ModelError, match="is damaged"):
        encoder.encode(cut(encoder, 4))


def test_identity_is_that_of_the_content(bert: Path, tmp_path: Path) -> None:
    first = HuggingFaceEncoder(bert, device="cpu", dtype="fp32").identity
    assert (
        HuggingFaceEncoder(shutil.copytree(bert, tmp_path / "copy"), device="cpu", dtype="fp32").identity == first
    )
    other = HuggingFaceEncoder(models.bert_folder(tmp_path / "other", seed=1), device="cpu").identity
    assert (other.content == first.content, other.tokenizer == first.tokenizer) == (False, True)
    assert HuggingFaceEncoder(bert, device="cpu", dtype="bf16").identity != first
    assert HuggingFaceEncoder(bert, device="cpu", dtype="fp32", batch_tokens=7, window=40).identity == first
    assert first.engine.startswith(f"torch-{version('torch')} ")
    assert (first.device.startswith("cpu-"), first.dtype) == (True, "float32")


def test_bfloat16_gives_float32_arrays_close_to_the_real_ones(bert: Path) -> None:
    exact, rough = (
        HuggingFaceEncoder(bert, device="cpu", dtype="fp32"),
        HuggingFaceEncoder(bert, device="cpu", dtype="bf16"),
    )
    windows = cut(exact, 50)
    [full], [half] = exact.encode(windows), rough.encode(windows)
    assert half.dtype == np.float32
    assert not np.array_equal(full, half)
    np.testing.assert_allclose(half, full, atol=0.1)


@pytest.mark.parametrize(
    ("config", "tokenizer_limit", "window"),
    [
        ({"max_position_embeddings": 512}, 512, 254),
        ({"max_position_embeddings": 512}, int(1e30), 254),
        ({"max_position_embeddings": 64}, int(1e30), 62),
        ({"max_position_embeddings": 512}, 128, 126),
        ({"max_position_embeddings": 2047}, 8192, 254),
        ({"max_position_embeddings": 2048}, 8192, 1022),
        ({"max_position_embeddings": 8192}, int(1e30), 1022),
        ({"max_position_embeddings": 8192}, 512, 254),
        ({"max_position_embeddings": None}, None, 254),
    ],
)
def test_the_window_is_what_model_and_tokenizer_can_take(  # F083
    bert: Path, tmp_path: Path, config: dict[str, int | None], tokenizer_limit: int | None, window: int
) -> None:
    folder = changed(bert, tmp_path / "m", "config.json", **config)
    folder = changed(folder, tmp_path / "n", "tokenizer_config.json", model_max_length=tokenizer_limit)
    assert HuggingFaceEncoder(folder).window == window


def test_positions_behind_the_padding_are_not_counted(roberta: Path) -> None:
    encoder = HuggingFaceEncoder(roberta)
    assert encoder.window == 62  # 66 positions, 2 lost to the padding, 2 special tokens
    assert encoder.encode(cut(encoder, 62))[0].shape == (62, 32)
    with pytest.raises(UsageError, match=r"window 63: .*1 to 62"):
        HuggingFaceEncoder(roberta, window=63)


@pytest.mark.parametrize("window", [0, -1, 511])
def test_a_window_that_the_model_cannot_take_is_refused(bert: Path, window: int) -> None:
    with pytest.raises(UsageError, match=f"window {window}: bert takes 1 to 510 tokens"):
        HuggingFaceEncoder(bert, window=window)


def test_a_longer_window_is_had_by_asking(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert, window=510)
    [vectors] = encoder.encode(cut(encoder, 510))
    assert len(vectors) == encoder.window == 510


def test_a_window_over_the_models_length_is_a_bug(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert)
    with pytest.raises(ValueError, match="511 tokens, over the 510"):
        encoder.encode([np.full(511, 5, np.int32)])


def test_a_prefix_that_leaves_no_room_is_refused(roberta: Path) -> None:
    with pytest.raises(UsageError, match="--prefix"):
        HuggingFaceEncoder(roberta, prefix="sea " * 80)


def test_a_tokenizer_with_more_words_than_the_model_is_refused(bert: Path, tmp_path: Path) -> None:
    encoder = HuggingFaceEncoder(changed(bert, tmp_path / "m", "config.json", vocab_size=20))
    with pytest.raises(ModelError, match="do not belong together"):
        encoder.encode(cut(encoder, 40))


def test_weights_that_are_missing_are_not_made_up(bert: Path, tmp_path: Path) -> None:
    encoder = HuggingFaceEncoder(changed(bert, tmp_path / "m", "config.json", num_hidden_layers=3))
    with pytest.raises(ModelError, match=r"^m: .* has no weights for .*layer\.2"):
        encoder.encode(cut(encoder, 4))


def test_weights_that_cannot_be_read_are_one_line(bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bert, tmp_path / "m")
    (folder / "model.safetensors").write_bytes(b"\x00" * 99)
    encoder = HuggingFaceEncoder(folder)
    with pytest.raises(ModelError, match=r"^m: .* cannot be loaded [^\n]*$"):
        encoder.encode(cut(encoder, 4))


LOAD = """
import sys
import numpy as np
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
encoder = HuggingFaceEncoder(sys.argv[1])
ids = encoder.tokenizer.tokenize("the river and the sea " * 2000).ids
np.save(sys.argv[2], encoder.encode([ids[:40]])[0])
"""


def test_a_missing_pooler_is_no_loss_and_loading_is_silent(bert: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(bert, tmp_path / "m")
    weights = {k: v for k, v in load_file(folder / "model.safetensors").items() if "pooler" not in k}
    save_file(weights | {"extra.weight": torch.ones(2)}, folder / "model.safetensors", metadata={"format": "pt"})
    command = [sys.executable, "-c", LOAD, str(folder), str(tmp_path / "vectors.npy")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    encoder = HuggingFaceEncoder(bert)
    [expected] = encoder.encode([encoder.tokenizer.tokenize("the river and the sea " * 8).ids])
    assert np.array_equal(np.load(tmp_path / "vectors.npy"), expected)


def test_loading_leaves_warnings_and_reports_of_others_alone(bert: Path) -> None:
    from transformers.utils import logging

    logging.set_verbosity_info()
    before = logging.get_verbosity(), logging.is_progress_bar_enabled(), list(warnings.filters)
    encoder = HuggingFaceEncoder(bert)
    encoder.encode(cut(encoder, 4))
    after = logging.get_verbosity(), logging.is_progress_bar_enabled(), list(warnings.filters)
    logging.set_verbosity_warning()
    assert after == before


def test_a_local_folder_needs_no_socket(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    encoder = HuggingFaceEncoder(str(bert))
    assert encoder.encode(cut(encoder, 4))[0].shape == (4, 32)


def test_calls_of_several_threads_give_what_they_give_alone(bert: Path) -> None:
    check_calls_at_once(*(HuggingFaceEncoder(bert, device="cpu", engine="torch") for _ in range(2)))


def test_a_pickled_encoder_encodes_alike(bert: Path) -> None:
    encoder = HuggingFaceEncoder(bert, prefix="the")
    windows = cut(encoder, 20)
    vectors = encoder.encode(windows)
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.identity == encoder.identity
    assert same(copy.encode(windows), vectors)


def test_batch_tokens_below_one_are_refused(bert: Path) -> None:
    with pytest.raises(UsageError, match="batch_tokens 0"):
        HuggingFaceEncoder(bert, batch_tokens=0)


FRAME = Frame(before=(2,), after=(3,), pad_id=0, positions=100, window=98)


@pytest.mark.parametrize(("tokens", "length"), [(1, 16), (14, 16), (15, 32), (94, 96), (95, 100), (98, 100)])
def test_a_padded_length_is_a_multiple_of_16_within_the_positions(tokens: int, length: int) -> None:
    assert FRAME.padded_length(tokens) == length


def test_of_an_encoder_decoder_only_the_encoder_is_used(tmp_path: Path) -> None:
    from transformers import T5Config, T5Model

    tokenizer = models.word_piece()
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2
    )
    folder = models._save(tmp_path / "t5", T5Model, config, tokenizer, None, 0)
    encoder = HuggingFaceEncoder(folder, device="cpu", window=300)  # relative positions: no limit
    assert encoder.encode(cut(encoder, 300))[0].shape == (300, 16)
