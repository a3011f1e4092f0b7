"""PDFs that lack their end: a trailer is written for what is there, so that PDFium can rebuild the rest.

A PDF cut short has lost the list of its objects and mostly the catalog, the root of all. Objects in
the clear are found by their marks; where there is no catalog, one is made for all pages found.
"""

from __future__ import annotations

import regex

_OBJECT = regex.compile(
    rb"(?<![0-9])([0-9]{1,8})\s+([0-9]{1,5})\s+obj\b((?:(?!endobj|stream\b|\bobj\b).)*+)", regex.DOTALL
)
_CATALOG = regex.compile(rb"/Type\s*/Catalog\b")
_PAGE = regex.compile(rb"/Type\s*/Page(?![A-Za-z])")
_ENCRYPTED = regex.compile(rb"/Filter\s*/Standard\b")
_LETTER = b"[0 0 612 792]"


def with_trailer(data: bytes) -> bytes | None:
    """The file with a trailer of our own; None where no page is to be seen, or it is encrypted."""
    if not data[:1024].lstrip().startswith(b"%PDF-") or _ENCRYPTED.search(data):
        return None
    catalog, pages, last = b"", [], 0
    for match in _OBJECT.finditer(data):
        last = max(last, int(match[1]))
        if _CATALOG.search(match[3]):
            catalog = b"%d %d R" % (int(match[1]), int(match[2]))
        elif _PAGE.search(match[3]):
            pages.append(b"%d %d R" % (int(match[1]), int(match[2])))
    if not pages:
        return None
    made = b""
    if not catalog or b"/Type /Pages" not in data.replace(b"/Type/Pages", b"/Type /Pages"):
        root, catalog = last + 1, b"%d 0 R" % (last + 2)
        made = (
            b"\n%d 0 obj\n<< /Type /Pages /Kids [%s] /Count %d /MediaBox %s >>\nendobj\n"
            b"%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj"
        ) % (root, b" ".join(pages), len(pages), _LETTER, root + 1, root)
    trailer = b"\ntrailer\n<< /Root %s /Size %d >>\nstartxref\n0\n%%%%EOF\n" % (catalog, last + 3)
    return data + b"\nendstream\nendobj" + made + trailer
