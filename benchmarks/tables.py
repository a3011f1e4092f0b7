"""The tables of the comparison, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring import BUDGETS, Scores
from vchunk.domain.bootstrap import Interval, paired_difference

SAME_SIZE = 1.25
"""Mean sizes that differ by no more than this factor are called equal."""
PRESETS = ("fine", "medium", "coarse")


@dataclass(frozen=True, eq=False)
class Row:
    """One setting of one chunker.

    ``indexed`` says by what its chunks are found: their ``text``, ``embed_text`` or ``vector``.
    """

    peer: str
    setting: str
    indexed: str
    scores: Scores
    passes: float
    """Tokens through the encoder to make the chunks, over the tokens of the corpora."""
    index_passes: float
    """The same for what is indexed."""
    cpu_seconds: float

    @property
    def name(self) -> str:
        """For people."""
        extra = {"text": "", "embed_text": ", `embed_text`", "vector": ""}[self.indexed]
        return f"{self.setting}{extra}"


@dataclass(frozen=True)
class Comparison:
    """A setting against vchunk's preset of equal mean size, text alone: recall minus recall."""

    row: Row
    preset: Row
    leads: Mapping[int, Interval]

    @property
    def beaten(self) -> list[int]:
        """Budgets at which the setting is better by more than the interval."""
        return [budget for budget, lead in self.leads.items() if lead.low > 0]


def compare(rows: Sequence[Row]) -> list[Comparison]:
    """Each other setting with the nearest preset, where their mean sizes are equal."""
    presets = [r for r in rows if r.peer == "vchunk" and r.setting in PRESETS and r.indexed == "text"]
    out = []
    for row in rows:
        if row in presets or not presets:
            continue
        preset = min(presets, key=lambda p: _ratio(p, row))
        if _ratio(preset, row) <= SAME_SIZE:
            leads = {b: paired_difference(row.scores.recall[b], preset.scores.recall[b]) for b in BUDGETS}
            out.append(Comparison(row, preset, leads))
    return out


def _ratio(one: Row, other: Row) -> float:
    sizes = one.scores.mean_tokens, other.scores.mean_tokens
    return max(sizes) / min(sizes)


def main_table(rows: Sequence[Row]) -> str:
    """All settings, one a line."""
    unit = next((r.cpu_seconds for r in rows if r.peer == "vchunk" and r.setting == "fine"), None)
    head = [
        "",
        "setting",
        "tokens",
        *(f"R@{b}" for b in BUDGETS),
        "IoU@5",
        "P_Ω",
        "verbatim",
        "lost",
        "passes",
        "CPU",
    ]
    return _table(head, (_cells(row, unit) for row in rows))


def _cells(row: Row, unit: float | None) -> list[str]:
    scores = row.scores
    return [
        row.peer,
        row.name,
        f"{scores.mean_tokens:.0f}",
        *(_percent(scores.recall[budget].mean()) for budget in BUDGETS),
        _percent(scores.iou.mean()),
        _percent(scores.omega.mean()),
        f"{100 * scores.verbatim:.0f}",
        f"{100 * scores.lost:.1f}",
        f"{row.passes:.1f} + {row.index_passes:.1f}",
        "" if not unit else _ratio_text(row.cpu_seconds / unit),
    ]


def _ratio_text(ratio: float) -> str:
    return "< .001" if ratio < 0.001 else f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Leads over the preset of equal size, in points of recall, with their intervals."""
    head = ["", "setting", "tokens", "preset", "tokens", *(f"R@{b}" for b in BUDGETS)]
    return _table(
        head,
        (
            [
                c.row.peer,
                c.row.name,
                f"{c.row.scores.mean_tokens:.0f}",
                c.preset.setting,
                f"{c.preset.scores.mean_tokens:.0f}",
                *(_interval(lead) for lead in c.leads.values()),
            ]
            for c in comparisons
        ),
    )


def _interval(lead: Interval) -> str:
    text = f"{100 * lead.mean:+.1f} ({100 * lead.low:+.1f} to {100 * lead.high:+.1f})"
    return f"**{text}**" if lead.excludes_zero else text


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def record(row: Row) -> dict[str, Any]:
    """A row for JSON: means, and the recall of every question for comparisons of one's own."""
    scores = row.scores
    return {
        "peer": row.peer,
        "setting": row.setting,
        "indexed": row.indexed,
        "chunks": scores.chunks,
        "mean_tokens": scores.mean_tokens,
        **{f"recall_{budget}": float(np.mean(scores.recall[budget])) for budget in BUDGETS},
        "iou": float(scores.iou.mean()),
        "precision_omega": float(scores.omega.mean()),
        "verbatim": scores.verbatim,
        "lost": scores.lost,
        "passes": row.passes,
        "index_passes": row.index_passes,
        "cpu_seconds": row.cpu_seconds,
        "questions": {str(budget): scores.recall[budget].round(6).tolist() for budget in BUDGETS},
    }
