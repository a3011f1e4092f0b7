"""What ``vchunk eval`` says where there is little to judge by."""

from __future__ import annotations

from pathlib import Path

import models


def test_one_text_tells_nothing(tmp_path: Path, model: Path, vchunk) -> None:
    text = f"# One\n\n{models.sentences(40)}\n\n# Two\n\n{models.sentences(40, seed=1)}\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    command = "eval", "a.md", "--boundaries", "headings", "--encoder", model, "--setting", "preset=fine"
    shown = vchunk(*command, "--format", "pretty")
    assert shown.code == 0
    assert "*" not in shown.output.decode()
    assert "Means over 1 text." in shown.output.decode()
    assert "No stars: 1 text cannot tell settings apart" in shown.output.decode()
    [record] = vchunk(*command, "--format", "json").records
    for setting in record["settings"]:
        for score in setting["scores"].values():
            assert score["mean"] is not None
            assert (score["low"], score["high"]) == (None, None)
    assert "2 headings of 1 document are" in shown.said


def test_chunks_of_one_size_are_told_in_few_words(tmp_path: Path, vchunk) -> None:
    (tmp_path / "a.md").write_text("Boats.", encoding="utf-8")
    said = vchunk("chunk", "a.md", "--method", "structure", "--size-in", "chars").said
    assert said == "vchunk: a.md: 1 chunk of 6 characters\n"
