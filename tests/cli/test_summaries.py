"""What is said of one thing is said in the singular."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vchunk.cli.eval_tables import sweep_verdict
from vchunk.evaluation import Outcome, Report


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("One.", (), "a.txt: 1 chunk of 2 tokens\n"),
        ("One.", ("--size-in", "chars"), "a.txt: 1 chunk of 4 characters\n"),
        ("I", ("--size-in", "chars"), "a.txt: 1 chunk of 1 character\n"),
        ("One.\n\nTwo.", ("--count", "2"), "a.txt: 2 chunks of 2 tokens\n"),
        ("One.\n\nTwo words.", ("--count", "2"), "a.txt: 2 chunks of 2 to 3 tokens, mean 2\n"),
    ],
)
def test_the_sizes_of_chunks(tmp_path: Path, vchunk, text: str, more: tuple[str, ...], said: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert vchunk("chunk", "a.txt", "--method", "structure", *more).said == f"vchunk: {said}"


def test_a_chunk_of_one_line_and_token(tmp_path: Path, vchunk) -> None:
    (tmp_path / "a.txt").write_text("I")
    assert (
        b"1  line 1, 1 token, strength"
        in vchunk("chunk", "a.txt", "--method", "structure", "--format", "pretty", "-q", "-o", "-").output
    )
    assert b"  1 token\n" in vchunk("tree", "a.txt", "--method", "structure", "--format", "pretty").output


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_differences_over_few_questions_have_no_stars(tmp_path: Path, vchunk, count: int) -> None:
    words = [f"word{n}" for n in range(count)]
    told = "\n\n".join(f"Some {word} is told of here at length." for word in ("more", *words))
    (tmp_path / "a.txt").write_text(told)
    rows = [{"question": f"What of {word}?", "document": "a.txt", "quote": word} for word in words]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = ("--setting", "count=1,method=structure", "--setting", f"count={count + 1},method=structure")
    given = ("eval", "a.txt", "--questions", "q.jsonl", *settings, "--budget", "1000")
    table = vchunk(*given, "--format", "pretty").output.decode()
    done = vchunk(*given, "--format", "json")
    (record,) = done.records
    omega = record["settings"][1]["scores"]["precision_omega"]
    few = count < 6
    assert ("No stars: " in table) is few
    assert ("*" in table) is not few
    if few:
        assert done.said.startswith(
            f"vchunk: warning: {count} question{'s' * (count > 1)} cannot tell settings apart"
        )
    else:
        assert done.said == ""
        assert omega["lead"]["low"] > 0
    assert (omega["low"] is None) is (omega["lead"]["high"] is None) is (count == 1)
    assert vchunk(*given, "--format", "json", "--quiet").said == ""
    best = vchunk(*given, "--format", "json", "--sweep").records[0]["best"]
    assert best["within_noise"] or not few
    assert (best["p_value"] is None) is (count == 1)
    shown = " ".join(vchunk(*given, "--format", "pretty", "--sweep").output.decode().split())
    assert "nan" not in shown


def test_a_sweep_over_few_questions_asks_for_more() -> None:
    columns = [{"tokens_9.recall": np.full(2, value)} for value in (0.0, 1.0)]
    report = Report(tuple(Outcome(name, c, 1) for name, c in zip("ab", columns, strict=True)))
    assert sweep_verdict(report) == (
        "Best of 2 settings tried: b, +100.0 points of recall over a, but 2 questions cannot tell it from a: "
        "give 6 or more, better some fifty."
    )


def test_one_text_and_one_heading(tmp_path: Path, vchunk) -> None:
    (tmp_path / "a.md").write_text("Sea and salt.\n\n# Bread\n\nDough and flour.")
    given = ("--setting", "count=given,method=structure", "--format", "pretty")
    done = vchunk("eval", "a.md", "--boundaries", "headings", *given)
    assert "1 heading of 1 document is cut out of the texts, so that no cut follows it" in done.said
    assert b"Means over 1 text." in done.output
    row = {"question": "What?", "document": "a.md", "quote": "Dough"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    done = vchunk("eval", "a.md", "--questions", "q.jsonl", "--setting", "method=structure", "--format", "pretty")
    assert b"Percent over 1 question." in done.output
