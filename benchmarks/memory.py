"""Peak memory of ``embed`` on a short and a long text, each in a process of its own.

    python benchmarks/memory.py [--megabytes N ...] [--encoder NAME] [--windows full|light] [--json]

By default the encoder looks its vectors up in a table, 384 numbers a token, behind the tokenizer of
the bundled model: a model needs as much memory for any text, so what grows is what is measured here.
``--encoder minilm`` takes the real one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from speed import long_document
from vchunk.adapters.encoders.huggingface import HuggingFaceEncoder
from vchunk.domain.ports import EncoderIdentity
from vchunk.session import Session

LOOKED_UP = "table"
WORDS_A_MEGABYTE = 192_000


class TableEncoder:
    """Port ``Encoder``: each token has a vector, moved a little by the window's length."""

    name = LOOKED_UP
    dim = 384
    window = 254
    windows_at_once = 128

    def __init__(self) -> None:
        self.tokenizer = HuggingFaceEncoder(engine="torch", device="cpu").tokenizer
        self.identity = EncoderIdentity("table-1", self.tokenizer.identity, "numpy", "cpu", "float32")
        self._table = np.random.default_rng(1).standard_normal((1 << 15, self.dim)).astype(np.float32)

    def encode(self, windows: Sequence[NDArray[np.int32]]) -> list[NDArray[np.float32]]:
        """One array (tokens of the window, dim) a window."""
        return [self._table[window] + np.float32(0.1) * self._table[len(window)] for window in windows]


def peak(source: str, encoder: str, windows: str) -> dict[str, int]:
    """Embed a file in this process; the most memory that it ever held, in bytes."""
    with tempfile.TemporaryDirectory() as store:
        session = Session(encoder=TableEncoder() if encoder == LOOKED_UP else encoder, store=store)
        report = session.embed(source, windows=windows).report
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert report is not None
    return {"tokens": report.tokens, "peak": most if sys.platform == "darwin" else most * 1024}


def measure(megabytes: Sequence[float], encoder: str, windows: str) -> list[dict[str, Any]]:
    """One record a size."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in megabytes:
            source = Path(folder) / f"{size:g}.md"
            text = long_document(int(WORDS_A_MEGABYTE * size))
            source.write_text(text[: int(size * 1e6)], "utf-8")
            command = [sys.executable, __file__, "--one", str(source), "--encoder", encoder, "--windows", windows]
            output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            rows.append({"bytes": source.stat().st_size, **json.loads(output)})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[1, 10], help="sizes (default: 1 10)")
    parser.add_argument("--encoder", default=LOOKED_UP, help="a model instead of the table")
    parser.add_argument("--windows", default="full", help="full or light")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(peak(options.one, options.encoder, options.windows)))
        return
    for row in measure(options.megabytes, options.encoder, options.windows):
        if options.json:
            print(json.dumps(row))
        else:
            print(f"{row['bytes'] / 1e6:>6.1f} MB  {row['tokens']:>9,} tokens  peak {row['peak'] / 1e6:>6.0f} MB")


if __name__ == "__main__":
    main()
