"""How near each engine, number format and window plan comes to a reference.

    python benchmarks/fidelity.py [FILE ...] [--reference NAME] [--variants NAME,...] [--store DIR] [--json]

Of each variant (named as in encoding.py), over the files or a made-up document: the correlation of the
velocity curve with that of the reference, the F1 of its peaks of prominence 0.5 (a peak is found if the
other curve has one within sigma, each counted once), at each preset the share of the reference's chunks
that it has too, and how much oftener than by chance its peaks lie within 15 tokens of an anchor.
``--store`` keeps the embeddings for the next run.

The reference is ``torch-float32-full`` unless another is named. That tells number formats apart, not
window plans: full windows have anchors of their own, which leave their mark as those of light ones do.
For plans there is ``torch-float32-dense``, where a window begins at every 31st token, whatever the text,
and each token is read eight times; no edit could be local with it.
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
from vchunk.domain.windows import PLANS, Edges, FullPlan
from vchunk.session import Session

REFERENCE = "torch-float32-full"
PROMINENCE = 0.5
NEAR = 15
"""Tokens from an anchor within which a peak counts as lying at it."""

READINGS = 8


class DensePlan(FullPlan):
    """Windows of ``READINGS`` intervals of ``radius`` tokens each, one window further than the last."""

    kind = "dense"
    settled_by = READINGS + 1

    @classmethod
    def for_window(cls, window: int) -> FullPlan:
        """The plan whose windows hold at most ``window`` tokens."""
        return cls(window // READINGS)

    @property
    def name(self) -> str:
        """How the plan enters keys."""
        return f"dense-{READINGS}-{self.radius}"

    def anchors(self, ids: NDArray[np.int32]) -> Edges:
        """Every ``radius``-th token and the end."""
        return np.append(np.arange(0, len(ids), self.radius), len(ids))

    def count(self, edges: Edges) -> int:
        """As many as fit."""
        intervals = len(edges) - 1
        return max(intervals - READINGS + 1, min(intervals, 1))

    def bounds(self, edges: Edges, window: int) -> tuple[int, int]:
        """Window ``i`` begins with the interval ``i``."""
        return int(edges[window]), int(edges[min(window + READINGS, len(edges) - 1)])

    def covering(self, edges: Edges, interval: int) -> range:
        """As many windows as a token has readings, fewer at the ends."""
        return range(max(interval - READINGS + 1, 0), min(interval, self.count(edges) - 1) + 1)

    def reach(self, edges: Edges, interval: int) -> tuple[int, int]:
        """What the windows over an interval read."""
        around = self.covering(edges, interval)
        return self.bounds(edges, around[0])[0], self.bounds(edges, around[-1])[1]

    def near_ends(self, edges: Edges, interval: int) -> bytes:
        """How many windows an end of the document leaves out."""
        last = len(edges) - 2
        return bytes((min(interval, READINGS), min(last - interval, READINGS)))


PLANS[DensePlan.kind] = DensePlan


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


def at_anchors(docs: list[Doc], peaks: list[NDArray[np.int64]]) -> float:
    """How many times as often as any token a peak lies within ``NEAR`` tokens of an anchor."""
    found = by_chance = 0.0
    for doc, positions in zip(docs, peaks, strict=True):
        edges = doc.embedded().interval_edges
        near = np.zeros(int(edges[-1]), bool)
        for anchor in edges[1:-1].tolist():
            near[max(anchor - NEAR, 0) : anchor + NEAR + 1] = True
        found += near[positions].sum()
        by_chance += near.mean() * len(positions)
    return float(found / max(by_chance, 1e-9))


def measure(
    sources: list[Source], reference_name: str, variants: list[str], store: str
) -> Iterator[dict[str, Any]]:
    """One record a variant."""
    reference = embedded(sources, reference_name, store)
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
        row["at_anchors"] = at_anchors(docs, [b for _, b in peaks])
        yield row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="texts")
    parser.add_argument("--reference", default=REFERENCE, help=f"default: {REFERENCE}")
    parser.add_argument("--variants", help="default: all but the reference")
    parser.add_argument("--store", help="a store to work in; by default one that is thrown away")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    sources = [Source(path.name, path.read_bytes()) for path in options.files]
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(
            sources or [Source("long.md", long_document(20_000).encode())],
            options.reference,
            options.variants.split(",") if options.variants else [v for v in VARIANTS if v != options.reference],
            options.store or folder,
        )
        if not options.json:
            heads = "".join(f"{head:>10}" for head in ("peak F1", *PRESETS))
            print(f"{'':<26}{'velocity r':>12}{heads}{'at anchors':>12}")
        for row in rows:
            if options.json:
                print(json.dumps(row))
                continue
            shares = "".join(f"{row[preset]:>10.1%}" for preset in PRESETS)
            print(f"{row['variant']:<26}{row['velocity_r']:>12.5f}{row['peak_f1']:>10.3f}{shares}", end="")
            print(f"{row['at_anchors']:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
