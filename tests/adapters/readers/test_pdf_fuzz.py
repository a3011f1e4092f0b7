"""Damaged PDFs end in a document or in one clear line, in little time and room."""

from __future__ import annotations

import random
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from document_laws import hold_laws
from pdf_builder import Put, build, lines
from vchunk.adapters.readers.pdf import PdfReader
from vchunk.domain.document import Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning

TEXT = ["The keeper of the lighthouse wrote down the wind each", "morning and each evening."]
WHOLE = build(
    [
        [Put(72, 60, "1 The tower", 14, "F2"), *lines(72, 100, TEXT), Put(72, 300, "x = y", turn=1)],
        [*lines(72, 100, TEXT), *lines(330, 100, TEXT), Put(300, 760, "2")],
    ],
    outline=[("The tower", 0, 60), (" The lamp", 1, 90)],
    title="The log",
    drawn={0: [(60, 200, 300, 290)]},
)


def survives(data: bytes) -> None:
    refused = None
    try:
        document = PdfReader().read(Source("a.pdf", data), no_warning)
        hold_laws(document)
        document.text.encode("utf-8")
    except ReadError as error:
        refused = str(error)
    assert refused is None or (refused.startswith("a.pdf: ") and "\n" not in refused)


@settings(max_examples=60)
@given(st.integers(0, len(WHOLE)))
def test_files_cut_short(length: int) -> None:
    survives(WHOLE[:length])


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 7)), min_size=1, max_size=12))
def test_flipped_bits(flips: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for at, bit in flips:
        data[at] ^= 1 << bit
    survives(bytes(data))


@settings(max_examples=60)
@given(st.integers(0, len(WHOLE)), st.integers(0, 200), st.binary(max_size=60))
def test_bytes_put_in_and_taken_out(at: int, gone: int, put: bytes) -> None:
    survives(WHOLE[:at] + put + WHOLE[at + gone :])


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_numbers_of_any_size_and_sign(seed: int) -> None:
    draw = random.Random(seed)
    odd = [b"-1", b"0", b"1e9", b"99999999999", b"-32768", b".0000001", b"/N", b"null"]
    parts = WHOLE.split(b" ")
    for _ in range(draw.randrange(1, 8)):
        at = draw.randrange(len(parts))
        if parts[at].strip().lstrip(b"-").isdigit():
            parts[at] = draw.choice(odd)
    survives(b" ".join(parts))


def test_a_long_text_packed_into_few_bytes() -> None:
    shown = b"BT /F1 10 Tf 72 700 Td (" + b"a" * 100_000 + b") Tj ET"
    packed = zlib.compress(shown)
    head = WHOLE.replace(b"/Kids [100 0 R 102 0 R] /Count 2", b"/Kids [100 0 R] /Count 1")
    start = head.index(b"101 0 obj")
    end = head.index(b"endobj", start)
    stream = (
        b"101 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed + b"\nendstream\n"
    )
    survives(head[:start] + stream + head[end:])
