"""Text of pages that have none, from a command that the user names.

The command gets the picture of one page and prints its text in UTF-8, paragraphs parted by empty
lines: ``tesseract {image} -``. ``{image}`` stands for a PNG of 300 dots an inch, ``{pdf}`` for a PDF
of that page alone; where neither is there, the picture's name is put last. No shell is asked.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2

from vchunk.adapters.readers.pdf_blocks import Draft
from vchunk.adapters.readers.pdf_lines import Line
from vchunk.adapters.readers.pdf_runs import Run
from vchunk.domain.document import Kind
from vchunk.domain.errors import ReadError, UsageError

_DOTS = 300 / 72  # pixels a point
_TIMEOUT = 600  # seconds a page


def recognise(pdf: Any, pages: Sequence[int], command: str, name: str) -> dict[int, str]:
    """The text of pages, counted from 1.

    Raises
    ------
    ReadError
        If the command fails on a page.
    UsageError
        If it cannot be run at all.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--ocr-command {command!r}: {error}") from error
    if not words:
        raise UsageError("--ocr-command: name a command, such as 'tesseract {image} -'")
    if not any("{image}" in word or "{pdf}" in word for word in words[1:]):
        words.append("{image}")
    with tempfile.TemporaryDirectory(prefix="vchunk-") as folder:
        return {number: _one(pdf, number, words, Path(folder), name) for number in pages}


def _one(pdf: Any, number: int, words: Sequence[str], folder: Path, name: str) -> str:
    image, single = folder / f"page-{number}.png", folder / f"page-{number}.pdf"
    if any("{pdf}" in word for word in words):
        part = pypdfium2.PdfDocument.new()
        part.import_pages(pdf, [number - 1])
        part.save(single)
        part.close()
    if any("{image}" in word for word in words):
        page = pdf[number - 1]
        page.render(scale=_DOTS).to_pil().save(image)
        page.close()
    called = [word.replace("{image}", str(image)).replace("{pdf}", str(single)) for word in words]
    try:
        done = subprocess.run(called, capture_output=True, stdin=subprocess.DEVNULL, timeout=_TIMEOUT, check=False)
    except FileNotFoundError:
        raise UsageError(f"--ocr-command: no such command: {words[0]}") from None
    except OSError as error:
        raise UsageError(f"--ocr-command {words[0]}: {error.strerror or error}") from error
    except subprocess.TimeoutExpired:
        raise ReadError(f"{name}: --ocr-command took over {_TIMEOUT} s on page {number}") from None
    finally:
        image.unlink(missing_ok=True)
        single.unlink(missing_ok=True)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = f": {said[-1]}" if said else ""
        raise ReadError(f"{name}: --ocr-command failed on page {number} (exit {done.returncode}){reason}")
    return done.stdout.decode("utf-8", "replace")


def paragraphs_of(text: str, page: int, page_size: tuple[float, float], size: float) -> list[Draft]:
    """Paragraphs of recognised text; each line has the box of its page, the only one that is known."""
    width, height = page_size
    drafts: list[Draft] = []
    open_paragraph = False
    for row in text.replace("\f", "\n\n").splitlines():
        words = " ".join("".join(char if char.isprintable() else " " for char in row).split())
        if not words:
            open_paragraph = False
            continue
        edges = np.linspace([0.0, width / len(words)], [width - width / len(words), width], len(words))
        run = Run(page, words, 0.0, 0.0, width, height, 0.0, size, 0.0, 0.0, 0.0,
                  sum(map(str.isalpha, words)), (0.0, 0.0, width, height), edges)  # fmt: skip
        line = Line([run], region=-page, left=0.0, right=width)
        if open_paragraph:
            drafts[-1].lines.append(line)
        else:
            drafts.append(Draft(Kind.PARAGRAPH, [line]))
        open_paragraph = True
    return drafts
