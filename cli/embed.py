"""``vchunk embed``: read and encode sources, print their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import with_groups
from vchunk.cli.output import json_line, open_output
from vchunk.cli.references import workplace
from vchunk.cli.terminal import say
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from vchunk.doc import Doc

FORMATS = ("keys", "json")


@with_groups
def command(
    *,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, globs, or - for standard input.")
    ],
    format: Annotated[
        str,
        opt.format_option("keys, one a line, or json: JSON Lines with counts."),
    ] = "keys",
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
) -> int:
    """Read documents, encode them once, print one key a line."""
    opt.check_format(format, FORMATS)
    place = workplace(common, reading, encoding, output)
    names = place.sources(sources)
    with open_output(output) as out:
        for doc in place.embed(names):
            assert doc.report is not None
            out.write(_line(place.current, doc, format).encode() + b"\n")
            out.flush()
            if not doc.report.tokens and not common.quiet:
                say(f"{place.name}: no text")
            if common.verbose:
                say(_summary(place.name, doc))
    return 1 if place.failed else 0


def _line(name: str, doc: Doc, format: str) -> str:
    assert doc.report is not None
    report = doc.report
    if format == "keys":
        return str(report.key)
    return json_line(
        {
            "key": str(report.key),
            "source": name,
            "document": str(report.document),
            "tokens": report.tokens,
            "windows": report.windows,
            "windows_encoded": report.windows_encoded,
            "windows_reused": report.windows_reused,
        }
    )


def _summary(name: str, doc: Doc) -> str:
    assert doc.report is not None
    report = doc.report
    return (
        f"{name}: {counted(report.tokens, 'token')}, "
        f"{report.windows_encoded:,} of {counted(report.windows, 'window')} encoded, "
        f"{report.windows_reused:,} reused"
    )
