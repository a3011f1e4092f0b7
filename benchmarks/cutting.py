"""What cutting a stored document costs: against embedding it, and against a tenth of the text.

    python benchmarks/cutting.py [--text FILE | --words N] [--store DIR] [--scale] [--json]
                                 [-- OPTIONS OF vchunk embed]

CPU seconds of whole processes, start-up included: ``vchunk embed`` of the text, then ``vchunk chunk``
at each preset and ``vchunk tree``, medians of three. Options behind ``--`` choose the engine:

    python benchmarks/cutting.py --text book.txt -- --engine torch

With ``--scale`` nothing is encoded by a model: the text and ten times as much of its paragraphs,
shuffled, are embedded with vectors looked up in a table (see memory.py), and cut.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from memory import TableEncoder
from speed import COMMAND, long_document
from vchunk.domain.document import Source
from vchunk.session import Session

CUTS = (
    *(("chunk", "--preset", preset) for preset in ("fine", "medium", "coarse")),
    ("chunk", "--prominence", "2"),
    ("tree",),
)
ROUNDS = 3


def cpu_seconds(*command: str) -> tuple[float, str]:
    """CPU seconds of a process and its threads, and what it wrote."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def cut(key: str, store: str) -> dict[str, float]:
    """CPU seconds of each way to cut a stored embedding."""
    return {
        " ".join(what): statistics.median(
            cpu_seconds(str(COMMAND), *what, key, "--store", store, "--format", "json", "--quiet")[0]
            for _ in range(ROUNDS)
        )
        for what in CUTS
    }


def against_embedding(text: str, store: str, options: list[str]) -> list[dict[str, Any]]:
    """One record a command; ``share`` is of the time of embedding."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "text.txt"
        source.write_text(text, "utf-8")
        embed, output = cpu_seconds(
            str(COMMAND), "embed", str(source), "--store", store, "--format", "json", "--quiet", *options
        )
    report = json.loads(output)
    rows: list[dict[str, Any]] = [{"command": "embed", "tokens": report["tokens"], "cpu_seconds": embed}]
    for command, seconds in cut(report["key"], store).items():
        rows.append({"command": command, "cpu_seconds": seconds, "share": seconds / embed})
    return rows


def against_a_tenth(text: str, store: str) -> list[dict[str, Any]]:
    """One record a command; ``times`` is what ten times the text costs."""
    paragraphs = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    dice = random.Random(3)
    texts = []
    for count in (1, 10):
        shuffled = [p for _ in range(count) for p in dice.sample(paragraphs, len(paragraphs))]
        texts.append("\n\n".join(shuffled))
    session = Session(encoder=TableEncoder(), store=store)
    docs = [session.embed(Source(f"{i}.txt", text.encode())) for i, text in enumerate(texts)]
    session.calibrate(docs[:1])
    small, large = (cut(str(doc.embedded().key), store) for doc in docs)
    return [
        {"command": name, "cpu_seconds": small[name], "ten_times": large[name], "times": large[name] / small[name]}
        for name in small
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="a text file")
    parser.add_argument("--words", type=int, default=20_000, help="size of a made-up document (default: 20000)")
    parser.add_argument("--store", help="a store to work in; by default one that is thrown away")
    parser.add_argument("--scale", action="store_true", help="compare with ten times the text")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument("further", nargs="*", metavar="OPTION", help="of vchunk embed, behind --")
    options = parser.parse_args()
    text = options.text.read_bytes().decode("utf-8-sig") if options.text else long_document(options.words)
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or folder
        rows = against_a_tenth(text, store) if options.scale else against_embedding(text, store, options.further)
    for row in rows:
        if options.json:
            print(json.dumps(row))
            continue
        note = f"{row['share']:>8.1%} of embedding" if "share" in row else ""
        if "times" in row:
            note = f"{row['ten_times']:>8.2f} s for ten times the text: {row['times']:.1f} times"
        print(f"{row['command']:<24}{row['cpu_seconds']:>8.2f} s{note}")


if __name__ == "__main__":
    main()
