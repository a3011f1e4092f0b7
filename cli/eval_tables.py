"""What ``vchunk eval`` prints: tables for people, one JSON record for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

from vchunk.cli.render import show
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from vchunk.domain.bootstrap import Interval
    from vchunk.evaluation import Outcome, Report

_SEGMENTATION = ("pk", "window_diff", "f1", "precision", "recall", "f1_exact")
_TITLES = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "f1": "F1",
    "precision": "prec.",
    "recall": "recall",
    "f1_exact": "F1 exact",
    "precision_omega": "omega",
}


def print_retrieval(report: Report, out: IO[bytes], sweep: bool) -> None:
    """A row a setting: recall within budgets, the top chunks, ``min`` and precision omega, in percent."""
    names = list(report.outcomes[0].columns)
    columns = [n for n in names if n.startswith("tokens_") and n.endswith(".recall")]
    columns += [n for n in names if n.startswith("top_") and n.endswith((".recall", ".iou"))]
    columns += ["min.recall", "precision_omega"]
    outcomes: Iterable[Outcome] = report.outcomes
    if sweep:
        from vchunk.evaluation import objective

        first, *rest = report.outcomes
        outcomes = [first, *sorted(rest, key=lambda o: -float(objective(o).mean()))]
    table = _table(["setting", "chunks", "tokens", *(_title(c) for c in columns)])
    for outcome in outcomes:
        cells = [_cell(report, outcome, c, 100, "{:.1f}", "{:.0f}") for c in columns]
        table.add_row(outcome.setting, f"{outcome.chunks:,}", f"{outcome.mean_tokens or 0:.0f}", *cells)
    notes = [
        f"Percent{_intervals(report)} over {counted(_questions(report), 'question')}. Tokens: {report.counter}.",
        *_reference(report, "question"),
    ]
    show(out, table, *notes, *([sweep_verdict(report)] if sweep else []))


def print_segmentation(report: Report, out: IO[bytes]) -> None:
    """A row a setting: Pk, WindowDiff and F1."""
    table = _table(["cuts", "segments", *(_TITLES[c] for c in _SEGMENTATION)])
    for outcome in report.outcomes:
        cells = [_cell(report, outcome, c, 1, "{:.3f}", "{:.2f}") for c in _SEGMENTATION]
        table.add_row(outcome.setting, f"{outcome.chunks:,}", *cells)
    notes = [
        f"Means over {counted(_questions(report), 'text')}{_intervals(report)}.",
        "Of Pk and WindowDiff less is better, of the others more.",
        *_reference(report, "text"),
    ]
    show(out, table, *notes)


def retrieval_record(report: Report, sweep: bool) -> dict[str, Any]:
    """All numbers, with their intervals and the lead over the first setting."""
    record: dict[str, Any] = {
        "questions": _questions(report),
        "tokens": report.counter,
        "reference": report.outcomes[0].setting,
        "settings": [
            {
                "setting": outcome.setting,
                "chunks": outcome.chunks,
                "mean_tokens": _rounded(outcome.mean_tokens),
                "coverage": _rounded(outcome.coverage),
                "scores": _scores(report, outcome),
            }
            for outcome in report.outcomes
        ],
    }
    if sweep:
        best = report.best
        record["best"] = {
            "setting": report.outcomes[best.index].setting,
            "lead": _interval(best.lead),
            "p_value": _rounded(best.p_value) if best.lead.count > 1 else None,
            "within_noise": not best.lead.excludes_zero,
        }
    return record


def segmentation_record(report: Report) -> dict[str, Any]:
    """All numbers, with their intervals and the lead over even spacing."""
    return {
        "texts": _questions(report),
        "reference": report.outcomes[0].setting,
        "settings": [
            {"setting": outcome.setting, "segments": outcome.chunks, "scores": _scores(report, outcome)}
            for outcome in report.outcomes
        ],
    }


def sweep_verdict(report: Report) -> str:
    """Which setting finds most, and whether that is more than chance."""
    from vchunk.domain.bootstrap import LEAST_PAIRS

    best = report.best
    first, chosen = report.outcomes[0].setting, report.outcomes[best.index].setting
    tried = f"{counted(len(report.outcomes), 'setting')} tried"
    if not best.index:
        return f"Best of {tried}: {first}, which is the reference: keep it."
    lead = f"{100 * best.lead.mean:+.1f} points of recall over {first}"
    if (few := _questions(report)) < LEAST_PAIRS:
        return (
            f"Best of {tried}: {chosen}, {lead}, but {counted(few, 'question')} cannot tell it from {first}: "
            f"give {LEAST_PAIRS} or more, better some fifty."
        )
    reach = f"95 % interval {100 * best.lead.low:+.1f} to {100 * best.lead.high:+.1f}, corrected for the choice"
    if best.lead.excludes_zero:
        return f"Best of {tried}: {chosen}, {lead} ({reach})."
    return (
        f"Best of {tried}: {chosen}, {lead}, but that is within noise ({reach}): these questions do not tell "
        f"it from {first}. More questions would."
    )


def _table(titles: list[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", overflow="fold", no_wrap=bool(number))
    return table


def _cell(report: Report, outcome: Outcome, column: str, factor: float, form: str, rough: str) -> RenderableType:
    """The mean, marked where it differs from the first row's by more than chance, over its interval."""
    from rich.text import Text

    found = outcome.interval(column)
    marked = outcome is not report.outcomes[0] and report.lead(outcome, column).excludes_zero
    text = Text(form.format(factor * found.mean) + ("*" if marked else " "))
    if found.count < 2:  # nothing to draw from
        return text
    low, high = (rough.format(factor * value) for value in (found.low, found.high))
    return text.append(f"\n{low}-{high}", style="dim")


def _title(column: str) -> str:
    if column in _TITLES:
        return _TITLES[column]
    search, score = column.split(".")
    kind, _, size = search.partition("_")
    names = {"recall": "R", "iou": "IoU"}
    return f"{names[score]}@{size}" if kind == "tokens" else f"{names[score]} {search.replace('_', ' ')}"


def too_few(report: Report, noun: str) -> str | None:
    """What to say of a comparison over so few questions or texts that no difference is more than chance."""
    from vchunk.domain.bootstrap import LEAST_PAIRS

    if len(report.outcomes) < 2 or (count := _questions(report)) >= LEAST_PAIRS:
        return None
    return (
        f"{counted(count, noun)} cannot tell settings apart, however large a difference is: "
        f"give {LEAST_PAIRS} or more (no two-sided sign test over fewer reaches .05)"
    )


def _intervals(report: Report) -> str:
    return ", with 95 % bootstrap intervals" if _questions(report) > 1 else ""


def _reference(report: Report, noun: str) -> list[str]:
    if len(report.outcomes) < 2:
        return []
    if few := too_few(report, noun):
        return [f"No stars: {few}."]
    return [f"* differs from {report.outcomes[0].setting} (paired interval without 0; one comparison at a time)."]


def _questions(report: Report) -> int:
    return len(next(iter(report.outcomes[0].columns.values())))


def _scores(report: Report, outcome: Outcome) -> dict[str, Any]:
    first = outcome is report.outcomes[0]
    return {
        column: {
            **_interval(outcome.interval(column)),
            **({} if first else {"lead": _interval(report.lead(outcome, column))}),
        }
        for column in outcome.columns
    }


def _interval(interval: Interval) -> dict[str, Any]:
    low, high = (interval.low, interval.high) if interval.count > 1 else (None, None)
    return {"mean": _rounded(interval.mean), "low": _rounded(low), "high": _rounded(high)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
