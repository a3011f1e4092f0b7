"""Runs the installed command as a user does: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

COMMAND = Path(sys.executable).with_name("vchunk")
SECONDS = 240  # far beyond any run; ends one that hangs


@dataclass(frozen=True)
class Outcome:
    """What a process left behind; negative return codes are signals."""

    returncode: int
    output: bytes
    stderr: str

    @property
    def stdout(self) -> str:
        """The output as text."""
        return self.output.decode()

    @property
    def records(self) -> list[Any]:
        """The output read as JSON Lines."""
        return [json.loads(line) for line in self.output.splitlines()]

    def checked(self) -> Outcome:
        """Itself, if the process succeeded."""
        assert self.returncode == 0, f"exit code {self.returncode}: {self.stderr}"
        return self


class Run(Protocol):
    """``vchunk("chunk", path, "--preset", "fine")``; ``input=None`` is the null device."""

    def __call__(
        self,
        *args: str | Path,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome: ...


class Pipe(Protocol):
    """``vchunk_pipe("vchunk embed a.md | vchunk tree")``; the last command's exit code counts."""

    def __call__(
        self,
        script: str,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome: ...


def execute(
    args: list[str], folder: Path, input: bytes | None, env: Mapping[str, str] | None, cwd: Path | None
) -> Outcome:
    """Run a command in the test's folder, with the installed ``vchunk`` first on the path."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(
        args,
        stdin=subprocess.DEVNULL if input is None else None,
        input=input,
        capture_output=True,
        cwd=cwd or folder,
        env={**os.environ, "PATH": path, **(env or {})},
        timeout=SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture
def vchunk(tmp_path: Path) -> Run:
    """Runs ``vchunk`` in the test's folder."""

    def run(
        *args: str | Path,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        return execute([str(COMMAND), *map(str, args)], tmp_path, input, env, cwd)

    return run


@pytest.fixture
def vchunk_pipe(tmp_path: Path) -> Pipe:
    """Runs a line of shell in the test's folder."""

    def run(
        script: str,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        return execute(["sh", "-c", script], tmp_path, input, env, cwd)

    return run
