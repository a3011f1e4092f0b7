"""How near each engine, number format and window plan comes to torch in float32 with full windows.

    python benchmarks/fidelity.py [FILE ...] [--variants NAME,...] [--store DIR] [--json]

Of each variant (named as in encoding.py), over the files or a made-up document: the correlation of the
velocity curve with that of ``torch-float32-full``, the F1 of its peaks of prominence 0.5 (a peak is
found if the other curve has one within sigma, each counted once), and at each preset the share of the
reference's chunks that it has too. ``--store`` keeps the embeddings for the next run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoding import VARIANTS, parts_of
from locality import PRESETS
from speed import long_document
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.domain.prominence import find_peaks, mad
from vchunk.domain.velocity import DEFAULT_F_SIG, sigma_of
from vchunk.session import Session

REFERENCE = "torch-float32-full"
PROMINENCE = 0.5


def peaks_of(curve: NDArray[np.float32]) -> NDArray[np.int64]:
    """Tokens where the curve has a peak of the prominence."""
    positions, prominences = find_peaks(curve)
    return positions[prominences >= PROMINENCE * mad(curve)]


def matched(a: NDArray[np.int64], b: NDArray[np.int64], tolerance: float) -> int:
    """Pairs of rising positions no farther apart than the tolerance, each position in one pair."""
    pairs = i = j = 0
    while i < len(a) and j < len(b):
        if abs(int(a[i]) - int(b[j])) <= tolerance:
            pairs, i, j = pairs + 1, i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return pairs


def embedded(sources: list[Source], variant: str, store: str) -> list[Doc]:
    """The documents as a variant embeds them."""
    engine, dtype, windows = parts_of(variant)
    encoder = HuggingFaceEncoder(engine=engine, dtype=dtype, device="cpu", cache=Path(store) / "models")
    session = Session(encoder=encoder, store=store)
    return [session.embed(source, windows=windows) for source in sources]


def measure(sources: list[Source], variants: list[str], store: str) -> Iterator[dict[str, Any]]:
    """One record a variant."""
    reference = embedded(sources, REFERENCE, store)
    for variant in variants:
        docs = embedded(sources, variant, store)
        curves = [(a.embedded().velocity(), b.embedded().velocity()) for a, b in zip(reference, docs, strict=True)]
        peaks = [(peaks_of(a), peaks_of(b)) for a, b in curves]
        found = sum(matched(a, b, sigma_of(DEFAULT_F_SIG)) for a, b in peaks)
        row: dict[str, Any] = {
            "variant": variant,
            "tokens": sum(len(a) for a, _ in curves),
            "velocity_r": float(np.corrcoef(*(np.concatenate(side) for side in zip(*curves, strict=True)))[0, 1]),
            "peak_f1": 2 * found / max(sum(len(a) + len(b) for a, b in peaks), 1),
        }
        for preset in PRESETS:
            kept = total = 0
            for a, b in zip(reference, docs, strict=True):
                wanted, got = (Counter((c.start, c.end) for c in doc.chunks(preset=preset)) for doc in (a, b))
                kept, total = kept + (wanted & got).total(), total + wanted.total()
            row[preset] = kept / max(total, 1)
        yield row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="texts")
    parser.add_argument("--variants", default=",".join(v for v in VARIANTS if v != REFERENCE), help="default: all")
    parser.add_argument("--store", help="a store to work in; by default one that is thrown away")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    sources = [Source(path.name, path.read_bytes()) for path in options.files]
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(
            sources or [Source("long.md", long_document(20_000).encode())],
            options.variants.split(","),
            options.store or folder,
        )
        if not options.json:
            print(f"{'':<26}{'velocity r':>12}{'peak F1':>10}{'fine':>10}{'medium':>10}{'coarse':>10}")
        for row in rows:
            if options.json:
                print(json.dumps(row))
                continue
            shares = "".join(f"{row[preset]:>10.1%}" for preset in PRESETS)
            print(f"{row['variant']:<26}{row['velocity_r']:>12.5f}{row['peak_f1']:>10.3f}{shares}", flush=True)


if __name__ == "__main__":
    main()
