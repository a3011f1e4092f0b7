"""The tree of an HTML text, made and walked without recursion and in linear time.

A parser of HTML looks up its stack of open elements at each tag, so its time is the product of
length and depth. Browsers stop nesting at a depth of 512 and so do we: deeper tags count as line
breaks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

DEEPEST = 512

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)[^<>]*>")
# Elements that end by themselves: counting them would take a long list of <p> for a deep one.
_UNCOUNTED = frozenset(
    [
        "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
        "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
        "tfoot", "th", "thead", "tr", "track", "wbr",
    ]
)  # fmt: skip
_SELF_CLOSED = re.compile(
    r"<(title|script|style|textarea|iframe|noscript|a|span|div|p|i|b|em|td|th|li)((?:\s[^<>]*)?)/>", re.IGNORECASE
)


def parse(text: str, *, xml: bool = False) -> LexborHTMLParser:
    """The tree of a text; in ``xml`` (XHTML) elements may close themselves."""
    from selectolax.lexbor import LexborHTMLParser

    if xml:
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    return LexborHTMLParser(_flattened(text))


def _flattened(text: str) -> str:
    """The text with tags that nest too deep replaced by line breaks."""
    depth = deepest = 0
    found = [(m.start(), m.end(), bool(m[1])) for m in _TAG.finditer(text) if m[2].lower() not in _UNCOUNTED]
    for _, _, closing in found:
        depth = max(depth - 1, 0) if closing else depth + 1
        deepest = max(deepest, depth)
    if deepest <= DEEPEST:
        return text
    parts, at, depth = [], 0, 0
    for start, end, closing in found:
        deep = depth > DEEPEST if closing else depth >= DEEPEST
        depth = max(depth - 1, 0) if closing else depth + 1
        if deep:
            parts += [text[at:start], "<br>"]
            at = end
    return "".join([*parts, text[at:]])


def walk(root: LexborNode, enter: Callable[[LexborNode], bool], leave: Callable[[LexborNode], None]) -> None:
    """Visit all nodes in the order of the text; where ``enter`` says no, what is inside is left out.

    ``leave`` is called for each node that was entered with yes, behind what is inside.
    """
    stack = [root]
    node: LexborNode | None = root
    going_in = enter(root)
    if not going_in:
        return
    node = root.child
    while stack:
        if node is None:
            done = stack.pop()
            leave(done)
            node = done.next if stack else None
        elif enter(node):
            stack.append(node)
            node = node.child
        else:
            node = node.next
