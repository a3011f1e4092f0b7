"""XML as a tree, with caps on what a small text may unfold to.

Entities are not defined and nothing outside the text is looked up; a text that declares entities is
refused. Names are written with short prefixes of our own, whatever the text's are: ``w:p``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from vchunk.domain.errors import ReadError

DEEPEST = 200
MOST_ELEMENTS = 3_000_000


class _Refused(Exception):
    """The text is more than we take on."""


def parse(data: bytes, what: str, prefixes: Mapping[str, str]) -> Element:
    """The root of an XML text.

    Parameters
    ----------
    what
        Names the text in errors.
    prefixes
        A prefix for each namespace; names of other namespaces stand without one.

    Raises
    ------
    ReadError
        If it is no XML, declares entities, nests deeper than `DEEPEST` or has more than
        `MOST_ELEMENTS` elements.
    """
    builder = TreeBuilder()
    depth = count = 0
    known: dict[str, str] = {}

    def name_of(name: str) -> str:
        found = known.get(name)
        if found is None:
            space, _, local = name.rpartition("}")
            prefix = prefixes.get(space)
            found = known[name] = f"{prefix}:{local}" if prefix else local
        return found

    def start(name: str, attributes: list[str]) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if depth > DEEPEST:
            raise _Refused(f"nests deeper than {DEEPEST} levels")
        if count > MOST_ELEMENTS:
            raise _Refused(f"has more than {MOST_ELEMENTS:,} elements")
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        builder.start(name_of(name), {name_of(key): value for key, value in pairs})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name_of(name))

    def refuse(*_: object) -> None:
        raise _Refused("declares entities")

    parser = expat.ParserCreate(namespace_separator="}")
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
        return builder.close()
    except _Refused as error:
        raise ReadError(f"{what}: {error}, so it is not read") from None
    except (expat.ExpatError, ValueError, LookupError, AssertionError) as error:
        raise ReadError(f"{what}: damaged XML ({error})") from None


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant by a path of names."""
    for name in path:
        if element is None:
            return None
        element = next((inner for inner in element if inner.tag == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The children of a name."""
    if element is not None:
        yield from (inner for inner in element if inner.tag == name)
