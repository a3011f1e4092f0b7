"""Several documents in one command: read ahead, yet one after the other for who looks on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 60  # far beyond what is waited for
NOTICE = " ".join(f"Clause {n}: the borrower of book number {n * n} pays {n + 3} coins a week." for n in range(60))


def text_of(number: int) -> str:
    river = f"River {number} rises in valley {number * 7} and meets the sea at town {number * 11}. " * 20
    return f"# Paper {number}\n\n{river}\n\n{NOTICE}\n"


def test_documents_come_in_order_share_what_they_share_and_fail_alone(vchunk, tmp_path: Path):
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(text_of(number), encoding="utf-8")
    (tmp_path / "noise.txt").write_bytes(bytes(range(256)) * 8)
    names = ["0.md", "gone.md", "1.md", "noise.txt", "0.md", "-", "3.md"]
    done = vchunk("embed", *names, "-v", "--format", "json", input=text_of(2).encode())
    assert done.returncode == 1
    assert [record["source"] for record in done.records] == ["0.md", "1.md", "0.md", "-", "3.md"]
    told = [line.removeprefix("vchunk: ").removeprefix("error: ") for line in done.stderr.splitlines()]
    assert [line.partition(":")[0] for line in told] == [name.replace("-", "standard input") for name in names]
    first, second, again, third, last = done.records
    assert first["windows_encoded"] == first["windows"] > 10
    assert (again["key"], again["windows_encoded"]) == (first["key"], 0)
    for record in (second, third, last):
        assert 0 < record["windows_encoded"] < record["windows"] / 2
    mixed = vchunk("chunk", "1.md", last["key"], "gone.md", "0.md")
    assert mixed.returncode == 1
    order = [record["embedding"] for record in mixed.records]
    assert list(dict.fromkeys(order)) == [second["key"], last["key"], first["key"]]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interruption_ends_at_once_and_keeps_what_is_done(vchunk, tmp_path: Path):
    (tmp_path / "a.md").write_text("A paper that is short.\n", encoding="utf-8")
    command = [str(Path(sys.executable).with_name("vchunk")), "embed", "a.md", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        key = process.stdout.readline().decode().strip()  # now it waits for standard input
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert vchunk("chunk", key).checked().records[0]["text"] == "A paper that is short."


LOSES_AN_INTERRUPTION = """
import os, signal, time
from vchunk.cli import app

class Interrupted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

def run(arguments):
    Interrupted()  # its destructor swallows the KeyboardInterrupt
    time.sleep(600)

app.run = run
app.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interruption_that_python_loses_ends_it_too():
    done = subprocess.run([sys.executable, "-c", LOSES_AN_INTERRUPTION], timeout=SECONDS, check=False)
    assert done.returncode == 130


def test_an_interruption_while_it_starts_is_quiet(vchunk, tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'vchunk.cli.chunk':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    done = vchunk("--help", env={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.output, done.stderr) == (130, b"", "")
