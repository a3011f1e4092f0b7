"""Conversations in Markdown."""

from __future__ import annotations

import pytest

from document_laws import hold_laws
from vchunk.adapters.readers.registry import reader_for
from vchunk.domain.document import Document, Kind, Source
from vchunk.domain.ports import no_warning


def read(text: str) -> Document:
    source = Source("a.md", text.encode())
    document = reader_for(source).read(source, no_warning)
    hold_laws(document)
    return document


def turns(document: Document) -> list[tuple[str | None, str]]:
    return [(b.speaker, document.slice(b.span)) for b in document.blocks if b.kind is Kind.TURN]


SAID = [("Ada", "Good morning."), ("Bea", "Is it?"), ("Ada", "I think so."), ("Bea", "Well then.")]


@pytest.mark.parametrize(
    "form", ["{}: {}", "**{}:** {}", "**{}**: {}", "_{}:_ {}", "__{}__: {}", "**{} (10:31):** {}"]
)
@pytest.mark.parametrize("gap", ["\n\n", "\n", "\r\n\r\n", "  \n"])
def test_forms_of_labels(form: str, gap: str) -> None:
    text = "# Meeting" + "\n\n" + gap.join(form.format(*said) for said in SAID)
    document = read(text)
    assert turns(document) == [(who, form.format(who, what)) for who, what in SAID]
    assert document.title == "Meeting"


def test_what_belongs_to_a_turn() -> None:
    text = (
        "---\ntitle: Talk\n---\n\n**Ada:** Two things:\n\n- one\n- two\n\nThat is all.\n\n**Bea:** Look:\n\n"
        "```\nAda: x\n```\n\n## Later\n\nNobody says this.\n\n**Ada:** Yes.\n\n**Bea:** No."
    )
    document = read(text)
    assert [(who, said.split("\n")[0], said.split("\n")[-1]) for who, said in turns(document)] == [
        ("Ada", "**Ada:** Two things:", "That is all."),
        ("Bea", "**Bea:** Look:", "```"),
        ("Ada", "**Ada:** Yes.", "**Ada:** Yes."),
        ("Bea", "**Bea:** No.", "**Bea:** No."),
    ]
    kinds = [
        (b.kind.value, None if b.parent is None else document.blocks[b.parent].kind.value) for b in document.blocks
    ]
    assert ("list", "turn") in kinds
    assert ("list_item", "list") in kinds
    assert ("code", "turn") in kinds
    assert ("heading", None) in kinds
    assert ("paragraph", None) in kinds


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"**{who}:** {what}" for who, what in SAID[:3]),
        "\n\n".join(f"**Term {n}:** It means this." for n in range(6)),
        "- " + "\n- ".join(f"{who}: {what}" for who, what in SAID),
        "First some prose.\n\n" + "\n\n".join(f"{who}: {what}" for who, what in SAID),
        "\n\n".join(f"{who}: {what}\n\nMore prose.\n\nAnd more." for who, what in SAID),
        "\n\n".join(["**Note:** One.", "**Example:** Two.", "**Note:** Three.", "**Example:** Four."]),
    ],
)
def test_what_is_no_conversation(text: str) -> None:
    assert turns(read(text)) == []
