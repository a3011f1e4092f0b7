"""``vchunk calibrate``: measure the constants of an encoder on texts of one's own."""

from __future__ import annotations

from typing import IO, Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import with_groups
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.references import workplace
from vchunk.cli.render import show
from vchunk.cli.terminal import say
from vchunk.domain.plurals import counted

FORMATS = ("pretty", "json")


@with_groups
def command(
    *,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Texts like those to be cut: folders, files, globs.")
    ],
    format: Annotated[
        str | None,
        opt.format_option("pretty (on a terminal) or json (else)."),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
) -> int:
    """Measure an encoder's constants and keep them in the store, where cuts by size find them.

    They are the scatter that a cut saves at each size, and the contrast at boundaries. An encoder
    without constants gets them from each document, so that an edit may move cuts far from it. Give
    texts of 10,000 tokens or more, better 100,000.
    """
    format = choose_format(format, output, FORMATS)
    place = workplace(common, reading, encoding, output)
    with open_output(output) as out:  # first: what cannot be written need not be computed
        docs = list(place.embed(place.sources(sources), note=False))
        if place.failed and not docs:
            return 1
        calibration, kept = place.session.calibrate(docs)
        name = place.session.encoder.name
        identity = place.session.encoder.identity
        record = {
            "encoder": name,
            "content": identity.content,
            "tokenizer": identity.tokenizer,
            "prefix": identity.prefix,
            "kept": kept,
            **calibration.as_dict(),
        }
        if format == "json":
            out.write((json_line(record) + "\n").encode())
        else:
            _print(record, out)
    if not kept and not common.quiet:
        say(f"{name}: the constants that ship for it stay in use; these are not kept")
    return 1 if place.failed else 0


def _print(record: dict[str, Any], out: IO[bytes]) -> None:
    from rich.table import Table

    title = (
        f"{record['encoder']}: {counted(record['tokens'], 'token')} in {counted(record['documents'], 'document')}"
    )
    table = Table(title=title, box=None, title_justify="left")
    for column in ("size", "lambda", "boundaries"):
        table.add_column(column, justify="right")
    for size, scale, count in zip(record["targets"], record["scales"], record["boundaries"], strict=True):
        table.add_row(str(size), f"{scale:.2f}", f"{count:,}")
    show(out, table, f"contrast: median {record['contrast_median']:.4f}, MAD {record['contrast_mad']:.4f}")
