"""Commentary: what goes to standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vchunk.domain.ports import Warn


def say(message: str) -> None:
    """One line of commentary."""
    with contextlib.suppress(OSError, ValueError):  # if nobody listens, the exit code tells
        sys.stderr.write(f"vchunk: {message}\n")  # at once, or lines of a pipe's commands would mix
        sys.stderr.flush()


def warner(quiet: bool) -> Warn:
    """Says warnings, each once, unless quiet."""
    said: set[str] = set()

    def warn(message: str) -> None:
        if not quiet and message not in said:
            said.add(message)
            say(f"warning: {message}")

    return warn


class ProgressBar:
    """A bar on standard error for what takes more than a second; only on a terminal."""

    DELAY = 1.0

    def __init__(self, label: str, quiet: bool) -> None:
        self._label = label
        self._shown = not quiet and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if not self._shown or (self._bar is None and time.monotonic() - self._begun < self.DELAY):
            return
        if self._bar is None:
            self._open(total)
        self._bar.update(self._task, completed=done, total=total)

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} windows"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=total)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
