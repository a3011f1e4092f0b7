"""Tiny models, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

import models


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.bert_folder(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.roberta_folder(tmp_path_factory.mktemp("models") / "roberta")


@pytest.fixture(scope="session")
def modern_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.modern_bert_folder(tmp_path_factory.mktemp("models") / "modern")
