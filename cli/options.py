"""Options that several commands share. Each has a variable of the environment."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vchunk.domain.errors import UsageError

CUTS = "Where to cut"
VECTORS = "Index vectors"
READING = "Reading a source"
ENCODING = "Encoding a source"
OUTPUT = "Output"
COMMON = "Store and messages"


def _option(
    panel: str, name: str, help: str, metavar: str | None = None, *, short: str | None = None
) -> typer.models.OptionInfo:
    variable = "VCHUNK_" + name.lstrip("-").upper().replace("-", "_")
    names = [name] if short is None else [short, name]
    info: typer.models.OptionInfo = typer.Option(
        *names, help=help, envvar=variable, show_envvar=False, rich_help_panel=panel, metavar=metavar
    )
    return info


_cutting = partial(_option, CUTS)
_vectors = partial(_option, VECTORS)
_reading = partial(_option, READING)
_encoding = partial(_option, ENCODING)
_common = partial(_option, COMMON)


def format_option(help: str) -> typer.models.OptionInfo:
    """The option of a command that says how its output is written."""
    info: typer.models.OptionInfo = typer.Option("--format", help=help, rich_help_panel=OUTPUT)
    return info


Store = Annotated[Path | None, _common("--store", "Directory of the store.", "DIR")]
Out = Annotated[
    Path | None,
    _option(
        OUTPUT, "--output", "Write to a file, all of it or nothing; - is standard output.", "FILE", short="-o"
    ),
]
Vectors = Annotated[
    str | None,
    _vectors(
        "--vectors",
        "Give each chunk a vector to index: late (of its tokens, free), text (of its embed text), "
        "blend (both, and those of what encloses it).",
        "KIND",
    ),
]
BlendAncestors = Annotated[
    str,
    _vectors(
        "--blend-ancestors",
        "What a blend takes of the ancestors: both, late (encodes only the chunks), or text.",
        "WHAT",
    ),
]
VectorsOut = Annotated[
    Path | None,
    _vectors(
        "--vectors-out", "Write the vectors to a .npy file, one row a chunk, and not into the records.", "FILE"
    ),
]


@dataclass(frozen=True)
class Common:
    """Where things are kept, and what is said."""

    store: Store = None
    quiet: Annotated[bool, _common("--quiet", "No summaries and warnings.", short="-q")] = False
    verbose: Annotated[bool, _common("--verbose", "Say more, and where a fault is.", short="-v")] = False


@dataclass(frozen=True)
class Reading:
    """How a source is read, and what of folders."""

    input_format: Annotated[
        str | None,
        _reading("--input-format", "Read as this format; vchunk formats lists them.", "FORMAT"),
    ] = None
    encoding: Annotated[str | None, _reading("--encoding", "Codec of a text file.", "CODEC")] = None
    password: Annotated[
        str | None,
        _reading("--password", "Password of a PDF; better in VCHUNK_PASSWORD.", "WORD"),
    ] = None
    ocr_command: Annotated[
        str | None,
        _reading(
            "--ocr-command",
            "Command that prints the text of a PDF page without any: 'tesseract {image} -'; {pdf} is that page.",
            "COMMAND",
        ),
    ] = None
    numbered_headings: Annotated[
        bool,
        _reading(
            "--numbered-headings",
            "In plain text, take lines such as 1.1 Scope, PART I, § 5 or Article 2 for headings.",
        ),
    ] = False
    text_field: Annotated[
        str | None,
        _reading(
            "--text-field",
            "In JSON and JSON Lines, the field of each record that holds its text (a.b leads into records).",
            "NAME",
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        _reading(
            "--include",
            "Of folders and patterns, read only files that match; written as in a .gitignore. Repeatable.",
            "PATTERN",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        _reading("--exclude", "Of folders and patterns, leave out files that match. Repeatable.", "PATTERN"),
    ] = None


@dataclass(frozen=True)
class Encoding:
    """What encodes a source, and what is kept of that."""

    encoder: Annotated[
        str,
        _encoding("--encoder", "minilm, a model's folder, or its name on the hub.", "MODEL"),
    ] = "minilm"
    device: Annotated[str, _encoding("--device", "auto, cpu, cuda, cuda:N, cuda:all or mps.", "NAME")] = "auto"
    dtype: Annotated[
        str,
        _encoding(
            "--dtype",
            "auto (the fastest that is faithful here), float32, bfloat16, float16, int8 or int8-static.",
            "NAME",
        ),
    ] = "auto"
    engine: Annotated[
        str,
        _encoding(
            "--engine",
            "What computes: auto (the fastest that is installed), torch, or openvino on the CPU.",
            "NAME",
        ),
    ] = "auto"
    compile: Annotated[
        bool,
        _encoding(
            "--compile",
            "Let torch.compile fuse the encoder's kernels: compiles a minute, then some percent faster.",
        ),
    ] = False
    prefix: Annotated[
        str,
        _encoding("--prefix", "Put before every window, as some models want.", "TEXT"),
    ] = ""
    window: Annotated[
        int | None,
        _encoding(
            "--window", "Most tokens that are encoded together (default 254; models of long texts 1,022).", "N"
        ),
    ] = None
    keep: Annotated[
        str,
        _encoding("--keep", "vectors, or units: a tenth of the space, but another --f-sig encodes again.", "WHAT"),
    ] = "vectors"
    windows: Annotated[
        str,
        _encoding(
            "--windows", "full: each token is read in two windows, or light: 1.3 times, a third faster.", "PLAN"
        ),
    ] = "full"


@dataclass(frozen=True)
class Cuts:
    """Where to cut."""

    preset: Annotated[
        str | None,
        _cutting("--preset", "fine (64 tokens), medium (128, the default) or coarse (256).", "NAME"),
    ] = None
    prominence: Annotated[
        float | None,
        _cutting(
            "--prominence",
            "Cut at peaks of the semantic velocity this many MADs high: .5 cuts much, 4 little.",
            "P",
        ),
    ] = None
    f_sig: Annotated[
        float | None,
        _cutting("--f-sig", "Smoothing of the velocity, in 80 tokens (default .5).", "S"),
    ] = None
    target_tokens: Annotated[
        int | None,
        _cutting("--target-tokens", "Cut into even chunks of about N tokens.", "N"),
    ] = None
    count: Annotated[
        int | None,
        _cutting("--count", "Cut into K chunks (as many as there are sentences, if less).", "K"),
    ] = None
    levels: Annotated[
        str | None,
        _cutting(
            "--levels", "Several levels that nest: sizes (1024,256,64) or prominences (p4,p2,p.5).", "A,B,..."
        ),
    ] = None
    min_tokens: Annotated[
        int | None,
        _cutting("--min-tokens", "Smallest chunk (by prominence and double pass: 25).", "N"),
    ] = None
    max_tokens: Annotated[
        int | None,
        _cutting("--max-tokens", "Largest chunk (by size: twice the target; double pass: 128; else none).", "N"),
    ] = None
    overlap: Annotated[
        int | None,
        _cutting(
            "--overlap", "Whole sentences from the end of the chunk before, up to N tokens, in the context.", "N"
        ),
    ] = None
    overlap_in_text: Annotated[bool, _cutting("--overlap-in-text", "Let the text begin with the overlap.")] = False
    size_in: Annotated[
        str,
        _cutting(
            "--size-in",
            "What all sizes are counted in: tokens (of the encoder), chars, or a tokenizer.json; in chars the "
            "presets are 4 times as large.",
            "UNIT",
        ),
    ] = "tokens"
    method: Annotated[
        str,
        _cutting("--method", "velocity; structure: without an encoder; double-pass (not for trees).", "NAME"),
    ] = "velocity"
    threshold_method: Annotated[
        str | None,
        _cutting(
            "--threshold-method",
            "Of a double pass: percentile (the default), gradient, local-maxima or fixed.",
            "NAME",
        ),
    ] = None
    append_threshold: Annotated[
        float | None,
        _cutting(
            "--append-threshold",
            "Of a double pass: how alike a sentence must be to go on; percent, or with fixed a cosine.",
            "X",
        ),
    ] = None
    merge_threshold: Annotated[
        float | None,
        _cutting("--merge-threshold", "Of a double pass: likewise, how alike passages are merged.", "X"),
    ] = None
    sections: Annotated[
        str,
        _cutting(
            "--sections",
            "Headings cut where both sides are large enough (auto), always (hard), or like any boundary (soft). "
            "With auto and hard, a large code block or table is also kept apart from much prose.",
            "HOW",
        ),
    ] = "auto"
    snapper: Annotated[
        str,
        _cutting(
            "--snapper", "Boundaries that cuts go to: sentences (any), chonky, or chonky:MODEL_OR_FOLDER.", "NAME"
        ),
    ] = "sentences"
    snapper_reads: Annotated[
        str | None,
        _cutting(
            "--snapper-reads",
            "What chonky reads: near the peaks (by prominence), or the whole text once, its scores kept.",
            "WHAT",
        ),
    ] = None
    skip: Annotated[
        list[str] | None,
        _cutting(
            "--skip",
            "Leave out text of this role: backmatter, furniture, toc, front_matter, figure, damaged; "
            "none keeps all. Repeatable. Default: furniture, front_matter, figure and damaged.",
            "ROLE",
        ),
    ] = None
    no_trim: Annotated[bool, _cutting("--no-trim", "Let each chunk run to the start of the next one.")] = False


def check_choice(option: str, value: str, choices: Collection[str]) -> str:
    """A value out of a few.

    Raises
    ------
    UsageError
    """
    if value not in choices:
        raise UsageError(f"{option} {value}: choose from {', '.join(choices)}")
    return value


def check_format(value: str, choices: Collection[str]) -> str:
    """A format of the output.

    Raises
    ------
    UsageError
    """
    return check_choice("--format", value, choices)
