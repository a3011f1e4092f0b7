"""Options that several commands share. Each has a variable of the environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vchunk.domain.document import Role
from vchunk.domain.errors import UsageError

if TYPE_CHECKING:
    from vchunk.domain.granularity import Granularity

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
    _option("-o", "--output", help="Write to a file, all of it or nothing.", panel="Output", metavar="FILE"),
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
    int | None, _option("--min-tokens", help="Smallest chunk (by prominence: 25).", panel=CUTS, metavar="N")
]
MaxTokens = Annotated[
    int | None,
    _option("--max-tokens", help="Largest chunk (by size: twice the target; else none).", panel=CUTS, metavar="N"),
]
Method = Annotated[
    str, _option("--method", help="velocity, or structure: without an encoder.", panel=CUTS, metavar="NAME")
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
        help="Boundaries that peaks go to: sentences, chonky, or chonky:MODEL_OR_FOLDER.",
        panel=CUTS,
        metavar="NAME",
    ),
]
SnapperReads = Annotated[
    str,
    _option(
        "--snapper-reads",
        help="What chonky reads: near the peaks, or the whole text once, its scores kept.",
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
        help="Read as text, markdown, pdf, json (of a parser, a transcript or a chat), vtt or srt.",
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


def roles(names: Sequence[str] | None) -> tuple[Role, ...]:
    """The roles to leave out.

    Raises
    ------
    UsageError
        For a role that there is not.
    """
    from vchunk.domain.granularity import DEFAULT_SKIP, roles_of

    if not names:
        return DEFAULT_SKIP
    # A variable of the environment may name several.
    return roles_of([word for name in names for word in name.replace(",", " ").split()] or [""])


def granularity(
    context: typer.Context,
    *,
    preset: str | None,
    prominence: float | None,
    f_sig: float | None,
    target_tokens: int | None,
    min_tokens: int | None,
    max_tokens: int | None,
    method: str,
    sections: str,
    skip: Sequence[str] | None,
    no_trim: bool = False,
    count: int | None = None,
    levels: str | None = None,
    overlap: int | None = None,
    overlap_in_text: bool = False,
    size_in: str = "tokens",
) -> Granularity:
    """What the options of a command ask for; a typed option wins over a variable that excludes it."""
    from vchunk.domain.granularity import SIGNALS, Granularity
    from vchunk.domain.level_names import parse_levels

    def typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    if any(typed(name) for name in SIGNALS):
        preset = preset if typed("preset") else None
        prominence = prominence if typed("prominence") else None
        target_tokens = target_tokens if typed("target_tokens") else None
        count = count if typed("count") else None
        levels = levels if typed("levels") else None
    if prominence is None and levels is None and not typed("f_sig"):
        f_sig = None
    return Granularity(
        preset=preset,
        prominence=prominence,
        f_sig=f_sig,
        target_tokens=target_tokens,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        method=method,
        sections=sections,
        skip=roles(skip),
        trim=not no_trim,
        count=count,
        levels=None if levels is None else parse_levels(levels),
        overlap=overlap,
        overlap_in_text=overlap_in_text,
        size_in=size_in,
    )


def check_snapper(name: str, reads: str, wanted: Granularity) -> None:
    """Refuse a snapper where there are no peaks to snap.

    Raises
    ------
    UsageError
    """
    check_choice("--snapper-reads", reads, ("near", "whole"))
    if name.startswith("chonky") and not wanted.by_prominence:
        raise UsageError(f"--snapper {name} moves peaks of the velocity and needs --prominence")


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
