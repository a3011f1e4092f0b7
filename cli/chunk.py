"""``vchunk chunk``: cut documents at a granularity."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.output import json_line, open_output, write_lines
from vchunk.cli.references import workplace
from vchunk.cli.render import print_chunks, unit_of
from vchunk.cli.terminal import ProgressBar, say
from vchunk.cli.vectors import check_wish, open_sidecar, open_table, usual_format
from vchunk.cli.wanted import granularity, snapper_reads_of

if TYPE_CHECKING:
    from vchunk.doc import Chunks, Doc
    from vchunk.domain.chunks import Chunk

FORMATS = ("pretty", "jsonl", "json", "embed-text", "parquet")


def command(
    context: typer.Context,
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REF]...", help="Keys, sources, or - for text on standard input."),
    ] = None,
    preset: opt.Preset = None,
    prominence: opt.Prominence = None,
    f_sig: opt.FSig = None,
    target_tokens: opt.TargetTokens = None,
    count: opt.Count = None,
    levels: opt.Levels = None,
    min_tokens: opt.MinTokens = None,
    max_tokens: opt.MaxTokens = None,
    overlap: opt.Overlap = None,
    overlap_in_text: opt.OverlapInText = False,
    size_in: opt.SizeIn = "tokens",
    method: opt.Method = "velocity",
    threshold_method: opt.ThresholdMethod = None,
    append_threshold: opt.AppendThreshold = None,
    merge_threshold: opt.MergeThreshold = None,
    sections: opt.Sections = "auto",
    snapper: opt.Snapper = "sentences",
    snapper_reads: opt.SnapperReads = None,
    skip: opt.Skip = None,
    no_trim: opt.NoTrim = False,
    vectors: opt.Vectors = None,
    blend_ancestors: opt.BlendAncestors = "both",
    vectors_out: opt.VectorsOut = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="pretty (on a terminal), jsonl (else), json (with what was left out), embed-text, or parquet "
            "(usual for -o FILE.parquet).",
            rich_help_panel="Output",
        ),
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
    """Cut documents: JSON Lines when piped, readable on a terminal.

    Sizes cut unless --prominence is given: the objective weighs how much the meaning scatters within
    chunks, structure, and even sizes. --prominence cuts at peaks of the semantic velocity. Without a
    REF the keys come from standard input; at a terminal it is the last document embedded from this
    directory.
    """
    from vchunk import wiring

    format = opt.check_format(format or usual_format(output), FORMATS)
    check_wish(vectors, blend_ancestors, vectors_out, output, format)
    wanted = granularity(
        context,
        preset=preset,
        prominence=prominence,
        f_sig=f_sig,
        target_tokens=target_tokens,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        count=count,
        levels=levels,
        overlap=overlap,
        overlap_in_text=overlap_in_text,
        size_in=size_in,
        method=method,
        threshold_method=threshold_method,
        append_threshold=append_threshold,
        merge_threshold=merge_threshold,
        sections=sections,
        skip=skip,
        no_trim=no_trim,
    )
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
    snapper_reads = snapper_reads_of(context, snapper_reads, wanted)
    snap = wiring.make_snapper(snapper, device=device)
    done: list[dict[str, object]] = []
    make: dict[str, Any] = {"snapper": snap, "snapper_reads": snapper_reads}
    make |= {"vectors": vectors, "blend_ancestors": blend_ancestors}
    encode = method != "structure" or vectors in ("late", "blend")
    with open_output(output) as out, open_sidecar(vectors_out) as sidecar, open_table(out, format) as table:
        for doc in place.documents(refs or [], encode=encode):
            with ProgressBar(place.label, quiet) as place.session.progress:
                chunks = place.attempt(partial(doc.chunks, wanted, **make))
            if chunks is None:
                continue
            if sidecar is not None:
                chunks = sidecar.take(chunks)
            if table is not None:
                table.add(chunks, chunks.vectors)
            elif format == "pretty":
                print_chunks(doc, chunks, out)
            elif format == "jsonl":
                write_lines(out, (json_line(c.as_dict()) for c in chunks))
            elif format == "embed-text":
                write_lines(out, (json_line(_for_embedder(c)) for c in chunks))
            else:
                done.append(_record(doc, chunks))
            if not quiet:
                _tell(place.current, chunks)
        if format == "json":
            out.write(("[" + ",\n ".join(map(json_line, done)) + "]\n").encode())
    return 1 if place.failed else 0


def _for_embedder(chunk: Chunk) -> dict[str, object]:
    vector = {} if chunk.vector is None else {"vector": chunk.as_dict()["vector"]}
    return {"id": chunk.id, "embed_text": chunk.embed_text, **vector}


def _record(doc: Doc, chunks: Chunks) -> dict[str, object]:
    return {
        "document": str(doc.key),
        "embedding": str(doc.embedding.key) if doc.embedding else None,
        "chunks": [c.as_dict() for c in chunks],
        "left_out": [
            {"start": x.span.start, "end": x.span.end, "role": x.role.value, "text": doc.document.slice(x.span)}
            for x in chunks.left_out
        ],
    }


def _tell(name: str, chunks: Chunks) -> None:
    """The summary on standard error."""
    name = "standard input" if name == "-" else name
    if not len(chunks):
        say(f"{name}: no text, no chunks")
        return
    for depth in sorted({c.depth for c in chunks}):
        sizes = sorted(c.tokens for c in chunks if c.depth == depth)
        mean, unit = sum(sizes) / len(sizes), unit_of(chunks[0].size_in)
        say(f"{name}: {_count(sizes, 'chunk')} of {sizes[0]:,} to {sizes[-1]:,} {unit}, mean {mean:,.0f}")
    left: dict[str, list[int]] = {}
    for part in chunks.left_out:
        left.setdefault(part.role.value, []).append(len(part.span))
    for role, lengths in left.items():
        where = f"{_count(lengths, 'place')}, {sum(lengths):,} characters"
        say(f"{name}: left out: {role}, {where} (--skip none keeps them)")


def _count(things: list[int], noun: str) -> str:
    return f"{len(things):,} {noun}{'s' * (len(things) != 1)}"
