"""CPU seconds of reading PDFs, and those of taking text, boxes and sizes out of PDFium and no more.

    python benchmarks/pdf.py FILE_OR_FOLDER... [--password WORD] [--repeat N] [--json]

The yardstick asks pypdfium2 for the text of each page and for the box and the font size of each
character. Both are measured in the same run, the least of N repeats each; the ratio is ours to it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pypdfium2

from vchunk.adapters.readers.pdf import PdfReader
from vchunk.adapters.readers.pdf_pages import open_pdf
from vchunk.domain.document import Source
from vchunk.domain.ports import no_warning


def plain(data: bytes, password: str | None) -> int:
    """The number of pages, after all of their characters were asked for."""
    with closing(open_pdf(data, password)) as pdf:
        for page in pdf:
            with closing(page.get_textpage()) as text:
                text.get_text_range()
                for i in range(text.count_chars()):
                    text.get_charbox(i)
                    pypdfium2.raw.FPDFText_GetFontSize(text.raw, i)
            page.close()
        return len(pdf)


def seconds(run: Callable[[], object], repeat: int) -> float:
    """The least CPU time of some runs."""
    found = []
    for _ in range(repeat):
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def measure(path: Path, password: str | None, repeat: int) -> dict[str, float | str]:
    """Pages, CPU seconds and pages a CPU second of one file."""
    data = path.read_bytes()
    source, reader = Source(path.name, data), PdfReader(password, processes=1)
    pages = plain(data, password)
    reader.read(source, no_warning)  # imports and tables are made before the clock runs
    yardstick = seconds(lambda: plain(data, password), repeat)
    ours = seconds(lambda: reader.read(source, no_warning), repeat)
    return {
        "file": path.name,
        "pages": pages,
        "plain_seconds": round(yardstick, 4),
        "seconds": round(ours, 4),
        "pages_per_cpu_second": round(pages / ours, 1),
        "ratio": round(ours / yardstick, 2),
    }


def main() -> None:
    """Print one line a file, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--password")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    files = [f for path in given.paths for f in (sorted(path.glob("**/*.pdf")) if path.is_dir() else [path])]
    rows = []
    for path in files:
        try:
            rows.append(measure(path, given.password, given.repeat))
        except (pypdfium2.PdfiumError, ValueError) as error:
            print(f"{path.name}: left out ({error})")
    if not rows:
        parser.exit(1, "no PDF was read\n")
    total = {name: sum(float(row[name]) for row in rows) for name in ("pages", "plain_seconds", "seconds")}
    all_files = {
        "file": "all",
        "pages": int(total["pages"]),
        "plain_seconds": round(total["plain_seconds"], 4),
        "seconds": round(total["seconds"], 4),
        "pages_per_cpu_second": round(total["pages"] / total["seconds"], 1),
        "ratio": round(total["seconds"] / total["plain_seconds"], 2),
    }
    if given.json:
        print(json.dumps([*rows, all_files]))
        return
    for row in [*rows, all_files]:
        print(
            f"{row['file']}: {row['pages']} pages, {row['pages_per_cpu_second']} a CPU second, "
            f"{row['ratio']} times plain extraction ({row['seconds']} s to {row['plain_seconds']} s)"
        )


if __name__ == "__main__":
    main()
