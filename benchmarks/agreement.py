"""Whether ``vchunk eval --compat chroma`` and a script that follows Chroma's framework give the same numbers.

    pip install 'vchunk[eval]'
    python benchmarks/agreement.py BENCH [--settings preset=fine,index=text ...]

BENCH is a folder with retrieval.py, data/corpora and data/questions.csv. Both sides get the same chunks and
encode them for themselves; takes some minutes, and seconds once both have kept their vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from vchunk.adapters.gold_files import read_questions
from vchunk.doc import Doc
from vchunk.domain.questions import resolve
from vchunk.domain.settings import Setting, parse_setting
from vchunk.evaluation import evaluate_retrieval
from vchunk.session import Session, load_source

SETTINGS = [
    f"preset={preset},index={index}" for preset in ("fine", "medium", "coarse") for index in ("text", "embed-text")
]
SEARCHES = {"top_5": "top5", "min": "min", "tokens_400": "b400", "tokens_800": "b800", "tokens_1600": "b1600"}
SCORES = {"recall": "recall", "precision": "prec", "iou": "iou"}
COLUMNS = {"precision_omega": "omega"} | {
    f"{ours}.{a}": f"{theirs}_{b}" for ours, theirs in SEARCHES.items() for a, b in SCORES.items()
}


def main() -> int:
    """Print the largest difference at each setting; 1 if one is above half of the third decimal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--settings", nargs="+", default=SETTINGS)
    given = parser.parse_args()
    bench: Path = given.bench.resolve()
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(bench / "cl100k"))
    session = Session()
    docs = {path.stem: session.embed(path) for path in sorted((bench / "data" / "corpora").glob("*.md"))}
    asked = read_questions(load_source(bench / "data" / "questions.csv"))
    questions = resolve(asked, {name: doc.text for name, doc in docs.items()})
    worst = 0.0
    for setting in map(parse_setting, given.settings):
        (outcome,) = evaluate_retrieval(docs, questions, [setting], compat=True).outcomes
        theirs = _their_numbers(bench, docs, setting)
        differences = {a: abs(float(outcome.columns[a].mean()) - theirs[b]) for a, b in COLUMNS.items()}
        name = max(differences, key=lambda column: differences[column])
        worst = max(worst, differences[name])
        print(
            f"{setting.name}: {outcome.chunks} chunks, largest difference {differences[name]:.6f} ({name})",
            flush=True,
        )
    return int(worst > 5e-4)


def _their_numbers(bench: Path, docs: dict[str, Doc], setting: Setting) -> dict[str, float]:
    """What the script says of the same chunks, its model in float32 as ours is on a CPU."""
    with tempfile.TemporaryDirectory() as folder:
        chunks, out = Path(folder) / "chunks.jsonl", Path(folder) / "out.json"
        with chunks.open("w", encoding="utf-8") as stream:
            for name, doc in docs.items():
                for chunk in doc.chunks(setting.granularity):
                    text = {"embed_text": chunk.embed_text} if setting.index == "embed-text" else {}
                    stream.write(
                        json.dumps({"corpus": name, "start": chunk.start, "end": chunk.end, **text}) + "\n"
                    )
        subprocess.run(
            [sys.executable, bench / "retrieval.py", chunks, "--json", out, "--name", "x"],
            env={**os.environ, "EMB_DTYPE": "fp32"},
            check=True,
            capture_output=True,
        )
        numbers: dict[str, float] = json.loads(out.read_text())["x"]["all"]
        return numbers


if __name__ == "__main__":
    sys.exit(main())
