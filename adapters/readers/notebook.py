"""Jupyter notebooks: Markdown cells as Markdown, code cells as code, outputs as furniture.

The text of record holds the cells' sources as they stand, parted by a blank line; then the outputs that
are text, in order. Line ends are ``\\n``; pictures that are written into the text, base64 and all, are
left out of their links, colours of terminals out of the outputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from vchunk.adapters.readers.decoding import DecodingReader, decode
from vchunk.adapters.readers.lines import paragraph_spans
from vchunk.adapters.readers.parsed import clean
from vchunk.domain.document import Block, Document, Kind, Role, Source, Span
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import Warn
from vchunk.domain.roles import label_roles

MEDIA_TYPE = "application/x-ipynb+json"

_INLINE_DATA = re.compile(r"data:[\w./+-]+;base64,[A-Za-z0-9+/=\s]{64,}?(?=[^A-Za-z0-9+/=\s]|$)")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OBJECT = re.compile(r"<[\w.]+(?: at 0x[0-9a-f]+| size \d+x\d+ with [^>]*)>")


class NotebookReader(DecodingReader):
    """Reads notebooks of format 3 and 4."""

    name = "ipynb"
    version = 1

    def read(self, source: Source, warn: Warn) -> Document:
        """The document; its title is that of the notebook, else its only heading of level 1.

        Raises
        ------
        ReadError
            If it is no notebook.
        """
        try:
            data = json.loads(decode(source, warn, self.encoding))
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{source.name}: not a notebook ({error})") from None
        if not is_notebook(data):
            raise ReadError(f"{source.name}: not a notebook: it has no cells")
        return read_notebook(data, source.name, warn)


def read_notebook(data: Any, name: str, warn: Warn) -> Document:  # noqa: ARG001 - as readers of JSON forms are
    """The document of a notebook's JSON."""
    writing = _Writing(_language(data))
    for cell in _cells(data):
        writing.add(cell)
    writing.add_outputs()
    text = writing.text
    blocks = label_roles(writing.blocks, text)
    top = [b.title for b in blocks if b.kind is Kind.HEADING and b.level == 1 and b.parent is None]
    title = _mapping(data.get("metadata")).get("title")
    return Document(
        text=text,
        blocks=blocks,
        title=clean(title) if isinstance(title, str) and title else top[0] if len(top) == 1 else None,
        media_type=MEDIA_TYPE,
        reader="ipynb/1",
    )


def is_notebook(data: Any) -> bool:
    """Whether a JSON value is a notebook."""
    if not isinstance(data, dict) or not ("nbformat" in data or "metadata" in data):
        return False
    return isinstance(data.get("cells"), list) or isinstance(data.get("worksheets"), list)


class _Writing:
    """Puts cells one behind the other."""

    def __init__(self, language: str | None) -> None:
        self.blocks: list[Block] = []
        self._language = language
        self._parts: list[str] = []
        self._length = 0
        self._outputs: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, cell: dict[str, Any]) -> None:
        """Add a cell; what it put out is kept for `add_outputs`."""
        from vchunk.adapters.readers.markdown_tree import block_tree

        kind = cell.get("cell_type")
        text = _text(cell.get("source", cell.get("input")))
        if kind == "code":
            language = cell.get("language")
            self._put_code(text, language if isinstance(language, str) else self._language, Role.BODY)
            self._outputs += filter(str.strip, map(_output, _list(cell.get("outputs"))))
            return
        if kind == "heading":
            text = f"{'#' * min(max(_integer(cell.get('level')), 1), 6)} {' '.join(text.split())}"
        text = _INLINE_DATA.sub("data:", text).strip("\n").rstrip()
        if not text.strip():
            return
        start = self._put(text)
        if kind == "raw":
            blocks = [Block(Kind.PARAGRAPH, span) for span in paragraph_spans(text)]
        else:
            blocks = block_tree(text)[0]
        self._shift(blocks, start)

    def add_outputs(self) -> None:
        """Write all outputs."""
        for output in self._outputs:
            self._put_code(output, None, Role.FURNITURE)

    def _put_code(self, text: str, language: str | None, role: Role) -> None:
        text = re.sub(r"\A(?:[^\S\n]*\n)+", "", text).rstrip()
        if text:
            start = self._put(text)
            self.blocks.append(Block(Kind.CODE, Span(start, self._length), role, language=language))

    def _put(self, text: str) -> int:
        if self._parts:
            text = "\n\n" + text
        self._parts.append(text)
        before, self._length = self._length, self._length + len(text)
        return before + 2 * (len(self._parts) > 1)

    def _shift(self, blocks: list[Block], start: int) -> None:
        """Append the blocks of a cell that begins at ``start``."""
        from dataclasses import replace

        first = len(self.blocks)
        for block in blocks:
            span = Span(block.span.start + start, block.span.end + start)
            parent = None if block.parent is None else block.parent + first
            self.blocks.append(replace(block, span=span, parent=parent))


def _cells(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sheets = [sheet.get("cells") for sheet in _list(data.get("worksheets")) if isinstance(sheet, dict)]
    for cells in [data.get("cells"), *sheets]:
        yield from (cell for cell in _list(cells) if isinstance(cell, dict))


def _language(data: dict[str, Any]) -> str | None:
    about = _mapping(data.get("metadata"))
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        found = _mapping(about.get(name)).get(key)
        if isinstance(found, str) and found:
            return found.lower()
    return None


def _output(output: Any) -> str:
    """What an output says in text; objects that only have an address and pictures say nothing."""
    about = _mapping(output)
    if "ename" in about:
        text = f"{_text(about.get('ename'))}: {_text(about.get('evalue'))}"
    else:
        text = _text(about.get("text") or _mapping(about.get("data")).get("text/plain"))
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in _COLOUR.sub("", text).split("\n"))
    text = "\n".join(lines)
    return "" if _OBJECT.fullmatch(text.strip()) else text


def _text(value: Any) -> str:
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    return clean(text.replace("\r\n", "\n"))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _integer(value: Any) -> int:
    return value if isinstance(value, int) else 1
