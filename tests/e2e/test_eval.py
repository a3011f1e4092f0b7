"""``vchunk eval``, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import Run

TIDES = """# Tides

The sea rises and falls twice a day. The moon pulls the water towards it, and the ebb follows.

## Spring tides

At new moon and full moon the sun pulls the same way. Then the flood is highest of all.
"""
BREAD = """# Bread

Flour, water and salt make a dough. Yeast lets it rise before it goes into a hot oven.

## Crust

Steam in the first minutes gives a thin crust that cracks when it cools.
"""
QUESTIONS = [
    {"question": "What pulls the water?", "document": "tides", "quote": "The moon pulls the water towards it"},
    {"question": "When is the flood highest?", "document": "tides.md", "quote": "At new moon and full moon"},
    {"question": "What makes dough rise?", "document": "bread", "start": 45, "end": 68},
    {"question": "How does bread get a thin crust?", "document": "bread", "quote": "Steam in the first minutes"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tides.md").write_text(TIDES)
    (docs / "bread.md").write_text(BREAD)
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    return docs


def test_questions_among_the_documents_are_none_of_them(vchunk: Run, folder: Path) -> None:
    (folder / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    done = vchunk("eval", "docs", "--questions", "docs/q.jsonl", "--setting", "target=20", "--quiet").checked()
    chunks = vchunk("chunk", "docs/tides.md", "docs/bread.md", "--target-tokens", "20").checked()
    assert json.loads(done.stdout)["settings"][0]["chunks"] == len(chunks.records)


@pytest.mark.usefixtures("folder")
def test_settings_side_by_side(vchunk: Run) -> None:
    args = [
        "eval",
        "docs",
        "--questions",
        "q.jsonl",
        "--setting",
        "target=20",
        "--setting",
        "target=60,index=late",
    ]
    done = vchunk(*args, "--budget", "40", "--top-k", "1").checked()
    (record,) = done.records
    assert (record["questions"], record["tokens"], record["reference"]) == (4, "minilm", "target=20")
    small, large = record["settings"]
    assert small["chunks"] > large["chunks"]
    assert small["mean_tokens"] < large["mean_tokens"]
    assert small["coverage"] == 1.0
    scores = small["scores"]
    assert set(scores) == {
        "precision_omega",
        *(
            f"{search}.{name}"
            for search in ("top_1", "min", "tokens_40")
            for name in ("recall", "precision", "iou")
        ),
    }
    assert scores["top_1.recall"]["mean"] >= 0.5
    assert scores["precision_omega"]["mean"] > large["scores"]["precision_omega"]["mean"]
    assert large["scores"]["precision_omega"]["lead"]["high"] < 0
    assert "lead" not in scores["precision_omega"]
    again = vchunk(*args, "--budget", "40", "--top-k", "1").checked()
    assert again.output == done.output
    for wide in ("top_1", "min", "tokens_40"):
        assert all(0 <= value["low"] <= value["mean"] <= value["high"] <= 1 for value in [scores[f"{wide}.iou"]])

    shown = vchunk(*args, "--format", "pretty").checked().stdout
    assert "R@400" in shown
    assert "target=60" in shown
    assert "95 % bootstrap intervals over 4 questions. Tokens: minilm." in shown


def test_a_sweep_names_the_best_and_admits_noise(vchunk: Run, folder: Path) -> None:
    args = ["eval", folder, "--questions", "q.jsonl", "--sweep", "--index", "late", "--budget", "30"]
    done = vchunk(*args, "--format", "pretty").checked()
    assert done.stdout.count("preset=") >= 6
    assert "settings tried" in done.stdout
    (record,) = vchunk(*args).checked().records
    best = record["best"]
    assert best["setting"] in [s["setting"] for s in record["settings"]]
    assert best["within_noise"] is True  # four questions
    assert 0 <= best["p_value"] <= 1


def test_cuts_against_headings(vchunk: Run, folder: Path) -> None:
    done = vchunk("eval", folder, "--boundaries", "headings", "--setting", "count=given").checked()
    (record,) = done.records
    assert record["texts"] == 2
    even, own = record["settings"]
    assert (even["setting"], own["setting"]) == ("even spacing", "count=given")
    assert own["segments"] == 4
    assert own["scores"]["f1"]["mean"] == 1.0
    assert "4 headings of 2 documents are cut out of the texts" in done.stderr


def test_cuts_against_a_file(vchunk: Run, tmp_path: Path) -> None:
    text = "The sea rises. The moon pulls it.\nDough needs flour. It rises too."
    row = {"id": "x", "text": text, "boundaries": [text.index("Dough")]}
    (tmp_path / "b.jsonl").write_text(json.dumps(row))
    args = ["eval", "--boundaries", "b.jsonl", "--setting", "target=9,method=structure", "--tolerance", "0"]
    done = vchunk(*args, "--format", "pretty").checked()
    assert "WindowDiff" in done.stdout
    assert "even spacing" in done.stdout
    (record,) = vchunk(*args).checked().records
    assert record["settings"][1]["scores"]["f1"]["mean"] == record["settings"][1]["scores"]["f1_exact"]["mean"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["docs"], 2, "give --questions FILE to score retrieval, or --boundaries FILE"),
        (["docs", "--questions", "q.jsonl", "--boundaries", "b"], 2, "--questions scores retrieval"),
        (["docs", "--questions", "q.jsonl", "--tolerance", "9"], 2, "--tolerance is for --boundaries"),
        (["docs", "--questions", "q.jsonl", "--setting", "count=given"], 2, "count=given is for --boundaries"),
        (["docs", "--questions", "q.jsonl", "--sweep", "--setting", "preset=fine"], 2, "give two or more"),
        (["docs", "--boundaries", "headings", "--setting", "index=late"], 2, "index is for --questions"),
        (["--questions", "q.jsonl"], 2, "name the documents"),
        (["docs", "--questions", "none.csv"], 1, "none.csv: no such file"),
        (["docs", "--questions", "empty.csv"], 1, "empty.csv: is empty"),
        (["docs", "--questions", "q.jsonl", "--setting", "presets=fine"], 2, "'presets' is no setting"),
        (["docs", "--questions", "q.jsonl", "--index", "bm25"], 2, "--index bm25: choose from"),
        (["docs", "--questions", "q.jsonl", "--compat", "ragas"], 2, "--compat ragas: choose from chroma"),
        (["docs", "--questions", "q.jsonl", "--budget", "0"], 2, "--budget 0: must be 1 or more"),
        (["docs", "--questions", "q.jsonl", "--top-k", "0"], 2, "--top-k 0: must be 1 or more"),
        (["docs", "--boundaries", "b.jsonl"], 2, "holds the texts itself"),
        (["--boundaries", "headings"], 2, "needs documents that have headings"),
        (["--boundaries", "b.jsonl"], 1, "b.jsonl: no such file"),
        (["--boundaries", "b.jsonl", "--sweep"], 2, "--sweep is for --questions"),
        (["--boundaries", "b.jsonl", "--tolerance", "-1"], 2, "--tolerance -1: must be 0 or more"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_faults_are_one_line(vchunk: Run, tmp_path: Path, args: list[str], code: int, message: str) -> None:
    (tmp_path / "empty.csv").write_text("\n")
    done = vchunk("eval", *args)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert done.stderr.startswith("vchunk: error: ")
    assert done.stderr.count("\n") == 1


def test_a_gold_answer_that_is_not_there_names_its_row(vchunk: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(
        "question,document,quote\nWhat pulls?,tides,The moon pulls\nWho?,bread,nobody\n"
    )
    done = vchunk("eval", folder, "--questions", "q.csv", "--setting", "method=structure,index=late")
    assert done.returncode == 1
    assert "error: q.csv, row 3: " in done.stderr
    assert "does not hold the text 'nobody'" in done.stderr


def test_numbers_agree_with_the_bench(vchunk: Run, tmp_path: Path, shared: Path) -> None:
    """The first pages of one corpus; benchmarks/agreement.py compares all of them."""
    pytest.importorskip("tiktoken")
    bench = shared / "bench"
    corpus = tmp_path / "corpora" / "state_of_the_union.md"
    corpus.parent.mkdir()
    corpus.write_text((bench / "data" / "corpora" / corpus.name).read_text()[:9000])
    rows = (bench / "data" / "questions.csv").read_text().splitlines(keepends=True)
    short = [row for row in rows[1:] if row.rstrip().endswith("state_of_the_union") and _last_end(row) <= 9000]
    (tmp_path / "q.csv").write_text("".join([rows[0], *short]))
    cache = {"TIKTOKEN_CACHE_DIR": str(bench / "cl100k")}
    setting = "preset=medium"
    run = ["eval", "corpora", "--questions", "q.csv", "--compat", "chroma", "--setting", f"{setting},index=text"]
    (record,) = vchunk(*run, env=cache).checked().records
    chunks = vchunk("chunk", corpus, "--preset", "medium").checked().records
    lines = [json.dumps({"corpus": corpus.stem, "start": c["start"], "end": c["end"]}) + "\n" for c in chunks]
    (tmp_path / "chunks.jsonl").write_text("".join(lines))
    files = ["chunks.jsonl", "--corpora", "corpora", "--questions", "q.csv", "--json", "out.json", "--name", "x"]
    subprocess.run(
        [sys.executable, bench / "retrieval.py", *files, "--no-cache"],
        cwd=tmp_path,
        env={**os.environ, **cache, "EMB_DTYPE": "fp32"},
        check=True,
        capture_output=True,
        timeout=240,
    )
    theirs = json.loads((tmp_path / "out.json").read_text())["x"]["all"]
    ours = record["settings"][0]
    names = {"top_5": "top5", "min": "min", "tokens_400": "b400", "tokens_800": "b800", "tokens_1600": "b1600"}
    kinds = {"recall": "recall", "precision": "prec", "iou": "iou"}
    assert record["questions"] == len(short) > 5
    assert ours["chunks"] == theirs["chunks"]
    assert ours["mean_tokens"] == pytest.approx(theirs["tokens"], abs=5e-4)
    expected = {f"{a}.{c}": theirs[f"{b}_{d}"] for a, b in names.items() for c, d in kinds.items()}
    found = {name: value["mean"] for name, value in ours["scores"].items()}
    assert found.pop("precision_omega") == pytest.approx(theirs["omega"], abs=5e-4)
    assert found == pytest.approx(expected, abs=5e-4)


def _last_end(row: str) -> int:
    """The last gold character of a row of Chroma's CSV."""
    import csv

    (fields,) = csv.reader([row])
    return max(int(reference["end_index"]) for reference in json.loads(fields[1]))
