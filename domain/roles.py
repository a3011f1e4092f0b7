"""Roles that titles give: backmatter (references, acknowledgements, funding and the like), contents.

A section is backmatter when its heading's title is exactly one of the known ones (a number in front
of it apart), body stands before it, and it is near the end of the document, that is

- every later heading of its level or above is backmatter too, or begins an appendix, an index and
  the like; or
- it begins in the second half, and, where its title could be that of a chapter as well
  ("References"), at least half of its paragraphs look like citations.

It ends at the next heading of its level or above. So the chapter "References" of a book on C++, and
the appendix behind a bibliography, stay body.

The heading of a section that holds nothing but what its reader knows as backmatter, as HTML's lists of
notes, is backmatter with it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from vchunk.domain.document import Block, Kind, Role

# fmt: off
# Titles that a chapter may bear as well.
_LISTS = frozenset(
    [
        "references", "bibliography", "works cited", "literature cited", "references cited",
        "literature", "reference list", "list of references", "literatur", "literaturverzeichnis",
        "quellen", "références", "bibliographie", "referencias", "bibliografía", "referências",
        "bibliografia", "riferimenti bibliografici", "список литературы", "литература", "参考文献", "參考文獻",
        "참고문헌",
    ]
)
_STATEMENTS = frozenset(
    [
        "acknowledgement", "acknowledgements", "acknowledgment", "acknowledgments", "danksagung",
        "remerciements", "agradecimientos", "agradecimentos", "ringraziamenti", "благодарности", "致谢",
        "致謝", "謝辞", "funding", "funding statement", "funding information", "funding sources",
        "financial support", "author contribution", "author contributions", "authors' contributions",
        "authors contributions", "author contributions statement",
        "credit authorship contribution statement", "credit author statement", "conflict of interest",
        "conflicts of interest", "conflict of interest statement", "conflict of interests",
        "competing interest", "competing interests", "declaration of interest",
        "declaration of interests", "declaration of competing interest",
        "declaration of competing interests", "declaration of conflicting interests",
        "disclosure statement", "data availability", "data availability statement",
        "availability of data and materials", "code availability", "code availability statement",
        "data and code availability", "ethics statement", "ethics approval", "ethical approval",
    ]
)
_CONTENTS = frozenset(
    [
        "contents", "table of contents", "brief contents", "detailed contents", "toc", "list of figures",
        "list of tables", "inhalt", "inhaltsverzeichnis", "sommaire", "table des matières", "índice",
        "contenido", "tabla de contenido", "sumário", "indice", "sommario", "содержание", "оглавление",
        "目录", "目錄", "目次", "목차",
    ]
)
# fmt: on
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*|[A-Z](?=[.):])|[IVX]+)[.):]?\s+")
_BEHIND = re.compile(
    r"(?:appendi|annex|supplement|supporting (?:information|material)|index$|glossary$|colophon$"
    r"|about the authors?$|author biograph|end ?notes$|notes$)",
)
_LETTERED = re.compile(r"[A-Z](?:[.):]\s|\.\d)")
_NO_LEVEL = 1_000
_CITATION = re.compile(
    r"\[\w[^\]\n]{0,20}\]|(?<!\d)(?:1[5-9]|20)\d\d[a-z]?(?!\d)|https?://|\bdoi\b|\bet al\b|\barxiv\b",
    re.IGNORECASE,
)


def label_roles(blocks: Sequence[Block], text: str) -> tuple[Block, ...]:
    """The same blocks, those of backmatter sections with role ``backmatter``.

    Blocks that have a role other than ``body`` keep it, but that the heading of a table of contents
    goes with it; headings inside other blocks count for nothing.
    """
    marked = [
        replace(block, role=Role.TOC) if _heads_contents(block, following) else block
        for block, following in zip(blocks, [*blocks[1:], *blocks[-1:]], strict=True)
    ]
    first_body = next((i for i, b in enumerate(blocks) if _is_body(b)), len(blocks))
    for opener, end, closing in _backmatter_sections(blocks):
        if opener < first_body:
            continue  # a document that is nothing but its references
        late = 2 * blocks[opener].span.start >= len(text)
        sure = _plain(blocks[opener].title) in _STATEMENTS
        if closing or (late and (sure or _cites(blocks[opener + 1 : end], text))):
            for i in range(opener, end):
                if marked[i].role is Role.BODY:
                    marked[i] = replace(marked[i], role=Role.BACKMATTER)
    return tuple(_with_their_headings(marked))


def _with_their_headings(blocks: list[Block]) -> list[Block]:
    """The blocks, headings of sections that hold nothing but backmatter with that role too."""
    if not any(_is_body(block) for block in blocks):
        return blocks
    body = [0, *itertools.accumulate(_is_body(block) for block in blocks)]
    notes = [0, *itertools.accumulate(b.role is Role.BACKMATTER and b.kind is not Kind.HEADING for b in blocks)]
    out = list(blocks)
    ends: list[tuple[int, int]] = []  # (level, index) of later headings, each the first of its level
    for i in range(len(blocks) - 1, -1, -1):
        block = blocks[i]
        if block.kind is not Kind.HEADING or block.parent is not None:
            continue
        level = block.level or 1
        while ends and ends[-1][0] > level:
            ends.pop()
        end = ends[-1][1] if ends else len(blocks)
        ends.append((level, i))
        if block.role is Role.BODY and notes[end] > notes[i] and body[end] == body[i]:
            out[i] = replace(block, role=Role.BACKMATTER)
    return out


def _backmatter_sections(blocks: Sequence[Block]) -> list[tuple[int, int, bool]]:
    """Sections with a title of backmatter: first block, end, and whether no body follows them."""
    found = []
    ends: list[tuple[int, int]] = []  # (level, index) of later headings, each the first of its level
    body_level = _NO_LEVEL  # the highest level among later headings that are neither
    for i in range(len(blocks) - 1, -1, -1):
        block = blocks[i]
        if block.kind is not Kind.HEADING or block.parent is not None:
            continue
        level, title = block.level or 1, _plain(block.title)
        while ends and ends[-1][0] > level:
            ends.pop()
        if title in _LISTS or title in _STATEMENTS:
            found.append((i, ends[-1][1] if ends else len(blocks), body_level > level))
        elif not _BEHIND.match(title) and not _LETTERED.match(block.title or ""):
            body_level = min(body_level, level)
        ends.append((level, i))
    return found


def _heads_contents(block: Block, following: Block) -> bool:
    return (
        block.kind is Kind.HEADING
        and block.role is Role.BODY
        and following.role is Role.TOC
        and _plain(block.title) in _CONTENTS
    )


def _is_body(block: Block) -> bool:
    return block.role is Role.BODY and block.kind not in (Kind.HEADING, Kind.RULE)


def _plain(title: str | None) -> str:
    """A title without its number and what ends it, in lower case."""
    words = " ".join((title or "").strip("*_ ").split())
    return _NUMBER.sub("", words, count=1).rstrip(" .:").replace("’", "'").casefold()


def _cites(section: Sequence[Block], text: str) -> bool:
    """Whether at least half of the section's paragraphs look like citations."""
    looks = [
        bool(_CITATION.search(text, block.span.start, block.span.end))
        for block in section
        if block.kind in (Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.FOOTNOTE)
    ]
    return bool(looks) and 2 * sum(looks) >= len(looks)
