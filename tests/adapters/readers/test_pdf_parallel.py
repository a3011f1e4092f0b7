"""Pages read by several processes are those that one reads."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from pdf_builder import Put, build, lines
from vchunk.adapters.readers import pdf_parallel
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Document, Source
from vchunk.domain.ports import no_warning

PAGES: list[list[Put]] = [
    [
        *lines(72, 100, [f"Page {n} of the log tells of the wind and of", "the waves in the harbour."]),
        Put(300, 760, str(n)),
    ]
    for n in range(1, 8)
]


def read(processes: int | None, password: str | None = None) -> Document:
    data = build(PAGES, password=password)
    return PdfReader(password, processes=processes).read(Source("a.pdf", data), no_warning)


def test_the_document_does_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    run = subprocess.run

    def count(*args: Any, **how: Any) -> Any:
        started.append(args)
        return run(*args, **how)

    monkeypatch.setattr(subprocess, "run", count)
    one = read(1, "winds")
    assert not started
    assert read(2, "winds") == one
    assert len(started) == 2


def test_where_no_process_can_be_started_the_pages_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError("no more processes")

    one = read(1)
    monkeypatch.setattr(subprocess, "run", refuse)
    assert read(3) == one


def test_short_files_start_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_parallel, "_ask", lambda *_: pytest.fail("a process was started"))
    read(None)
