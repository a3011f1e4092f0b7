"""``vchunk plot``: draw a document's velocity or its path through meaning space."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.output import open_output, to_terminal
from vchunk.cli.references import workplace
from vchunk.cli.wanted import granularity, snapper_reads_of
from vchunk.domain.errors import UsageError

KINDS = ("velocity", "trajectory")
PICTURES = ("png", "svg")


def command(
    context: typer.Context,
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
    preset: opt.Preset = None,
    prominence: opt.Prominence = None,
    f_sig: opt.FSig = None,
    target_tokens: opt.TargetTokens = None,
    count: opt.Count = None,
    min_tokens: opt.MinTokens = None,
    max_tokens: opt.MaxTokens = None,
    method: opt.Method = "velocity",
    threshold_method: opt.ThresholdMethod = None,
    append_threshold: opt.AppendThreshold = None,
    merge_threshold: opt.MergeThreshold = None,
    sections: opt.Sections = "auto",
    snapper: opt.Snapper = "sentences",
    snapper_reads: opt.SnapperReads = None,
    skip: opt.Skip = None,
    format: Annotated[
        str | None,
        typer.Option("--format", help="png or svg; otherwise from the file's ending.", rich_help_panel="Output"),
    ] = None,
    output: opt.Out = None,
    encoder: opt.EncoderName = "minilm",
    device: opt.Device = "auto",
    dtype: opt.Dtype = "auto",
    engine: opt.Engine = "auto",
    prefix: opt.Prefix = "",
    window: opt.Window = None,
    keep: opt.Keep = "vectors",
    windows: opt.Windows = "full",
    input_format: opt.InputFormat = None,
    encoding: opt.TextEncoding = None,
    password: opt.Password = None,
    ocr_command: opt.OcrCommand = None,
    numbered_headings: opt.NumberedHeadings = False,
    text_field: opt.TextField = None,
    include: opt.Include = None,
    exclude: opt.Exclude = None,
    store: opt.Store = None,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,  # noqa: ARG001 - read where errors are shown
) -> int:
    """Draw the velocity curve with the cuts, or the path through meaning space.

    The cuts are those of `vchunk chunk` with the same options, but --method velocity by default at
    --prominence 2.
    """
    from vchunk import wiring

    picture = _picture(format, output)
    opt.check_choice("--kind", kind, KINDS)
    given = (preset, target_tokens, max_tokens, prominence, count)
    if method == "velocity" and given == (None,) * 5:
        prominence = 2.0
    wanted = granularity(
        context,
        preset=preset,
        prominence=prominence,
        f_sig=f_sig,
        target_tokens=target_tokens,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        count=count,
        method=method,
        threshold_method=threshold_method,
        append_threshold=append_threshold,
        merge_threshold=merge_threshold,
        sections=sections,
        skip=skip,
    )
    snapper_reads = snapper_reads_of(context, snapper_reads, wanted)
    snap = wiring.make_snapper(snapper, device=device)
    plotter = wiring.make_plotter(colour=colour, projection=projection)
    if output is None and to_terminal(output):
        raise UsageError("a picture is no text for a terminal: name a file with -o curve.png, or pipe it")
    place = workplace(
        store=store,
        quiet=quiet,
        encoder=encoder,
        device=device,
        dtype=dtype,
        engine=engine,
        prefix=prefix,
        window=window,
        keep=keep,
        windows=windows,
        input_format=input_format,
        encoding=encoding,
        password=password,
        ocr_command=ocr_command,
        numbered_headings=numbered_headings,
        text_field=text_field,
        include=include,
        exclude=exclude,
    )
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
