"""Options that several commands share. Each has a variable of the environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vchunk.domain.errors import UsageError

if TYPE_CHECKING:
    pass

CUTS = "Where to cut"
VECTORS = "Index vectors"
READING = "Reading a source"
ENCODING = "Encoding a source"
COMMON = "Store and messages"


def _option(*names: str, help: str, panel: str, metavar: str | None = None) -> typer.models.OptionInfo:
    long = next(name for name in names if name.startswith("--"))
    variable = "VCHUNK_" + long.lstrip("-").upper().replace("-", "_")
    info: typer.models.OptionInfo = typer.Option(
        *names, help=help, envvar=variable, show_envvar=False, rich_help_panel=panel, metavar=metavar
    )
    return info


Store = Annotated[Path | None, _option("--store", help="Directory of the store.", panel=COMMON, metavar="DIR")]
Quiet = Annotated[bool, _option("-q", "--quiet", help="No summaries and warnings.", panel=COMMON)]
Verbose = Annotated[bool, _option("-v", "--verbose", help="Say more, and where a fault is.", panel=COMMON)]
Out = Annotated[
    Path | None,
    _option("-o", "--output", help="Write to a file, all of it or nothing; - is standard output.", panel="Output", metavar="FILE"),
]

Preset = Annotated[
    str | None,
    _option(
        "--preset", help="fine (64 tokens), medium (128, the default) or coarse (256).", panel=CUTS, metavar="NAME"
    ),
]
Prominence = Annotated[
    float | None,
    _option(
        "--prominence",
        help="Cut at peaks of the semantic velocity this many MADs high: .5 cuts much, 4 little.",
        panel=CUTS,
        metavar="P",
    ),
]
FSig = Annotated[
    float | None,
    _option("--f-sig", help="Smoothing of the velocity, in 80 tokens (default .5).", panel=CUTS, metavar="S"),
]
TargetTokens = Annotated[
    int | None, _option("--target-tokens", help="Cut into even chunks of about N tokens.", panel=CUTS, metavar="N")
]
Count = Annotated[
    int | None,
    _option(
        "--count", help="Cut into K chunks (as many as there are sentences, if less).", panel=CUTS, metavar="K"
    ),
]
Levels = Annotated[
    str | None,
    _option(
        "--levels",
        help="Several levels that nest: sizes (1024,256,64) or prominences (p4,p2,p.5).",
        panel=CUTS,
        metavar="A,B,...",
    ),
]
Overlap = Annotated[
    int | None,
    _option(
        "--overlap",
        help="Whole sentences from the end of the chunk before, up to N tokens, in the context.",
        panel=CUTS,
        metavar="N",
    ),
]
OverlapInText = Annotated[
    bool, _option("--overlap-in-text", help="Let the text begin with the overlap.", panel=CUTS)
]
SizeIn = Annotated[
    str,
    _option(
        "--size-in",
        help="What all sizes are counted in: tokens (of the encoder), chars, or a tokenizer.json; in chars the "
        "presets are 4 times as large.",
        panel=CUTS,
        metavar="UNIT",
    ),
]
MinTokens = Annotated[
    int | None,
    _option("--min-tokens", help="Smallest chunk (by prominence and double pass: 25).", panel=CUTS, metavar="N"),
]
MaxTokens = Annotated[
    int | None,
    _option(
        "--max-tokens",
        help="Largest chunk (by size: twice the target; double pass: 128; else none).",
        panel=CUTS,
        metavar="N",
    ),
]
Method = Annotated[
    str,
    _option(
        "--method",
        help="velocity; structure: without an encoder; double-pass (not for trees).",
        panel=CUTS,
        metavar="NAME",
    ),
]
ThresholdMethod = Annotated[
    str | None,
    _option(
        "--threshold-method",
        help="Of a double pass: percentile (the default), gradient, local-maxima or fixed.",
        panel=CUTS,
        metavar="NAME",
    ),
]
AppendThreshold = Annotated[
    float | None,
    _option(
        "--append-threshold",
        help="Of a double pass: how alike a sentence must be to go on; percent, or with fixed a cosine.",
        panel=CUTS,
        metavar="X",
    ),
]
MergeThreshold = Annotated[
    float | None,
    _option(
        "--merge-threshold",
        help="Of a double pass: likewise, how alike passages are merged.",
        panel=CUTS,
        metavar="X",
    ),
]
Sections = Annotated[
    str,
    _option(
        "--sections",
        help="Headings cut where both sides are large enough (auto), always (hard), or like any boundary (soft). "
        "With auto and hard, a large code block or table is also kept apart from much prose.",
        panel=CUTS,
        metavar="HOW",
    ),
]
Skip = Annotated[
    list[str] | None,
    _option(
        "--skip",
        help="Leave out text of this role: backmatter, furniture, toc, front_matter, damaged; "
        "none keeps all. Repeatable. Default: furniture, front_matter and damaged.",
        panel=CUTS,
        metavar="ROLE",
    ),
]
Snapper = Annotated[
    str,
    _option(
        "--snapper",
        help="Boundaries that cuts go to: sentences (any), chonky, or chonky:MODEL_OR_FOLDER.",
        panel=CUTS,
        metavar="NAME",
    ),
]
SnapperReads = Annotated[
    str | None,
    _option(
        "--snapper-reads",
        help="What chonky reads: near the peaks (by prominence), or the whole text once, its scores kept.",
        panel=CUTS,
        metavar="WHAT",
    ),
]
Vectors = Annotated[
    str | None,
    _option(
        "--vectors",
        help="Give each chunk a vector to index: late (of its tokens, free), text (of its embed text), "
        "blend (both, and those of what encloses it).",
        panel=VECTORS,
        metavar="KIND",
    ),
]
BlendAncestors = Annotated[
    str,
    _option(
        "--blend-ancestors",
        help="What a blend takes of the ancestors: both, late (encodes only the chunks), or text.",
        panel=VECTORS,
        metavar="WHAT",
    ),
]
VectorsOut = Annotated[
    Path | None,
    _option(
        "--vectors-out",
        help="Write the vectors to a .npy file, one row a chunk, and not into the records.",
        panel=VECTORS,
        metavar="FILE",
    ),
]
NoTrim = Annotated[bool, _option("--no-trim", help="Let each chunk run to the start of the next one.", panel=CUTS)]

InputFormat = Annotated[
    str | None,
    _option(
        "--input-format",
        help="Read as this format; vchunk formats lists them.",
        panel=READING,
        metavar="FORMAT",
    ),
]
TextEncoding = Annotated[
    str | None, _option("--encoding", help="Codec of a text file.", panel=READING, metavar="CODEC")
]
NumberedHeadings = Annotated[
    bool,
    _option(
        "--numbered-headings",
        help="In plain text, take lines such as 1.1 Scope, PART I, § 5 or Article 2 for headings.",
        panel=READING,
    ),
]
TextField = Annotated[
    str | None,
    _option(
        "--text-field",
        help="In JSON and JSON Lines, the field of each record that holds its text (a.b leads into records).",
        panel=READING,
        metavar="NAME",
    ),
]
Include = Annotated[
    list[str] | None,
    _option(
        "--include",
        help="Of folders and patterns, read only files that match; written as in a .gitignore. Repeatable.",
        panel=READING,
        metavar="PATTERN",
    ),
]
Exclude = Annotated[
    list[str] | None,
    _option(
        "--exclude",
        help="Of folders and patterns, leave out files that match. Repeatable.",
        panel=READING,
        metavar="PATTERN",
    ),
]
OcrCommand = Annotated[
    str | None,
    _option(
        "--ocr-command",
        help="Command that prints the text of a PDF page without any: 'tesseract {image} -'; {pdf} is that page.",
        panel=READING,
        metavar="COMMAND",
    ),
]
Password = Annotated[
    str | None,
    _option("--password", help="Password of a PDF; better in VCHUNK_PASSWORD.", panel=READING, metavar="WORD"),
]

EncoderName = Annotated[
    str,
    _option(
        "--encoder", help="minilm, a model's folder, or its name on the hub.", panel=ENCODING, metavar="MODEL"
    ),
]
Device = Annotated[
    str, _option("--device", help="auto, cpu, cuda, cuda:N, cuda:all or mps.", panel=ENCODING, metavar="NAME")
]
Dtype = Annotated[
    str,
    _option(
        "--dtype",
        help="auto (the fastest that is faithful here), float32, bfloat16, float16 or int8.",
        panel=ENCODING,
        metavar="NAME",
    ),
]
Engine = Annotated[
    str,
    _option(
        "--engine",
        help="What computes: auto (the fastest that is installed), torch, or openvino on the CPU.",
        panel=ENCODING,
        metavar="NAME",
    ),
]
Prefix = Annotated[
    str, _option("--prefix", help="Put before every window, as some models want.", panel=ENCODING, metavar="TEXT")
]
Window = Annotated[
    int | None,
    _option("--window", help="Most tokens that are encoded together (default 254).", panel=ENCODING, metavar="N"),
]
Windows = Annotated[
    str,
    _option(
        "--windows",
        help="full: each token is read in two windows, or light: 1.33 times, a third faster.",
        panel=ENCODING,
        metavar="PLAN",
    ),
]
Keep = Annotated[
    str,
    _option(
        "--keep",
        help="vectors, or units: a tenth of the space, but another --f-sig encodes again.",
        panel=ENCODING,
        metavar="WHAT",
    ),
]


def check_choice(option: str, value: str, choices: Sequence[str]) -> str:
    """A value out of a few.

    Raises
    ------
    UsageError
    """
    if value not in choices:
        raise UsageError(f"{option} {value}: choose from {', '.join(choices)}")
    return value


def check_format(value: str, choices: Sequence[str]) -> str:
    """A format of the output.

    Raises
    ------
    UsageError
    """
    return check_choice("--format", value, choices)
