"""What the types of elements mean, in the words of the parsers that are in use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vchunk.domain.document import Kind

TITLES = frozenset({"title", "doc_title", "document_title"})
"""Types of the document's title."""
PAGE_FURNITURE = frozenset(
    {
        "header", "footer", "page_header", "page_footer", "page_number", "running_head", "running_header",
        "header_image", "footer_image", "number", "page_break", "furniture", "watermark",
    }
)  # fmt: skip
"""Types of what the printer put on each page."""
TABLES_OF_CONTENTS = frozenset({"toc", "table_of_contents", "document_index"})

_NAMES = {
    Kind.HEADING: "heading section_header section_heading section_title paragraph_title subtitle subheading",
    Kind.PARAGRAPH: "text paragraph plain_text narrative_text uncategorized_text body abstract reference "
    "references reference_content bibliography aside_text handwriting handwritten_text address email_address",
    Kind.LIST_ITEM: "list_item list bulleted_text unordered_list ordered_list",
    Kind.CODE: "code code_block code_snippet algorithm",
    Kind.FORMULA: "formula equation display_formula isolate_formula interline_equation math",
    Kind.TABLE: "table table_body",
    Kind.FIGURE: "figure picture image chart figure_body",
    Kind.CAPTION: "caption figure_caption table_caption figure_title table_title chart_title image_caption",
    Kind.FOOTNOTE: "footnote table_note table_footnote vision_footnote figure_footnote page_footnote endnote",
    Kind.QUOTE: "quote blockquote block_quote",
}
KINDS: Mapping[str, Kind] = {
    **{name: kind for kind, names in _NAMES.items() for name in names.split()},
    **dict.fromkeys(TITLES, Kind.HEADING),
    **dict.fromkeys(PAGE_FURNITURE, Kind.PARAGRAPH),
    **dict.fromkeys(TABLES_OF_CONTENTS, Kind.TABLE),
}
"""The kind of each type that is known, but for h1 to h6."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def type_name(element: Mapping[str, Any]) -> str:
    """The type of an element in one spelling: ``SectionHeader`` and ``section-header`` are one."""
    for key in ("type", "element_type"):
        if isinstance(element.get(key), str) and element[key].strip():
            return re.sub(r"[\s-]+", "_", _HUMP.sub("_", element[key].strip())).lower()
    return ""
