"""Ancestors: whole chunks, nested, for whatever cut them."""

from __future__ import annotations

import numpy as np
import pytest

import vchunk
from fakes import FakeEncoder, FakeSplitter
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.ancestors import ancestor_sizes, find_ancestors, steps_between

WORDS = {"sea": ["boat", "sail", "mast", "wave"], "time": ["clock", "spring", "tick", "hour"]}


def text(sections: int = 3, sentences: int = 60) -> str:
    parts = []
    for section in range(sections):
        parts.append(f"# Section {section}\n")
        for number in range(sentences):
            words = WORDS["sea" if number // 7 % 2 else "time"]
            said = " ".join(words[(number + k) % 4] for k in range(5 + number % 5))
            parts.append(f"{said.capitalize()} and so on.\n" + "\n" * (number % 5 == 4))
    return "\n".join(parts)


def session() -> vchunk.Session:
    return vchunk.Session(encoder=FakeEncoder(), store=MemoryStore(), splitter=FakeSplitter())


def spans_of(chunks: vchunk.Chunks) -> list[vchunk.Span]:
    return [vchunk.Span(c.start, c.end) for c in chunks]


@pytest.mark.parametrize(
    "wanted",
    [
        {"preset": "fine"},
        {"preset": "medium", "max_tokens": 150},
        {"target_tokens": 40},
        {"max_tokens": 5},
        {"prominence": 1.0},
        {"prominence": 0.5, "max_tokens": 60},
        {"preset": "fine", "method": "structure"},
    ],
)
def test_every_chunk_lies_in_a_parent_and_that_in_a_grandparent(wanted: dict[str, object]) -> None:
    doc = session().embed(vchunk.Source("a.md", ("---\ntitle: T\n---\n\n" + text()).encode()))
    granularity = vchunk.Granularity(**wanted)
    chunks = spans_of(doc.chunks(granularity))
    generations = find_ancestors(doc.material(granularity.method), granularity, chunks)
    below, numbers = chunks, np.arange(len(chunks))
    assert len(chunks) >= len(generations[0].spans) >= len(generations[1].spans) > 1
    for generation in generations:
        assert generation.spans[0].start == chunks[0].start
        assert generation.spans[-1].end == chunks[-1].end
        assert set(generation.of) == set(range(len(generation.spans)))
        for number, mine, lower in zip(generation.of, chunks, numbers, strict=True):
            above = generation.spans[number]
            assert above.start <= below[lower].start <= mine.start < mine.end <= below[lower].end <= above.end
        assert {span.start for span in generation.spans} <= {span.start for span in below}
        below, numbers = generation.spans, generation.of


def test_ancestors_are_of_the_next_powers_of_four() -> None:
    assert [ancestor_sizes(size, 2) for size in (64, 128, 256)] == [[256, 1024], [256, 1024], [1024, 4096]]
    assert ancestor_sizes(8, 3) == [16, 64, 256]
    assert ancestor_sizes(0.4, 1) == [1]
    assert steps_between(64, 1024) == [128, 256, 512, 1024]
    assert steps_between(100, 1024) == [256, 512, 1024]
    doc = session().read(vchunk.Source("a.txt", text(1, 400).encode()))
    wanted = vchunk.Granularity(target_tokens=30, method="structure")
    chunks = spans_of(doc.chunks(wanted))
    first, second = find_ancestors(doc.material("structure"), wanted, chunks)
    tokens = len(doc.material("structure").token_starts)
    assert 48 < tokens / len(first.spans) < 85
    assert 190 < tokens / len(second.spans) < 340


def test_the_ancestors_of_a_preset_are_those_of_the_tree() -> None:
    doc = session().embed(vchunk.Source("a.md", text(2, 120).encode()))
    for preset in ("fine", "medium"):
        wanted = vchunk.Granularity(preset=preset)
        parents, grandparents = find_ancestors(doc.material(), wanted, spans_of(doc.chunks(wanted)))
        assert list(parents.spans) == spans_of(doc.chunks(preset="coarse"))
        passages = [node for node in doc.tree(levels=[1024]).walk() if not node.children]
        assert [span.start for span in grandparents.spans] == [node.start for node in passages]


def test_lines_of_code_begin_with_their_indentation() -> None:
    code = "\n".join(f"    step_{i} = {i} + {i}" for i in range(60))
    doc = session().embed(vchunk.Source("a.md", f"# A\n\n```python\ndef f():\n{code}\n```\n".encode()))
    wanted = vchunk.Granularity(target_tokens=30)
    chunks = spans_of(doc.chunks(wanted))
    assert any(doc.text[span.start] == " " for span in chunks)
    [parents] = find_ancestors(doc.material(), wanted, chunks, 1)
    assert len(parents.spans) < len(chunks)
    assert any(doc.text[span.start] == " " for span in parents.spans)


def test_no_chunks_have_no_ancestors() -> None:
    doc = session().embed(vchunk.Source("a.md", b"  \n"))
    [none] = find_ancestors(doc.material(), vchunk.Granularity(), [], 1)
    assert (none.spans, len(none.of)) == ((), 0)
