"""Documents ready to be cut, without a session: the domain by itself."""

from __future__ import annotations

from typing import Any

from fakes import FakeSplitter, FakeTokenizer
from strategies import read
from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.document import Document
from vchunk.domain.keys import Key
from vchunk.domain.material import Material
from vchunk.domain.units import cut_units

KEY = Key("document", "0" * 32)


def material_of(document: Document | str, name: str = "a.md", **more: Any) -> Material:
    """All that cutting a document, or a text, needs; no encoder unless ``more`` brings its part."""
    if isinstance(document, str):
        document = read(document, name)
    tokenizer = FakeTokenizer()
    tokens = tokenizer.tokenize(document.text)
    units = cut_units(document.text, find_boundaries(document, FakeSplitter()), tokens.starts)
    return Material(document, KEY, units, tokens.starts, tokenizer, **more)
