"""Colours and type sizes that the plots share.

The colours are those of Okabe and Ito (2008), told apart by colour-blind readers; neighbours in
`CYCLE` also differ in lightness, so that the order survives a grey printer.
"""

from __future__ import annotations

INK = "#1a1a1a"
SOFT = "#5a5a5a"
FAINT = "#8c8c8c"
HAIR = "#c8c8c8"
PAPER = "#ffffff"
CURVE = "#4a4a4a"
CUT = "#d55e00"
CYCLE = ("#0072b2", "#e69f00", "#007a5a", "#56b4e9", "#b34700", "#cc79a7")
POSITION_MAP = "viridis"
POSITION_RANGE = (0.0, 0.9)
"""The map's palest colours would not show on paper."""

DPI = 144
"""Pixels an inch of a PNG."""

TITLE_SIZE = 11.0
NOTE_SIZE = 8.0
RULER_SIZE = 6.5
WORDS_SIZE = 7.0


def heading_style(level: int | None) -> tuple[float, str, str]:
    """Size in points, weight and colour of a label: headings by level, first words for None."""
    if level is None:
        return WORDS_SIZE, "normal", SOFT
    if level <= 1:
        return 8.5, "bold", INK
    return (7.5, "bold", INK) if level == 2 else (7.5, "normal", INK)
