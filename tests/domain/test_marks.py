"""Marks of list items stay with their words."""

from __future__ import annotations

from materials import material_of
from strategies import read
from vchunk.domain.cutting import make_cuts
from vchunk.domain.granularity import Granularity
from vchunk.domain.marks import mark_ends


def test_marks_of_items() -> None:
    text = "* one\n* [x] two\n\n10. three\n\n    - four\n-"
    found = [text[start:end] for start, end in sorted(mark_ends(read(text)).items())]
    assert found == ["* ", "* [x] ", "10. ", "- "]


def test_a_mark_is_not_left_behind() -> None:
    text = "Intro one two three:\n\n* (a b c d e f g h, i j k l m n o p q) r s"
    material = material_of(text)
    for limit in range(4, 24):
        cuts, _ = make_cuts(material, Granularity(method="structure", max_tokens=limit))
        assert not [c for c in cuts if text[c.span.start : c.span.end].endswith("*")]
