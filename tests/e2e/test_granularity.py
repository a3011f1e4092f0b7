"""Counts, families, overlaps and units of size from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from models import byte_bpe

TEXT = (
    "# Boats\n\n" + " ".join(f"Boat {i} has a mast and a sail." for i in range(40)) + "\n\n# Fish\n\nFish swim.\n"
)
WANTED = ["chunk", "a.md", "--method", "structure"]


@pytest.fixture(autouse=True)
def a_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")


def test_options_of_granularity(vchunk, tmp_path: Path):
    import vchunk as package

    schema = json.loads((Path(package.__file__).parent / "chunk.schema.json").read_text("utf-8"))
    (tmp_path / "tokenizer.json").write_text(byte_bpe().to_str(), encoding="utf-8")
    assert len(vchunk(*WANTED, "--count", "7").checked().records) == 7
    family = vchunk(*WANTED, "--levels", "64,200").checked()
    assert {(c["depth"], bool(c["children"])) for c in family.records} == {(0, True), (1, False)}
    assert "of" in family.stderr
    lapping = vchunk(*WANTED, "--target-tokens", "40", "--overlap", "12").checked().records
    assert [p["text"] for p in lapping[1]["context"]] == [
        TEXT[: lapping[1]["start"]][-len(p["text"]) :] for p in lapping[1]["context"]
    ]
    assert lapping[1]["context"]
    in_characters = vchunk(*WANTED, "--target-tokens", "200", "--size-in", "chars").checked()
    assert all(c["tokens"] == len(c["text"]) <= 400 for c in in_characters.records)
    assert "characters" in in_characters.stderr
    counted = vchunk(*WANTED, "--max-tokens", "50", "--size-in", "tokenizer.json").checked().records
    assert {c["size_in"] for c in counted} == {"tokenizer"}
    for record in [*family.records, *lapping, *in_characters.records, *counted]:
        jsonschema.Draft202012Validator(schema).validate(record)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "2", "--preset", "fine"], "--preset and --count exclude one another"),
        (["--overlap", "128"], "--overlap 128 is not below the target of 128 tokens"),
        (["--count", "20", "--overlap", "40"], "--overlap 40 is not below the mean size at --count 20"),
        (["--levels", "64,p2"], "sizes and prominences are two families"),
        (["--size-in", "characters"], "--size-in characters: there is no such file; choose tokens, chars or"),
        (["--count", "2", "--max-tokens", "64"], "--count 2: --max-tokens 64 needs at least"),
    ],
)
def test_wrong_use_is_one_line(vchunk, options: list[str], message: str):
    failed = vchunk(*WANTED, *options)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert failed.output == b""


def test_a_typed_signal_wins_over_a_variable(vchunk):
    env = {"VCHUNK_LEVELS": "64,20", "VCHUNK_COUNT": "3"}
    assert len(vchunk(*WANTED, "--count", "5", env=env).checked().records) == 5
    assert vchunk(*WANTED, env=env).returncode == 2
