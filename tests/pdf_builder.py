"""Writes small PDFs by hand: text at places, an outline, a title, encryption."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 612, 792
_FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier", "F4": "Helvetica-Oblique"}
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True)
class Put:
    """Text set at a place: x from the left, y of the baseline from the top of the page.

    ``matrix`` moves the size into the text matrix, as many producers do; ``turn`` turns the text
    by so many quarters counterclockwise.
    """

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "F1"
    matrix: bool = False
    turn: int = 0


def lines(x: float, y: float, texts: Sequence[str], lead: float = 12, **how: object) -> list[Put]:
    """Lines of text under one another."""
    return [Put(x, y + i * lead, text, **how) for i, text in enumerate(texts)]  # type: ignore[arg-type]


def _show(put: Put) -> bytes:
    codes = put.text.encode("cp1252", "strict").hex()
    scale, size = (put.size, 1) if put.matrix else (1, put.size)
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[put.turn]
    matrix = [cos * scale, sin * scale, -sin * scale, cos * scale, put.x, HEIGHT - put.y]
    return f"BT /{put.font} {size} Tf {' '.join(map(str, matrix))} Tm <{codes}> Tj ET\n".encode()


def _frame(place: Rectangle) -> bytes:
    x0, y0, x1, y1 = place
    return f"{x0} {HEIGHT - y1} {x1 - x0} {y1 - y0} re S\n".encode()


def _form(box: Rectangle, held: Sequence[Rectangle | Put]) -> tuple[bytes, bytes]:
    """What describes a form that is cut off at a box, and what it holds; it is set at half its size."""
    bounds = " ".join(str(2 * edge) for edge in (box[0], HEIGHT - box[3], box[2], HEIGHT - box[1]))
    drawn = b"".join(_show(part) if isinstance(part, Put) else _frame(part) for part in held)
    return f"/Type /XObject /Subtype /Form /BBox [{bounds}]".encode(), b"2 0 0 2 0 0 cm\n" + drawn


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _unicode_map(codes: Mapping[int, bytes]) -> bytes:
    """A ToUnicode map: what each code of the font means, in UTF-16."""
    pairs = "".join(f"<{code:02x}> <{units.hex()}>\n" for code, units in codes.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}endbfchar endcmap end end"
    ).encode()


def build(
    pages: Sequence[Sequence[Put]],
    *,
    outline: Sequence[tuple[str, int, float]] = (),
    title: str = "",
    meaning: Mapping[int, bytes] | None = None,
    password: str | None = None,
    rotate: int = 0,
    pictures: bool = False,
    drawn: Mapping[int, Sequence[Rectangle]] | None = None,
    forms: Mapping[int, Sequence[tuple[Rectangle, Sequence[Rectangle | Put]]]] | None = None,
) -> bytes:
    """A PDF of the pages.

    ``outline`` holds (title, page from 0, y from the top or -1 for none), all at one level but those that begin
    with a space, which lie one deeper. ``meaning`` gives UTF-16 for codes of the font F5.
    ``pictures`` puts a filled square on each page; ``drawn`` frames (x0, y0, x1, y1 from the top) on some;
    ``forms`` frames and text in forms, in front of them the box at which each is cut off.
    """
    objects: dict[int, bytes] = {}
    fonts = dict(_FONTS, F5="Helvetica") if meaning else _FONTS
    for number, (name, base) in enumerate(fonts.items(), 10):
        extra = b" /ToUnicode 20 0 R" if name == "F5" else b""
        kind = f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding"
        objects[number] = kind.encode() + extra + b" >>"
    streams = {20: _unicode_map(meaning)} if meaning else {}
    names = " ".join(f"/{name} {number} 0 R" for number, name in enumerate(fonts, 10))
    extras: dict[int, bytes] = {}
    for i, page in enumerate(pages):
        own = range(1000 + 100 * i, 1000 + 100 * i + len((forms or {}).get(i, ())))
        for number, (box, inner) in zip(own, (forms or {}).get(i, ()), strict=True):
            extras[number], streams[number] = _form(box, inner)
        shown = b"".join(b"q 0.5 0 0 0.5 0 0 cm /X%d Do Q\n" % number for number in own)
        held = " ".join(f"/X{number} {number} 0 R" for number in own)
        objects[100 + 2 * i] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotate} "
            f"/Resources << /Font << {names} >> /XObject << {held} >> >> /Contents {101 + 2 * i} 0 R >>"
        ).encode()
        frames = b"".join(map(_frame, (drawn or {}).get(i, ()))) + shown
        streams[101 + 2 * i] = (b"9 9 9 9 re f\n" if pictures else b"") + frames + b"".join(map(_show, page))
    kids = " ".join(f"{100 + 2 * i} 0 R" for i in range(len(pages)))
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    objects[1] = (
        b"<< /Type /Catalog /Pages 2 0 R /Outlines 50 0 R >>" if outline else b"<< /Type /Catalog /Pages 2 0 R >>"
    )
    objects |= _outline(outline)
    if title:
        objects[3] = b"<< /Title <" + ("\ufeff" + title).encode("utf-16-be").hex().encode() + b"> >>"
    key, encrypt = _encryption(password)
    for number, data in streams.items():
        if key:
            data = _rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], data)
        extra = extras.get(number, b"")
        objects[number] = b"<< %b /Length %d >>\nstream\n" % (extra, len(data)) + data + b"\nendstream"
    return _file(objects, encrypt + (b" /Info 3 0 R" if title else b""))


def _encryption(password: str | None) -> tuple[bytes, bytes]:
    """The 40-bit key of the standard handler, revision 2, and what the trailer says of it."""
    if password is None:
        return b"", b""
    padded = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5((b"owner" + _PADDING)[:32]).digest()[:5], padded)
    key = hashlib.md5(padded + owner + (-4).to_bytes(4, "little", signed=True) + b"id").digest()[:5]
    user = _rc4(key, _PADDING)
    rules = f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>"
    return key, f" /Encrypt {rules} /ID [<6964> <6964>]".encode()


def _outline(entries: Sequence[tuple[str, int, float]]) -> dict[int, bytes]:
    """The outline's objects: 50 is its root, 51 and on its entries."""
    children: dict[int, list[int]] = {50: []} if entries else {}
    for number, (title, _, _) in enumerate(entries, 51):
        if title.startswith(" "):
            children.setdefault(children[50][-1], []).append(number)
        else:
            children[50].append(number)
    found = dict.fromkeys(children, "")
    for parent, mine in children.items():
        for before, number, after in zip([0, *mine], mine, [*mine[1:], 0], strict=False):
            title, page, y = entries[number - 51]
            found[number] = f"/Title ({title.strip()}) /Parent {parent} 0 R"
            place = f"/XYZ 0 {HEIGHT - y} 0" if y >= 0 else "/Fit"
            found[number] += f" /Dest [{100 + 2 * page} 0 R {place}]"
            found[number] += f" /Prev {before} 0 R" * bool(before) + f" /Next {after} 0 R" * bool(after)
    for parent, mine in children.items():
        found[parent] += f" /First {mine[0]} 0 R /Last {mine[-1]} 0 R /Count {len(mine)}"
    return {number: f"<< {body} >>".encode() for number, body in found.items()}


def _file(objects: Mapping[int, bytes], trailer: bytes) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), {}
    for number in sorted(objects):
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    size = max(objects) + 1
    return (
        bytes(out)
        + b"trailer\n<< /Size %d /Root 1 0 R" % size
        + trailer
        + b" >>\nstartxref\n%d\n%%%%EOF\n" % start
    )
