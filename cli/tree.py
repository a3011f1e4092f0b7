"""``vchunk tree``: the nested sections of documents."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.option_groups import Only, with_groups
from vchunk.cli.output import choose_format, open_output
from vchunk.cli.references import workplace
from vchunk.cli.render import print_tree
from vchunk.domain.errors import UsageError

FORMATS = ("pretty", "jsonl", "json")


@with_groups
def command(
    *,
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REF]...", help="Keys, sources, or - for text on standard input."),
    ] = None,
    levels: Annotated[
        str,
        typer.Option(
            "--levels",
            help="Sizes in tokens of the passages that long sections are divided into.",
            envvar="VCHUNK_LEVELS",
            show_envvar=False,
            metavar="N,N...",
            rich_help_panel=opt.CUTS,
        ),
    ] = "1024,256",
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", help="Deepest nodes shown; the document is 0.", metavar="N", min=0, rich_help_panel=opt.CUTS
        ),
    ] = None,
    cuts: Annotated[opt.Cuts, Only("method", "sections", "snapper")],
    format: Annotated[
        str | None,
        opt.format_option(
            "pretty (on a terminal), jsonl (else: a tree a line), json (indented; an array if several)."
        ),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: opt.Reading,
    common: opt.Common,
) -> int:
    """Show nested sections: headings where there are any, divided by meaning where they are long."""
    from vchunk import wiring
    from vchunk.domain.granularity import NESTED_METHODS
    from vchunk.domain.pieces import SECTIONS

    format = choose_format(format, output, FORMATS)
    opt.check_choice("--method", cuts.method, NESTED_METHODS)
    opt.check_choice("--sections", cuts.sections, SECTIONS)
    place = workplace(common, reading, encoding, output)
    sizes = _sizes(levels)
    snap = wiring.make_snapper(cuts.snapper, device=encoding.device)
    trees: list[dict[str, object]] = []
    with open_output(output) as out:
        for doc in place.documents(refs or [], encode=cuts.method != "structure"):
            root = place.attempt(
                partial(
                    doc.tree,
                    levels=sizes,
                    depth=depth,
                    method=cuts.method,
                    sections=cuts.sections,
                    snapper=snap,
                )
            )
            if root is None:
                continue
            record = {
                "document": str(doc.key),
                "embedding": str(doc.embedding.key) if doc.embedding else None,
                **root.as_dict(),
            }
            if format == "pretty":
                print_tree(root, out, str(doc.key))
            elif format == "jsonl":
                out.write(json.dumps(record, allow_nan=False).encode() + b"\n")
            else:
                trees.append(record)
        if format == "json":
            shown = trees[0] if len(trees) == 1 else trees
            out.write(json.dumps(shown, indent=2, allow_nan=False).encode() + b"\n")
    return 1 if place.failed else 0


def _sizes(levels: str) -> list[int]:
    try:
        return [int(part) for part in levels.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--levels {levels}: give sizes in tokens, for example --levels 1024,256") from None
