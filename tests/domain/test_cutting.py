"""Cuts of one granularity: roles, limits on the finished text, snapping by score."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import FakeTokenizer
from materials import material_of
from vchunk.domain.cutting import NEAR_TOKENS, kept_runs, make_cuts, unit_roles
from vchunk.domain.document import Block, Document, Kind, Role, Span
from vchunk.domain.finishing import Cut
from vchunk.domain.granularity import Granularity
from vchunk.domain.material import Material
from vchunk.domain.ports import Tokens
from vchunk.domain.sizes import Characters


def cut(material: Material, **wanted: Any) -> list[str]:
    """The texts of the chunks; by size and structure where nothing else is said."""
    if "prominence" not in wanted:
        wanted["method"] = "structure"
    cuts, _ = make_cuts(material, Granularity(**wanted))
    return [material.document.slice(c.span) for c in cuts]


def document_of(*parts: tuple[str, Role]) -> Document:
    text, blocks = "", []
    for part, role in parts:
        blocks.append(Block(Kind.PARAGRAPH, Span(len(text), len(text) + len(part)), role=role))
        text += part + "\n\n"
    return Document(text, tuple(blocks))


BODY, FURNITURE, TOC = Role.BODY, Role.FURNITURE, Role.TOC


def test_what_is_left_out_is_listed_and_no_chunk_reaches_over_it() -> None:
    document = document_of(("Head.", FURNITURE), ("One.", BODY), ("Page. Three.", FURNITURE), ("Two.", BODY))
    cuts, left = make_cuts(material_of(document), Granularity(max_tokens=100, method="structure"))
    assert [document.slice(c.span) for c in cuts] == ["One.", "Two."]
    assert [(document.slice(gap.span), gap.role) for gap in left] == [
        ("Head.", FURNITURE),
        ("Page. Three.", FURNITURE),
    ]


def test_nothing_is_skipped_when_nothing_is_to_be() -> None:
    document = document_of(("Head.", FURNITURE), ("One.", BODY))
    assert cut(material_of(document), max_tokens=100, skip=()) == ["Head.", "One."]


def test_no_chunk_mixes_roles_and_what_is_skipped_changes_nothing_else() -> None:
    material = material_of("# A\n\nOne. Two.\n\n# References\n\n1. See (2001).\n\n# Appendix\n\nFour.")
    every = cut(material, max_tokens=100)
    assert every == ["# A\n\nOne. Two.", "# References\n\n1. See (2001).", "# Appendix\n\nFour."]
    assert cut(material, max_tokens=100, skip=(Role.BACKMATTER,)) == [every[0], every[2]]


def test_neighbours_of_different_roles_are_listed_apart() -> None:
    document = document_of(("Page.", FURNITURE), ("Contents.", TOC), ("One.", BODY))
    granularity = Granularity(method="structure", skip=(FURNITURE, TOC))
    _, left = make_cuts(material_of(document), granularity)
    assert [gap.role for gap in left] == [FURNITURE, TOC]


@pytest.mark.parametrize(
    ("roles", "kept", "left"),
    [
        ([], [], []),
        ("bbb", [(0, 3)], []),
        ("fff", [], [(0, 3)]),
        ("fbbf", [(1, 3)], [(0, 1), (3, 4)]),
        ("bbttfb", [(0, 2), (5, 6)], [(2, 4), (4, 5)]),
        ("bftb", [(0, 1), (3, 4)], [(1, 2), (2, 3)]),
    ],
)
def test_runs(roles: str, kept: list[tuple[int, int]], left: list[tuple[int, int]]) -> None:
    named = [{"b": BODY, "f": FURNITURE, "t": TOC}[r] for r in roles]
    assert kept_runs(named, (FURNITURE, TOC)) == (kept, left)


def test_a_unit_has_the_role_of_its_innermost_block() -> None:
    text = "aaa.\n\nbbb."
    blocks = (
        Block(Kind.QUOTE, Span(0, 10)),
        Block(Kind.PARAGRAPH, Span(0, 4), parent=0),
        Block(Kind.PARAGRAPH, Span(6, 10), role=FURNITURE, parent=0),
    )
    material = material_of(Document(text, blocks))
    assert unit_roles(material.document, material.units) == [BODY, FURNITURE]


def test_a_chunk_has_no_white_space_at_its_ends_unless_asked() -> None:
    material = material_of(" \nOne two. \n\n Three four.\n", "a.txt")
    assert cut(material, max_tokens=4) == ["One two.", "Three four."]
    assert cut(material, max_tokens=4, trim=False) == [" \nOne two. \n\n ", "Three four.\n"]


def test_a_piece_of_code_begins_with_its_line() -> None:
    material = material_of("Text.\n\n```\nif a:\n    b = 1\n    c = 2\n```\n")
    assert cut(material, max_tokens=4) == ["Text.", "```", "if a:", "    b = 1", "    c = 2", "```"]
    assert cut(material, max_tokens=4, trim=False) == [
        "Text.\n\n", "```\n", "if a:\n", "    b = 1\n", "    c = 2\n", "```\n",
    ]  # fmt: skip


def test_only_code_takes_its_indent_along() -> None:
    assert cut(material_of("One.\n\n   Two."), max_tokens=2) == ["One.", "Two."]


class Dearer(FakeTokenizer):
    """Counts a token more in each text that begins with ``x`` than the document said."""

    def tokenize(self, text: str) -> Tokens:
        tokens = super().tokenize(text)
        if not text.startswith("x"):
            return tokens
        return Tokens(*(np.append(a[:1], a) for a in (tokens.ids, tokens.starts, tokens.ends)))


def test_a_chunk_that_counts_more_by_itself_is_cut_again() -> None:
    text = "xa b. xc d. xe f. xg h."
    material = material_of(text)
    wanted = {"target_tokens": 6, "max_tokens": 6}
    assert cut(material, **wanted) == ["xa b. xc d.", "xe f. xg h."]
    dear = Material(material.document, material.key, material.units, material.token_starts, Dearer())
    assert cut(dear, **wanted) == ["xa b.", "xc d.", "xe f.", "xg h."]


@pytest.mark.parametrize("trim", [True, False])
def test_a_single_piece_that_counts_more_by_itself_is_split(trim: bool) -> None:
    material = material_of("xa xb, xc xd xe. Next.")
    dear = Material(material.document, material.key, material.units, material.token_starts, Dearer())
    cuts, _ = make_cuts(dear, Granularity(max_tokens=7, method="structure", trim=trim))
    texts = [material.document.slice(c.span) for c in cuts]
    assert all(len(Dearer().tokenize(t)) == c.tokens <= 7 for t, c in zip(texts, cuts, strict=True))
    joined = ("" if not trim else " ").join(texts)
    assert joined == material.document.text
    assert texts[0].rstrip() == "xa xb,"
    assert {c.level for c in cuts} == {3, -2, 0}


def test_a_piece_that_is_split_in_the_end_keeps_its_links_too() -> None:
    material = material_of("xa xa [b, c](d)")  # 10 tokens, and one more by itself
    dear = Material(material.document, material.key, material.units, material.token_starts, Dearer())
    cuts, _ = make_cuts(dear, Granularity(max_tokens=10, method="structure"))
    assert [material.document.slice(c.span) for c in cuts] == ["xa xa", "[b, c](d)"]


def test_indented_code_begins_with_its_indentation() -> None:
    assert cut(material_of("One two three.\n\n    x = 1\n    y = 2\n"), max_tokens=6) == [
        "One two three.",
        "    x = 1\n    y = 2",
    ]


def test_levels_and_strengths_of_cuts() -> None:
    material = material_of("# A\n\nOne two three. Four five six.\n\nSeven, eight nine ten.")
    cuts, _ = make_cuts(material, Granularity(max_tokens=6, method="structure"))
    assert [c.level for c in cuts] == [3, 0, 2]
    assert {c.strength for c in cuts} == {0.0}


def test_a_document_without_units_has_no_chunks() -> None:
    assert make_cuts(material_of(" \n"), Granularity()) == ([], [])
    assert make_cuts(material_of(""), Granularity(prominence=1.0)) == ([], [])


def peaks_at(length: int, peaks: dict[int, float]) -> NDArray[np.float32]:
    """A curve with some noise, so that its MAD is 0.01 or so, and peaks."""
    curve = (np.arange(length) % 3 * 0.01).astype(np.float32)
    for at, height in peaks.items():
        curve[at] = height
    return curve


SENTENCES = "".join(f"W{i} b c d. " for i in range(60))  # five tokens each


def by_velocity(peaks: dict[int, float], text: str = SENTENCES, **more: Any) -> Material:
    material = material_of(text, "a.txt")
    curve = peaks_at(len(material.token_starts), peaks)
    return material_of(text, "a.txt", velocity=lambda f_sig: curve * np.float32(f_sig / 0.5), **more)


def first_words(material: Material, **wanted: Any) -> list[str]:
    return [text.split()[0] for text in cut(material, **wanted)]


def test_peaks_are_cut_at_the_nearest_sentence() -> None:
    material = by_velocity({51: 1.0, 148: 2.0})
    assert first_words(material, prominence=20.0) == ["W0", "W10", "W30"]
    assert first_words(material, prominence=150.0) == ["W0", "W30"]


def test_the_minimum_of_25_tokens_and_another() -> None:
    material = by_velocity({51: 1.0, 66: 2.0})
    assert first_words(material, prominence=20.0) == ["W0", "W13"]
    assert first_words(material, prominence=20.0, min_tokens=10) == ["W0", "W10", "W13"]


def test_the_strength_is_the_prominence_in_mads() -> None:
    cuts, _ = make_cuts(by_velocity({51: 1.0}), Granularity(prominence=20.0))
    assert cuts[0].strength == 0.0
    assert 50 < cuts[1].strength < 150


def test_the_smoothing_asked_for_is_used() -> None:
    asked = []
    material = material_of(SENTENCES, "a.txt")

    def curve(f_sig: float) -> NDArray[np.float32]:
        asked.append(f_sig)
        return peaks_at(len(material.token_starts), {})

    moved = material_of(SENTENCES, "a.txt", velocity=curve)
    make_cuts(moved, Granularity(prominence=1.0))
    make_cuts(moved, Granularity(prominence=1.0, f_sig=0.25))
    assert asked == [0.5, 0.25]


def test_the_maximum_cuts_at_what_is_left_of_the_pool() -> None:
    material = by_velocity({51: 0.5, 148: 2.0})
    assert first_words(material, prominence=150.0, max_tokens=180, min_tokens=100) == ["W0", "W30"]
    assert first_words(material, prominence=150.0, max_tokens=150, min_tokens=50) == ["W0", "W30"]
    assert first_words(material, prominence=150.0, max_tokens=149, min_tokens=50)[:2] == ["W0", "W10"]


def test_no_peak_cuts_a_block() -> None:
    text = "One. " * 20 + "\n\n> " + "Two. " * 40 + "\n\n" + "Three. " * 20
    material = material_of(text, "a.md")
    middle = len(material.token_starts) // 2
    curve = peaks_at(len(material.token_starts), {middle: 5.0})
    moved = material_of(text, "a.md", velocity=lambda _: curve)
    assert [t.split()[0] for t in cut(moved, prominence=100.0)] in (["One.", ">"], ["One.", "Three."])


class Scores:
    """A snapper that likes some boundaries."""

    def __init__(self, text: str, words: Sequence[str]) -> None:
        self.text, self.words = text, words
        self.spans: list[Span] = []

    def __call__(self, offsets: NDArray[np.int64], spans: Sequence[Span]) -> NDArray[np.float32]:
        self.spans = list(spans)
        scores = [
            np.nan
            if not any(s.start <= at <= s.end for s in spans)
            else float(self.text[at:].split()[0] in self.words)
            for at in offsets.tolist()
        ]
        return np.array(scores, np.float32)


LONG = "".join(f"W{i} b c d. " for i in range(400))


def test_a_peak_goes_to_the_nearest_boundary_that_the_snapper_likes() -> None:
    scores = Scores(LONG, ["W88", "W350"])
    material = by_velocity({500: 2.0}, LONG, scorer=scores)
    assert first_words(material, prominence=100.0) == ["W0", "W88"]
    assert len(scores.spans) == 1
    near = LONG[scores.spans[0].start : scores.spans[0].end]
    assert len(FakeTokenizer().tokenize(near)) == 2 * NEAR_TOKENS


def test_where_the_snapper_likes_none_the_nearest_is_taken() -> None:
    material = by_velocity({500: 2.0}, LONG, scorer=Scores(LONG, ["W350"]))
    assert first_words(material, prominence=100.0) == ["W0", "W100"]


def test_what_is_read_for_one_peak_does_not_move_another() -> None:
    # The stronger peak has a choice, 120 tokens away; what the weaker one has is nearer to both.
    peaks = {200: 2.0, 330: 1.5}
    scores = ["W16"]
    strong = first_words(by_velocity(peaks, LONG, scorer=Scores(LONG, scores)), prominence=180.0)
    both = first_words(by_velocity(peaks, LONG, scorer=Scores(LONG, scores)), prominence=100.0)
    assert strong == ["W0", "W16"]
    assert both == ["W0", "W16", "W66"]


@given(
    st.dictionaries(st.integers(1, 1990), st.sampled_from([0.5, 1.0, 1.5, 2.0]), max_size=12),
    st.sets(st.integers(0, 399).map(lambda i: f"W{i}"), max_size=40),
    st.sampled_from([0, 25]),
)
def test_cuts_nest_with_a_snapper_too(peaks: dict[int, float], liked: set[str], minimum: int) -> None:
    material = by_velocity(peaks, LONG, scorer=Scores(LONG, sorted(liked)))
    found = [set(first_words(material, prominence=p, min_tokens=minimum)) for p in (40.0, 80.0, 120.0, 160.0)]
    for finer, coarser in pairwise(found):
        assert coarser <= finer


def test_a_cut_is_what_it_says() -> None:
    cuts, _ = make_cuts(material_of("One two."), Granularity(method="structure"))
    assert cuts == [Cut(Span(0, 8), 3, 3, 0.0, "start")]


def sizes_of_long_word(**wanted: Any) -> list[int]:
    """Characters of the chunks of a word of 6,000 letters, which alone are over the limit."""
    text = "x" * 6000
    material = material_of(text, "a.txt").counted_by(Characters())
    chunks = cut(material, size_in="chars", **wanted)
    assert "".join(chunks) == text
    return [len(chunk) for chunk in chunks]


@pytest.mark.parametrize("limit", [37, 100, 128, 512])
def test_a_long_word_is_cut_into_even_chunks_below_the_maximum(limit: int) -> None:
    sizes = sizes_of_long_word(max_tokens=limit)
    assert max(sizes) <= limit
    wanted = limit / 2
    assert all(abs(size - wanted) <= wanted / 8 for size in sizes[:-1])


def test_a_long_word_is_cut_to_the_target_however_large_the_maximum() -> None:
    sizes = sizes_of_long_word(target_tokens=40, max_tokens=4000)
    assert all(abs(size - 40) <= 5 for size in sizes[:-1])


@pytest.mark.parametrize(("low", "high"), [(60, 64), (62, 64), (118, 120)])
def test_a_long_word_is_cut_between_limits_that_are_close(low: int, high: int) -> None:
    sizes = sizes_of_long_word(min_tokens=low, max_tokens=high)
    assert all(low <= size <= high for size in sizes[:-1])
    assert sizes[-1] <= high


def test_a_long_word_is_cut_to_a_count() -> None:
    assert len(sizes_of_long_word(count=150, max_tokens=4000)) == 150


def test_presets_nest_in_a_long_word() -> None:
    fine, medium = (np.cumsum(sizes_of_long_word(preset=name)).tolist() for name in ("fine", "medium"))
    assert len(fine) > len(medium) > 1
    assert set(medium) <= set(fine)
