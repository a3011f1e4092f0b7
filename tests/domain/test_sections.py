"""Sections: what headings divide a document into, and where they force cuts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeSplitter, FakeTokenizer
from strategies import documents, read
from vchunk.domain.boundaries import find_boundaries
from vchunk.domain.document import Block, Document, Kind, Role, Span
from vchunk.domain.pieces import heading_units
from vchunk.domain.sections import NO_BORDER, Segments, find_sections, find_segments, forced_borders, trail_at
from vchunk.domain.units import Units, cut_units


def outline(document: Document) -> list[tuple[str, int, str | None, str]]:
    """Title, level, parent's title and text of each section."""
    sections = find_sections(document)
    return [
        (
            s.title,
            s.level,
            None if s.parent is None else sections[s.parent].title,
            " ".join(document.text[s.start : s.end].replace("#", "").split()),
        )
        for s in sections
    ]


def units_of(document: Document) -> Units:
    tokens = FakeTokenizer().tokenize(document.text)
    return cut_units(document.text, find_boundaries(document, FakeSplitter()), tokens.starts)


def segments_of(document: Document) -> tuple[Segments, Units]:
    units = units_of(document)
    return find_segments(find_sections(document), units, heading_units(document, units)), units


def segment_texts(document: Document) -> list[tuple[int, str]]:
    """Depth of the border in front of each segment, and its text."""
    segments, units = segments_of(document)
    edges = [*units.offsets[segments.starts].tolist(), len(document.text)]
    texts = [" ".join(document.text[a:b].split()) for a, b in pairwise(edges)]
    return list(zip(segments.depths[:-1].tolist(), texts, strict=True))


def test_sections_nest_by_level() -> None:
    assert outline(read("Start.\n\n# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd")) == [
        ("A", 1, None, "A a B b C c"),
        ("B", 2, "A", "B b"),
        ("C", 2, "A", "C c"),
        ("D", 1, None, "D d"),
    ]


def test_levels_may_jump() -> None:
    assert outline(read("### A\n\na\n\n# B\n\n#### C\n\nc\n\n## D\n\nd\n\n#### E")) == [
        ("A", 3, None, "A a"),
        ("B", 1, None, "B C c D d E"),
        ("C", 4, "B", "C c"),
        ("D", 2, "B", "D d E"),
        ("E", 4, "D", "E"),
    ]


def test_headings_in_quotes_and_items_make_no_sections() -> None:
    assert outline(read("# A\n\n> # B\n\n- # C\n\n# D")) == [("A", 1, None, "A > B - C"), ("D", 1, None, "D")]


def test_a_heading_without_a_title_is_known_by_its_text() -> None:
    document = Document("Title\n\nx", (Block(Kind.HEADING, Span(0, 5)), Block(Kind.PARAGRAPH, Span(7, 8))))
    assert outline(document) == [("Title", 1, None, "Title x")]


def test_no_headings_no_sections() -> None:
    assert find_sections(read("Text.")) == ()
    assert trail_at((), 0, 1) == ()


def test_the_trail_holds_the_whole_chunk() -> None:
    document = read("Start.\n\n# A\n\na\n\n## B\n\nb\n\n## C\n\nc")
    sections = find_sections(document)

    def trail(first: str, last: str) -> list[str]:
        start, end = document.text.index(first), document.text.index(last) + len(last)
        return [s.title for s in trail_at(sections, start, end)]

    assert trail("b", "b") == ["A", "B"]
    assert trail("## B", "b") == ["A", "B"]
    assert trail("## B", "c") == ["A"]
    assert trail("# A", "c") == ["A"]
    assert trail("\na", "a") == ["A"]
    assert trail("Start.", "Start.") == []
    assert trail("Start.", "c") == []


@given(documents, st.data())
def test_the_trail_is_all_sections_that_hold_the_span(document: Document, data: st.DataObject) -> None:
    sections = find_sections(document)
    start = data.draw(st.integers(0, len(document.text)))
    end = data.draw(st.integers(start, len(document.text)))
    expected = [s for s in sections if s.start <= start < s.end and end <= s.end]
    assert list(trail_at(sections, start, end)) == expected


def test_segments_end_before_the_first_subsection() -> None:
    assert segment_texts(read("Start.\n\n# A\n\na. a.\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd")) == [
        (-1, "Start."),
        (0, "# A a. a."),
        (1, "## B b"),
        (1, "## C c"),
        (0, "# D d"),
    ]


def test_stacked_headings_belong_to_the_text_behind_them() -> None:
    assert segment_texts(read("# A\n\n## B\n\nb\n\n# C\n\n## D\n\n### E\n\ne\n\n### F\n\nf")) == [
        (-1, "# A ## B b"),
        (0, "# C ## D ### E e"),
        (2, "### F f"),
    ]


