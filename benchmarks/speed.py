"""How long each command takes on a long document: cold, cached, and after an edit of one sentence.

    python benchmarks/speed.py [--words N] [--json]

The document is made from the sentences of docs/example.md, shuffled by a fixed seed, under a heading
every nine paragraphs. Each time is that of one whole process, start-up included.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(sys.executable).with_name("vchunk")


def long_document(words: int, seed: int = 7) -> str:
    """Prose of about ``words`` words in which no longer passage occurs twice."""
    example = (ROOT / "docs" / "example.md").read_text("utf-8")
    paragraphs = [block for block in example.split("\n\n") if re.match(r"[A-Z]", block)]
    sentences = re.split(r"(?<=[.?!])\s+", " ".join(" ".join(paragraphs).split()))
    draw = random.Random(seed)
    lines: list[str] = []
    count = 0
    while count < words:
        if len(lines) % 10 == 0:
            lines.append(f"## Part {len(lines) // 10 + 1}")
        lines.append(" ".join(draw.sample(sentences, 4)))
        count += len(lines[-1].split())
    return "\n\n".join(["# A long document", *lines]) + "\n"


def timed(store: Path, *args: str) -> tuple[float, str]:
    """The seconds that a command took, and its output."""
    began = time.perf_counter()
    done = subprocess.run(
        [str(COMMAND), *args],
        env={**os.environ, "VCHUNK_STORE": str(store)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, done.stdout


def measure(words: int) -> list[dict[str, Any]]:
    """One record for each command, in the order in which they ran."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, source = folder / "store", folder / "long.md"
        text = long_document(words)

        def embed(step: str) -> str:
            source.write_text(text, "utf-8")
            seconds, output = timed(store, "embed", str(source), "--format", "json")
            report = json.loads(output)
            counts = {name: report[name] for name in ("tokens", "windows", "windows_encoded")}
            rows.append({"step": step, "seconds": seconds, **counts})
            return str(report["key"])

        seconds, _ = timed(store, "--help")
        rows.append({"step": "start-up (--help)", "seconds": seconds})
        embed("embed, cold")
        embed("embed, again")
        middle = text.index(". ", len(text) // 2) + 2
        text = f"{text[:middle]}Nobody had seen this sentence before. {text[middle:]}"
        key = embed("embed, one sentence added")
        for command in (["chunk"], ["chunk", "--prominence", "2"], ["tree"]):
            seconds, _ = timed(store, *command, key, "--format", "json", "--quiet")
            rows.append({"step": " ".join(command), "seconds": seconds})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=20_000, help="size of the document (default: 20000)")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    for row in measure(options.words):
        if options.json:
            print(json.dumps(row))
        else:
            work = f"  {row['windows_encoded']} of {row['windows']} windows encoded" if "windows" in row else ""
            print(f"{row['step']:<28}{row['seconds']:>8.2f} s{work}")


if __name__ == "__main__":
    main()
