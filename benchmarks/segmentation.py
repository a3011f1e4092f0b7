"""Cuts against given boundaries: vchunk, TextTiling and even spacing, given the number of segments.

    pip install nltk
    python benchmarks/segmentation.py TRUTH.jsonl [MORE.jsonl ...]

A line of TRUTH.jsonl is {"text": ..., "boundaries": [offset, ...]}. Pk and WindowDiff are means over the
texts, and less is better; the lead over each baseline has a 95 % paired bootstrap interval.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vchunk.adapters.gold_files import read_segmented
from vchunk.domain.bootstrap import paired_difference
from vchunk.domain.document import Source
from vchunk.domain.segmentation import Line, Segmented, compare, truth_of
from vchunk.domain.segmentation_scores import even_spacing
from vchunk.domain.settings import parse_setting
from vchunk.evaluation import evaluate_segmentation
from vchunk.session import Session

SETTINGS = ("count=given", "count=given,method=structure")
SCORES = ("pk", "window_diff", "f1")
Cutter = Callable[[Segmented, Line, list[int]], list[int]]

# Function words; nltk's own list has to be downloaded.
FUNCTION_WORDS = """
    a about after all also an and any are as at be because been before but by can could did do does down for
    from get go had has have he her him his how i if in into is it its just know like me more my no not of off
    on one or our out over she so some than that the their them then there these they this those to too up us
    very was we well were what when where which who will with would yeah you your
"""


def even(_: Segmented, line: Line, given: list[int]) -> list[int]:
    """Segments of one length."""
    return even_spacing(len(line), len(given) + 1)


def even_paragraphs(one: Segmented, line: Line, given: list[int]) -> list[int]:
    """Even spacing, each cut moved to the nearest line's start."""
    lines = np.array(line.positions(i + 1 for i, c in enumerate(one.text) if c == "\n"))
    if not len(lines):
        return even(one, line, given)
    nearest = {int(lines[np.argmin(np.abs(lines - place))]) for place in even(one, line, given)}
    return sorted(nearest)


def text_tiling(one: Segmented, line: Line, given: list[int]) -> list[int]:
    """Hearst's (1997) blocks as nltk has them; of its gaps the deepest ones, as many as are asked for."""
    from nltk.tokenize.texttiling import TextTilingTokenizer

    class Given(TextTilingTokenizer):  # type: ignore[misc]
        def _identify_boundaries(self, depth_scores: list[float]) -> list[int]:
            taken = [0] * len(depth_scores)
            for place in sorted(range(len(depth_scores)), key=lambda i: -depth_scores[i]):
                if sum(taken) == len(given):
                    break
                if not any(taken[max(0, place - 3) : place + 4]):  # nltk's own distance
                    taken[place] = 1
            return taken

    # Turns and paragraphs are its paragraphs.
    text = one.text.replace("\n\n", "\n").replace("\n", "\n\n")
    try:
        parts = Given(stopwords=frozenset(FUNCTION_WORDS.split())).tokenize(text)
    except ValueError:  # too short for its blocks
        return []
    return [p for p in np.cumsum([len("".join(part.split())) for part in parts]).tolist() if p < len(line)]


BASELINES: dict[str, Cutter] = {
    "even spacing": even,
    "even spacing, at lines": even_paragraphs,
    "TextTiling": text_tiling,
}


def main(paths: list[str]) -> None:
    """Print a table for each file."""
    for path in paths:
        texts = [one for one in read_segmented(Source(path, Path(path).read_bytes())) if truth_of(one)[1]]
        columns = {name: _score(texts, cut) for name, cut in BASELINES.items()}
        report = evaluate_segmentation(Session(), texts, [parse_setting(s) for s in SETTINGS])
        for outcome in report.outcomes[1:]:
            columns[outcome.setting] = {name: outcome.columns[name] for name in SCORES}
        print(f"\n{path}: {len(texts)} texts")
        print(f"{'':32s} {'Pk':>6s} {'WD':>6s} {'F1':>6s}   vchunk's lead in Pk and in WindowDiff")
        for name, found in columns.items():
            leads = [paired_difference(found[s], columns[SETTINGS[0]][s]) for s in ("pk", "window_diff")]
            shown = "  ".join(f"{lead.mean:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}]" for lead in leads)
            print(f"{name:32s} " + " ".join(f"{found[s].mean():6.3f}" for s in SCORES) + f"   {shown}")


def _score(texts: list[Segmented], cut: Cutter) -> dict[str, np.ndarray]:
    rows = []
    for one in texts:
        line, given = truth_of(one)
        rows.append(compare(line, given, cut(one, line, given), tolerance=100))
    return {name: np.array([row[name] for row in rows]) for name in SCORES}


if __name__ == "__main__":
    main(sys.argv[1:])
