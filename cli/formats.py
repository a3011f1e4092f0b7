"""``vchunk formats``: what this installation reads, and which extra adds what."""

from __future__ import annotations

from typing import Annotated, Any

from vchunk.cli import options as opt
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.render import show

FORMATS = ("pretty", "json")


def command(
    format: Annotated[
        str | None,
        opt.format_option("pretty (on a terminal) or json (else): JSON Lines."),
    ] = None,
    output: opt.Out = None,
) -> int:
    """List the formats that are read, their file endings, and the extras that add to them."""
    format = choose_format(format, output, FORMATS)
    records = [*_formats(), *_extras()]
    with open_output(output) as out:
        if format == "json":
            out.write("".join(json_line(record) + "\n" for record in records).encode())
            return 0
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        for record in records:
            needs = "" if record["extra"] is None else f"extra {record['extra']}"
            if not record["installed"]:
                needs = f"pip install 'vchunk[{record['extra']}]'"
            endings = " ".join(record["endings"])
            table.add_row(record["format"] or f"+{record['extra']}", record["title"], endings, needs)
        show(out, table)
    return 0


def _formats() -> list[dict[str, Any]]:
    from vchunk.adapters.readers.formats import FORMATS as KNOWN

    return [
        {
            "format": known.name,
            "title": known.title,
            "endings": list(known.endings),
            "media_types": list(known.media_types),
            "extra": known.extra,
            "installed": known.installed,
        }
        for known in KNOWN
    ]


def _extras() -> list[dict[str, Any]]:
    """What extras add to formats that are read without them."""
    from importlib.util import find_spec

    from vchunk.adapters.readers.formats import ADDITIONS

    return [
        {
            "format": None,
            "title": addition.title,
            "endings": [],
            "media_types": [],
            "extra": addition.extra,
            "installed": find_spec(addition.module) is not None,
        }
        for addition in ADDITIONS
    ]
