"""Pages of long PDFs read by several processes; the result is that of one.

PDFium knows no threads. The processes are children of their own, started with this module, so that
neither a forked lock nor a script without a main guard is in the way; they get the file on standard
input and answer with pickled pages. Where no child can be started, the pages are read here.
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from vchunk.adapters.readers.pdf_pages import PageContent, open_pdf, read_page

LONG = 300
"""Pages from which on more than one process pays."""
_SHARE = 100  # pages for each process at least
_MOST_PROCESSES = 8


def read_pages(pdf: Any, data: bytes, password: str | None, processes: int | None = None) -> list[PageContent]:
    """All pages of an open document whose bytes are ``data``.

    ``processes`` is found from the number of pages and of processors where it is not given.
    """
    count = len(pdf)
    if processes is None:
        processes = 1 if count < LONG else min(_processors(), count // _SHARE, _MOST_PROCESSES)
    if processes > 1:
        bounds = [round(i * count / processes) for i in range(processes + 1)]
        shares = [range(a + 1, b + 1) for a, b in itertools.pairwise(bounds)]
        with ThreadPoolExecutor(processes) as threads:
            parts = list(threads.map(lambda share: _ask(data, password, share), shares))
        if all(part is not None for part in parts):
            return [page for part in parts for page in part or ()]
    return [read_page(pdf, number) for number in range(1, count + 1)]


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _ask(data: bytes, password: str | None, share: range) -> list[PageContent] | None:
    """The pages of a share, read by a child; None if it fails."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=pickle.dumps((data, password, share)),
            capture_output=True,
            env=environment,
            check=True,
        )
        pages: list[PageContent] = pickle.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, pickle.UnpicklingError, EOFError):
        return None
    return pages


def _answer() -> None:
    """Be a child: read a share from standard input, write its pages to standard output."""
    data, password, share = pickle.load(sys.stdin.buffer)
    with closing(open_pdf(data, password)) as pdf:
        pages = [read_page(pdf, number) for number in share]
    sys.stdout.buffer.write(pickle.dumps(pages))


if __name__ == "__main__":
    _answer()
