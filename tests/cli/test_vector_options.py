"""What is refused before anything is read."""

from __future__ import annotations

import pytest

from vchunk.cli.app import run


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
