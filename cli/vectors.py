"""Index vectors on the command line: which are asked for, and where they go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from vchunk.cli.output import STANDARD, open_output, to_terminal
from vchunk.domain.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vchunk.chunks import Chunks
    from vchunk.domain.ports import ChunkTable

PARQUET = ".parquet"


class Sidecar:
    """Collects the vectors of all chunks, in the order of the records."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.float32]] = []

    def take(self, chunks: Chunks) -> Chunks:
        """Take the vectors of a document; gives its chunks without them."""
        assert chunks.vectors is not None
        self._parts.append(chunks.vectors)
        return chunks.without_vectors()

    def matrix(self) -> NDArray[np.float32]:
        """All rows, (n, dim)."""
        import numpy as np

        return np.concatenate(self._parts) if self._parts else np.zeros((0, 0), np.float32)


@contextmanager
def open_sidecar(path: Path | None) -> Iterator[Sidecar | None]:
    """A sidecar that becomes a ``.npy`` file when the block ends; None without a path."""
    if path is None:
        yield None
        return
    import numpy as np

    with open_output(path, "--vectors-out") as stream:
        sidecar = Sidecar()
        yield sidecar
        np.lib.format.write_array(stream, sidecar.matrix(), version=(1, 0), allow_pickle=False)


@contextmanager
def open_table(stream: IO[bytes], format: str) -> Iterator[ChunkTable | None]:
    """The table that is written to a stream; None for other formats than Parquet.

    Raises
    ------
    MissingExtra
    """
    if format != "parquet":
        yield None
        return
    from vchunk import wiring

    table = wiring.make_table(stream)
    yield table
    table.close()


def usual_format(output: Path | None) -> str:
    """The format where none is asked for: by the file's ending, or by who reads it."""
    if output is not None and output.suffix.lower() == PARQUET:
        return "parquet"
    return "pretty" if to_terminal(output) else "jsonl"


def check_wish(kind: str | None, ancestors: str, path: Path | None, output: Path | None, format: str) -> None:
    """Refuse what gives no vectors, or vectors that nobody sees.

    Raises
    ------
    UsageError
    """
    if format == "parquet" and to_terminal(output):
        raise UsageError("--format parquet: is no text for a terminal; add -o FILE.parquet")
    if kind is None:
        if path is not None:
            raise UsageError("--vectors-out writes the vectors of --vectors: say late, text or blend")
        if ancestors != "both":
            raise UsageError("--blend-ancestors is for --vectors blend")
        return
    from vchunk.domain.vectors import VectorWish

    VectorWish(kind, ancestors)
    if format == "pretty" and path is None:
        raise UsageError(
            "--vectors: not shown on a terminal; add --format jsonl, --vectors-out FILE.npy or -o FILE"
        )
    if path == STANDARD:
        raise UsageError("--vectors-out -: standard output is for the records; name a file")
    if path is not None and output is not None and path.resolve() == output.resolve():
        raise UsageError(f"--vectors-out {path}: is the file of --output too; name another")
