"""Gold answers as their authors wrote them, and where they stand in the documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from vchunk.domain.document import Span
from vchunk.domain.errors import ReadError
from vchunk.domain.plurals import counted
from vchunk.domain.ports import Warn, no_warning
from vchunk.domain.retrieval import Question
from vchunk.domain.retrieval_scores import Excerpt

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Reference:
    """A gold answer: a range of a document, its text, or both; then they must agree."""

    start: int | None = None
    end: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a file. ``place`` says where it stands there, for messages."""

    place: str
    text: str
    document: str | None
    references: tuple[Reference, ...]


def resolve(asked: Sequence[Asked], texts: Mapping[str, str], warn: Warn = no_warning) -> list[Question]:
    """The questions with their gold text as ranges of documents.

    Parameters
    ----------
    texts
        The text of each document by its name. A question may name it by its name, by the last part
        of it, or by that without its ending; it need not where there is only one.

    Raises
    ------
    ReadError
        Names the place of the first question that does not fit the documents.
    """
    names = _Names(texts)
    out = []
    repeated = 0
    for one in asked:
        document = names.find(one)
        spans = [_span(one.place, document, texts[document], reference) for reference in one.references]
        repeated += sum(texts[document].count(texts[document][s.start : s.end]) > 1 for s in spans)
        out.append(Question(one.text, tuple(Excerpt(document, span) for span in spans)))
    if repeated:
        which = "answer stands" if repeated == 1 else "answers stand"
        warn(f"{repeated:,} gold {which} in the document more than once: only the place given counts")
    return out


class _Names:
    """Finds a document by what a question calls it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._all = list(texts)
        self._found: dict[str, list[str]] = {}
        for name in self._all:
            path = PurePath(name)
            for alias in {name, path.as_posix(), path.name, path.stem}:
                self._found.setdefault(alias, []).append(name)

    def find(self, asked: Asked) -> str:
        if asked.document is None:
            if len(self._all) == 1:
                return self._all[0]
            raise ReadError(f"{asked.place}: names no document, and there are {len(self._all):,}")
        found = [asked.document] if asked.document in self._all else self._found.get(asked.document, [])
        if len(found) == 1:
            return found[0]
        if not found:
            raise ReadError(f"{asked.place}: there is no document {asked.document!r} among {_some(self._all)}")
        raise ReadError(f"{asked.place}: {asked.document!r} may be {_some(found)}: give its whole name")


def _span(place: str, document: str, text: str, reference: Reference) -> Span:
    if reference.start is None or reference.end is None:
        return _find(place, document, text, reference.quote or "")
    start, end = reference.start, reference.end
    if not 0 <= start < end <= len(text):
        raise ReadError(
            f"{place}: the span {start} to {end} is not in {document}, which has {counted(len(text), 'character')}"
        )
    if reference.quote is not None and text[start:end] != reference.quote:
        raise ReadError(
            f"{place}: characters {start} to {end} of {document} are {_short(text[start:end])}, "
            f"not {_short(reference.quote)}: leave out the offsets to look for the text"
        )
    return Span(start, end)


def _find(place: str, document: str, text: str, quote: str) -> Span:
    """The first place of a quotation; white space may differ."""
    words = quote.split()
    if not words:
        raise ReadError(f"{place}: the gold answer is empty")
    start = text.find(quote.strip())
    if start >= 0:
        return Span(start, start + len(quote.strip()))
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    if match is None:
        raise ReadError(f"{place}: {document} does not hold the text {_short(quote)}")
    return Span(match.start(), match.end())


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")


def _some(names: Sequence[str]) -> str:
    return ", ".join([*names[:5], *(["..."] if len(names) > 5 else [])])
