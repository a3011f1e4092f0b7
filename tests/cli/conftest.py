"""Runs commands in this process: nothing heavy is imported again and again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import models
from vchunk.cli.app import run


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    output: bytes
    said: str

    @property
    def records(self) -> list[Any]:
        """The output read as JSON Lines."""
        return [json.loads(line) for line in self.output.splitlines()]


Command = Callable[..., Outcome]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny encoder."""
    return models.bert_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def vchunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs a command in the test's folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str | Path) -> Outcome:
        code = run([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return Outcome(code, out, err.decode())

    return command
