"""Truncates and flips bits of one small file of each format; each ends in a document or one clear line.

Run in a process of its own, so that a hang or a crash of a parser ends that alone, and its memory is its
own: ``python fuzz_readers.py TESTS_FOLDER SEED``. Prints what is wrong, then the most memory used in MiB.
"""

from __future__ import annotations

import random
import resource
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

ROUNDS = 40


def damaged(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Versions of a file that are cut off, have bits flipped, or lack or repeat a part."""
    for _ in range(ROUNDS):
        yield data[: chance.randrange(len(data))]
        flipped = bytearray(data)
        for _ in range(chance.choice((1, 1, 3, 10))):
            flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(flipped)
        start, end = sorted(chance.sample(range(len(data) + 1), 2))
        yield data[:start] + data[end:]
        yield data[:end] + data[start:]


def main(seed: int) -> None:
    """Read them all."""
    from document_laws import hold_laws
    from reader_samples import samples
    from vchunk.adapters.readers.registry import reader_for
    from vchunk.domain.document import Source
    from vchunk.domain.errors import ReadError
    from vchunk.domain.ports import no_warning

    read = refused = 0
    for name, data in samples().items():
        chance = random.Random(f"{seed} {name}")
        hold_laws(reader_for(Source(name, data)).read(Source(name, data), no_warning))
        for number, version in enumerate(damaged(data, chance)):
            source = Source(name, version)
            try:
                hold_laws(reader_for(source).read(source, no_warning))
                read += 1
            except ReadError as error:
                refused += 1
                if not str(error).startswith(name) or "\n" in str(error):
                    print(f"{name}, version {number}: not one line that names it: {error!r}")
            except Exception:
                print(f"{name}, version {number}: {traceback.format_exc()}")
    print(f"read {read}, refused {refused}", file=sys.stderr)
    print(peak_memory())


def peak_memory() -> int:
    """The most memory that this process held, MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # a process begins with what getrusage says of the one that started it
        [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024**2 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    main(int(sys.argv[2]))
