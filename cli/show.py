"""``vchunk show``: what a document is made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import Without, with_groups
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.references import workplace
from vchunk.cli.render import printable, show
from vchunk.cli.wanted import granularity, snapper_reads_of
from vchunk.domain.errors import MissingArtifact, UsageError

if TYPE_CHECKING:
    from vchunk.chunks import Chunks
    from vchunk.doc import Doc
    from vchunk.domain.document import Document
    from vchunk.domain.granularity import Granularity

FORMATS = ("pretty", "json")


@with_groups
def command(
    context: typer.Context,
    *,
    refs: Annotated[
        list[str] | None, typer.Argument(metavar="[REF]", help="A key, a source, or - for text on standard input.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="The text of record.", rich_help_panel="What")] = False,
    blocks: Annotated[bool, typer.Option("--blocks", help="The block tree.", rich_help_panel="What")] = False,
    pages: Annotated[
        bool, typer.Option("--pages", help="Which text is on which page.", rich_help_panel="What")
    ] = False,
    chunk: Annotated[
        str | None,
        typer.Option(
            "--chunk",
            help="One chunk by its id: of the cuts that the options ask for, else of a preset.",
            metavar="ID",
            rich_help_panel="What",
        ),
    ] = None,
    cuts: Annotated[opt.Cuts, Without("no_trim")],
    format: Annotated[
        str | None,
        opt.format_option("pretty (on a terminal) or json (else)."),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
) -> int:
    """Show a document's text, blocks or pages, one chunk, or a summary."""
    from vchunk import wiring

    format = choose_format(format, output, FORMATS)
    if sum((text, blocks, pages, chunk is not None)) > 1:
        raise UsageError("--text, --blocks, --pages and --chunk exclude one another: give one of them")
    place = workplace(common, reading, encoding, output)
    wanted = granularity(context, cuts)
    snapper_reads = snapper_reads_of(context, cuts, wanted)
    snap = wiring.make_snapper(cuts.snapper, device=encoding.device) if chunk is not None else None
    with open_output(output) as out:
        for doc in place.documents(refs or [], encode=chunk is not None and cuts.method != "structure"):
            if text:
                out.write(doc.text.encode("utf-8", "surrogatepass"))
            elif chunk is not None:
                cut = partial(doc.chunks, snapper=snap, snapper_reads=snapper_reads)
                _show_chunk(cut, chunk, wanted, out, format)
            elif blocks:
                _show_records(out, format, _blocks(doc.document), _block_line)
            elif pages:
                _show_records(out, format, _pages(doc.document), _page_line)
            else:
                _show_summary(doc, out, format)
    return 1 if place.failed else 0


def _show_records(out: IO[bytes], format: str, records: list[dict[str, Any]], line: Any) -> None:
    if format == "json":
        out.write(("[" + ",\n ".join(json_line(_public(r)) for r in records) + "]\n").encode())
        return
    from rich.text import Text

    show(out, *(Text(line(record), no_wrap=True, overflow="ellipsis") for record in records))


def _public(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if not name.startswith("_")}


def _blocks(document: Document) -> list[dict[str, Any]]:
    depths: list[int] = []
    out = []
    for block in document.blocks:
        depths.append(0 if block.parent is None else depths[block.parent] + 1)
        out.append(
            {
                "kind": block.kind.value,
                "level": block.level,
                "role": block.role.value,
                "start": block.span.start,
                "end": block.span.end,
                "parent": block.parent,
                "title": block.title,
                "language": block.language,
                "time": block.time,
                "speaker": block.speaker,
                "_depth": depths[-1],
                "_text": document.text[block.span.start : min(block.span.end, block.span.start + 80)],
            }
        )
    return out


def _block_line(record: dict[str, Any]) -> str:
    level = "" if record["level"] is None else f" {record['level']}"
    role = "" if record["role"] == "body" else f" ({record['role']})"
    first = printable(" ".join(record["_text"].split()))
    return f"{'  ' * record['_depth']}{record['kind']}{level}{role}  [{record['start']}, {record['end']})  {first}"


def _pages(document: Document) -> list[dict[str, Any]]:
    return [
        {
            "page": page.number,
            "start": page.span.start,
            "end": page.span.end,
            "_text": document.text[page.span.start : min(page.span.end, page.span.start + 60)],
        }
        for page in document.pages
    ]


def _page_line(record: dict[str, Any]) -> str:
    first = printable(" ".join(record["_text"].split()))
    return f"p. {record['page']}  [{record['start']}, {record['end']})  {first}"


def _show_summary(doc: Doc, out: IO[bytes], format: str) -> None:
    document = doc.document
    kinds: dict[str, int] = {}
    for block in document.blocks:
        kinds[block.kind.value] = kinds.get(block.kind.value, 0) + 1
    facts: dict[str, Any] = {
        "document": str(doc.key),
        "embedding": str(doc.embedding.key) if doc.embedding else None,
        "title": document.title,
        "language": document.language,
        "media_type": document.media_type,
        "reader": document.reader,
        "characters": len(document.text),
        "pages": len({page.number for page in document.pages}),
        "tokens": doc.embedding.tokens if doc.embedding else None,
        "encoder": doc.embedding.artifact.attributes["encoder"]["name"] if doc.embedding else None,
        "blocks": kinds,
    }
    if format == "json":
        out.write(json_line(facts).encode() + b"\n")
        return
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        if value is not None:
            shown = ", ".join(f"{n:,} {k}" for k, n in value.items()) if isinstance(value, dict) else str(value)
            table.add_row(name, printable(shown))
    show(out, table)


def _show_chunk(
    cut: Callable[[Granularity], Chunks], id: str, wanted: Granularity, out: IO[bytes], format: str
) -> None:
    from dataclasses import replace

    from vchunk.domain.granularity import SIGNALS
    from vchunk.domain.levels import PRESETS

    if len(id) < 4 or set(id) - set("0123456789abcdef"):
        raise UsageError(f"--chunk {id}: give at least 4 of the id's 32 hex digits")
    plain = all(getattr(wanted, name) is None for name in (*SIGNALS, "max_tokens"))
    plain &= not wanted.by_double_pass
    tried = [replace(wanted, preset=preset) for preset in PRESETS] if plain else [wanted]
    for asked in tried:
        found = [c for c in cut(asked) if c.id.startswith(id)]
        if len(found) > 1:
            raise UsageError(f"--chunk {id}: {len(found)} chunks begin so; give more digits")
        if found:
            text = json_line(found[0].as_dict()) if format == "json" else found[0].text
            out.write(text.encode("utf-8", "surrogatepass") + b"\n")
            return
    where = f"the presets {', '.join(PRESETS)}" if plain else "these cuts"
    raise MissingArtifact(f"--chunk {id}: no chunk of {where} has this id; give the options that it was cut with")
