"""How much of what one thread can encode is left of a whole ``embed``, and how RagAtini compares.

    python benchmarks/encoding.py [--words N | --text FILE] [--rounds N] [--variants NAME,...]
                                  [--encoder FOLDER] [--ragatini FOLDER] [--json]

A variant is an engine with its number format and window plan: ``torch-float32-full``,
``openvino-int8-light``; ``compiled-bfloat16-full`` is torch with ``--compile``. Of each, in turn and
round after round, two things are timed in CPU seconds of one thread: the forward pass over all
windows of the document, and the whole ``embed`` from a file to a new store (reading, tokenising,
sentences, encoding, mesh, derived curves, writing). Models are loaded before. The report gives
medians over the rounds.

``--ragatini`` names a folder with RagAtini 0.1.4:

    pip install --no-deps --target FOLDER ragatini==0.1.4

Its embedding pass is timed among the others: its own code from text to meshed vectors, with the
same weights, windows of 256 tokens, float32, everything else as it comes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speed import long_document
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.adapters.encoders.minilm import bundled_folder
from vchunk.domain.document import Source
from vchunk.domain.windows import make_plan
from vchunk.session import Session
from vchunk.wiring import DEFAULT_ENCODER

ENGINES = ("torch-float32", "torch-bfloat16", "openvino-bfloat16", "openvino-int8", "openvino-int8-static")
VARIANTS = tuple(f"{engine}-{windows}" for engine in ENGINES for windows in ("full", "light"))
COMPILED = "compiled"
PEER = "ragatini"
FIGURES = (
    "window_tokens_per_cpu_second",
    "document_tokens_per_cpu_second",
    "of_the_forward_pass",
    "times_ragatini",
)

Run = Callable[[], object]


def parts_of(variant: str) -> tuple[str, str, str]:
    """Engine, number format and window plan of a variant's name."""
    engine, _, rest = variant.partition("-")
    dtype, _, windows = rest.rpartition("-")
    return engine, dtype, windows


class Variant:
    """One engine, number format and window plan on one text."""

    def __init__(
        self, name: str, text: str, place: Path, encoders: dict[str, HuggingFaceEncoder], model: str
    ) -> None:
        engine, dtype, self.windows = parts_of(name)
        self.name = name
        compiled = engine == COMPILED
        encoder = encoders.get(f"{engine}-{dtype}") or HuggingFaceEncoder(
            model,
            engine="torch" if compiled else engine,
            dtype=dtype,
            device="cpu",
            compile=compiled,
            cache=place / "models",
        )
        encoders[f"{engine}-{dtype}"] = encoder
        self._encoder = encoder
        self._place = place
        self._source = place / "text.txt"
        self._source.write_text(text, "utf-8")
        ids = encoder.tokenizer.tokenize(self._source.read_text("utf-8")).ids
        plan = make_plan(self.windows, encoder.window)
        edges = plan.anchors(ids)
        self.tokens = len(ids)
        self._runs = [ids[slice(*plan.bounds(edges, w))] for w in range(plan.count(edges))]
        self.window_tokens = sum(map(len, self._runs))
        with tempfile.TemporaryDirectory() as store:  # libraries and the model are loaded here
            Session(encoder=encoder, store=store).embed(Source("warm.txt", text[:2000].encode()))

    def forward(self) -> None:
        """All windows through the model, as many at once as ``embed`` takes."""
        size = self._encoder.windows_at_once
        for at in range(0, len(self._runs), size):
            self._encoder.encode(self._runs[at : at + size])

    def embed(self) -> None:
        """The whole of it, to a store that is new."""
        with tempfile.TemporaryDirectory(dir=self._place) as store:
            Session(encoder=self._encoder, store=store).embed(self._source, windows=self.windows)


