"""``vchunk embed``: read and encode sources, print their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.output import json_line, open_output
from vchunk.cli.references import workplace
from vchunk.cli.terminal import say

if TYPE_CHECKING:
    from vchunk.doc import Doc

FORMATS = ("keys", "json")


def command(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, globs, or - for standard input.")
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format", help="keys, one a line, or json: JSON Lines with counts.", rich_help_panel="Output"
        ),
    ] = "keys",
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
    verbose: opt.Verbose = False,
) -> int:
    """Read documents, encode them once, print one key a line."""
    opt.check_format(format, FORMATS)
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
    names = place.sources(sources)
    with open_output(output) as out:
        for name in names:
            for doc in place.each([name], place.embed):
                out.write((_line(name, doc, format)).encode() + b"\n")
                out.flush()
                if verbose:
                    say(_summary(name, doc))
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
        f"{name}: {report.tokens:,} tokens, {report.windows_encoded:,} of {report.windows:,} windows encoded, "
        f"{report.windows_reused:,} reused"
    )
