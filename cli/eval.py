"""``vchunk eval``: score chunkings on questions or boundaries of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from vchunk.cli import options as opt
from vchunk.cli.eval_tables import (
    print_retrieval,
    print_segmentation,
    retrieval_record,
    segmentation_record,
    too_few,
)
from vchunk.cli.option_groups import Without, with_groups
from vchunk.cli.output import choose_format, json_line, open_output
from vchunk.cli.references import Workplace, same_file, workplace
from vchunk.cli.terminal import ProgressBar, say, warner
from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from vchunk.doc import Doc
    from vchunk.domain.retrieval import Measures
    from vchunk.domain.segmentation import Segmented
    from vchunk.domain.settings import Setting
    from vchunk.evaluation import Report

FORMATS = ("pretty", "json")
COMPATS = ("chroma",)
HEADINGS = "headings"
TOLERANCE = 100
RETRIEVAL = "With --questions"
SEGMENTATION = "With --boundaries"
PRESETS = ("preset=medium", "preset=fine", "preset=coarse")


@with_groups
def command(
    *,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Documents: files, folders or globs."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="CSV or JSON Lines of questions with gold answers.", metavar="FILE"),
    ] = None,
    boundaries: Annotated[
        str | None,
        typer.Option(
            "--boundaries",
            help="JSON Lines of texts with boundaries; or headings: those of the documents, cut out of them.",
            metavar="FILE",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--setting",
            help="What to compare, as preset=fine,index=late; repeatable, the first one is the reference. "
            "Any option of chunk that says where to cut.",
            metavar="NAME=VALUE,...",
        ),
    ] = None,
    index: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            help="What chunks are found by where a setting does not say: text, embed-text (the default), late "
            "or blend. Repeatable.",
            rich_help_panel=RETRIEVAL,
            metavar="KIND",
        ),
    ] = None,
    sweep: Annotated[
        bool,
        typer.Option(
            "--sweep",
            help="Try many settings, or those given; say which one finds most, and if that is more than chance.",
            rich_help_panel=RETRIEVAL,
        ),
    ] = False,
    top_k: Annotated[
        list[int] | None,
        typer.Option(
            "--top-k", help="Retrieve K chunks (default 5). Repeatable.", rich_help_panel=RETRIEVAL, metavar="K"
        ),
    ] = None,
    budget: Annotated[
        list[int] | None,
        typer.Option(
            "--budget",
            help="Retrieve N tokens (default 400, 800 and 1600). Repeatable.",
            rich_help_panel=RETRIEVAL,
            metavar="N",
        ),
    ] = None,
    query_prefix: Annotated[
        str,
        typer.Option(
            "--query-prefix",
            help="Put before every question, as some models want.",
            rich_help_panel=RETRIEVAL,
            metavar="TEXT",
        ),
    ] = "",
    compat: Annotated[
        str | None,
        typer.Option(
            "--compat", help="chroma: count as that framework does.", rich_help_panel=RETRIEVAL, metavar="NAME"
        ),
    ] = None,
    tolerance: Annotated[
        int | None,
        typer.Option(
            "--tolerance",
            help="How many characters, blanks apart, a cut may miss a boundary by for F1 (default 100).",
            rich_help_panel=SEGMENTATION,
            metavar="N",
        ),
    ] = None,
    format: Annotated[
        str | None,
        opt.format_option("pretty (on a terminal), json (else)."),
    ] = None,
    output: opt.Out = None,
    encoding: opt.Encoding,
    reading: Annotated[opt.Reading, Without("text_field", "include", "exclude")],
    common: opt.Common,
) -> int:
    """Score chunkings: what questions find, or where cuts should be.

    With --questions all chunks of all documents compete in one index, and recall, precision and IoU say
    how much of the gold text is retrieved. With --boundaries Pk, WindowDiff and F1 say how near the cuts
    are to given ones. Everything that is encoded is kept in the store.
    """
    if questions is not None and boundaries is not None:
        raise UsageError("--questions scores retrieval and --boundaries scores cuts: give one of them")
    if questions is None and boundaries is None:
        raise UsageError("give --questions FILE to score retrieval, or --boundaries FILE to score cuts")
    format = choose_format(format, output, FORMATS)
    place = workplace(common, reading, encoding, output)
    place.spare(questions or boundaries or "")
    with open_output(output) as out:  # first: what cannot be written need not be computed
        if boundaries is not None:
            _refuse(index=index, sweep=sweep, top_k=top_k, budget=budget, query_prefix=query_prefix, compat=compat)
            settings = _cuts(setting or ["count=given"])
            width = TOLERANCE if tolerance is None else tolerance
            report = _segmentation(place, sources or [], boundaries, settings, width)
            _write(report, segmentation_record(report), format, out, segmentation=True)
            few = too_few(report, "text")
        else:
            assert questions is not None
            if compat is not None:
                opt.check_choice("--compat", compat, COMPATS)
            if tolerance is not None:
                raise UsageError("--tolerance is for --boundaries, not for --questions")
            grid = _grid(setting or [], index or [], sweep)
            measures = _measures(top_k, budget)
            report = _retrieval(place, sources or [], questions, grid, measures, bool(compat), query_prefix)
            _write(report, retrieval_record(report, sweep), format, out, sweep=sweep)
            few = too_few(report, "question")
        if few and format == "json":  # a table says it itself
            warner(common.quiet)(few)
    return 1 if place.failed else 0


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise UsageError(f"--{name.replace('_', '-')} is for --questions, not for --boundaries")


def _grid(given: Sequence[str], indexes: Sequence[str], sweep: bool) -> list[Setting]:
    """The settings to compare, the reference first."""
    from vchunk.domain.settings import DEFAULT_INDEX, check_index, parse_setting, sweep_grid

    kinds = [check_index(kind) for kind in indexes]
    if sweep and not given:
        return sweep_grid(kinds or (DEFAULT_INDEX, "blend"))
    found = _distinct(parse_setting(one, kind) for kind in kinds or (None,) for one in given or PRESETS)
    for one in found:
        if one.count_given:
            raise UsageError(f"--setting {one.name}: count=given is for --boundaries; give a number")
    if sweep and len(found) < 2:
        raise UsageError("--sweep compares settings: give two or more, or none to try the usual ones")
    return found


def _cuts(given: Sequence[str]) -> list[Setting]:
    """The settings whose cuts are scored; nothing is searched, so they have no index."""
    from vchunk.domain.settings import parse_setting

    found = []
    for text in given:
        setting = parse_setting(text)
        if setting.index_named:
            raise UsageError(f"--setting {text}: index is for --questions, not for --boundaries")
        if setting.granularity.overlap_in_text:
            raise UsageError(
                f"--setting {text}: with overlap-in-text chunks begin before their cuts: leave it out"
            )
        found.append(setting)
    return _distinct(found)


def _distinct(settings: Iterable[Setting]) -> list[Setting]:
    """Each setting once: one that names its index does so whatever --index says."""
    return list({setting.name: setting for setting in settings}.values())


def _measures(top_k: Sequence[int] | None, budgets: Sequence[int] | None) -> Measures:
    from vchunk.domain.retrieval import Measures

    for option, values in (("--top-k", top_k), ("--budget", budgets)):
        for value in values or ():
            if value < 1:
                raise UsageError(f"{option} {value}: must be 1 or more")
    default = Measures()
    return Measures(
        tuple(dict.fromkeys(top_k)) if top_k else default.top_k,
        tuple(sorted(set(budgets))) if budgets else default.budgets,
    )


def _retrieval(
    place: Workplace,
    sources: Sequence[str],
    questions: Path,
    settings: Sequence[Setting],
    measures: Measures,
    compat: bool,
    query_prefix: str,
) -> Report:
    from vchunk.adapters.gold_files import read_questions
    from vchunk.domain.questions import resolve
    from vchunk.evaluation import evaluate_retrieval
    from vchunk.session import load_source

    if not sources:
        raise UsageError("name the documents that the questions are about: vchunk eval FOLDER --questions FILE")
    asked = read_questions(load_source(questions))
    docs: dict[str, Doc] = {}
    # A file of questions in the folder of documents is none of them, and would answer them all.
    names = [name for name in place.sources(sources) if not same_file(name, questions)]
    for doc in place.embed(names):
        docs[place.current] = doc
    if place.failed:
        raise ReadError("not all documents could be read, so the scores would not be those of the questions")
    found = resolve(asked, {name: doc.text for name, doc in docs.items()}, place.session.warn)
    with ProgressBar("settings", place.quiet) as bar:
        return evaluate_retrieval(
            docs,
            found,
            settings,
            measures=measures,
            compat=compat,
            query_prefix=query_prefix,
            progress=bar,
        )


def _segmentation(
    place: Workplace, sources: Sequence[str], boundaries: str, settings: Sequence[Setting], tolerance: int
) -> Report:
    from vchunk.evaluation import evaluate_segmentation

    if tolerance < 0:
        raise UsageError(f"--tolerance {tolerance}: must be 0 or more")
    texts = _texts(place, sources, boundaries)
    with ProgressBar("texts", place.quiet) as bar:
        return evaluate_segmentation(place.session, texts, settings, tolerance=tolerance, progress=bar)


def _texts(place: Workplace, sources: Sequence[str], boundaries: str) -> list[Segmented]:
    from vchunk.adapters.gold_files import read_segmented
    from vchunk.domain.segmentation import without_headings
    from vchunk.session import load_source

    if boundaries != HEADINGS:
        if sources:
            raise UsageError(f"--boundaries {boundaries} holds the texts itself: name no other documents with it")
        return read_segmented(load_source(boundaries))
    if not sources:
        raise UsageError("--boundaries headings needs documents that have headings: name them")
    texts = [
        without_headings(doc.document, place.current) for doc in place.each(place.sources(sources), place.read)
    ]
    count = sum(len(one.boundaries) for one in texts)
    if not place.quiet:
        say(
            f"{counted(count, 'heading')} of {counted(len(texts), 'document')} {'is' if count == 1 else 'are'} "
            f"cut out of the texts, so that no cut follows {'it' if count == 1 else 'them'}"
        )
    return texts


def _write(
    report: Report,
    record: Mapping[str, object],
    format: str,
    out: IO[bytes],
    *,
    segmentation: bool = False,
    sweep: bool = False,
) -> None:
    if format == "json":
        out.write(json_line(record).encode() + b"\n")
    elif segmentation:
        print_segmentation(report, out)
    else:
        print_retrieval(report, out, sweep)
