"""Damaged files of each format end in a document or one clear line, within bounds of time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SECONDS = 120  # it takes about two; ends a hang
MOST_MEMORY = 1024  # MiB


def test_damaged_files_of_each_format() -> None:
    script = Path(__file__).with_name("fuzz_readers.py")
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tests), "1"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *faults, memory = done.stdout.splitlines()
    assert faults == []
    assert int(memory) < MOST_MEMORY
