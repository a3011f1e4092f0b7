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


WAYS = [
    ("--target-tokens", "40"),
    ("--method", "structure", "--target-tokens", "40"),
    ("--method", "double-pass", "--max-tokens", "80"),
]


def test_all_ways_to_cut_take_a_snapper(vchunk, tmp_path: Path):
    models.separator_folder(tmp_path / "classifier", fires_on="?")
    question = "Who keeps the light on the rock at night? "
    answers = "The keeper keeps the light. He trims the lamp. He winds the clock. "
    (tmp_path / "a.txt").write_text((question + answers) * 12, encoding="utf-8")
    text = (tmp_path / "a.txt").read_text(encoding="utf-8")
    snapper = ("--snapper", "chonky:classifier")
    for way in WAYS:
        chunks = vchunk("chunk", "a.txt", *way, *snapper).checked().records
        assert len(chunks) > 3
        assert all(text[: c["start"]].rstrip().endswith("?") for c in chunks[1:])
    shown = vchunk("show", "a.txt", "--chunk", chunks[1]["id"], *WAYS[-1], *snapper).checked()
    assert shown.records == [chunks[1]]
    passages = vchunk("tree", "a.txt", "--levels", "64", *snapper).checked().records[0]["children"]
    assert len(passages) > 3
    assert all(text[: node["start"]].rstrip().endswith("?") for node in passages[1:])
    kept = [r for r in vchunk("store", "ls").checked().records if r["kind"] == "snapping"]
    assert len(kept) == 1
    # A variable that is meant for cuts with peaks is no error for others.
    vchunk("chunk", "a.txt", *WAYS[0], *snapper, env={"VCHUNK_SNAPPER_READS": "near"}).checked()
