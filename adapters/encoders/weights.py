"""Where a model's files lie, and a digest of what they say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import xxhash

from vchunk.adapters.encoders import minilm
from vchunk.adapters.encoders.tokenizer import HfTokenizer
from vchunk.domain.errors import ModelError, UsageError

_SINGLE = ("model.safetensors", "pytorch_model.bin")
_SHARDED = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_SMALL_FILES = [
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "*.index.json",
    "modules.json",
    "*_Pooling/config.json",
]
_PROVENANCE = ("_name_or_path", "transformers_version", "torch_dtype", "dtype")
_SENTINEL = 1_000_000  # tokenizers without a limit write 10**30
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
_digests: dict[tuple[str, int, int], str] = {}


@dataclass(frozen=True)
class ModelFolder:
    """A folder with ``config.json``, ``tokenizer.json`` and weights.

    ``bundled`` tells that it is the model that comes along, whose digest is known beforehand.
    """

    path: Path
    name: str
    bundled: bool = False

    @cached_property
    def config(self) -> dict[str, Any]:
        """The model's configuration.

        Raises
        ------
        ModelError
            If there is none.
        """
        return self._json("config.json")

    @cached_property
    def tokenizer(self) -> HfTokenizer:
        """The fast tokenizer.

        Raises
        ------
        ModelError
            If the folder has none.
        """
        path = self.path / "tokenizer.json"
        if not path.is_file():
            raise ModelError(
                f"{self.name}: no tokenizer.json in {self.path}; a model with a fast tokenizer is needed "
                "(transformers writes one: AutoTokenizer.from_pretrained(...).save_pretrained(...))"
            )
        return HfTokenizer.from_file(path, self.name)

    @property
    def tokenizer_limit(self) -> int | None:
        """The longest input that the tokenizer's settings allow, in tokens, special ones included."""
        if not (self.path / "tokenizer_config.json").is_file():
            return None
        limit = self._json("tokenizer_config.json").get("model_max_length")
        return int(limit) if isinstance(limit, int | float) and 0 < limit <= _SENTINEL else None

    @cached_property
    def content(self) -> str:
        """A digest over weights and configuration, 32 hex digits; where they lie plays no part.

        Of the configuration everything counts but where it came from and which version wrote it.
        """
        digest = xxhash.xxh3_128()
        config = {key: value for key, value in self.config.items() if key not in _PROVENANCE}
        digest.update(json.dumps(config, sort_keys=True).encode())
        for path in self._weight_files():
            digest.update((minilm.XXH3_128 if self.bundled else file_digest(path)).encode())
        return digest.hexdigest()

    def _weight_files(self) -> list[Path]:
        """The files that hold the weights, sorted.

        Raises
        ------
        ModelError
            If there are none.
        """
        for single, index in zip(_SINGLE, _SHARDED, strict=True):
            if (self.path / single).is_file():
                return [self.path / single]
            if (self.path / index).is_file():
                shards = set(self._json(index).get("weight_map", {}).values())
                return sorted(self.path / shard for shard in shards)
        raise ModelError(f"{self.name}: no weights in {self.path} (looked for {', '.join(_SINGLE)})")

    def _json(self, file: str) -> dict[str, Any]:
        path = self.path / file
        try:
            value = json.loads(path.read_bytes())
        except OSError as error:
            raise ModelError(f"{self.name}: {path} cannot be read ({error.strerror})") from error
        except ValueError as error:
            raise ModelError(f"{self.name}: {path} is not JSON ({error})") from error
        if not isinstance(value, dict):
            raise ModelError(f"{self.name}: {path} is not a JSON object")
        return value


def file_digest(path: Path) -> str:
    """xxh3-128 of a file, 32 hex digits; remembered while path, size and time stay the same.

    Raises
    ------
    ModelError
        If the file cannot be read.
    """
    try:
        state = path.stat()
        key = (str(path.resolve()), state.st_size, state.st_mtime_ns)
        if key not in _digests:
            digest = xxhash.xxh3_128()
            with path.open("rb") as file:
                while block := file.read(1 << 22):
                    digest.update(block)
            _digests[key] = digest.hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: weights cannot be read ({error.strerror})") from error
    return _digests[key]


def find_model(model: str | Path, revision: str | None = None) -> ModelFolder:
    """The folder of a model: the bundled one, a local folder, or a name on the Hugging Face hub.

    A model that the hub's cache holds is used without asking the network; others are fetched
    unless ``HF_HUB_OFFLINE`` is set.

    Raises
    ------
    UsageError
        If a revision is given for a model that has none.
    ModelError
        If the model is in none of these places.
    """
    if isinstance(model, str) and (model == minilm.NAME or (model in minilm.HUB_NAMES and revision is None)):
        found = ModelFolder(minilm.bundled_folder(), minilm.NAME, bundled=True)
    else:
        folder = Path(model).expanduser()
        if folder.is_dir():
            found = ModelFolder(folder, folder.resolve().name)
        elif isinstance(model, Path) or not _is_hub_name(model):
            raise ModelError(f"{model}: no such folder; give a folder with config.json, or a name on the hub")
        else:
            return ModelFolder(_hub_folder(model, revision), model)
    if revision is not None:
        raise UsageError(f"--revision is for models on the hub; {model} is a local folder")
    return found


def _is_hub_name(model: str) -> bool:
    return bool(_HUB_NAME.fullmatch(model)) and ".." not in model and "--" not in model


def _hub_folder(name: str, revision: str | None) -> Path:
    """The snapshot of a hub model, from the cache if it is complete there."""
    from huggingface_hub import constants, snapshot_download

    def snapshot(patterns: list[str], local: bool) -> Path:
        return Path(snapshot_download(name, revision=revision, allow_patterns=patterns, local_files_only=local))

    try:
        cached = snapshot(_SMALL_FILES, True)
        if _is_complete(cached):
            return cached
    except OSError:
        pass
    if constants.HF_HUB_OFFLINE:
        raise ModelError(
            f"{name}: no such folder, and not in the cache {constants.HF_HUB_CACHE}; HF_HUB_OFFLINE forbids "
            "to ask the hub: unset it, or give a local folder"
        )
    return _fetch(name, snapshot)


def _fetch(name: str, snapshot: Callable[[list[str], bool], Path]) -> Path:
    """Fetch a model from the hub: safetensors, or the older format where there are none."""
    from huggingface_hub import constants

    try:
        folder = snapshot([*_SMALL_FILES, "model*.safetensors"], False)
        if not _is_complete(folder):
            folder = snapshot([*_SMALL_FILES, "pytorch_model*.bin"], False)
    except Exception as error:  # the hub's client raises errors of several libraries
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise ModelError(
            f"{name}: no such folder, not in the cache {constants.HF_HUB_CACHE}, and the hub gave nothing "
            f"({reason}); give a local folder or check the name"
        ) from error
    return folder


def _is_complete(folder: Path) -> bool:
    """Whether configuration, tokenizer and weights are there."""
    found = ModelFolder(folder, folder.name)
    try:
        weights = found._weight_files()
    except ModelError:
        return False
    return all(path.is_file() for path in [folder / "config.json", folder / "tokenizer.json", *weights])
