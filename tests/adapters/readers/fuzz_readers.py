"""Truncates and flips bits of one small file of each format; each ends in a document or one clear line.

Run in a process of its own, so that a hang or a crash of a parser ends that alone, and its memory is its
own: ``python fuzz_readers.py TESTS_FOLDER SEED``. Prints what is wrong, then the most memory used in MiB.
"""

from __future__ import annotations

import gzip
import random
import resource
import sys
import traceback
from collections.abc import Iterator

ROUNDS = 40


def samples() -> dict[str, bytes]:
    """A file of each format, by a name with its ending."""
    from docx_builder import docx, levels, number, p
    from pdf_builder import build, lines

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
    import io
    import zipfile

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


def damaged(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Versions of a file that are cut off, have bits flipped, or lack or repeat a part."""
    for _ in range(ROUNDS):
        yield data[: chance.randrange(len(data))]
        flipped = bytearray(data)
        for _ in range(chance.choice((1, 1, 3, 10))):
            flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(flipped)
        start, end = sorted(chance.sample(range(len(data) + 1), 2))
        yield data[:start] + data[end:]
        yield data[:end] + data[start:]


def main(seed: int) -> None:
    """Read them all."""
    from document_laws import hold_laws
    from vchunk.adapters.readers.registry import reader_for
    from vchunk.domain.document import Source
    from vchunk.domain.errors import ReadError
    from vchunk.domain.ports import no_warning

    read = refused = 0
    for name, data in samples().items():
        chance = random.Random(f"{seed} {name}")
        hold_laws(reader_for(Source(name, data)).read(Source(name, data), no_warning))
        for number, version in enumerate(damaged(data, chance)):
            source = Source(name, version)
            try:
                hold_laws(reader_for(source).read(source, no_warning))
                read += 1
            except ReadError as error:
                refused += 1
                if not str(error).startswith(name) or "\n" in str(error):
                    print(f"{name}, version {number}: not one line that names it: {error!r}")
            except Exception:
                print(f"{name}, version {number}: {traceback.format_exc()}")
    print(f"read {read}, refused {refused}", file=sys.stderr)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    main(int(sys.argv[2]))
