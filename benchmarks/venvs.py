"""One environment a peer, beside the repository's own: ``build/peers/NAME/venv``.

An environment sees the packages of the interpreter that runs this (torch, transformers, numpy ...)
behind its own, so PyTorch is not installed again; its requirements are complete lists, installed
without looking at what they ask for, so none can bring another.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path


class PeerError(Exception):
    """A peer could not be installed or run; says which, and where to read why."""


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def make_venv(folder: Path, requirements: Path) -> Path:
    """The interpreter of a peer's environment, made where it is not there or its requirements changed.

    Raises
    ------
    PeerError
        If pip cannot install them.
    """
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    stamp = folder / "installed"
    python = python_of(folder)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    venv.EnvBuilder(clear=True, with_pip=False).create(folder)
    place = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()
    shared = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(place) / "shared.pth").write_text("\n".join(sorted(shared)) + "\n")
    log = folder / "pip.log"
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "-r",
        str(requirements),
    ]
    with log.open("w") as out:
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode:
            raise PeerError(f"{requirements.stem}: pip failed, see {log}")
    stamp.write_text(wanted)
    return python
