"""``vchunk chunk``: cut documents at a granularity."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import with_groups
from vchunk.cli.output import json_line, open_output, write_lines
from vchunk.cli.references import workplace
from vchunk.cli.render import print_chunks, unit_of
from vchunk.cli.terminal import ProgressBar, say
from vchunk.cli.vectors import check_wish, open_sidecar, open_table, usual_format
from vchunk.cli.wanted import granularity, snapper_reads_of
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from vchunk.chunks import Chunks
    from vchunk.doc import Doc
    from vchunk.domain.chunks import Chunk

FORMATS = ("pretty", "jsonl", "json", "embed-text", "parquet")


@with_groups
def command(
    context: typer.Context,
    *,
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REF]...", help="Keys, sources, or - for text on standard input."),
    ] = None,
    cuts: opt.Cuts,
    vectors: opt.Vectors = None,
    blend_ancestors: opt.BlendAncestors = "both",
    vectors_out: opt.VectorsOut = None,
    format: Annotated[
        str | None,
        opt.format_option(
            "pretty (on a terminal), jsonl (else), json (with what was left out), embed-text, or parquet "
            "(usual for -o FILE.parquet)."
        ),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
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
    wanted = granularity(context, cuts)
    place = workplace(common, reading, encoding, output, vectors_out)
    snapper_reads = snapper_reads_of(context, cuts, wanted)
    done: list[dict[str, object]] = []
    make: dict[str, Any] = {
        "snapper": wiring.make_snapper(cuts.snapper, device=encoding.device),
        "snapper_reads": snapper_reads,
        "vectors": vectors,
        "blend_ancestors": blend_ancestors,
    }
    encode = cuts.method != "structure" or vectors in ("late", "blend")
    with open_output(output) as out, open_sidecar(vectors_out) as sidecar, open_table(out, format) as table:
        for doc in place.documents(refs or [], encode=encode):
            with ProgressBar(place.label, common.quiet) as place.session.progress:
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
            if not common.quiet:
                _tell(place.name, chunks)
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
    if not len(chunks):
        say(f"{name}: no text, no chunks")
        return
    for depth in sorted({c.depth for c in chunks}):
        sizes = sorted(c.tokens for c in chunks if c.depth == depth)
        say(f"{name}: {_sizes(sizes, unit_of(chunks[0].size_in))}")
    left: dict[str, list[int]] = {}
    for part in chunks.left_out:
        left.setdefault(part.role.value, []).append(len(part.span))
    for role, lengths in left.items():
        where = f"{counted(len(lengths), 'place')}, {counted(sum(lengths), 'character')}"
        say(f"{name}: left out: {role}, {where} (--skip none keeps them)")


def _sizes(sizes: list[int], unit: str) -> str:
    """How many chunks, and how large; ``sizes`` in order."""
    least, most = sizes[0], sizes[-1]
    many = counted(len(sizes), "chunk")
    if least == most:
        return f"{many} of {counted(most, unit)}"
    return f"{many} of {least:,} to {counted(most, unit)}, mean {sum(sizes) / len(sizes):,.0f}"
