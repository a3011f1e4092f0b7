"""Calibration: measured once, kept with the encoder, found by every cut."""

from __future__ import annotations

from dataclasses import replace

import pytest

import vchunk
from fakes import FakeEncoder, FakeSplitter
from vchunk.adapters.encoders.constants import _MINILM, measured_constants
from vchunk.adapters.stores.memory import MemoryStore
from vchunk.domain.calibration import TARGETS, Calibration, find_constants, keep_constants
from vchunk.domain.constants import EncoderConstants, calibrate
from vchunk.domain.windows import make_plan
from vchunk.wiring import make_hasher

LONG = vchunk.Source("a.txt", " ".join(f"w{i * i % 97} v{i % 31} x{i % 7}." for i in range(400)).encode())
SHORT = vchunk.Source("b.txt", b"One. Two. Three.")
CONSTANTS = EncoderConstants((64.0, 128.0), (7.123456789, 15.0), 0.25, 0.05)
HASHER = make_hasher()
PLAN = "minima-63"


def session(store: MemoryStore, said: list[str], encoder: FakeEncoder | None = None) -> vchunk.Session:
    return vchunk.Session(encoder=encoder or FakeEncoder(), store=store, splitter=FakeSplitter(), warn=said.append)


def test_after_a_calibration_cuts_use_it_and_nobody_is_warned() -> None:
    store, said = MemoryStore(), []
    there = session(store, said)
    doc = there.embed(LONG)
    before = there.constants_of(doc.embedding, doc.embedding.units())
    assert any("vchunk calibrate" in line for line in said)
    said.clear()
    calibration, kept = there.calibrate([doc, there.embed(SHORT)])
    assert kept
    assert (calibration.documents, calibration.tokens) == (2, 1600 + 6)
    assert calibration.constants.targets == (64.0, 128.0, 256.0, 512.0)
    assert all(count >= 100 for count in calibration.boundaries)
    units = [doc.embedding.units(), there.embed(SHORT).embedding.units()]
    assert calibration.constants == calibrate(units, TARGETS[:4])
    # Another session, later, on the short document: the constants are those of the encoder.
    later = session(store, said)
    short = later.embed(SHORT)
    assert later.constants_of(short.embedding, short.embedding.units()) == calibration.constants != before
    assert said == []


def test_a_new_calibration_takes_the_place_of_the_old_one() -> None:
    store, identity = MemoryStore(), FakeEncoder().identity
    for scale in (1.0, 2.0):
        constants = replace(CONSTANTS, scales=(scale, 15.0))
        keep_constants(Calibration(constants, (100, 100), 1, 999), identity, PLAN, store, HASHER)
        assert find_constants(identity, PLAN, store, HASHER) == constants
    assert len(list(store.keys())) == 1


@pytest.mark.parametrize("part", ["content", "tokenizer", "prefix"])
def test_constants_belong_to_one_model_and_prefix(part: str) -> None:
    store, identity = MemoryStore(), FakeEncoder().identity
    keep_constants(Calibration(CONSTANTS, (100, 100), 1, 999), identity, PLAN, store, HASHER)
    assert find_constants(replace(identity, **{part: "another"}), PLAN, store, HASHER) is None
    # Where it runs changes bits, not scales.
    assert find_constants(replace(identity, device="cuda", dtype="bfloat16"), PLAN, store, HASHER) == CONSTANTS


def test_constants_belong_to_a_length_of_windows() -> None:
    store, said = MemoryStore(), []
    there = session(store, said)
    there.calibrate([there.embed(LONG)])
    other = session(store, said, FakeEncoder(window=FakeEncoder().window // 2))
    for one, known in ((there, True), (other, False)):
        short = one.embed(SHORT)
        said.clear()
        one.constants_of(short.embedding, short.embedding.units())
        assert (said == []) == known


def test_constants_belong_to_a_plan_of_windows() -> None:
    store, said = MemoryStore(), []
    there = session(store, said)
    there.calibrate([there.embed(LONG, windows="light")])
    for windows, known in (("light", True), ("full", False)):
        short = there.embed(SHORT, windows=windows)
        said.clear()
        there.constants_of(short.embedding, short.embedding.units())
        assert (said == []) == known
    with pytest.raises(vchunk.UsageError, match="different windows"):
        there.calibrate([there.embed(LONG), there.embed(LONG, windows="light")])


def test_each_plan_of_the_bundled_encoder_has_constants_of_its_own() -> None:
    bundled = replace(FakeEncoder().identity, content=_MINILM[0], tokenizer=_MINILM[1])
    full, light, half = (
        measured_constants(bundled, make_plan(kind, window).name)
        for kind, window in (("full", 254), ("light", 254), ("full", 128))
    )
    assert full is not None
    assert light is not None
    assert light != full
    assert half is None


def test_too_little_text_is_refused() -> None:
    there = session(MemoryStore(), [])
    for docs in ([], [there.embed(SHORT)]):
        with pytest.raises(vchunk.UsageError, match="too little to calibrate: give texts"):
            there.calibrate(docs)
    assert find_constants(FakeEncoder().identity, there.embed(SHORT).embedding.plan, there.store, HASHER) is None


def test_the_bundled_encoders_constants_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    there = session(store, [])
    monkeypatch.setattr(vchunk.session.wiring, "shipped_constants", lambda *_: CONSTANTS)
    calibration, kept = there.calibrate([there.embed(LONG)])
    assert not kept
    assert calibration.constants != CONSTANTS
    assert "constants" not in {key.kind for key in store.keys()}  # noqa: SIM118
