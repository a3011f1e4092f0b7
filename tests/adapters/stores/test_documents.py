"""Documents go into the store and come back as they were."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_contract import document as document_key

from vchunk.adapters.stores.documents import from_artifact, text_of, to_arrays
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.adapters.stores.zarr_store import ZarrStore
from vchunk.domain.document import Block, Box, Document, Kind, Page, Role, Span
from vchunk.domain.errors import StoreError
from vchunk.domain.ports import Store

KEY = document_key(1)


def keep(store: Store, document: Document) -> Document:
    attributes, arrays = to_arrays(document)
    with store.write(KEY) as writer:
        writer.attributes(attributes)
        for name, data in arrays.items():
            writer.array(name, data)
    return from_artifact(store.read(KEY))


texts = st.text(st.characters(exclude_categories=()))  # lone surrogates too
spans = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)).map(lambda ends: Span(*sorted(ends)))
blocks = st.builds(
    Block,
    kind=st.sampled_from(Kind),
    span=spans,
    role=st.sampled_from(Role),
    level=st.none() | st.integers(-1, 9),
    parent=st.none() | st.integers(0, 99),
    title=st.none() | texts,
    language=st.none() | st.sampled_from(["", "python", "paragraph"]),
    time=st.none() | st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
    speaker=st.none() | texts,
)
floats = st.floats(allow_nan=False)
documents = st.builds(
    Document,
    text=texts,
    blocks=st.lists(blocks, max_size=6).map(tuple),
    pages=st.lists(st.builds(Page, number=st.integers(1, 9), span=spans), max_size=3).map(tuple),
    boxes=st.lists(
        st.builds(Box, span=spans, page=st.integers(1, 9), x0=floats, y0=floats, x1=floats, y1=floats),
        max_size=3,
    ).map(tuple),
    title=st.none() | texts,
    language=st.none() | texts,
    media_type=texts,
    reader=texts,
)


@given(documents)
def test_nothing_is_lost(document: Document) -> None:
    assert keep(MemoryStore(), document) == document


@pytest.fixture
def rich() -> Document:
    text = "# Caf\u00e9 \U0001f600\n\nWords \ud83d\ude00 here.\n"
    return Document(
        text,
        (
            Block(Kind.HEADING, Span(0, 8), level=1, title="Caf\u00e9 \U0001f600"),
            Block(Kind.LIST, Span(10, 24), Role.BACKMATTER),
            Block(Kind.CODE, Span(10, 24), Role.BACKMATTER, parent=1, language="python"),
        ),
        (Page(1, Span(0, 8)), Page(7, Span(8, 24))),
        (Box(Span(0, 8), 1, 0.1, -2.0, 1e300, 4),),
        title="Caf\u00e9",
        language="fr",
        media_type="text/markdown",
        reader="markdown/3",
    )


def test_nothing_is_lost_on_disk(rich: Document, tmp_path: Path) -> None:
    back = keep(ZarrStore(tmp_path / "artifacts"), rich)
    assert back == rich
    assert all(isinstance(block.kind, Kind) and isinstance(block.role, Role) for block in back.blocks)


def test_who_speaks_and_when_is_kept_on_disk_and_costs_others_nothing(rich: Document, tmp_path: Path) -> None:
    cues = (
        Block(Kind.TURN, Span(0, 8), speaker="Ada"),
        Block(Kind.CUE, Span(0, 4), parent=0, time=(0.1, 2.0)),
        Block(Kind.CUE, Span(4, 8), parent=0, time=(2.0, 1e9 + 0.001)),
        Block(Kind.TURN, Span(8, 9), speaker=""),
    )
    document = dataclasses.replace(rich, blocks=cues)
    assert keep(ZarrStore(tmp_path / "artifacts"), document) == document
    assert not {"speakers", "timed", "times"} & set(to_arrays(rich)[1])


def test_an_empty_document_is_a_document(tmp_path: Path) -> None:
    assert keep(ZarrStore(tmp_path / "artifacts"), Document("")) == Document("")


def test_attributes_say_what_the_document_is(rich: Document) -> None:
    attributes, arrays = to_arrays(rich)
    named = {name: attributes[name] for name in ("title", "language", "media_type", "reader", "characters")}
    assert named == {
        "title": "Caf\u00e9",
        "language": "fr",
        "media_type": "text/markdown",
        "reader": "markdown/3",
        "characters": len(rich.text),
    }
    assert {name: data.dtype for name, data in arrays.items()} == {
        "text": np.uint8,
        "blocks": np.int64,
        "pages": np.int64,
        "boxes": np.int64,
        "corners": np.float64,
    }


def test_the_text_can_be_had_alone(rich: Document) -> None:
    store = MemoryStore()
    keep(store, rich)
    assert text_of(store.read(KEY)) == rich.text


def test_a_kind_of_a_later_version_is_told(rich: Document) -> None:
    store = MemoryStore()
    keep(store, rich)
    artifact = store.read(KEY)
    words = [word.replace("code", "hologram") for word in artifact.attributes["words"]]
    later = dataclasses.replace(artifact, attributes=artifact.attributes | {"words": words})
    with pytest.raises(StoreError, match=rf"{KEY}.*hologram.*update vchunk"):
        from_artifact(later)
