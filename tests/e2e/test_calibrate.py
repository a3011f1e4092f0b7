"""The command that measures an encoder's constants."""

from __future__ import annotations

from pathlib import Path

import models


def test_a_calibrated_encoder_cuts_without_a_warning(tmp_path: Path, vchunk):
    folder = models.bert_folder(tmp_path / "model")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(models.sentences(220), encoding="utf-8")
    (tmp_path / "b.txt").write_text(models.sentences(20, seed=1), encoding="utf-8")
    before = vchunk("chunk", "b.txt", "--encoder", folder).checked()
    assert "vchunk calibrate" in before.stderr

    done = vchunk("calibrate", "texts", "--encoder", folder, "--format", "json").checked()
    [record] = done.records
    assert (record["kept"], record["documents"], record["encoder"]) == (True, 1, "model")
    assert record["targets"][:2] == [64, 128]
    assert len(record["scales"]) == len(record["boundaries"]) == len(record["targets"])

    after = vchunk("chunk", "b.txt", "--encoder", folder).checked()
    assert "no constants" not in after.stderr
    shown = vchunk("calibrate", "texts", "--encoder", folder, "--format", "pretty").checked().stdout
    assert "lambda" in shown
    assert f"{record['scales'][0]:.2f}" in shown

    short = vchunk("calibrate", "b.txt", "--encoder", folder)
    assert (short.returncode, short.output) == (2, b"")
    assert "too little to calibrate" in short.stderr
