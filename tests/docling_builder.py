"""Builds small docling documents for tests."""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]


class Docling:
    """A DoclingDocument under construction; each method adds an item and gives its reference."""

    def __init__(self, version: str = "1.10.0", pages: int = 0) -> None:
        self.data: Node = {
            "schema_name": "DoclingDocument",
            "version": version,
            "name": "made",
            "furniture": {"self_ref": "#/furniture", "children": [], "label": "unspecified"},
            "body": {"self_ref": "#/body", "children": [], "label": "unspecified"},
            **{name: [] for name in ("groups", "texts", "pictures", "tables", "key_value_items", "form_items")},
            "pages": {
                str(n): {"page_no": n, "size": {"width": 600.0, "height": 800.0}} for n in range(1, pages + 1)
            },
        }

    def add(self, where: str, label: str, parent: str, **fields: Any) -> str:
        ref = f"#/{where}/{len(self.data[where])}"
        node = {"self_ref": ref, "label": label, "children": [], "content_layer": "body", "prov": [], **fields}
        self.data[where].append(node)
        if parent:
            self.find(parent)["children"].append({"$ref": ref})
        return ref

    def find(self, ref: str) -> Node:
        """The node of a reference."""
        at: Any = self.data
        for step in ref.split("/")[1:]:
            at = at[int(step)] if isinstance(at, list) else at[step]
        return at

    def text(self, text: str, label: str = "text", parent: str = "#/body", **fields: Any) -> str:
        return self.add("texts", label, parent, **{"text": text, "orig": text, **fields})

    def group(self, label: str, parent: str = "#/body") -> str:
        return self.add("groups", label, parent, name="group")

    def picture(self, parent: str = "#/body", **fields: Any) -> str:
        return self.add("pictures", "picture", parent, **{"captions": [], "footnotes": [], **fields})

    def table(self, rows: list[list[Any]], heads: int = 0, parent: str = "#/body", **fields: Any) -> str:
        """``rows`` of texts, or of cells as a dict of the fields that differ."""
        cells = []
        for r, row in enumerate(rows):
            for c, said in enumerate(row):
                if said is None:
                    continue
                cell = {
                    "text": said,
                    "start_row_offset_idx": r,
                    "end_row_offset_idx": r + 1,
                    "start_col_offset_idx": c,
                    "end_col_offset_idx": c + 1,
                    "column_header": r < heads,
                }
                cells.append({**cell, **said} if isinstance(said, dict) else cell)
        data = {"table_cells": cells, "num_rows": len(rows), "num_cols": max(map(len, rows))}
        label = fields.pop("label", "table")
        return self.add("tables", label, parent, **{"captions": [], "footnotes": [], "data": data, **fields})

    def claim(self, owner: str, ref: str, name: str = "captions") -> None:
        """Make an item the caption (or a footnote) of another."""
        self.find(owner)[name].append({"$ref": ref})


def prov(
    page: int, box: tuple[float, float, float, float], span: tuple[int, int], origin: str = "BOTTOMLEFT"
) -> Node:
    """An entry of ``prov``; the box is l, t, r, b."""
    sides = dict(zip("ltrb", box, strict=True))
    return {"page_no": page, "bbox": {**sides, "coord_origin": origin}, "charspan": list(span)}
