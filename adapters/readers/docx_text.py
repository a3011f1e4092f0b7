"""The running text of a Word paragraph: what is left after tracked changes, fields and drawings.

Deleted and moved-away text and hidden text are left out, inserted text is in. A tab is a tab, a line
break a line end; raised and lowered digits become the characters for it; an equation is TeX between
dollars; a note is ``[1]``, an endnote ``[i]``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vchunk.adapters.readers.docx_equations import tex
from vchunk.adapters.readers.docx_numbering import in_format
from vchunk.adapters.readers.docx_pages import mark, unmarked
from vchunk.adapters.readers.docx_styles import is_on, value_of
from vchunk.adapters.readers.html_inline import InlineText
from vchunk.adapters.readers.xml_tree import child, children

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

_PASSED = frozenset(
    ["w:ins", "w:moveTo", "w:hyperlink", "w:smartTag", "w:customXml", "w:fldSimple", "w:dir", "w:bdo"]
)
_CHARACTERS = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:ptab": "\t"}


@dataclass
class Notes:
    """The notes that the text refers to, by the number or letters that stand for them; and the page it is on."""

    page: int = 1
    footnotes: dict[str, str] = field(default_factory=dict)
    endnotes: dict[str, str] = field(default_factory=dict)

    def mark(self, tag: str, id: str) -> str:
        """The mark of a reference; the first one to a note gives it its number."""
        marks = self.footnotes if tag == "w:footnoteReference" else self.endnotes
        if id not in marks:
            number = len(marks) + 1
            marks[id] = str(number) if marks is self.footnotes else in_format(number, "lowerRoman")
        return f"[{marks[id]}]"


@dataclass
class ParagraphText:
    """What a paragraph says, and what hangs on it."""

    text: str = ""
    formula: bool = False
    boxes: list[Element] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    languages: dict[str, int] = field(default_factory=dict)


def read_paragraph(paragraph: Element, notes: Notes) -> ParagraphText:
    """The text of a ``w:p``."""
    out = ParagraphText()
    parts: list[str] = []
    plain = False
    for element in _runs(paragraph):
        if element.tag == "m:oMathPara":
            formulas = [tex(inner) for inner in children(element, "m:oMath")]
            out.formula = bool(formulas)
            parts += [f"$${formula}$$" for formula in formulas if formula]
        elif element.tag == "m:oMath":
            formula = tex(element)
            parts.append(f"${formula}$" if formula else "")
        else:
            said = _run(element, notes, out)
            plain = plain or bool(unmarked(said).strip())
            parts.append(said)
    out.text = "".join(parts)
    out.formula = out.formula and not plain
    return out


def _runs(paragraph: Element) -> Iterator[Element]:
    """The runs and equations of a paragraph, in order."""
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag in ("w:r", "m:oMath", "m:oMathPara"):
            yield element
        elif tag in _PASSED:
            stack += reversed(element)
        elif tag == "w:sdt":
            stack += reversed(child(element, "w:sdtContent") or ())
        elif tag == "mc:AlternateContent":
            stack += reversed(chosen(element))


def _run(run: Element, notes: Notes, out: ParagraphText) -> str:
    properties = child(run, "w:rPr")
    if is_on(child(properties, "w:vanish")):
        return ""
    parts: list[str] = []
    stack = list(reversed(run))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag == "w:t":
            parts.append((element.text or "").replace("\u00ad", ""))
        elif tag in _CHARACTERS:
            parts.append(
                "\n" if tag == "w:br" and element.get("w:type") in ("page", "column") else _CHARACTERS[tag]
            )
        elif tag == "w:lastRenderedPageBreak":
            notes.page += 1
            parts.append(mark(notes.page))
        elif tag in ("w:footnoteReference", "w:endnoteReference"):
            parts.append(notes.mark(tag, element.get("w:id", "")))
        elif tag == "w:sym":
            parts.append(_symbol(element.get("w:char", "")))
        elif tag == "w:ruby":
            stack += reversed(
                [inner for base in children(element, "w:rubyBase") for inner in children(base, "w:r")]
            )
        elif tag == "w:r":
            stack += reversed(element)
        elif tag == "mc:AlternateContent":
            stack += reversed(chosen(element))
        elif tag in ("w:drawing", "w:pict", "w:object"):
            _drawing(element, out)
    text = "".join(parts)
    language = child(properties, "w:lang")
    if text and language is not None:
        key = language.get("w:eastAsia" if any("\u3000" <= c <= "\uffef" for c in text) else "w:val") or ""
        out.languages[key] = out.languages.get(key, 0) + len(text)
    shift = value_of(child(properties, "w:vertAlign"))
    if shift in ("superscript", "subscript") and text:
        inline = InlineText()
        inline.add(text)
        inline.shift(0, raised=shift == "superscript")
        shifted = inline.take()
        return shifted if shifted and shifted != text.strip() else text
    return text


def chosen(element: Element) -> list[Element]:
    """What stands for an ``mc:AlternateContent``: its first choice, else its fallback."""
    choice = child(element, "mc:Choice")
    return list(choice if choice is not None else child(element, "mc:Fallback") or ())


def _symbol(code: str) -> str:
    """A character of a symbol font; those without a meaning outside it are left out."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return chr(number) if 32 < number < 0xD800 else ""


def _drawing(drawing: Element, out: ParagraphText) -> None:
    """Note the text boxes of a drawing, or what its picture shows."""
    before = len(out.boxes)
    stack = list(reversed(drawing))
    described = ""
    while stack:
        element = stack.pop()
        if element.tag == "w:txbxContent":
            out.boxes.append(element)
            continue
        if element.tag == "wp:docPr" and not described:
            described = element.get("descr") or ""
        stack += reversed(chosen(element) if element.tag == "mc:AlternateContent" else element)
    if described.strip() and len(out.boxes) == before:
        out.pictures.append(described)
