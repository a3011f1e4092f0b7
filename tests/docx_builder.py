"""Word documents written part by part, for what writers of them cannot say."""

from __future__ import annotations

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES = (
    f'xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ROOTS = {"header1": "hdr", "header2": "hdr", "footer1": "ftr"}


def p(text: str = "", style: str = "", properties: str = "", run: str = "") -> str:
    """A paragraph of one run."""
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    said = f'<w:r>{run}<w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{style}{properties}</w:pPr>{said}</w:p>"


def number(level: int, list: int = 1) -> str:
    """Puts a paragraph into a list."""
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr>'


def levels(*formats: tuple[str, str]) -> str:
    """Levels of a list, each a number format and its text."""
    return "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{f}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (f, text) in enumerate(formats)
    )


def docx(body: str, *, title: str = "", space: str = W, **parts: str) -> bytes:
    """A document; ``parts`` are styles, numbering, footnotes, endnotes, header1, footer1 ..., by content."""
    members = {
        "_rels/.rels": _relations({"word/document.xml": "officeDocument", "docProps/core.xml": "core-properties"}),
        "word/document.xml": f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>".replace(W, space),
        "word/_rels/document.xml.rels": _relations({f"{name}.xml": name.rstrip("0123456789") for name in parts}),
        "docProps/core.xml": f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>',
    }
    for name, content in parts.items():
        root = _ROOTS.get(name, name)
        members[f"word/{name}.xml"] = f"<w:{root} {_SPACES}>{content}</w:{root}>".replace(W, space)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _relations(targets: dict[str, str]) -> str:
    lines = (
        f'<Relationship Id="r{i}" Type="{_TYPE}/{kind}" Target="{target}"/>'
        for i, (target, kind) in enumerate(targets.items())
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(lines)}</Relationships>'
