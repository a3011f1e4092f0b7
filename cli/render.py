"""What a person at a terminal sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.tree import Tree

    from vchunk.chunks import Chunks
    from vchunk.doc import Doc
    from vchunk.domain.outline import Node

_PREVIEW_LINES = 4


def show(out: IO[bytes], *parts: RenderableType) -> None:
    """Print to a stream: in colour and as wide as the terminal where it is one."""
    console = _console(out)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    text = captured.get()
    if not console.is_terminal:
        text = "\n".join(line.rstrip() for line in text.split("\n"))
    out.write(text.encode("utf-8", "replace"))


def _console(out: IO[bytes]) -> Console:
    import io
    import sys

    from rich.console import Console

    terminal = out is sys.stdout.buffer and sys.stdout.isatty()
    if terminal:
        return Console(highlight=False)
    # The text only: colours and a terminal's width would make files differ from machine to machine.
    return Console(file=io.StringIO(), highlight=False, width=100, force_terminal=False, color_system=None)


def print_chunks(doc: Doc, chunks: Chunks, out: IO[bytes]) -> None:
    """Each chunk as a header line and the beginning of its text."""
    from rich.padding import Padding
    from rich.text import Text

    parts: list[RenderableType] = []
    for chunk in chunks:
        indent = 4 * chunk.depth
        head = Text(f"{' ' * indent}{chunk.index + 1}", style="bold cyan")
        trail = " > ".join(h.title for h in chunk.headings)
        facts = [counted(chunk.tokens, unit_of(chunk.size_in)), f"strength {chunk.strength:.2f}"]
        if chunk.pages:
            facts.insert(0, pages(chunk.pages))
        else:
            facts.insert(0, _lines(chunk.line_start, chunk.line_end))
        head.append(f"  {trail}" if trail else "", style="bold")
        head.append(f"  {', '.join(facts)}", style="dim")
        lines = [line for line in chunk.text.splitlines() if line.strip()]
        body = "\n".join(line[:400] for line in lines[:_PREVIEW_LINES])
        if len(lines) > _PREVIEW_LINES or any(len(line) > 400 for line in lines[:_PREVIEW_LINES]):
            body += " …"
        parts += [head, Padding(Text(printable(body)), (0, 0, 1, indent + 4))]
    if not parts:
        parts.append(Text(f"{doc.key}: no text", style="dim"))
    show(out, *parts)


def unit_of(size_in: str) -> str:
    """What a size is counted in: the noun of one."""
    return "character" if size_in == "chars" else "token"


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def print_tree(root: Node, out: IO[bytes], name: str) -> None:
    """Nested sections as a tree."""
    from rich.tree import Tree

    if len(root.children) == 1 and root.children[0].title == root.title is not None:
        root = root.children[0]  # the document's only top heading is its title
    tree = Tree(_label(root, name), guide_style="dim")
    _grow(tree, root)
    show(out, tree)


def _grow(tree: Tree, node: Node) -> None:
    for child in node.children:
        if child.kind == "heading":
            continue  # the line of the section itself
        _grow(tree.add(_label(child)), child)


def _label(node: Node, name: str | None = None) -> RenderableType:
    from rich.text import Text

    label = Text(no_wrap=True, overflow="ellipsis")
    if node.kind in ("document", "section"):
        label.append(printable(node.title or name or node.label), style="bold")
    else:
        label.append(printable(node.label), style="italic")
    label.append(f"  {counted(node.tokens, 'token')}", style="dim")
    if node.pages:
        label.append(f", {pages(node.pages)}", style="dim")
    return label


def pages(numbers: Iterable[int]) -> str:
    """``p. 3`` or ``pp. 3-5``."""
    listed = list(numbers)
    return f"p. {listed[0]}" if len(listed) == 1 else f"pp. {listed[0]}-{listed[-1]}"


def printable(text: str) -> str:
    """Text without what a terminal would take for commands."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text.replace("\r\n", "\n"))
