"""The chonky snapper from the command line, with a classifier made on the spot."""

from __future__ import annotations

from pathlib import Path

import models


def test_peaks_go_where_the_classifier_likes_it(vchunk, tmp_path: Path):
    models.separator_folder(tmp_path / "classifier", fires_on="?")
    question = "Who keeps the light on the rock at night? "
    answers = "The keeper keeps the light. He trims the lamp. He winds the clock. The sea is loud. "
    (tmp_path / "a.txt").write_text((question + answers * 2) * 6, encoding="utf-8")
    text = (tmp_path / "a.txt").read_text(encoding="utf-8")
    wanted = ["chunk", "a.txt", "--prominence", "0.1", "--min-tokens", "5"]
    plain = vchunk(*wanted).checked().records
    snapped = [*wanted, "--snapper", "chonky:classifier"]
    near = vchunk(*snapped).checked()
    assert len(near.records) > 1
    assert all(text[: c["start"]].rstrip().endswith("?") for c in near.records[1:])
    assert [c["start"] for c in near.records] != [c["start"] for c in plain]

    def kept() -> int:
        return sum(r["kind"] == "snapping" for r in vchunk("store", "ls").checked().records)

    assert kept() == 0
    assert vchunk(*snapped, "--snapper-reads", "whole").checked().output == near.output
    assert kept() == 1
    assert vchunk(*snapped, "--snapper-reads", "whole").checked().output == near.output
