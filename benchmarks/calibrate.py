"""Measure an encoder's constants on a folder of texts, for ``adapters/encoders/constants.py``.

    python benchmarks/calibrate.py FOLDER [--encoder MODEL] [--store DIR]

lambda at each level is the median gain in scatter of a cut between two windows of that many tokens;
the contrast's median and median absolute deviation are those over all boundaries. Both belong to
the encoder and to the rule for units, not to one document.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from vchunk import Session
from vchunk.domain.constants import calibrate

TARGETS = (64, 128, 256, 512, 1024, 2048)


def main() -> None:
    """Print the constants as the line that ships."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--store")
    given = parser.parse_args()
    session = Session(encoder=given.encoder, store=given.store, warn=print)
    documents = []
    for path in sorted(p for p in given.folder.iterdir() if p.is_file()):
        embedding = session.embed(path).embedding
        assert embedding is not None
        documents.append(embedding.units())
        print(f"{path.name}: {embedding.tokens:,} tokens, {len(documents[-1]):,} units")
    constants = calibrate(documents, TARGETS)
    identity = session.encoder.identity
    print(f'    ("{identity.content}", "{identity.tokenizer}"): EncoderConstants(')
    print(f"        targets={tuple(int(t) for t in constants.targets)},")
    print(f"        scales={tuple(round(s, 2) for s in constants.scales)},")
    print(f"        contrast_median={constants.contrast_median:.4f},")
    print(f"        contrast_mad={constants.contrast_mad:.4f},")
    print("    ),")


if __name__ == "__main__":
    main()
