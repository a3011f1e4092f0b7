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
        help="Headings cut where both sides are large enough (auto), always (hard), or like any boundary (soft).",
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
Password = Annotated[str | None, _option("--password", help="Password of a PDF.", panel=READING, metavar="WORD")]

EncoderName = Annotated[
    str,
    _option(
        "--encoder", help="minilm, a model's folder, or its name on the hub.", panel=ENCODING, metavar="MODEL"
    ),
]
Device = Annotated[str, _option("--device", help="auto, cpu, cuda or mps.", panel=ENCODING, metavar="NAME")]
Dtype = Annotated[
    str, _option("--dtype", help="auto, float32, bfloat16 or float16.", panel=ENCODING, metavar="NAME")
]
Prefix = Annotated[
    str, _option("--prefix", help="Put before every window, as some models want.", panel=ENCODING, metavar="TEXT")
]
Window = Annotated[
    int | None,
    _option("--window", help="Most tokens that are encoded together (default 254).", panel=ENCODING, metavar="N"),
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


_SIGNALS = ("preset", "prominence", "target_tokens")


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
    threshold_method: str | None,
    append_threshold: float | None,
    merge_threshold: float | None,
    sections: str,
    skip: Sequence[str] | None,
    no_trim: bool = False,
) -> Granularity:
    """What the options of a command ask for; a typed option wins over a variable that excludes it."""
    from vchunk.domain.double_pass import Thresholds
    from vchunk.domain.granularity import Granularity

    def typed(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    signal = any(typed(name) for name in _SIGNALS)
    double_pass = method == "double-pass"
    if double_pass and signal and not typed("method"):
        method, double_pass = "velocity", False
    if signal or (double_pass and typed("method")):
        preset = preset if typed("preset") else None
        prominence = prominence if typed("prominence") else None
        target_tokens = target_tokens if typed("target_tokens") else None
    if prominence is None and not typed("f_sig"):
        f_sig = None
    other_method = typed("threshold_method")
    if other_method or not double_pass:
        append_threshold = append_threshold if typed("append_threshold") else None
        merge_threshold = merge_threshold if typed("merge_threshold") else None
    if not (double_pass or other_method):
        threshold_method = None
    thresholds = None
    if (threshold_method, append_threshold, merge_threshold) != (None, None, None):
        thresholds = Thresholds(threshold_method or "percentile", append_threshold, merge_threshold)
    return Granularity(
        preset=preset,
        prominence=prominence,
        f_sig=f_sig,
        target_tokens=target_tokens,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        method=method,
        thresholds=thresholds,
        sections=sections,
        skip=roles(skip),
        trim=not no_trim,
    )


def snapper_reads(context: typer.Context, reads: str | None, wanted: Granularity) -> str:
    """What a snapper is to read; a variable that says ``near`` is for cuts that have peaks.

    Raises
    ------
    UsageError
    """
    from vchunk.doc import snapper_reading

    source = context.get_parameter_source("snapper_reads")
    typed = source is not None and source.name == "COMMANDLINE"
    return snapper_reading(wanted, None if reads == "near" and not (typed or wanted.by_prominence) else reads)


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
