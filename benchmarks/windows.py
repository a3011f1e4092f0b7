"""What windows of different lengths cost a long-context model on one thread.

    python benchmarks/windows.py [--encoder FOLDER] [--engine NAME] [--dtype NAME]
                                 [--lengths 256,512,...] [--tokens N] [--rounds N]

Without ``--encoder`` it is a ModernBERT of base size (22 layers of 768 numbers, each third global) with
random weights, which are as fast as trained ones. Of each input length, special tokens included: the
tokens of windows that the model reads in a CPU second (medians of rounds in which the lengths take
turns; windows as a long document has them, and N tokens of them); document tokens a CPU second, of a
long document and of short ones, which are read less often; and the tokens of the windows that run again
after one word was changed, median of 25 places.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speed import long_document
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.encoders.minilm import bundled_folder
from vchunk.domain.windows import WindowPlan, interval_names, make_plan
from vchunk.wiring import make_hasher

LENGTHS = "256,512,1024,2048,4096"
SHORT = (1_000, 3_000)
"""Tokens of the short documents."""


def random_modern_bert(folder: Path) -> Path:
    """A ModernBERT of base size that nobody trained, with the bundled tokenizer."""
    from transformers import ModernBertConfig, ModernBertModel
    from transformers.utils import logging

    special = {
        "pad_token_id": 0,
        "cls_token_id": 101,
        "sep_token_id": 102,
        "bos_token_id": 101,
        "eos_token_id": 102,
    }
    logging.disable_progress_bar()
    ModernBertModel(ModernBertConfig(vocab_size=30_522, **special)).save_pretrained(folder)
    shutil.copy(bundled_folder() / "tokenizer.json", folder)
    return folder


def windows_of(plan: WindowPlan, ids: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """The windows of a document."""
    edges = plan.anchors(ids)
    return [ids[slice(*plan.bounds(edges, w))] for w in range(plan.count(edges))]


def sample(windows: list[NDArray[np.int32]], tokens: int) -> list[NDArray[np.int32]]:
    """Windows from the whole of a document that hold about so many tokens."""
    count = max(1, round(tokens * len(windows) / sum(map(len, windows))))
    return [windows[i * len(windows) // count] for i in range(min(count, len(windows)))]


def documents(ids: NDArray[np.int32], size: int, tokens: int) -> list[NDArray[np.int32]]:
    """Documents of so many tokens, the half of ``tokens`` together."""
    return [ids[at : at + size] for at in range(0, max(tokens // 2, size) // size * size, size)]


def encoded_again(plan: WindowPlan, ids: NDArray[np.int32], encoder: HuggingFaceEncoder) -> float:
    """Tokens of the windows that run after one token of the document was changed; median of 25 places."""
    hasher, identity = make_hasher(), encoder.identity
    known = set(interval_names(ids, plan.anchors(ids), identity, plan, hasher))
    counts = []
    for at in np.linspace(len(ids) // 4, len(ids) * 3 // 4, 25).astype(int).tolist():
        other = ids.copy()
        other[at] += 1
        edges = plan.anchors(other)
        names = interval_names(other, edges, identity, plan, hasher)
        missing = [i for i, name in enumerate(names) if name not in known]
        counts.append(sum(np.subtract(*plan.bounds(edges, w)[::-1]) for w in plan.needed(edges, missing)))
    return statistics.median(counts)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, metavar="FOLDER", help="a model that takes such inputs")
    parser.add_argument("--engine", default="torch", help="default: torch")
    parser.add_argument("--dtype", default="auto", help="default: auto")
    parser.add_argument("--lengths", default=LENGTHS, help=f"default: {LENGTHS}")
    parser.add_argument("--tokens", type=int, default=6_000, help="of windows in a round (default: 6000)")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one processor: one stream, one thread
    lengths = [int(length) for length in options.lengths.split(",")]
    with tempfile.TemporaryDirectory() as place:
        folder = options.encoder or random_modern_bert(Path(place) / "modernbert-random")
        # One model for all lengths: what a window holds does not depend on the most that it may hold.
        encoder = HuggingFaceEncoder(
            folder, engine=options.engine, dtype=options.dtype, device="cpu", window=max(lengths) - 2
        )
        ids = encoder.tokenizer.tokenize(long_document(40_000)).ids
        plans = {length: make_plan("full", length - 2) for length in lengths}
        runs = {
            (length, size): [
                window for part in documents(ids, size, options.tokens) for window in windows_of(plan, part)
            ]
            for length, plan in plans.items()
            for size in SHORT
        }
        runs |= {(length, 0): sample(windows_of(plan, ids), options.tokens) for length, plan in plans.items()}
        encoder.encode([ids[:20]])
        seconds: dict[tuple[int, int], list[float]] = {key: [] for key in runs}
        for _ in range(options.rounds):
            for key, windows in runs.items():
                began = time.process_time()
                encoder.encode(windows)
                seconds[key].append(time.process_time() - began)
        print(f"{'input':>7}{'window':>10}{'document tokens / s, of a document of':>42}{'again after':>14}")
        print(f"{'length':>7}{'tokens/s':>10}{len(ids):>14,}{SHORT[1]:>14,}{SHORT[0]:>14,}{'an edit':>14}")
        for length, plan in plans.items():
            read = sum(map(len, runs[length, 0])) / statistics.median(seconds[length, 0])
            long = read * len(ids) / sum(map(len, windows_of(plan, ids)))
            short = [
                sum(map(len, documents(ids, size, options.tokens))) / statistics.median(seconds[length, size])
                for size in SHORT
            ]
            again = encoded_again(plan, ids, encoder)
            print(f"{length:>7}{read:>10.0f}{long:>14.0f}{short[1]:>14.0f}{short[0]:>14.0f}{again:>14.0f}")


if __name__ == "__main__":
    main()
