"""Formulas in LaTeX: between environments, then at line breaks, outer ones first."""

from __future__ import annotations

import re

from vchunk.domain.ports import Division, InnerCut

BETWEEN_ENVIRONMENTS, OUTER_BREAK, INNER_BREAK = 5, 4, 2

_OPENING = re.compile(r"(?:\s|>|\$\$|\\\[|\\begin\{[^{}]*\}(?:\[[^\[\]]*\]|\{[^{}]*\})*)*")
_CLOSING = re.compile(r"(?:\s|>|\$\$|\\\]|\\end\{[^{}]*\})+")
_PART = re.compile(r"\\(begin|end)\{[^{}]*\}|\\\\\*?(?:[ \t]*\[[^\[\]\r\n]*\])?|\\.|(?<!\\)%[^\r\n]*", re.DOTALL)


def divide_formula(text: str) -> Division:
    """Cuts before and behind environments that stand side by side, and after each double backslash.

    What opens the formula stays with its first line, what closes it with its last.
    """
    opening = _OPENING.match(text)
    first = opening.end() if opening else 0
    last = _closing_start(text)
    cuts: list[InnerCut] = []
    depth = 0
    for part in _PART.finditer(text):
        if part[1] == "begin":
            if depth == 0 and part.start() > first:
                cuts.append(InnerCut(part.start(), BETWEEN_ENVIRONMENTS))
            depth += 1
        elif part[1] == "end":
            depth = max(depth - 1, 0)
            if depth == 0:
                cuts.append(InnerCut(part.end(), BETWEEN_ENVIRONMENTS))
        elif part[0].startswith("\\\\"):
            cuts.append(InnerCut(part.end(), OUTER_BREAK if depth < 2 else INNER_BREAK))
    glued = [m.end() for m in re.finditer(r"\n|\r\n?", text) if m.end() <= first or m.end() >= last]
    kept = tuple(cut for cut in cuts if first < cut.offset < last)
    return Division(kept, tuple(glued))


def _closing_start(text: str) -> int:
    """Where the marks begin with which the formula ends."""
    start = len(text)
    for match in _CLOSING.finditer(text):
        if match.end() == len(text):
            start = match.start()
    return start
