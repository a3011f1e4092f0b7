"""Front matter: where it ends, and the few entries of it that a reader needs."""

from __future__ import annotations

import re

from vchunk.domain.lines import LINE_END

_YAML_LINE = re.compile(r"[ \t]|#|- |-$|[]}]|" r"(?P<key>[^\s#:\-][^:\n]*:(?:[ \t]|$))")
_TOML_LINE = re.compile(r"[ \t]|#|[]}]|(?P<key>\[|[^\s=#][^=\n]*=)")


def front_matter_lines(source: str) -> int:
    """How many lines of front matter open a text with ``\\n`` line ends; 0 if there is none.

    YAML stands between ``---`` and ``---`` or ``...``, TOML between lines of ``+++``. Each line
    must be one that a mapping can hold, and one must hold a key, unless nothing is in between.
    """
    opening = source.partition("\n")[0].rstrip(" \t")
    if opening not in ("---", "+++"):
        return 0
    closings, shape = (("---", "..."), _YAML_LINE) if opening == "---" else (("+++",), _TOML_LINE)
    keys = filled = 0
    start, number = source.find("\n") + 1, 1
    while 0 < start < len(source):
        stop = source.find("\n", start)
        line = source[start : stop if stop >= 0 else len(source)].rstrip(" \t")
        number += 1
        if line in closings:
            return number if keys or not filled else 0
        if line:
            match = shape.match(line)
            if match is None:
                return 0
            filled += 1
            keys += match["key"] is not None
        start = stop + 1
    return 0


def entry(block: str, key: str) -> str | None:
    """The text of a top-level entry of a front matter block, fences included; None without one.

    Reads plain, quoted and block scalars (``>`` and ``|``, their lines joined by spaces).
    """
    lines = LINE_END.split(block)
    head = re.compile(rf"{re.escape(key)}[ \t]*[:=](?:[ \t]+|$|(?=[\"']))", re.IGNORECASE)
    for number, line in enumerate(lines):
        if match := head.match(line):
            value = line[match.end() :].strip()
            if re.fullmatch(r"|[>|][+-]?\d?[+-]?", value):
                value = " ".join(_indented(lines[number + 1 :]))
            return _unquoted(value).strip() or None
    return None


def _indented(lines: list[str]) -> list[str]:
    """The indented lines at the beginning, stripped, blank ones left out."""
    found = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            break
        found.append(line.strip())
    return [line for line in found if line]


def _unquoted(value: str) -> str:
    if match := re.match(r"'((?:[^']|'')*)'", value):
        return match[1].replace("''", "'")
    if match := re.match(r'"((?:[^"\\]|\\.)*)"', value):
        return re.sub(r"\\(.)", r"\1", match[1])
    return re.sub(r"(?:^|\s)#.*", "", value)


def language(block: str) -> str | None:
    """The primary subtag of ``lang`` or ``language``: "en" of "en-GB"."""
    value = entry(block, "lang") or entry(block, "language") or ""
    match = re.fullmatch(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*", value)
    return match[1].lower() if match else None
