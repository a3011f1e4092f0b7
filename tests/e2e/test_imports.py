"""What a command does not need it does not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "transformers", "matplotlib", "scipy.signal", "sentence_transformers")


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The heavy modules that a command line leaves in sys.modules."""
    script = (
        "import sys\n"
        "from vchunk.cli.app import run\n"
        f"code = run({list(arguments)!r})\n"
        f"print('LOADED', code, *[m for m in {HEAVY!r} if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    words = [line for line in done.stdout.splitlines() if line.startswith("LOADED")][-1].split()
    assert words[1] == "0", done.stderr
    return set(words[2:])


@pytest.mark.parametrize("arguments", [["--help"], ["chunk", "--help"], ["store", "ls"], ["--version"]])
def test_help_and_store_import_nothing_heavy(tmp_path: Path, arguments: list[str]):
    assert loaded(tmp_path, *arguments) == set()


def test_cutting_what_is_cached_imports_no_torch(tmp_path: Path, vchunk):
    (tmp_path / "a.md").write_text("# A\n\nFirst sentence here. Second sentence there.\n", encoding="utf-8")
    key = vchunk("embed", "a.md").checked().stdout.strip()
    late = ["chunk", key, "--vectors", "late"]
    for command in (["chunk", key], ["chunk", key, "--prominence", "1"], late, ["tree", key], ["show", key]):
        assert not {"torch", "transformers", "matplotlib"} & loaded(tmp_path, *command)
    assert not {"torch", "transformers"} & loaded(tmp_path, "plot", key, "-o", "p.png")
    assert "torch" not in loaded(tmp_path, "embed", "a.md")


def test_structure_only_imports_no_torch(tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\nFirst sentence here. Second sentence there.\n", encoding="utf-8")
    assert not {"torch", "transformers"} & loaded(tmp_path, "chunk", "a.md", "--method", "structure")


def test_the_package_itself_imports_next_to_nothing():
    script = "import sys, vchunk; print(*[m for m in ('numpy', 'torch', 'zarr', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
