"""What reading ahead gains: many small documents one after the other and together, and a long one.

    python benchmarks/overlap.py [--files N] [--words N] [--long N] [--engine NAME] [--rounds N] [--json]
    python benchmarks/overlap.py --sources FOLDER

The documents are made from the sentences of docs/example.md, or are those of a folder. They are embedded
into new stores, in turns: each by a call of its own (``Session.embed``), then all by one
(``Session.embed_all``). The model is loaded before. *Busy* is the share of the processors' time that was
used: CPU seconds by seconds on the clock and processors. Other work on the machine makes it less.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speed import long_document
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.domain.document import Source
from vchunk.session import Session
from vchunk.wiring import usable_cpus

Embed = Callable[[Session, list[Path]], int]


def one_by_one(session: Session, sources: list[Path]) -> int:
    """Each source by a call of its own; how many tokens they have."""
    return sum(doc.report.tokens for doc in map(session.embed, sources) if doc.report)


def together(session: Session, sources: list[Path]) -> int:
    """All sources by one call."""
    docs = (coming.result() for coming in session.embed_all(sources))
    return sum(doc.report.tokens for doc in docs if doc.report)


def timed(embed: Embed, encoder: HuggingFaceEncoder, sources: list[Path], place: Path) -> tuple[float, float, int]:
    """Seconds on the clock, CPU seconds and tokens of embedding into a new store."""
    with tempfile.TemporaryDirectory(dir=place) as store:
        session = Session(encoder=encoder, store=store)
        clock, cpu = time.perf_counter(), time.process_time()
        tokens = embed(session, sources)
        return time.perf_counter() - clock, time.process_time() - cpu, tokens


def write_documents(files: int, words: int, place: Path) -> list[Path]:
    """Small documents, no two alike."""
    paths = [place / f"{number:04}.md" for number in range(files)]
    for number, path in enumerate(paths):
        path.write_text(long_document(words, seed=1000 + number), "utf-8")
    return paths


def measure(cases: dict[str, list[Path]], engine: str, rounds: int, place: Path) -> list[dict[str, Any]]:
    """One record a case and way, medians over the rounds."""
    encoder = HuggingFaceEncoder(engine=engine, device="cpu", cache=place / "models")
    with tempfile.TemporaryDirectory(dir=place) as store:
        Session(encoder=encoder, store=store).embed(Source("warm.txt", b"A sentence to warm up with. " * 99))
    ways: list[tuple[str, str, Embed]] = []
    for case, sources in cases.items():
        ways += [(case, "one by one", one_by_one)] if len(sources) > 1 else []
        ways.append((case, "together" if len(sources) > 1 else "alone", together))
    found: dict[tuple[str, str], list[tuple[float, float, int]]] = {}
    for _ in range(rounds):
        for case, way, embed in ways:
            found.setdefault((case, way), []).append(timed(embed, encoder, cases[case], place))
    rows = []
    for (case, way), runs in found.items():
        clock, cpu = (statistics.median(values) for values in list(zip(*runs, strict=True))[:2])
        busy = cpu / clock / usable_cpus()
        rows.append(
            {"documents": case, "way": way, "tokens": runs[0][2], "clock": clock, "cpu": cpu, "busy": busy}
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=200, help="small documents (default: 200)")
    parser.add_argument("--words", type=int, default=230, help="words of each (default: 230)")
    parser.add_argument("--long", type=int, default=60_000, help="words of the long document (default: 60000)")
    parser.add_argument("--sources", type=Path, help="a folder of documents instead of those made here")
    parser.add_argument("--engine", default="auto", help="torch or openvino (default: the fastest)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if options.sources:
            cases = {options.sources.name: sorted(path for path in options.sources.iterdir() if path.is_file())}
        else:
            small = write_documents(options.files, options.words, place)
            long = place / "long.md"
            long.write_text(long_document(options.long), "utf-8")
            cases = {f"{options.files} small": small, "a long one": [long]}
        for row in measure(cases, options.engine, options.rounds, place):
            if options.json:
                print(json.dumps(row))
            else:
                print(
                    f"{row['documents']:<12} {row['way']:<11} {row['tokens']:>8,} tokens  {row['clock']:>7.2f} s"
                    f"  {row['cpu']:>7.2f} CPU s  busy {row['busy']:.0%}"
                )


if __name__ == "__main__":
    main()