def test_border_depths() -> None:
    document = read("# A\n\na. a.\n\n## B\n\nb")
    segments, units = segments_of(document)
    assert len(units) == 5
    assert segments.border_depths(5).tolist() == [-1, NO_BORDER, NO_BORDER, 1, NO_BORDER, -1]


def test_a_document_without_units_has_no_segments() -> None:
    segments, _ = segments_of(read(" "))
    assert len(segments.starts) == 0
    assert segments.border_depths(0).tolist() == [-1]
    assert len(forced_borders(segments, np.zeros(0, np.int64), 1.0)) == 0


def borders(text: str, min_tokens: float, hard: bool = False) -> list[str]:
    """The headings at which a cut is forced."""
    document = read(text)
    segments, units = segments_of(document)
    found = forced_borders(segments, units.sizes, min_tokens, hard)
    return [document.text[units.offsets[at] :].split("\n")[0] for at in found.tolist()]


def test_a_cut_is_forced_where_both_sides_are_large_enough() -> None:
    text = "# A\n\n" + "a " * 8 + "\n\n# B\n\n" + "b " * 8
    assert borders(text, 10) == ["# B"]
    assert borders(text, 11) == []


def test_a_side_counts_with_its_subsections() -> None:
    text = (
        "# A\n\naa\n\n## B\n\n"
        + "b " * 8
        + "\n\n## C\n\n"
        + "c " * 8
        + "\n\n# D\n\n## E\n\nee\n\n## F\n\n"
        + "f " * 8
    )
    # A with B and C is large; so is D with E and F, though E alone is not. B against A's own text is small.
    assert borders(text, 10) == ["## C", "# D"]


def test_a_side_is_the_section_beside_it_not_all_before_it() -> None:
    large, small = "w " * 20, "w"
    assert borders(f"# A\n\n{large}\n\n# B\n\n{small}\n\n# C\n\n{large}", 10) == []
    assert borders(f"# A\n\n{small}\n\n# B\n\n{small}\n\n# C\n\n{large}\n\n# D\n\n{large}", 10) == ["# D"]
    assert borders(f"# A\n\n{large}\n\n# B\n\n{small}\n\n# C\n\n{small * 9}", 3) == ["# B", "# C"]


def test_text_in_front_of_the_first_heading_is_a_side() -> None:
    assert borders("x " * 10 + "\n\n# A\n\n" + "a " * 10, 10) == ["# A"]
    assert borders("x " * 9 + "\n\n# A\n\n" + "a " * 10, 10) == []


def test_hard_forces_a_cut_at_every_segment() -> None:
    assert borders("x\n\n# A\n\n## B\n\nb\n\n# C", 1e9, hard=True) == ["# A", "# C"]


@pytest.mark.parametrize("min_tokens", [1, 4, 9, 30])
def test_a_larger_minimum_forces_fewer_cuts(min_tokens: int) -> None:
    text = "".join(f"{'#' * (i % 3 + 1)} H\n\n{'w ' * (i * 7 % 11 + 1)}\n\n" for i in range(12))
    assert set(borders(text, min_tokens * 2)) <= set(borders(text, min_tokens))


@given(documents)
def test_sections_nest_and_segments_are_theirs(document: Document) -> None:
    sections = find_sections(document)
    for section in sections:
        assert section.start < section.end <= len(document.text)
        if section.parent is not None:
            outer = sections[section.parent]
            assert outer.start < section.start
            assert section.end <= outer.end
            assert outer.level < section.level
    segments, units = segments_of(document)
    assert segments.starts.tolist() == sorted(set(segments.starts.tolist()))
    assert set(units.offsets[segments.starts[1:]].tolist()) <= {s.start for s in sections}
    assert (segments.depths[[0, -1]] == -1).all()
    assert (segments.depths[1:-1] >= 0).all()


def test_contents_hold_no_section_of_the_text() -> None:
    text = "Contents\n\nIntro . . . 1\n\nWaves\n\nText."
    document = Document(
        text,
        (
            Block(Kind.HEADING, Span(0, 8), level=2, role=Role.TOC, title="Contents"),
            Block(Kind.PARAGRAPH, Span(10, 23), role=Role.TOC),
            Block(Kind.HEADING, Span(25, 30), level=4, title="Waves"),
            Block(Kind.PARAGRAPH, Span(32, 37)),
        ),
    )
    contents, waves = find_sections(document)
    assert (contents.end, waves.parent) == (25, None)
    assert [section.title for section in trail_at((contents, waves), 32, 37)] == ["Waves"]
