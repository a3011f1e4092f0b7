"""Keys: spelled, read back, and different for different parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vchunk.domain.keys import KINDS, Key, looks_like_key, make_key
from vchunk.wiring import make_hasher

DIGEST = "0123456789abcdef" * 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_reads_back(kind: str) -> None:
    key = Key(kind, DIGEST)
    assert str(key) == f"{kind}-{DIGEST}"
    assert Key.parse(str(key)) == key
    assert looks_like_key(str(key))


@pytest.mark.parametrize(
    "text",
    [
        "",
        DIGEST,
        f"embedding-{DIGEST[:-1]}",
        f"embedding-{DIGEST}0",
        f"embedding-{DIGEST.upper()}",
        f"other-{DIGEST}",
        f"embedding-{DIGEST}\n",
        f" embedding-{DIGEST}",
        "embedding.md",
    ],
)
def test_what_is_no_key(text: str) -> None:
    assert Key.parse(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("embedding-0", True),
        ("document-0123abc", True),
        ("embedding-", True),
        ("embedding-xyz", False),
        ("embedding-notes.md", False),
        ("0123", False),
        (f"embedding-{DIGEST}0", False),
    ],
)
def test_what_looks_like_one(text: str, expected: bool) -> None:
    assert looks_like_key(text) is expected


parts = st.lists(st.one_of(st.text(max_size=4), st.binary(max_size=4)), max_size=4)


@given(parts, parts)
def test_different_parts_different_keys(one: list[str | bytes], other: list[str | bytes]) -> None:
    def raw(values: list[str | bytes]) -> list[bytes]:
        return [v.encode("utf-8", "surrogatepass") if isinstance(v, str) else v for v in values]

    same = make_key("document", one, make_hasher()) == make_key("document", other, make_hasher())
    assert same == (raw(one) == raw(other))


def test_parts_are_not_merely_joined() -> None:
    keys = {make_key("document", p, make_hasher()) for p in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""])}
    assert len(keys) == 4


def test_the_kind_is_a_part() -> None:
    one, other = (make_key(kind, ["a"], make_hasher()) for kind in ("document", "embedding"))
    assert one.digest != other.digest


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="picture"):
        make_key("picture", [], make_hasher())


def test_a_lone_surrogate_is_no_obstacle() -> None:
    assert Key.parse(str(make_key("document", ["\ud800"], make_hasher())))
