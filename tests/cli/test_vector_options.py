"""What is refused before anything is read."""

from __future__ import annotations

import pytest

from vchunk.cli.app import run
from vchunk.session import Session


@pytest.mark.parametrize("command", [["eval", "--boundaries", "b.jsonl"], ["calibrate", "b.jsonl"]])
def test_what_cannot_be_written_is_not_computed(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "read", lambda *_args, **_more: pytest.fail("something was read"))
    assert run([*command, "-o", "no/such/folder/x.json"]) == 1
    said = capsys.readouterr()
    assert "--output no/such/folder/x.json: cannot be written" in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--vectors", "dense"], "--vectors dense: choose from late, text, blend"),
        (
            ["--vectors", "blend", "--blend-ancestors", "all"],
            "--blend-ancestors all: choose from both, late, text",
        ),
        (["--vectors", "late", "--format", "pretty"], "not shown on a terminal"),
        (["--vectors-out", "v.npy"], "--vectors-out writes the vectors of --vectors"),
        (["--blend-ancestors", "late"], "--blend-ancestors is for --vectors blend"),
        (["--vectors", "late", "--vectors-out", "x", "-o", "x"], "is the file of --output too"),
        (["--vectors", "late", "--vectors-out", "x", "-o", "a/../x"], "is the file of --output too"),
        (["--vectors", "late", "--vectors-out", "-"], "--vectors-out -: standard output is for the records"),
        (["--vectors", "late", "--vectors-out", "."], "--vectors-out .: is a folder; name a file"),
        (["-o", "."], "--output .: is a folder; name a file"),
        (["--snapper", "chonky:"], "--snapper chonky:: choose from"),
        (["--size-in", ""], "--size-in '': choose tokens, chars or a tokenizer.json"),
    ],
)
def test_wrong_wishes_are_usage_errors(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["chunk", "missing.md", *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1
