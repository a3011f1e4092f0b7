"""Word documents: headings and their numbers, lists, tables, notes, boxes, changes, equations."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx as writer
import pytest

from document_laws import hold_laws
from docx_builder import docx, levels, number, p
from vchunk.adapters.readers import archives
from vchunk.adapters.readers.docx import DocxReader
from vchunk.domain.document import Document, Kind, Role, Source
from vchunk.domain.errors import ReadError
from vchunk.domain.ports import no_warning


def read(data: bytes) -> Document:
    document = DocxReader().read(Source("a.docx", data), no_warning)
    hold_laws(document)
    return document


def outline(document: Document) -> list[tuple[int | None, str | None]]:
    return [(b.level, b.title) for b in document.blocks if b.kind is Kind.HEADING]


def of_kind(document: Document, kind: Kind) -> list[str]:
    return [document.slice(block.span) for block in document.blocks if block.kind is kind]


def of_role(document: Document, role: Role) -> list[str]:
    return [document.slice(b.span) for b in document.blocks if b.role is role and b.parent is None]


def style(id: str, name: str, content: str = "", based: str = "") -> str:
    based = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{based}{content}</w:style>'


def test_what_a_library_wrote_is_read_back() -> None:
    made = writer.Document()
    made.add_heading("The title", 0)
    made.add_heading("Part", 1)
    made.add_paragraph("One. Two.")
    made.add_paragraph("first", style="List Bullet")
    made.add_paragraph("inner", style="List Bullet 2")
    made.add_paragraph("counted", style="List Number")
    made.add_heading("Deeper", 2)
    table = made.add_table(2, 3)
    for i, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{i}"
    table.cell(1, 1).merge(table.cell(1, 2))
    made.add_paragraph("Said so.", style="Quote")
    made.sections[0].header.paragraphs[0].text = "Running head"
    made.core_properties.title = "Other"
    buffer = io.BytesIO()
    made.save(buffer)
    document = read(buffer.getvalue())
    assert document.title == "The title"
    assert outline(document) == [(1, "The title"), (2, "Part"), (3, "Deeper")]
    assert of_kind(document, Kind.LIST) == ["- first\n- inner\n1. counted"]
    assert of_kind(document, Kind.TABLE) == ["| c0 | c1 | c2 |\n| --- | --- | --- |\n| c3 | c4 c5 |  |"]
    assert of_kind(document, Kind.QUOTE) == ["Said so."]
    assert of_role(document, Role.FURNITURE) == ["Running head"]


def test_levels_come_from_styles_through_what_they_are_based_on_and_from_the_outline() -> None:
    styles = (
        style("Berschrift2", "heading 2")
        + style("Mine", "My heading", based="Berschrift2")
        + style("Out", "Outlined", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + style("Loop", "loop", based="Pool")
        + style("Pool", "pool", based="Loop")
    )
    body = (
        p("a", "Berschrift2") + p("b", "Mine") + p("c", "Out") + p("d", "Loop") + p("e", "Heading3")
        + p("f", "", '<w:outlineLvl w:val="3"/>') + p("g", "Mine", '<w:outlineLvl w:val="9"/>') + p("", "Mine")
    )  # fmt: skip
    document = read(docx(body, styles=styles))
    assert outline(document) == [(2, "a"), (2, "b"), (1, "c"), (3, "e"), (4, "f")]
    assert of_kind(document, Kind.PARAGRAPH) == ["d", "g"]


_COUNTED = levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "%3)"))
MULTILEVEL = (
    f'<w:abstractNum w:abstractNumId="0">{_COUNTED}'
    f'</w:abstractNum><w:abstractNum w:abstractNumId="1">{levels(("none", "%1"), ("bullet", "o"))}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2">'
    '<w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    "</w:lvlOverride></w:num>"
)


def test_numbers_of_headings_are_those_that_word_shows() -> None:
    body = (
        p("Scope", "Heading1", number(0)) + p("Sub", "Heading2", number(1)) + p("Next", "Heading2", number(1))
        + p("Deep", "Heading3", number(2)) + p("End", "Heading1", number(0)) + p("Skipped", "Heading3", number(2))
        + p("Then", "Heading2", number(1)) + p("REFERENCES", "Heading1", number(0, 2))
        + p("Off", "Heading1", number(0, 0))
        + p("Anew", "Heading1", number(0, 3))
    )  # fmt: skip
    assert [title for _, title in outline(read(docx(body, numbering=MULTILEVEL)))] == [
        "1 Scope", "1.1 Sub", "1.2 Next", "a) Deep", "2 End", "a) Skipped", "2.2 Then", "REFERENCES",
        "Off", "5 Anew",
    ]  # fmt: skip


def test_lists_nest_by_level() -> None:
    body = (
        p("a", "", number(0)) + p("b", "", number(2)) + p("c", "", number(0)) + p("-") + p("d", "", number(1, 2))
    )
    document = read(docx(body, numbering=MULTILEVEL))
    assert document.text == "1. a\n  a) b\n2. c\n\n-\n\n- d"
    assert [b.level for b in document.blocks if b.kind is Kind.LIST_ITEM] == [1, 2, 1, 1]


def test_tracked_changes_are_as_if_accepted() -> None:
    body = (
        "<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:delText>gone </w:delText></w:r></w:del><w:ins>"
        "<w:r><w:t>new"
        "</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>from</w:t></w:r></w:moveFrom></w:p>"
        + p("ends", "", "<w:rPr><w:del/></w:rPr>") + p(" here")
        + "<w:tbl><w:tr><w:tc>" + p("a") + "</w:tc><w:tc>" + p("b")
        + "</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>"
        + p("no") + "</w:tc><w:tc/></w:tr></w:tbl>" + p("seen") + p("hidden", "", "", "<w:rPr><w:vanish/></w:rPr>")
    )  # fmt: skip
    assert read(docx(body)).text == "kept new\n\nends here\n\n| a | b |\n| --- | --- |\n\nseen"


def test_notes_are_backmatter_in_the_order_of_their_marks() -> None:
    def mark(tag: str, id: int) -> str:
        return f'<w:r><w:{tag}Reference w:id="{id}"/></w:r>'

    marks = f"{mark('footnote', 7)}<w:r><w:t>b</w:t></w:r>{mark('footnote', 3)}{mark('endnote', 2)}"
    body = f"<w:p><w:r><w:t>a</w:t></w:r>{marks}</w:p>"
    notes = (
        '<w:footnote w:id="0" w:type="separator">' + p("--") + '</w:footnote><w:footnote w:id="3">' + p("three")
        + '</w:footnote><w:footnote w:id="7">' + p("seven") + p("more") + "</w:footnote>"
    )  # fmt: skip
    document = read(docx(body, footnotes=notes, endnotes=f'<w:endnote w:id="2">{p("end")}</w:endnote>'))
    assert document.text == "a[1]b[2][i]\n\n[1] seven\nmore\n\n[2] three\n\n[i] end"
    assert of_kind(document, Kind.FOOTNOTE) == of_role(document, Role.BACKMATTER) != []


def test_text_boxes_stand_once_behind_their_paragraph() -> None:
    box = f"<w:txbxContent>{p('boxed')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>anchor</w:t><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>" + box
        + "</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>" + box
        + "</w:pict></mc:Fallback></mc:AlternateContent>"
        "</w:r></w:p><w:p><w:r><w:pict>" + box
        + "</w:pict><w:drawing><wp:docPr descr='A red kite'/></w:drawing></w:r></w:p>"
    )  # fmt: skip
    document = read(docx(body))
    assert document.text == "anchor\n\nboxed\n\nboxed\n\nA red kite"
    assert of_kind(document, Kind.FIGURE) == ["A red kite"]


def test_headers_and_footers_are_furniture_each_once() -> None:
    document = read(docx(p("x"), header1=p("Head"), header2=p("Head"), footer1=p("Page", "Heading1")))
    assert of_role(document, Role.FURNITURE) == ["Head", "Page"]
    assert outline(document) == []


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text}</w:tc>"


def test_tables_with_merged_and_nested_cells() -> None:
    inner = f"<w:tbl><w:tr>{cell(p('1'))}{cell(p('2'))}</w:tr><w:tr>{cell(p('3'))}{cell(p('4'))}</w:tr></w:tbl>"
    merge, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        "<w:trPr><w:tblHeader/></w:trPr>" + cell(p("Year")) + cell(p("Sum"), '<w:gridSpan w:val="2"/>'),
        cell(p("2001"), merge) + cell(p("a") + p("b")) + cell(inner + p()),
        cell(p(), goes_on) + cell(p("x", "", number(1, 2)) + p("y | z", "", number(1, 2))) + cell(p()),
    ]
    body = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    document = read(docx(body, numbering=MULTILEVEL))
    assert document.text == (
        "| Year | Sum | Sum |\n| --- | --- | --- |\n| 2001 | a b | 1, 2; 3, 4 |\n| 2001 | x; y \\| z |  |"
    )


def test_a_table_of_one_cell_or_with_headings_only_arranges() -> None:
    frame = f"<w:tbl><w:tr>{cell(p('a') + p('b'))}</w:tr></w:tbl>"
    body = frame + f"<w:tbl><w:tr>{cell(p('H', 'Heading1'))}{cell(p('x'))}</w:tr></w:tbl>"
    document = read(docx(body))
    assert document.text == "a\n\nb\n\nH\n\nx"
    assert outline(document) == [(1, "H")]


def test_code_contents_captions_and_breaks() -> None:
    styles = style("Src", "Source Code") + style("Cap", "caption") + style("T1", "toc 1")
    gallery = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        f"<w:sdtContent>{p('Contents')}{p('Part 3', 'T1')}</w:sdtContent></w:sdt>"
    )
    lines = "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:noBreakHyphen/></w:r></w:p>"
    document = read(
        docx(gallery + p("x = 1", "Src") + p("y = 2", "Src") + p("Table 1", "Cap") + lines, styles=styles)
    )
    assert of_role(document, Role.TOC) == ["Contents", "Part 3"]
    assert of_kind(document, Kind.CODE) == ["x = 1\ny = 2"]
    assert of_kind(document, Kind.CAPTION) == ["Table 1"]
    assert document.text.endswith("a\nb\tc-")


def test_equations_and_raised_digits() -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    fraction = f"<m:f><m:num>{r('a')}</m:num><m:den><m:rad><m:deg/><m:e>{r('b')}</m:e></m:rad></m:den></m:f>"
    sum_ = (
        f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup><m:e>"
        f"<m:sSup><m:e>{r('x')}</m:e><m:sup>{r('2')}</m:sup></m:sSup></m:e></m:nary>"
    )
    up = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
    body = (
        f"<w:p><m:oMathPara><m:oMath>{fraction}</m:oMath></m:oMathPara></w:p>"
        f"<w:p><w:r><w:t>10</w:t></w:r><w:r>{up}<w:t>6</w:t></w:r><w:r><w:t> is </w:t></w:r>"
        f"<m:oMath>{sum_}</m:oMath></w:p>"
    )
    document = read(docx(body))
    assert document.text == "$$\\frac{a}{\\sqrt{b}}$$\n\n10⁶ is $\\sum_{i=1}^{n} x^{2}$"
    assert of_kind(document, Kind.FORMULA) == ["$$\\frac{a}{\\sqrt{b}}$$"]


def test_title_and_language() -> None:
    german = '<w:rPr><w:lang w:val="de-DE"/></w:rPr>'
    document = read(docx(p("Ein langer Satz.", "", "", german) + p("x"), title="Aus den Eigenschaften"))
    assert (document.title, document.language) == ("Aus den Eigenschaften", "de")
    assert read(docx(p("Only", "Heading1"))).title == "Only"
    assert read(docx(p("x"))).title is None


def test_strict_documents() -> None:
    assert read(docx(p("x"), space="http://purl.oclc.org/ooxml/wordprocessingml/main")).text == "x"


def refusal(data: bytes) -> str:
    with pytest.raises(ReadError) as error:
        read(data)
    message = str(error.value)
    assert message.startswith("a.docx: ")
    assert "\n" not in message
    return message


def test_what_may_unfold_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    laughs = '<!DOCTYPE w [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><w:document xmlns:w="x">&b;</w:document>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", laughs)
    assert "declares entities" in refusal(buffer.getvalue())
    assert "nests deeper" in refusal(docx("<w:sdt>" * 5000 + "</w:sdt>" * 5000))
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    assert "unfolds to more than" in refusal(docx("<w:p/>" + " " * (3 << 20)))


def test_damaged_documents_are_refused_in_one_line() -> None:
    whole = docx(p("words"))
    assert "damaged" in refusal(whole[:-30])
    assert "damaged XML" in refusal(docx("<w:p>"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("other.xml", "<x/>")
    assert "not a Word document" in refusal(buffer.getvalue())


def test_real_documents(shared: Path) -> None:
    def real(name: str) -> Document:
        return read((shared / "real" / f"docling_{name}.docx").read_bytes())

    boxes = real("textbox").text
    assert boxes.count("Student falls ill") == 1
    assert "Sore throat" in boxes
    tables = of_kind(real("word_tables"), Kind.TABLE)
    assert len(tables) == 7
    assert "| Cell 2.0 | Merged Cell 1.1 2.1 | Cell 2.2 |" in tables[3]
    lists = real("lists")
    assert (
        "- List item 2\n  - List item 1.1\n  - List item 1.2\n    - List item 1.2.1\n- List item 3" in lists.text
    )


BREAK = "<w:lastRenderedPageBreak/>"


def pages(document: Document) -> list[tuple[int, str]]:
    return [(page.number, document.slice(page.span).strip()) for page in document.pages]


def test_pages_are_those_that_word_laid_out() -> None:
    body = (
        p("Intro")
        + p("First.")
        + f"<w:p><w:r><w:t>Begun here,</w:t></w:r><w:r>{BREAK}<w:t> ended there.</w:t></w:r></w:p>"
        + p("Waves", "Heading1", number(0, 1), BREAK)
        + p("", run=BREAK)
        + "<w:p><w:r>" + BREAK + "</w:r></w:p>"
        + p("Last.")
    )  # fmt: skip
    lists = (
        f'<w:abstractNum w:abstractNumId="0">{levels(("decimal", "%1"))}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    document = read(docx(body, numbering=lists, styles=style("Heading1", "heading 1")))
    assert document.text == "Intro\n\nFirst.\n\nBegun here, ended there.\n\n1 Waves\n\nLast."
    assert pages(document) == [
        (1, "Intro\n\nFirst.\n\nBegun here,"), (2, "ended there."), (3, "1 Waves"), (4, "Last."),
    ]  # fmt: skip


def test_a_row_that_runs_over_a_page_begins_one_page() -> None:
    cell = "<w:tc>" + p("Above") + p("below", run=BREAK) + "</w:tc>"
    table = (
        f"<w:tbl><w:tr>{cell}{cell}</w:tr><w:tr>{cell.replace(BREAK, '')}{cell.replace(BREAK, '')}</w:tr></w:tbl>"
    )
    document = read(docx(p("Before") + table + p("Behind", run=BREAK)))
    assert [number for number, _ in pages(document)] == [1, 2, 3]
    assert pages(document)[-1] == (3, "Behind")
    assert "| Above below | Above below |\n| --- | --- |" in document.text


def test_breaks_of_the_author_alone_tell_no_pages() -> None:
    document = read(docx(p("One") + p("Two", run='<w:br w:type="page"/>')))
    assert document.pages == ()
    assert read(docx(p("One"))).pages == ()


def test_pages_of_a_real_document(shared: Path) -> None:
    document = read((shared / "real" / "docling_lists.docx").read_bytes())
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert [document.slice(page.span)[:7] for page in document.pages] == ["Test Do", "Test 6:", "Test 9:"]
