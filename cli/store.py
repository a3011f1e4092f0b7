"""``vchunk store``: what the artifact store holds."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.render import show
from vchunk.domain.plurals import counted

app = typer.Typer(
    help="The artifact store.", no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
)
FORMATS = ("pretty", "jsonl")


@app.command("ls")
def ls(
    format: Annotated[
        str | None,
        opt.format_option("pretty (terminal) or jsonl (else)."),
    ] = None,
    output: opt.Out = None,
    store: opt.Store = None,
) -> int:
    """List the artifacts: key, size on disk, when it was made."""
    from vchunk import wiring

    format = choose_format(format, output, FORMATS)
    place = wiring.make_store(store)
    records: list[dict[str, Any]] = [
        {"key": str(key), "kind": key.kind, "bytes": place.size(key), "modified": place.modified(key)}
        for key in place.keys()  # noqa: SIM118 - a store, not a dict
    ]
    with open_output(output) as out:
        if format == "jsonl":
            for record in records:
                out.write(json_line(record).encode() + b"\n")
            return 0
        from rich.table import Table

        table = Table(title=f"{counted(len(records), 'artifact')} in {place.root}", box=None, title_justify="left")
        table.add_column("key", no_wrap=True)
        table.add_column("bytes", justify="right")
        table.add_column("made")
        for record in records:
            made = time.strftime("%Y-%m-%d %H:%M", time.localtime(record["modified"]))
            table.add_row(record["key"], f"{record['bytes']:,}", made)
        show(out, table)
    return 0


@app.command("path")
def path(
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="A key or its unique beginning; without one: the store.")
    ] = None,
    store: opt.Store = None,
) -> int:
    """Print the directory of the store, or of one artifact."""
    from vchunk import wiring

    place = wiring.make_store(store)
    print(place.path(place.resolve(key)) if key else place.root)
    return 0
