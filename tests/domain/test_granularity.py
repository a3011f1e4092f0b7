"""Granularities: what may be asked for, and what each wrong request is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.document import Role
from vchunk.domain.double_pass import Thresholds
from vchunk.domain.errors import UsageError
from vchunk.domain.granularity import Granularity, roles_of
from vchunk.domain.levels import PRESETS


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"preset": "fine", "prominence": 1.0}, "--preset and --prominence exclude one another"),
        ({"preset": "fine", "target_tokens": 100}, "--preset and --target-tokens exclude one another"),
        ({"prominence": 1.0, "target_tokens": 100}, "--prominence and --target-tokens exclude one another"),
        (
            {"preset": "fine", "prominence": 1.0, "target_tokens": 9},
            "--preset and --prominence and --target-tokens exclude one another",
        ),
        ({"preset": "huge"}, "--preset huge: choose from fine, medium, coarse"),
        ({"method": "magic"}, "--method magic: choose from velocity, structure"),
        ({"sections": "firm"}, "--sections firm: choose from auto, soft, hard"),
        ({"f_sig": 1.0}, "--f-sig shapes the velocity curve and needs --prominence"),
        ({"f_sig": 1.0, "preset": "fine"}, "--f-sig shapes the velocity curve and needs --prominence"),
        ({"method": "structure", "prominence": 1.0}, "--method structure has none"),
        ({"prominence": -0.5}, "--prominence -0.5: must be a finite number, 0 or more"),
        ({"prominence": float("nan")}, "--prominence nan: must be a finite number, 0 or more"),
        ({"prominence": float("inf")}, "--prominence inf: must be a finite number, 0 or more"),
        ({"prominence": 1.0, "f_sig": 0.0}, "--f-sig 0: must be above 0"),
        ({"prominence": 1.0, "f_sig": -1.0}, "--f-sig -1: must be above 0"),
        ({"prominence": 1.0, "f_sig": 51.0}, "--f-sig 51: must be above 0 and at most 50"),
        ({"prominence": 1.0, "f_sig": float("nan")}, "--f-sig nan: must be above 0"),
        ({"target_tokens": 0}, "--target-tokens 0: must be 1 or more"),
        ({"max_tokens": 0}, "--max-tokens 0: must be 1 or more"),
        ({"max_tokens": -5}, "--max-tokens -5: must be 1 or more"),
        ({"min_tokens": -1}, "--min-tokens -1: must be 0 or more"),
        ({"target_tokens": 300, "max_tokens": 200}, "--target-tokens 300 is above --max-tokens 200: change one"),
        ({"preset": "medium", "max_tokens": 100}, "--preset medium (128 tokens) is above --max-tokens 100"),
        ({"min_tokens": 60, "max_tokens": 50}, "--min-tokens 60 is above the maximum of 50 tokens"),
        (
            {"min_tokens": 60, "max_tokens": 50, "prominence": 1.0},
            "--min-tokens 60 is above the maximum of 50",
        ),
        ({"preset": "fine", "min_tokens": 129}, "--min-tokens 129 is above the maximum of 128 tokens"),
        ({"target_tokens": 10, "min_tokens": 21}, "--min-tokens 21 is above the maximum of 20 tokens"),
        ({"method": "double-pass", "preset": "fine"}, "--preset is no option of --method double-pass"),
        ({"method": "double-pass", "prominence": 1.0}, "--prominence is no option of --method double-pass"),
        ({"method": "double-pass", "target_tokens": 9}, "--target-tokens is no option of --method double-pass"),
        ({"method": "double-pass", "f_sig": 1.0}, "--f-sig shapes the velocity curve"),
        ({"method": "double-pass", "min_tokens": 9, "max_tokens": 8}, "--min-tokens 9 is above the maximum of 8"),
        ({"method": "double-pass", "count": 3}, "--count is no option of --method double-pass"),
        ({"method": "double-pass", "levels": "64"}, "--levels is no option of --method double-pass"),
        ({"method": "double-pass", "overlap": 128}, "--overlap 128 is not below the maximum of 128 tokens"),
        ({"thresholds": Thresholds()}, "--append-threshold and --merge-threshold need --method double-pass"),
        ({"count": 3, "preset": "fine"}, "--preset and --count exclude one another"),
        ({"count": 3, "levels": (90, 30)}, "--count and --levels exclude one another"),
        ({"count": 0}, "--count 0: must be 1 or more"),
        ({"count": True}, "--count True: must be a whole number"),
        ({"levels": "1024,p2"}, "--levels 1024,p2: sizes and prominences are two families"),
        ({"levels": "64,64"}, "--levels 64,64: a level is named twice"),
        ({"levels": ()}, "--levels: name at least one"),
        ({"levels": ""}, "--levels: name at least one"),
        ({"levels": ","}, "--levels: name at least one"),
        ({"levels": "64,"}, "--levels '': give sizes"),
        ({"levels": 0}, "--levels 0: give sizes"),
        ({"levels": "64,16", "min_tokens": 40}, "--levels, at 16: --min-tokens 40 is above the maximum of 32"),
        ({"levels": "p2,p1", "method": "structure"}, "--levels p2,p1 reads the velocity curve"),
        ({"method": "structure", "prominence": 1}, "--prominence reads the velocity curve"),
        ({"size_in": None}, "--size-in None: choose tokens, chars or a tokenizer.json"),
        ({"size_in": ""}, "--size-in '': choose tokens, chars or a tokenizer.json"),
        ({"method": "double-pass", "thresholds": "fixed"}, "thresholds 'fixed': must be a vchunk.Thresholds"),
        ({"trim": "no"}, "trim 'no': must be true or false"),
        ({"levels": "64,x"}, "--levels x: give sizes of 1 or more, or prominences like p2"),
        ({"levels": "64,0"}, "--levels 0: give sizes"),
        ({"levels": "p-1"}, "--levels p-1: give sizes"),
        ({"levels": "pnan"}, "--levels pnan: give sizes"),
        ({"levels": "600,64", "max_tokens": 300}, "--levels 600 is above --max-tokens 300"),
        ({"levels": "p2", "method": "structure"}, "--method structure has none"),
        ({"levels": "64", "f_sig": 1.0}, "--f-sig shapes the velocity curve and needs --prominence"),
        ({"overlap": -1}, "--overlap -1: must be 0 or more"),
        ({"overlap": 128}, "--overlap 128 is not below the target of 128 tokens"),
        ({"overlap": 64, "levels": (256, 64)}, "--overlap 64 is not below the target of 64 tokens"),
        (
            {"overlap": 50, "prominence": 1.0, "max_tokens": 50},
            "--overlap 50 is not below the maximum of 50 tokens",
        ),
        ({"overlap": 50, "max_tokens": 60}, "--overlap 50 is not below the target of 30 tokens"),
        ({"overlap_in_text": True}, "--overlap-in-text puts the overlap into the text and needs --overlap N"),
        ({"overlap": 9, "overlap_in_text": True, "levels": "64"}, "the chunks of --levels nest"),
        (
            {"size_in": "chars", "max_tokens": 100, "preset": "fine"},
            "--preset fine (256 characters) is above --max",
        ),
    ],
)
def test_refused(wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Granularity(**wanted)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("wanted", "target", "maximum", "name"),
    [
        ({}, 128, 256, "t128"),
        ({"preset": "fine"}, 64, 128, "t64"),
        ({"preset": "coarse"}, 256, 512, "t256"),
        ({"preset": "coarse", "max_tokens": 300}, 256, 300, "t256"),
        ({"target_tokens": 90}, 90, 180, "t90"),
        ({"target_tokens": 90, "max_tokens": 100}, 90, 100, "t90"),
        ({"max_tokens": 100}, 50, 100, "t50"),
        ({"max_tokens": 1}, 1, 1, "t1"),
        ({"max_tokens": 101}, 50.5, 101, "t50.5"),
        ({"prominence": 2.0}, None, None, "p2"),
        ({"prominence": 2.5, "max_tokens": 100}, None, 100, "p2.5"),
        ({"prominence": 2.0, "f_sig": 0.25}, None, None, "p2-f0.25"),
        ({"prominence": 0.0}, None, None, "p0"),
        ({"method": "double-pass"}, None, 128, "double-percentile-a40-m50"),
        ({"method": "double-pass", "min_tokens": 200}, None, 200, "double-percentile-a40-m50"),
        (
            {"method": "double-pass", "max_tokens": 9, "thresholds": Thresholds("fixed", 0.5, -1)},
            None,
            9,
            "double-fixed-a0.5-m-1",
        ),
        ({"method": "double-pass", "size_in": "chars"}, None, 512, "double-percentile-a40-m50-chars"),
        ({"count": 7}, None, None, "n7"),
        ({"count": 7, "max_tokens": 100}, None, 100, "n7"),
        ({"size_in": "chars"}, 512, 1024, "t512-chars"),
        ({"size_in": "chars", "target_tokens": 90}, 90, 180, "t90-chars"),
    ],
)
def test_what_a_request_means(
    wanted: dict[str, Any], target: float | None, maximum: int | None, name: str
) -> None:
    granularity = Granularity(**wanted)
    assert (granularity.target, granularity.maximum, granularity.name) == (target, maximum, name)
    assert granularity.by_prominence == ("prominence" in wanted)
    assert granularity.smoothing == wanted.get("f_sig", 0.5)


def test_by_default_furniture_front_matter_words_in_pictures_and_damage_are_left_out() -> None:
    assert set(Granularity().skip) == {Role.FURNITURE, Role.FRONT_MATTER, Role.FIGURE, Role.DAMAGED}


def test_presets_are_steps_of_one_ladder() -> None:
    assert [level.target for level in Granularity(preset="coarse").ladder()] == [64, 128, 256]
    assert [level.target for level in Granularity(preset="fine").ladder()] == [64]
    assert [level.target for level in Granularity().ladder()] == [64, 128]


def test_a_target_alone_is_solved_alone() -> None:
    assert [(level.target, level.maximum) for level in Granularity(target_tokens=256).ladder()] == [(256, 512)]
    assert [(level.target, level.maximum) for level in Granularity(max_tokens=90).ladder()] == [(45, 90)]


def test_the_last_level_is_what_was_asked_for() -> None:
    last = Granularity(preset="medium", min_tokens=30, max_tokens=200).ladder()[-1]
    assert (last.target, last.maximum, last.min_tokens) == (128, 200, 30)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({}, "chunks of about 128 tokens"),
        ({"preset": "fine"}, "preset fine: chunks of about 64 tokens"),
        ({"target_tokens": 50, "max_tokens": 80}, "chunks of about 50 tokens, at most 80"),
        ({"method": "double-pass"}, "double pass, thresholds by percentile"),
        ({"prominence": 2.0}, "cuts at peaks of prominence 2 MAD or more, f_sig 0.5"),
    ],
)
def test_in_words(wanted: dict[str, Any], words: str) -> None:
    assert Granularity(**wanted).describe() == words


numbers = st.one_of(st.none(), st.integers(-2, 600))


@given(
    preset=st.sampled_from([None, None, *PRESETS]),
    prominence=st.sampled_from([None, None, 0.0, 2.0]),
    target_tokens=numbers,
    min_tokens=numbers,
    max_tokens=numbers,
    method=st.sampled_from(["velocity", "structure"]),
)
def test_a_request_is_refused_or_makes_sense(**wanted: Any) -> None:
    try:
        granularity = Granularity(**wanted)
    except UsageError:
        return  # what it says: see above
    if granularity.by_prominence:
        assert granularity.target is None
        return
    assert granularity.target is not None
    assert granularity.maximum is not None
    assert 1 <= granularity.target <= granularity.maximum
    levels = granularity.ladder()
    assert [level.target for level in levels] == sorted({level.target for level in levels})
    assert all(level.target <= level.maximum for level in levels)


@pytest.mark.parametrize(
    ("given", "levels"),
    [
        ("64,1024,256", ("1024", "256", "64")),
        ((64, 1024), ("1024", "64")),
        ("p.5,p4, p2", ("p4", "p2", "p0.5")),
        (["P1"], ("p1",)),
        (64, ("64",)),
    ],
)
def test_levels_are_listed_coarsest_first(given: Any, levels: tuple[str, ...]) -> None:
    wanted = Granularity(levels=given)
    assert wanted.levels == levels
    assert [m.name.lstrip("t") for m in wanted.members()] == list(levels)
    assert wanted.by_prominence == levels[0].startswith("p")


def test_another_signal_replaces_the_one_before() -> None:
    first = Granularity(prominence=2.0, f_sig=0.2, max_tokens=90)
    assert first.changed(count=3) == Granularity(count=3, max_tokens=90)
    assert first.changed(levels="p3,p1") == Granularity(levels="p3,p1", f_sig=0.2, max_tokens=90)
    assert first.changed(max_tokens=80) == Granularity(prominence=2.0, f_sig=0.2, max_tokens=80)


def test_a_double_pass_is_a_signal_too() -> None:
    passes = Granularity(method="double-pass", thresholds=Thresholds("fixed"), max_tokens=90)
    assert passes.changed(preset="fine") == Granularity(preset="fine", max_tokens=90)
    assert passes.changed(method="structure") == Granularity(method="structure", max_tokens=90)
    assert passes.changed(min_tokens=9).thresholds == Thresholds("fixed")
    assert Granularity(prominence=1.0, f_sig=2.0).changed(method="double-pass") == Granularity(
        method="double-pass"
    )
    assert Granularity(count=9, min_tokens=3).changed(method="double-pass") == Granularity(
        method="double-pass", min_tokens=3
    )


def test_without_an_overlap_none_is_in_the_text() -> None:
    wanted = Granularity(overlap=9, overlap_in_text=True)
    assert wanted.changed(overlap=None) == Granularity()
    assert wanted.changed(overlap=5).overlap_in_text


@pytest.mark.parametrize("names", [None, 3])
def test_roles_have_names(names: Any) -> None:
    with pytest.raises(UsageError, match="name one role or several"):
        roles_of(names)


def test_one_role_or_several() -> None:
    assert roles_of("toc") == (Role.TOC,)
    assert roles_of(["toc", Role.BACKMATTER]) == (Role.TOC, Role.BACKMATTER)
    assert roles_of("none") == ()


def test_numbers_of_numpy_are_numbers() -> None:
    plain = Granularity(count=3, max_tokens=90)
    assert Granularity(count=np.int64(3), max_tokens=np.int32(90)) == plain  # type: ignore[arg-type]
    assert Granularity(prominence=np.float32(2), f_sig=np.float64(0.5)) == Granularity(prominence=2.0, f_sig=0.5)  # type: ignore[arg-type]
    assert type(Granularity(count=np.int64(3)).count) is int  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="whole number"):
        Granularity(count=np.float64(3))  # type: ignore[arg-type]
