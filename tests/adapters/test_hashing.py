"""Content hashes."""

from __future__ import annotations

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from vchunk.adapters.hashing import Xxh3Hasher, named_digest

parts = st.lists(st.binary(max_size=9), max_size=5)


def test_the_digest_is_xxh3_over_length_prefixed_parts() -> None:
    raw = b"\x02\0\0\0\0\0\0\0ab" + b"\0" * 8 + b"\x01\0\0\0\0\0\0\0c"
    assert Xxh3Hasher().digest([b"ab", b"", b"c"]) == xxhash.xxh3_128_digest(raw)


@given(parts, parts)
def test_equal_digests_mean_equal_parts(one: list[bytes], two: list[bytes]) -> None:
    assert (Xxh3Hasher().digest(one) == Xxh3Hasher().digest(iter(two))) == (one == two)


@pytest.mark.parametrize(("one", "two"), [([b"ab", b"c"], [b"a", b"bc"]), ([b"a"], [b"a", b""]), ([], [b""])])
def test_borders_between_parts_count(one: list[bytes], two: list[bytes]) -> None:
    assert Xxh3Hasher().digest(one) != Xxh3Hasher().digest(two)


def test_a_stored_digest_names_its_algorithm() -> None:
    hasher = Xxh3Hasher()
    assert named_digest(hasher, b"a", b"b") == "xxh3-128:" + hasher.digest([b"a", b"b"]).hex()
