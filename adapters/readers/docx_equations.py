"""Equations of Word (Office Math) as TeX, as far as their structure says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vchunk.adapters.readers.xml_tree import child, children

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

_BIG = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int", "∬": "\\iint", "∮": "\\oint", "⋃": "\\bigcup", "⋂": "\\bigcap"}
_ACCENTS = {"\u0302": "\\hat", "\u0303": "\\tilde", "\u0305": "\\bar", "\u0307": "\\dot", "\u0308": "\\ddot",
            "\u20d7": "\\vec", "\u0304": "\\bar"}  # fmt: skip
_NEXT_ROW = " \\\\ "


def tex(element: Element) -> str:
    """The TeX of an ``m:oMath``, or of what one holds."""
    return " ".join("".join(_tex(inner) for inner in element).split())


def _tex(element: Element) -> str:
    write = _WRITERS.get(element.tag)
    if write is not None:
        return write(element)
    if element.tag == "m:t":
        return element.text or ""
    if element.tag.endswith("Pr") or element.tag in ("w:del", "w:moveFrom"):
        return ""
    return "".join(_tex(inner) for inner in element)


def _part(element: Element, name: str) -> str:
    found = child(element, name)
    return "" if found is None else "".join(_tex(inner) for inner in found).strip()


def _setting(element: Element, path: tuple[str, str], default: str) -> str:
    found = child(element, *path)
    return default if found is None else found.get("m:val", default)


def _power(element: Element, below: bool, above: bool) -> str:
    base = _part(element, "m:e")
    if len(base) > 1 and not (base.isalnum() or base.startswith("\\")):
        base = f"{{{base}}}"
    base += f"_{{{_part(element, 'm:sub')}}}" if below else ""
    return base + (f"^{{{_part(element, 'm:sup')}}}" if above else "")


def _root(element: Element) -> str:
    degree = _part(element, "m:deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'm:e')}}}"


def _sum(element: Element) -> str:
    sign = _setting(element, ("m:naryPr", "m:chr"), "∫")
    sub, sup = _part(element, "m:sub"), _part(element, "m:sup")
    limits = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{_BIG.get(sign, sign)}{limits} {_part(element, 'm:e')}"


def _brackets(element: Element) -> str:
    left = _setting(element, ("m:dPr", "m:begChr"), "(")
    right = _setting(element, ("m:dPr", "m:endChr"), ")")
    between = _setting(element, ("m:dPr", "m:sepChr"), "|")
    parts = ["".join(_tex(inner) for inner in part) for part in children(element, "m:e")]
    sides = [f"\\{side}" if side in "{}" and side else side for side in (left, right)]
    return f"{sides[0]}{between.join(parts)}{sides[1]}"


def _accent(element: Element) -> str:
    sign = _setting(element, ("m:accPr", "m:chr"), "\u0302")
    return f"{_ACCENTS.get(sign, chr(92) + 'hat')}{{{_part(element, 'm:e')}}}"


def _rows(element: Element) -> str:
    if element.tag == "m:m":
        rows = [
            " & ".join("".join(_tex(inner) for inner in cell) for cell in children(row, "m:e"))
            for row in children(element, "m:mr")
        ]
        return f"\\begin{{matrix}} {_NEXT_ROW.join(rows)} \\end{{matrix}}"
    rows = ["".join(_tex(inner) for inner in row) for row in children(element, "m:e")]
    return f"\\begin{{aligned}} {_NEXT_ROW.join(rows)} \\end{{aligned}}"


_WRITERS: dict[str, Callable[[Element], str]] = {
    "m:f": lambda e: f"\\frac{{{_part(e, 'm:num')}}}{{{_part(e, 'm:den')}}}",
    "m:sSup": lambda e: _power(e, below=False, above=True),
    "m:sSub": lambda e: _power(e, below=True, above=False),
    "m:sSubSup": lambda e: _power(e, below=True, above=True),
    "m:rad": _root,
    "m:nary": _sum,
    "m:d": _brackets,
    "m:func": lambda e: f"{_part(e, 'm:fName')} {_part(e, 'm:e')}",
    "m:limLow": lambda e: f"{_part(e, 'm:e')}_{{{_part(e, 'm:lim')}}}",
    "m:limUpp": lambda e: f"{_part(e, 'm:e')}^{{{_part(e, 'm:lim')}}}",
    "m:acc": _accent,
    "m:bar": lambda e: f"\\overline{{{_part(e, 'm:e')}}}",
    "m:m": _rows,
    "m:eqArr": _rows,
}
