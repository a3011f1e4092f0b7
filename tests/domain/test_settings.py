"""Settings as they are typed."""

from __future__ import annotations

import pytest

from vchunk.domain.document import Role
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import Granularity
from vchunk.domain.settings import DEFAULT_INDEX, INDEXES, parse_setting, sweep_grid


def test_fields_and_index() -> None:
    found = parse_setting("preset=fine, max-tokens=100, index=late")
    assert found.granularity == Granularity(preset="fine", max_tokens=100)
    assert (found.index, found.name) == ("late", "preset=fine, max-tokens=100, index=late")
    assert parse_setting("prominence=1.5").granularity == Granularity(prominence=1.5)
    assert parse_setting("target=70").granularity == Granularity(target_tokens=70)
    assert parse_setting("index=text").granularity == Granularity()


def test_the_index_asked_for_elsewhere_is_for_settings_without_one() -> None:
    assert parse_setting("preset=fine").index == DEFAULT_INDEX
    other = parse_setting("preset=fine", "late")
    assert (other.index, other.name) == ("late", "preset=fine,index=late")
    assert parse_setting("preset=fine,index=text", "late").index == "text"


def test_as_many_chunks_as_segments() -> None:
    found = parse_setting("count=given")
    assert found.for_segments(7) == Granularity(count=7)
    assert parse_setting("preset=fine").for_segments(7) == Granularity(preset="fine")
    assert parse_setting("count=3").for_segments(7) == Granularity(count=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" , ", "is empty"),
        ("fine", "'fine' is no name=value"),
        ("preset=", "is no name=value"),
        ("presets=fine", "'presets' is no setting; choose from index, preset"),
        ("skip=toc+x", "--skip x: choose from"),
        ("levels=256", "levels: an index holds chunks of one level"),
        ("thresholds=fixed", "'thresholds' is no setting"),
        ("threshold-method=fixed", "need --method double-pass"),
        ("method=double-pass,threshold-method=best", "--threshold-method best: choose from"),
        ("method=double-pass,append-threshold=x", "--append-threshold x: must be a number"),
        ("preset=fine,preset=coarse", "preset is given twice"),
        ("preset=tiny", "--preset tiny: choose from"),
        ("target=x", "--target-tokens x: must be a whole number"),
        ("preset=fine,count=given", "exclude one another"),
        ("index=bm25", "--index bm25: choose from text, embed-text, late, blend"),
    ],
)
def test_faults_are_usage_errors(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_setting(text)
    assert message in str(caught.value)


def test_the_grid_begins_with_the_default_and_repeats_nothing() -> None:
    grid = sweep_grid(INDEXES)
    assert grid[0].granularity.target == Granularity().target
    assert {setting.index for setting in grid} == set(INDEXES)
    assert len({setting.name for setting in grid}) == len(grid)
    assert sweep_grid(["late"])[0].name == "preset=medium,index=late"


def test_every_field_of_a_granularity_can_be_compared() -> None:
    text = "method=double-pass,threshold-method=fixed,append-threshold=.6,merge_threshold=.5,max=90"
    thresholds = Thresholds("fixed", 0.6, 0.5)
    expected = Granularity(method="double-pass", thresholds=thresholds, max_tokens=90)
    assert parse_setting(text).granularity == expected
    only = parse_setting("method=double-pass,merge-threshold=30").granularity.thresholds
    assert only == Thresholds("percentile", None, 30)
    assert parse_setting("skip=none,trim=false").granularity == Granularity(skip=(), trim=False)
    assert parse_setting("skip=toc+backmatter").granularity.skip == (Role.TOC, Role.BACKMATTER)
    assert parse_setting("overlap=9,overlap-in-text=true,size-in=chars,sections=soft").granularity == Granularity(
        overlap=9, overlap_in_text=True, size_in="chars", sections="soft"
    )


def test_a_snapper_is_named() -> None:
    found = parse_setting("preset=fine,snapper=chonky:./m")
    assert (found.granularity, found.snapper) == (Granularity(preset="fine"), "chonky:./m")
    assert parse_setting("preset=fine").snapper == "sentences"
