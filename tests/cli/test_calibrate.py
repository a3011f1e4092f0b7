"""The command that measures an encoder's constants."""

from __future__ import annotations

from pathlib import Path

import models


def test_a_calibrated_encoder_cuts_without_a_warning(tmp_path: Path, model: Path, vchunk) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(models.sentences(220), encoding="utf-8")
    (tmp_path / "b.txt").write_text(models.sentences(20, seed=1), encoding="utf-8")
    assert "vchunk calibrate" in vchunk("chunk", "b.txt", "--encoder", model).said

    done = vchunk("calibrate", "texts", "missing.txt", "--encoder", model, "--format", "json")
    assert done.code == 1  # one is missing; the others are measured
    assert "missing.txt: no such file" in done.said
    [record] = done.records
    assert (record["kept"], record["documents"], record["encoder"]) == (True, 1, "tiny")
    assert record["targets"][:2] == [64, 128]
    assert len(record["scales"]) == len(record["boundaries"]) == len(record["targets"])

    after = vchunk("chunk", "b.txt", "--encoder", model)
    assert (after.code, "no constants" in after.said) == (0, False)
    # What was calibrated on is not the last document of this folder.
    assert after.output == vchunk("chunk", "b.txt", "--encoder", model).output

    shown = vchunk("calibrate", "texts", "--encoder", model, "--format", "pretty").output.decode()
    assert "lambda" in shown
    assert f"{record['scales'][0]:.2f}" in shown


def test_too_little_text_is_a_usage_error(tmp_path: Path, model: Path, vchunk) -> None:
    (tmp_path / "b.txt").write_text(models.sentences(20), encoding="utf-8")
    done = vchunk("calibrate", "b.txt", "--encoder", model)
    assert (done.code, done.output) == (2, b"")
    assert "too little to calibrate" in done.said
