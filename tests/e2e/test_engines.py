"""What computes: chosen by options, told by ``vchunk config``, part of the key."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest

import models

TEXT = "A river begins where rain gathers. It cuts its bed into the rock. " * 40

needs_openvino = pytest.mark.skipif(find_spec("openvino") is None, reason="OpenVINO is not installed")


@needs_openvino
def test_openvino_embeds_and_keeps_its_network_in_the_store(vchunk: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    embed = ("embed", "a.txt", "--format", "json", "--engine", "openvino")
    first = json.loads(vchunk(*embed).stdout)
    assert first["windows_encoded"] == first["windows"] > 3
    assert list((tmp_path / "store" / "models").glob("*openvino*/network.xml"))
    assert json.loads(vchunk(*embed).stdout)["windows_encoded"] == 0
    light = json.loads(vchunk(*embed, "--windows", "light").stdout)
    other = json.loads(vchunk("embed", "a.txt", "--format", "json", "--engine", "torch").stdout)
    assert len({first["key"], light["key"], other["key"]}) == 3
    chunks = [json.loads(line) for line in vchunk("chunk", light["key"]).stdout.splitlines()]
    assert " ".join(chunk["text"] for chunk in chunks) == TEXT.strip()


@pytest.mark.skipif(which(os.environ.get("CXX", "g++")) is None, reason="there is no C++ compiler")
def test_a_compiled_encoder_embeds_and_is_told_apart(vchunk: Any, tmp_path: Path) -> None:
    model = models.bert_folder(tmp_path / "bert")
    (tmp_path / "a.txt").write_text(models.sentences(5))
    embed = ("embed", "a.txt", "--format", "json", "--encoder", "bert", "--dtype", "float32")
    env = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "compiled"), "TORCHINDUCTOR_VEC_ISA_OK": "1"}
    done = vchunk(*embed, "--compile", env=env).checked()
    assert done.stderr == ""
    assert list((tmp_path / "compiled").rglob("*.so"))
    [fused], [plain] = done.records, vchunk(*embed).checked().records
    assert fused["windows_encoded"] == plain["windows_encoded"] == 1
    assert fused["key"] != plain["key"]
    here = vchunk("config", "--encoder", model, env={"VCHUNK_COMPILE": "1"}).checked().records[0]["here"]
    assert here["engine"].endswith(" compiled")


def test_config_says_what_holds_and_from_where(vchunk: Any, tmp_path: Path) -> None:
    options = ("config", "--dtype", "float32", "--windows", "light")
    done = vchunk(*options, env={"VCHUNK_PRESET": "fine", "VCHUNK_PASSWORD": "open sesame"})
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["here"]["store"] == str(tmp_path / "store")
    assert (record["here"]["dtype"], record["here"]["windows"]) == ("float32", "aligned-105-21")
    assert record["here"]["engine"].startswith("torch-")
    settings = {entry["option"]: (entry["value"], entry["from"]) for entry in record["settings"]}
    assert settings["--preset"] == ("fine", "VCHUNK_PRESET")
    assert settings["--dtype"] == ("float32", "option")
    assert settings["--engine"] == ("torch", "VCHUNK_ENGINE")
    assert settings["--sections"] == ("auto", "default")
    assert "sesame" not in done.stdout


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--engine", "onnx"), "--engine onnx"),
        (("--engine", "openvino", "--device", "cuda"), "--engine openvino"),
        (("--engine", "openvino", "--compile"), "--compile goes with --engine torch"),
        (("--windows", "half"), "--windows half"),
        (("--windows", "light", "--window", "12"), "--windows light"),
    ],
)
def test_what_cannot_be_had_is_one_line(vchunk: Any, tmp_path: Path, options: tuple[str, ...], named: str) -> None:
    (tmp_path / "a.txt").write_text("One. Two.")
    done = vchunk("embed", "a.txt", *options)
    assert done.returncode == 2
    assert done.stderr.startswith(f"vchunk: error: {named}")
    assert len(done.stderr.splitlines()) == 1
