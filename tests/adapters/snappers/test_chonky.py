from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import models
from vchunk.adapters.encoders.torch_model import TorchModel
from vchunk.adapters.snappers import chonky
from vchunk.adapters.snappers.chonky import ChonkySnapper
from vchunk.domain.document import Span
from vchunk.domain.errors import ModelError, UsageError
from vchunk.domain.ports import Snapper


@pytest.fixture(scope="session")
def separator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.separator_folder(tmp_path_factory.mktemp("models") / "separator")


@pytest.fixture
def snapper(separator: Path) -> ChonkySnapper:
    return ChonkySnapper(separator, device="cpu")


def word_starts(text: str) -> NDArray[np.int64]:
    return np.array([match.start() for match in re.finditer(r"(?<=\s)\S", text)], np.int64)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of each window that a model was given."""
    lengths: list[int] = []
    run = TorchModel.run

    def record(self: TorchModel, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        lengths.extend(map(len, windows))
        return run(self, windows)

    monkeypatch.setattr(TorchModel, "run", record)
    return lengths


def test_boundaries_behind_the_marked_token_score_high(snapper: ChonkySnapper, read: list[int]) -> None:
    port: Snapper = snapper
    text = models.sentences(60)
    candidates = word_starts(text)
    scores = port.scores(text, candidates)
    assert scores.dtype == np.float32
    expected = np.array([text[:at].rstrip().endswith(".") for at in candidates])
    assert expected.sum() > 40
    assert (scores[expected] > 0.99).all()
    assert (scores[~expected] < 0.01).all()
    assert len(read) > 10  # the text takes many windows


def test_the_mark_may_stand_anywhere_in_the_word_before(tmp_path: Path) -> None:
    snapper = ChonkySnapper(models.separator_folder(tmp_path / "m", fires_on="river"))
    text = "the (river.)”  sea river-bank storm river\n\n) sea"
    candidates = word_starts(text)
    scores = snapper.scores(text, candidates)
    assert [text[at:].split()[0] for at in candidates[scores > 0.5]] == ["sea", "storm", ")"]


def test_a_candidate_does_not_take_the_score_of_the_one_before(tmp_path: Path) -> None:
    snapper = ChonkySnapper(models.separator_folder(tmp_path / "m", fires_on="river"))
    text = "river-bank sea"
    assert snapper.scores(text, np.array([6, 11])).round(2).tolist() == [1.0, 0.0]
    assert snapper.scores(text, np.array([11])).round(2).tolist() == [1.0]


def test_words_that_no_space_parts_are_rated_by_their_last_letter(tmp_path: Path) -> None:
    snapper = ChonkySnapper(models.separator_folder(tmp_path / "m", fires_on="!"))
    text = "天好！「来!」走。去"
    scores = snapper.scores(text, np.array([text.index("「"), text.index("走"), text.index("去")]))
    assert scores.round(2).tolist() == [0.0, 1.0, 0.0]
    assert snapper.scores(text, np.array([text.index("去")])).round(2).tolist() == [0.0]


def test_only_candidates_in_the_regions_are_read(snapper: ChonkySnapper, read: list[int]) -> None:
    text = models.sentences(300)
    candidates = word_starts(text)
    whole = snapper.scores(text, candidates)
    everything = sum(read)
    read.clear()
    regions = [Span(900, 960), Span(930, 1000), Span(5000, 5001), Span(7000, 7100)]
    some = snapper.scores(text, candidates, regions)
    inside = np.array([any(at in region for region in regions) for at in candidates.tolist()])
    assert inside.sum() > 10
    assert np.isnan(some[~inside]).all()
    assert np.array_equal(some[inside], whole[inside])
    assert sum(read) < everything / 5


@pytest.mark.parametrize("regions", [[], [Span(0, 0)], [Span(50, 50)]])
def test_no_region_reads_nothing(snapper: ChonkySnapper, read: list[int], regions: list[Span]) -> None:
    text = models.sentences(20)
    assert np.isnan(snapper.scores(text, word_starts(text), regions)).all()
    assert read == []


def test_no_candidates_and_no_tokens(snapper: ChonkySnapper) -> None:
    assert snapper.scores("the river", np.empty(0, np.int64)).shape == (0,)
    assert snapper.scores("", np.array([0])).tolist() == [0.0]
    assert snapper.scores("   ", np.array([1, 3])).tolist() == [0.0, 0.0]
    assert snapper.scores("river", np.array([0, 5])).max() < 0.01


@pytest.mark.parametrize("tokens", [1, 5, 30, 62, 63, 124, 400, 1500])
@pytest.mark.parametrize("most", [6, 62, 510])
def test_windows_overlap_by_half_and_each_token_is_read_where_it_is_central(tokens: int, most: int) -> None:
    ids = np.random.default_rng(tokens).integers(0, 1000, tokens).astype(np.int32)
    plan = list(chonky._windows(ids, most))
    rated = [i for _, _, first, last in plan for i in range(first, last)]
    assert rated == list(range(tokens))
    for start, stop, first, last in plan:
        assert start <= first < last <= stop
        assert stop - start <= most
    for start, stop, first, last in plan:
        for i in {first, last - 1}:
            depth = min(i - start if start else tokens, stop - 1 - i if stop < tokens else tokens)
            others = [
                min(i - a if a else tokens, b - 1 - i if b < tokens else tokens)
                for a, b, _, _ in plan
                if a <= i < b
            ]
            assert depth >= max(others) - 1


def test_an_edit_changes_scores_only_nearby(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForTokenClassification

    tokenizer = models.word_piece()
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=16, max_position_embeddings=64, id2label={0: "O", 1: "separator"},
    )  # fmt: skip
    folder = models._save(tmp_path / "random", BertForTokenClassification, config, tokenizer, 64, 0)
    snapper = ChonkySnapper(folder, device="cpu")
    text = models.sentences(200)
    edited = "A new sentence of storm and sea. " + text
    shift = len(edited) - len(text)
    candidates = word_starts(text)
    before, after = snapper.scores(text, candidates), snapper.scores(edited, candidates + shift)
    far = candidates > 1500
    assert len(set(before.tolist())) > 100
    assert np.array_equal(before[far], after[far])


@pytest.mark.parametrize(
    ("labels", "high"),
    [
        ({"0": "O", "1": "separator"}, True),
        ({"0": "separator", "1": "O"}, False),
        ({"0": "LABEL_0", "1": "LABEL_1"}, True),
        (None, True),
    ],
)
def test_the_label_that_means_nothing_is_known_by_its_name(
    separator: Path, tmp_path: Path, labels: dict[str, str] | None, high: bool
) -> None:
    folder = shutil.copytree(separator, tmp_path / "m")
    config = json.loads((folder / "config.json").read_text()) | {"id2label": labels, "label2id": None}
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
    [score] = ChonkySnapper(folder).scores("the . sea", np.array([6]))
    assert bool(score > 0.9) is high


def test_a_folder_that_is_no_token_classifier_is_refused(tmp_path: Path) -> None:
    snapper = ChonkySnapper(models.bert_folder(tmp_path / "bert"))
    with pytest.raises(ModelError, match=r"^bert: .* has no weights for classifier"):
        snapper.scores("the river. sea", np.array([11]))


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(ModelError, match=r"^mirth/chonky_modernbert_base_1: "):
        ChonkySnapper()


@pytest.mark.parametrize("window", [0, 5, 63])
def test_a_window_that_the_model_cannot_take_is_refused(separator: Path, window: int) -> None:
    with pytest.raises(UsageError, match=f"window {window}"):
        ChonkySnapper(separator, window=window)


def test_identity_covers_weights_and_window(separator: Path, tmp_path: Path) -> None:
    first = ChonkySnapper(separator, device="cpu").identity
    assert ChonkySnapper(shutil.copytree(separator, tmp_path / "copy"), device="cpu").identity == first
    assert ChonkySnapper(separator, device="cpu", window=40).identity != first
    other = models.separator_folder(tmp_path / "other", fires_on="!")
    assert ChonkySnapper(other, device="cpu").identity != first


def test_a_pickled_snapper_rates_alike(snapper: ChonkySnapper) -> None:
    text = models.sentences(10)
    copy = pickle.loads(pickle.dumps(snapper))
    assert np.array_equal(copy.scores(text, word_starts(text)), snapper.scores(text, word_starts(text)))
