"""What holds for every test: nothing of the user's is read or written, nothing is fetched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when huggingface_hub is imported

settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# Each changes what rich and typer print.
TERMINAL = ("CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR", "PY_COLORS")


@pytest.fixture(scope="session")
def font_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where matplotlib lists the fonts: slow to make, so once for all tests."""
    return tmp_path_factory.mktemp("matplotlib")


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, font_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move home, caches and store into the test's own folder; forget the user's settings."""
    for name in [*TERMINAL, *(name for name in os.environ if name.startswith("VCHUNK_"))]:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    moved = {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "HF_HOME": home / ".cache" / "huggingface",
        "MPLCONFIGDIR": font_cache,
        "VCHUNK_STORE": tmp_path / "store",
    }
    for name, path in moved.items():
        monkeypatch.setenv(name, str(path))
    # Every test has a store of its own, and OpenVINO would convert the model for each.
    monkeypatch.setenv("VCHUNK_ENGINE", "torch")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real documents that lies beside some checkouts."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder of real documents beside this checkout")
    return folder
