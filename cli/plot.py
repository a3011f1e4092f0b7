"""``vchunk plot``: draw a document's velocity or its path through meaning space."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import Without, with_groups
from vchunk.cli.output import open_output, to_terminal
from vchunk.cli.references import workplace
from vchunk.cli.terminal import warner
from vchunk.cli.wanted import granularity, snapper_reads_of
from vchunk.domain.errors import UsageError

KINDS = ("velocity", "trajectory")
PICTURES = ("png", "svg")


@with_groups
def command(
    context: typer.Context,
    *,
    ref: Annotated[
        str | None, typer.Argument(metavar="[REF]", help="A key, a source, or - for text on standard input.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="velocity or trajectory.", metavar="NAME", rich_help_panel="Picture")
    ] = "velocity",
    colour: Annotated[
        str,
        typer.Option(
            "--colour", help="Of a trajectory: by chunk or position.", metavar="BY", rich_help_panel="Picture"
        ),
    ] = "chunk",
    projection: Annotated[
        str,
        typer.Option(
            "--projection",
            help="Of a trajectory: pca, or umap (extra 'umap').",
            metavar="NAME",
            rich_help_panel="Picture",
        ),
    ] = "pca",
    cuts: Annotated[opt.Cuts, Without("levels", "overlap", "overlap_in_text", "size_in", "no_trim")],
    format: Annotated[
        str | None,
        opt.format_option("png or svg; otherwise from the file's ending."),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
) -> int:
    """Draw the velocity curve with the cuts, or the path through meaning space.

    The cuts are those of `vchunk chunk` with the same options, but --method velocity by default at
    --prominence 2.
    """
    from vchunk import wiring

    picture = _picture(format, output)
    opt.check_choice("--kind", kind, KINDS)
    given = (cuts.preset, cuts.target_tokens, cuts.max_tokens, cuts.prominence, cuts.count)
    if cuts.method == "velocity" and given == (None,) * 5:
        cuts = replace(cuts, prominence=2.0)
    wanted = granularity(context, cuts)
    snapper_reads = snapper_reads_of(context, cuts, wanted)
    snap = wiring.make_snapper(cuts.snapper, device=encoding.device)
    plotter = wiring.make_plotter(colour=colour, projection=projection, warn=warner(common.quiet))
    if output is None and to_terminal(output):
        raise UsageError("a picture is no text for a terminal: name a file with -o curve.png, or pipe it")
    place = workplace(common, reading, encoding, output)
    docs = list(place.documents([ref] if ref else []))
    if len(docs) > 1:
        raise UsageError(f"{len(docs)} documents given: a picture shows one")
    for doc in docs:
        figure = place.attempt(
            partial(doc.figure, kind, wanted, snapper=snap, snapper_reads=snapper_reads, title=_title(ref))
        )
        if figure is not None:
            data = plotter.draw(figure, picture)
            with open_output(output) as out:
                out.write(data)
    return 1 if place.failed else 0


def _title(ref: str | None) -> str | None:
    return Path(ref).name if ref and Path(ref).is_file() else None


def _picture(format: str | None, output: Path | None) -> str:
    if format is not None:
        return opt.check_format(format, PICTURES)
    if output is None:
        return "png"
    ending = output.suffix.lower().lstrip(".")
    if ending not in PICTURES and output.suffix:
        raise UsageError(f"--output {output}: end it in .png or .svg, or say --format png")
    return ending or "png"
