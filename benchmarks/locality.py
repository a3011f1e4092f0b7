"""How far an edit of a document reaches: windows encoded again, chunks whose id changes, and where.

    python benchmarks/locality.py [--text FILE | --words N] [--encoder NAME] [--windows full|light]
                                  [--store DIR] [--json]

Three edits, each of the document as it was: one sentence changed in the middle, a paragraph inserted
at the top, a paragraph deleted at a third. Changed are the chunks of the edited document whose id the
document had not, at each preset, and the leaves of its tree; how far one is from the edit is counted in
tokens. Each edited text is also embedded into a store that never saw the document, with an encoder
that looks its vectors up (see memory.py), and both embeddings are compared byte for byte.

``--store`` keeps the embedding of the document for the next run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory import LOOKED_UP, TableEncoder
from speed import long_document
from vchunk.doc import Doc
from vchunk.domain.document import Source
from vchunk.session import Session

PRESETS = ("fine", "medium", "coarse")
SENTENCE = "Nobody at all had seen the white whale that morning."
PARAGRAPH = "A new paragraph stands at the very top of the book. It says little, and nobody had asked for it."


@dataclass(frozen=True)
class Edit:
    """A text after an edit; ``start`` and ``end`` are where it stands there."""

    name: str
    text: str
    start: int
    end: int


def edits_of(text: str) -> Iterator[Edit]:
    """The three edits of a text whose paragraphs are parted by blank lines."""
    gap = "\r\n\r\n" if "\r\n\r\n" in text else "\n\n"
    low = text.index(". ", len(text) // 2) + 2
    high = text.index(".", low) + 1
    yield Edit("one sentence changed", text[:low] + SENTENCE + text[high:], low, low + len(SENTENCE))
    yield Edit("a paragraph inserted", PARAGRAPH + gap + text, 0, len(PARAGRAPH))
    low = text.index(gap, len(text) // 3) + len(gap)
    high = text.index(gap, low) + len(gap)
    yield Edit("a paragraph deleted", text[:low] + text[high:], low, low)


def cuts_of(doc: Doc) -> dict[str, dict[str, tuple[int, int]]]:
    """Ids and spans at each preset and of the tree's leaves."""
    cuts = {preset: {c.id: (c.start, c.end) for c in doc.chunks(preset=preset)} for preset in PRESETS}
    cuts["leaves"] = {n.id: (n.start, n.end) for n in doc.tree().walk() if not n.children}
    return cuts


def farthest(doc: Doc, edit: Edit, spans: list[tuple[int, int]]) -> int:
    """Tokens between the edit and the farthest of some spans."""
    starts = doc.embedded().token_starts
    low, high = np.searchsorted(starts, (edit.start, edit.end))
    tokens = [np.searchsorted(starts, span) for span in spans]
    return max((max(int(first - high), int(low - last), 0) for first, last in tokens), default=0)


def same_bytes(edit: Edit, base: str, name: str, windows: str) -> bool:
    """Whether embedding the edited text after the document gives what it gives alone."""
    held = []
    for texts in ((base, edit.text), (edit.text,)):
        with tempfile.TemporaryDirectory() as store:
            session = Session(encoder=TableEncoder(), store=store)
            docs = [session.embed(Source(name, text.encode()), windows=windows) for text in texts]
            arrays = docs[-1].embedded().artifact.arrays
            held.append({array: np.asarray(data).tobytes() for array, data in sorted(arrays.items())})
    return held[0] == held[1]


def measure(text: str, name: str, encoder: str, windows: str, store: str) -> Iterator[dict[str, Any]]:
    """One record an edit."""
    session = Session(encoder=TableEncoder() if encoder == LOOKED_UP else encoder, store=store)
    before = cuts_of(session.embed(Source(name, text.encode()), windows=windows))
    for edit in edits_of(text):
        doc = session.embed(Source(name, edit.text.encode()), windows=windows)
        assert doc.report is not None
        row: dict[str, Any] = {"edit": edit.name, "windows": doc.report.windows_encoded}
        for kind, cuts in cuts_of(doc).items():
            new = [span for key, span in cuts.items() if key not in before[kind]]
            row[kind] = {"chunks": len(cuts), "changed": len(new), "farthest": farthest(doc, edit, new)}
        row["same_bytes"] = same_bytes(edit, text, name, windows)
        session.store.remove(doc.embedded().key)  # so that another run encodes them again
        yield row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, help="a text file")
    parser.add_argument("--words", type=int, default=20_000, help="size of a made-up document (default: 20000)")
    parser.add_argument("--encoder", default=LOOKED_UP, help="a model; by default vectors are looked up")
    parser.add_argument("--windows", default="full", help="full or light")
    parser.add_argument("--store", help="a store to work in; by default one that is thrown away")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    options = parser.parse_args()
    text = options.text.read_bytes().decode("utf-8-sig") if options.text else long_document(options.words)
    name = options.text.name if options.text else "long.md"
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(text, name, options.encoder, options.windows, options.store or folder):
            if options.json:
                print(json.dumps(row))
                continue
            same = "same bytes as alone" if row["same_bytes"] else "OTHER BYTES THAN ALONE"
            print(f"{row['edit']}: {row['windows']} windows encoded, {same}")
            for kind in (*PRESETS, "leaves"):
                found = row[kind]
                print(
                    f"    {kind:<8}{found['changed']:>4} of {found['chunks']:>6,} changed, "
                    f"the farthest {found['farthest']:>5} tokens away"
                )


if __name__ == "__main__":
    main()
