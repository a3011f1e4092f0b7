"""The command ``vchunk``: puts the commands together and turns errors into exit codes.

Exit codes: 0 done, 1 something failed (the rest is done and named), 2 a wrong use, 130 Ctrl-C,
141 closed pipe.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from typing import Annotated

import typer

from vchunk.cli import calibrate, chunk, config, embed, eval, formats, plot, show, store, tree
from vchunk.cli.terminal import say
from vchunk.domain.errors import VchunkError

_INTERRUPTED = 130
_GRACE = 2.0
"""Seconds that an interrupted command has to put things in order."""

app = typer.Typer(
    name="vchunk",
    help="Cut documents for retrieval where the meaning changes.",
    epilog="Documents are read and encoded once (embed); every other command works on what is in the store.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"vchunk {version('vchunk')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Cut documents for retrieval where the meaning changes."""


app.command("embed")(embed.command)
app.command("chunk")(chunk.command)
app.command("tree")(tree.command)
app.command("plot")(plot.command)
app.command("show")(show.command)
app.command("formats")(formats.command)
app.command("eval")(eval.command)
app.command("calibrate")(calibrate.command)
app.command("config")(config.command)
app.add_typer(store.app, name="store")


def main() -> None:
    """Entry point: run, and exit as documented."""
    # numpy's own products here are small: threads would only wait for one another. (The encoder's
    # threads are torch's.) It has to be said before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_closed_streams()
    if hasattr(signal, "SIGPIPE"):
        # A reader that has seen enough (`| head`) ends us quietly.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _end_when_interrupted()
    code = run(sys.argv[1:])
    if code == _INTERRUPTED:
        _leave_at_once()
    try:
        sys.stdout.flush()
    except OSError as error:
        if not code:
            say(f"error: standard output: {error.strerror}")
        _leave_at_once(code or 1)  # Python would try it again, and complain
    sys.exit(code)


def _end_when_interrupted() -> None:
    """Make sure of Ctrl-C: Python drops a KeyboardInterrupt that meets a destructor."""
    if not hasattr(signal, "setitimer") or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # a caller that ignores Ctrl-C, as nohup does, is not to be overruled

    def interrupt(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, _GRACE)
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, lambda *_: _leave_at_once())
    signal.signal(signal.SIGINT, interrupt)


def _leave_at_once(code: int = _INTERRUPTED) -> None:
    """End without waiting for threads: one may be in the middle of a file that takes long to read."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            stream.flush()
    os._exit(code)


def _open_closed_streams() -> None:
    """Give the null device to streams that the caller closed, or files would take their places.

    Standard output cannot be written even so: what was asked for must not vanish without a word.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, mode))


def run(arguments: list[str]) -> int:
    """Run one command line; gives its exit code."""
    try:
        code = app(args=arguments, prog_name="vchunk", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except VchunkError as error:
        say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        where = error.filename or "standard output"
        say(f"error: {where}: {error.strerror or error}")
        return 1
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is not None:  # a click exception; which module it comes from depends on typer's version
            if told := _one_line(message()):  # there is none where the help was asked for by saying nothing
                say(f"error: {told}{_help_hint(error)}")
            return int(getattr(error, "exit_code", 2))
        say(f"error: {type(error).__name__}: {_one_line(str(error))} (a fault of vchunk; -v shows where)")
        if {"-v", "--verbose"} & set(arguments):
            traceback.print_exc()
        return 1


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _help_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", None)
    return f" (see {path} --help)" if path else ""
