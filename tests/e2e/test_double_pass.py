"""``--method double-pass`` from the command line, with the bundled encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

EXPLANATION = (
    "The greatest common divisor of two whole numbers is the largest number that divides both without a "
    "remainder. Euclid found that it does not change when the larger of the two numbers is replaced by the "
    "remainder of their division. The algorithm repeats that step until the remainder is zero; the last divisor "
    "is the greatest common divisor."
)
CODE = """```python
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
```"""
COMPLEXITY = (
    "Euclid's algorithm needs few steps, because two divisions at least halve the larger number. So the number "
    "of divisions grows with the logarithm of the numbers, and consecutive Fibonacci numbers are the worst case "
    "for the greatest common divisor."
)
BREAD = (
    "Sourdough bread rises without any yeast from a shop. Flour and water are left in a jar until wild yeast and "
    "bacteria make the dough sour. The baker feeds the jar with fresh flour each day and bakes the loaf in a very "
    "hot oven."
)


@pytest.fixture
def euclid(tmp_path: Path) -> Path:
    path = tmp_path / "euclid.md"
    path.write_text("\n\n".join((EXPLANATION, CODE, COMPLEXITY, BREAD)), encoding="utf-8")
    return path


def test_explanation_and_complexity_come_together_around_the_code(vchunk, euclid: Path):
    wanted = ("chunk", euclid, "--method", "double-pass", "--max-tokens", "256")
    chunks = vchunk(*wanted).checked().records
    assert [c["text"] for c in chunks] == [f"{EXPLANATION}\n\n{CODE}\n\n{COMPLEXITY}", BREAD]
    assert {c["method"] for c in chunks} == {"double-pass"}


def test_options_and_their_variables(vchunk, euclid: Path):
    options = {
        "VCHUNK_METHOD": "double-pass",
        "VCHUNK_THRESHOLD_METHOD": "fixed",
        "VCHUNK_APPEND_THRESHOLD": "1",
        "VCHUNK_MERGE_THRESHOLD": "1",
        "VCHUNK_MIN_TOKENS": "0",
    }
    typed = [f"--{name[7:].lower().replace('_', '-')}={value}" for name, value in options.items()]
    apart = vchunk("chunk", euclid, *typed).checked()
    assert len(apart.records) == 9  # eight sentences and the code
    assert vchunk("chunk", euclid, env=options).checked().output == apart.output
    whole = vchunk(
        "chunk", euclid, "--append-threshold", "-1", "--merge-threshold", "-1", "--max-tokens", "999", env=options
    ).checked()
    assert len(whole.records) == 1
    assert len(vchunk("chunk", euclid, "--max-tokens", "16", env=options).checked().records) > 9
    # What is typed wins over a variable that excludes it.
    assert vchunk("chunk", euclid, "--preset", "fine", env=options).checked().records[0]["method"] == "velocity"
    preset = {"VCHUNK_PRESET": "fine", "VCHUNK_APPEND_THRESHOLD": "40"}
    typed_method = vchunk("chunk", euclid, "--method", "double-pass", env=preset).checked()
    assert typed_method.records[0]["method"] == "double-pass"


def test_a_chunk_is_shown_and_the_cuts_are_drawn(vchunk, euclid: Path, tmp_path: Path):
    wanted = ("--method", "double-pass", "--append-threshold", "60")
    chunks = vchunk("chunk", euclid, *wanted).checked().records
    assert len(chunks) > 2
    shown = vchunk("show", euclid, "--chunk", chunks[1]["id"], *wanted).checked()
    assert shown.records == [chunks[1]]
    vchunk("plot", euclid, *wanted, "-o", tmp_path / "curve.svg").checked()
    assert "double pass, thresholds by percentile" in (tmp_path / "curve.svg").read_text(encoding="utf-8")


def test_it_is_no_way_to_grow_a_tree(vchunk, euclid: Path):
    refused = vchunk("tree", euclid, "--method", "double-pass")
    assert refused.returncode == 2
    assert "--method double-pass: choose from velocity, structure" in refused.stderr


def test_tiny_documents(vchunk, tmp_path: Path):
    texts = ["", "   \n", "Word", "One sentence only.", "One. Two."]
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_text(text, encoding="utf-8")
    names = [f"{i}.txt" for i in range(len(texts))]
    chunks = vchunk("chunk", *names, "--method", "double-pass").checked().records
    assert [c["text"] for c in chunks] == ["Word", "One sentence only.", "One. Two."]
