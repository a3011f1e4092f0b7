"""Files of gold answers and of gold boundaries: CSV, JSON Lines or a JSON list."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError
from vchunk.domain.questions import Asked, Reference
from vchunk.domain.segmentation import Segmented

_QUESTION = ("question", "query")
_DOCUMENT = ("document", "corpus_id")
_START = ("start", "start_index")
_END = ("end", "end_index")
_QUOTE = ("quote", "answer", "content")
_EXPECTED = "start and end, spans, quote, quotes or references"

Row = Mapping[str, Any]


def read_questions(source: Source) -> list[Asked]:
    """The questions of a file, each with its gold answers.

    A row has ``question`` and ``document`` (in Chroma's form ``corpus_id``) and its answers as
    ``start`` and ``end``, as ``quote`` (text to be found) or ``quotes``, as ``spans`` (a list of
    ``[start, end]``), or as Chroma's ``references``: a list of ``{"content", "start_index",
    "end_index"}``. In CSV, lists are JSON.

    Raises
    ------
    ReadError
        Names the file and the row.
    """
    out = []
    for place, row in _rows(source):
        question = _first(row, _QUESTION)
        if not isinstance(question, str) or not question.strip():
            raise ReadError(f"{place}: has no question")
        document = _first(row, _DOCUMENT)
        references = tuple(_references(place, row))
        if not references:
            raise ReadError(f"{place}: has no gold answer; give {_EXPECTED}")
        out.append(Asked(place, question, None if document in (None, "") else str(document), references))
    return out


def read_segmented(source: Source) -> list[Segmented]:
    """Texts with the offsets at which a segment after the first begins: ``text``, ``boundaries``, ``id``.

    Raises
    ------
    ReadError
        Names the file and the row.
    """
    out = []
    for number, (place, row) in enumerate(_rows(source), 1):
        text, boundaries = row.get("text"), row.get("boundaries")
        if not isinstance(text, str) or not text.strip():
            raise ReadError(f"{place}: has no text")
        offsets = _list(boundaries)
        if offsets is None:
            raise ReadError(f"{place}: has no boundaries; give a list of offsets into text")
        name = str(row.get("id") or f"{source.name}:{number}")
        out.append(Segmented(name, text, tuple(_number(place, "boundary", b) for b in offsets), place))
    return out


def _rows(source: Source) -> Iterator[tuple[str, Row]]:
    """Each row with the words that name its place."""
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{source.name}: is not UTF-8 (byte {error.start})") from None
    beginning = text.lstrip()[:1]
    if not beginning:
        raise ReadError(f"{source.name}: is empty")
    form = {"[": _json_list, "{": _json_lines}.get(beginning, _csv)
    found = False
    for place, row in form(source.name, text):
        found = True
        yield place, row
    if not found:
        raise ReadError(f"{source.name}: has a header and no rows")


def _csv(name: str, text: str) -> Iterator[tuple[str, Row]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        known = {column.strip() for column in rows.fieldnames or []}
        if not known.intersection(_QUESTION):
            raise ReadError(
                f"{name}: is neither JSON nor a CSV with a column question; its first line is {_head(text)}"
            )
        for number, row in enumerate(rows, 2):  # as a spreadsheet counts them
            yield f"{name}, row {number}", {(key or "").strip(): value for key, value in row.items()}
    except csv.Error as error:
        raise ReadError(f"{name}, line {rows.line_num}: is no CSV ({error})") from None


def _delimiter(text: str) -> str:
    """What parts the cells: many spreadsheets write semicolons, or tabs."""
    for delimiter in ",;\t":
        with contextlib.suppress(csv.Error):
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
            if {name.strip() for name in names}.intersection(_QUESTION):
                return delimiter
    return ","


def _json_lines(name: str, text: str) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{name}, row {number}"
            yield place, _record(place, _parsed(place, line))


def _json_list(name: str, text: str) -> Iterator[tuple[str, Row]]:
    for number, row in enumerate(_parsed(name, text), 1):
        place = f"{name}, row {number}"
        yield place, _record(place, row)


def _parsed(place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ReadError(f"{place}: is no JSON ({error})") from None


def _record(place: str, row: Any) -> Row:
    if not isinstance(row, dict):
        raise ReadError(f"{place}: is no JSON object")
    return row


def _references(place: str, row: Row) -> Iterator[Reference]:
    start, end = _first(row, _START), _first(row, _END)
    quote = _first(row, _QUOTE)
    if start not in (None, "") or end not in (None, ""):
        whole = None if quote in (None, "") else str(quote)
        yield Reference(_number(place, "start", start), _number(place, "end", end), whole)
    elif quote not in (None, ""):
        yield Reference(quote=str(quote))
    yield from _listed(place, row, "references", _reference)
    yield from _listed(place, row, "spans", _reference)
    yield from _listed(place, row, "quotes", _reference)


def _listed(place: str, row: Row, name: str, read: Callable[[str, Any], Reference]) -> Iterator[Reference]:
    if row.get(name) in (None, ""):
        return
    entries = _list(row[name])
    if entries is None:
        raise ReadError(f"{place}: {name} is no list in JSON")
    yield from (read(place, entry) for entry in entries)


def _reference(place: str, entry: Any) -> Reference:
    if isinstance(entry, str):
        return Reference(quote=entry)
    if isinstance(entry, list) and len(entry) == 2:
        return Reference(_number(place, "start", entry[0]), _number(place, "end", entry[1]))
    if isinstance(entry, dict):
        inner = list(_references(place, entry))
        if len(inner) == 1:
            return inner[0]
    raise ReadError(f"{place}: {json.dumps(entry)[:60]} is no gold answer; give {_EXPECTED}")


def _first(row: Row, names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _list(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, list) else None


def _number(place: str, what: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise ValueError
        number = int(value) if isinstance(value, int) else float(value)  # tables write 300.0 for 300
        if number != int(number):
            raise ValueError
        return int(number)
    except (TypeError, ValueError, OverflowError):
        raise ReadError(f"{place}: {what} {value!r} is no whole number") from None


def _head(text: str) -> str:
    line = text.lstrip().split("\n", 1)[0].strip()
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
