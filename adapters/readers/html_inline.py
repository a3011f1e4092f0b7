"""The running text of HTML: white space, raised and lowered digits, formulas.

Runs of white space are one space, and none where a line is broken between two Chinese, Japanese or
Thai letters; ``<br>`` is a line end; soft hyphens are dropped. Digits and signs that are raised or
lowered become the characters for it: 10<sup>6</sup> is 10⁶, not 106.
"""

from __future__ import annotations

import re

_SPACES = re.compile(r"[ \t\n\r\f]+")
_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_WRAPPED = re.compile(rf"(?<=[{_UNSPACED}])[ \t]*[\n\r][ \t\n\r]*(?=[{_UNSPACED}])")
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISABLE = re.compile(r"[0-9+\-−=()n]+")
_LOWERABLE = re.compile(r"[0-9+\-−=()]+")


class InlineText:
    """Running text that is being gathered; ``spoken`` once it holds more than pictures."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open = False  # whether a space may follow
        self.spoken = False
        self.pictured = False

    def add(self, text: str) -> None:
        """Add text as it stands in the source."""
        piece = _SPACES.sub(" ", _WRAPPED.sub("", text.replace("\u00ad", "")))
        if not self._open:
            piece = piece.lstrip(" ")
        if piece:
            self._parts.append(piece)
            self._open = not piece.endswith(" ")
            self.spoken = self.spoken or not piece.isspace()

    def picture(self, alternative: str) -> None:
        """Add what a picture shows, in words."""
        spoken = self.spoken
        self.add(alternative)
        self.spoken = spoken
        self.pictured = True

    def break_line(self) -> None:
        """End the line."""
        if self._parts:
            self._parts.append("\n")
            self._open = False

    def separate(self, mark: str) -> None:
        """Put a comma or semicolon between what was said and what will be; none in front."""
        while self._parts and self._parts[-1].isspace():
            self._parts.pop()
        if self._parts:
            last = self._parts[-1].rstrip()
            self._parts[-1] = f"{last}{'' if last.endswith((';', ',', ':')) else mark} "
            self._open = False

    def mark(self) -> int:
        """A place in the text, for `shift`."""
        return len(self._parts)

    def shift(self, mark: int, raised: bool) -> None:
        """Raise or lower what was added since a mark, if there are characters for it."""
        text = "".join(self._parts[mark:])
        shape, table = (_RAISABLE, _RAISED) if raised else (_LOWERABLE, _LOWERED)
        if shape.fullmatch(text):
            self._parts[mark:] = [text.translate(table)]

    def take(self) -> str:
        """All that was gathered; what follows begins anew."""
        text = re.sub(r" *\n *", "\n", "".join(self._parts)).strip()
        self.__init__()  # type: ignore[misc]
        return text


def formula(tex: str) -> str:
    """TeX without the wrapping that MathML writers put around it."""
    tex = " ".join(tex.split())
    if match := re.fullmatch(r"\{\\displaystyle (.*)\}", tex):
        return match[1].strip()
    return tex
