"""A small file of each format that can be read."""

from __future__ import annotations

import gzip
import io
import zipfile

from docx_builder import docx, levels, number, p
from pdf_builder import build, lines


def samples() -> dict[str, bytes]:
    """A file of each format, by a name with its ending."""
    lists = f'<w:abstractNum w:abstractNumId="0">{levels(("decimal", "%1."))}</w:abstractNum>'
    lists += '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    cell = f"<w:tc>{p('cell')}</w:tc>"
    word = docx(
        p("Title", "Heading1") + p("item", "", number(0)) * 3 + f"<w:tbl><w:tr>{cell * 2}</w:tr></w:tbl>",
        numbering=lists,
    )
    page = b"<html lang=en><title>T</title><h1>A</h1><table><tr><th>x<td rowspan=2>y</table><ul><li>a<pre>c</pre>"
    chat = b'[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]'
    return {
        "a.txt": "Größe und Maß. Zweiter Satz.\n\nNoch einer.".encode(),
        "a.md": b"# T\n\n- a\n  - b\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "a.html": page * 3,
        "a.docx": word,
        "a.epub": _epub(),
        "a.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x"], "outputs": [{"text": "y"}]}],"nbformat":4}',
        "a.adoc": b"= T\n:a: b\n\n== S\n\n----\nx\n----\n\n* a\n** b\n\n|===\n|a |b\n|===\n",
        "a.rst": b"T\n=\n\nx::\n\n  code\n\n* a\n\n  * b\n\n.. note:: y\n\n== ==\na  b\n== ==\n1  2\n== ==\n",
        "a.csv": b'a,b\n1,"x\ny"\n2,"z"\n',
        "a.tsv": b"a\tb\n1\t2\n",
        "a.json": chat,
        "a.jsonl": b'{"title": "T", "text": "x"}\n{"text": "y"}\n',
        "a.vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n\n00:02.000 --> 00:03.000\nthere.\n",
        "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:02,000 --> 00:00:03,000\nthere.\n",
        "a.py": b"def f():\n    return 1\n",
        "a.md.gz": gzip.compress(b"# T\n\nSome words that are packed.\n" * 9),
        "a.pdf": build([lines(72, 700, ["A title", "Some words of a page", "and more of them."])]),
    }


def _epub() -> bytes:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="i" href="a.xhtml" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="i"/></spine></package>'
    )
    members = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>',
        "p.opf": package,
        "a.xhtml": "<html><body><h1>One</h1><p>Text</p></body></html>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()