def peer_pass(folder: Path, text: str) -> tuple[Run, int]:
    """RagAtini's embedding pass over a text, and the text's tokens as it counts them."""
    sys.path.insert(0, str(folder))
    import torch
    from ragatini.RagAtini import RagAtini  # type: ignore[import-not-found]

    class WithoutBoundaries(RagAtini):  # type: ignore[misc]
        """Its second model, which finds boundaries, is no part of the pass."""

        def init_chonky(self, model_name: str) -> None:
            pass

    torch.set_num_threads(1)
    peer = WithoutBoundaries(str(bundled_folder()), doc_prefix="", device="cpu", max_chunk_length=256)

    def run() -> Any:
        tokens = peer.tokenize(text)[0].squeeze(0)
        vectors = peer.process_chunks(peer.chunk_tokens(tokens, peer.default_stride), 1)
        masks = peer.generate_chunk_masks(len(vectors), vectors.size(1) - 2, len(tokens), peer.default_stride)
        return peer.mesh_vectors(vectors, masks, len(tokens), peer.default_stride)

    return run, len(peer.tokenize(text)[1])


def cpu_seconds(run: Run) -> float:
    """CPU seconds of this process, all its threads together."""
    began = time.process_time()
    run()
    return time.process_time() - began


def measure(
    text: str, names: list[str], rounds: int, ragatini: Path | None, model: str = DEFAULT_ENCODER
) -> list[dict[str, Any]]:
    """One record a variant, and one of the peer."""
    with tempfile.TemporaryDirectory() as folder:
        encoders: dict[str, HuggingFaceEncoder] = {}
        variants = [Variant(name, text, Path(folder), encoders, model) for name in names]
        runs: dict[tuple[str, str], Run] = {}
        peer_tokens = 0
        if ragatini is not None:
            runs[PEER, "embed"], peer_tokens = peer_pass(ragatini, text)
        for variant in variants:
            runs[variant.name, "forward"] = variant.forward
            runs[variant.name, "embed"] = variant.embed
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in runs}
        for _ in range(rounds):
            for key, run in runs.items():
                seconds[key].append(cpu_seconds(run))
    median = {key: statistics.median(values) for key, values in seconds.items()}
    peer = peer_tokens / median[PEER, "embed"] if ragatini is not None else None
    rows: list[dict[str, Any]] = []
    for variant in variants:
        forward, embed = median[variant.name, "forward"], median[variant.name, "embed"]
        shares = [
            f / e for f, e in zip(seconds[variant.name, "forward"], seconds[variant.name, "embed"], strict=True)
        ]
        rows.append(
            {
                "variant": variant.name,
                "tokens": variant.tokens,
                "window_tokens": variant.window_tokens,
                "window_tokens_per_cpu_second": variant.window_tokens / forward,
                "document_tokens_per_cpu_second": variant.tokens / embed,
                "of_the_forward_pass": statistics.median(shares),
                "times_ragatini": variant.tokens / embed / peer if peer else None,
            }
        )
    if peer:
        rows.append({"variant": PEER, "tokens": peer_tokens, "document_tokens_per_cpu_second": peer})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=6_000, help="size of the made-up document (default: 6000)")
    parser.add_argument("--text", type=Path, help="a text file instead")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all variants (default: 3)")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="default: all ten")
    parser.add_argument("--encoder", default=DEFAULT_ENCODER, help="another model than the bundled one")
    parser.add_argument("--ragatini", type=Path, metavar="FOLDER", help="where RagAtini is installed")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one processor: one stream, one thread
    text = options.text.read_text("utf-8") if options.text else long_document(options.words)
    rows = measure(text, options.variants.split(","), options.rounds, options.ragatini, options.encoder)
    if options.json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"{'':<26}{'window tokens':>15}{'embed, document':>18}{'of the':>10}{'times':>10}")
    print(f"{'':<26}{'a CPU second':>15}{'tokens a second':>18}{'forward':>10}{'RagAtini':>10}")
    for row in rows:
        columns = [(15, ".0f"), (18, ".0f"), (10, ".1%"), (10, ".2f")]
        names = list(FIGURES)
        cells = [f"{row[n]:>{w}{f}}" if row.get(n) else " " * w for n, (w, f) in zip(names, columns, strict=True)]
        print(f"{row['variant']:<26}{''.join(cells)}")


if __name__ == "__main__":
    main()
