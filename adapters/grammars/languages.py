"""The languages that the extra ``code`` reads, by the names that people write on a fence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser

_WHEELS = {
    "c": ("tree_sitter_c", "language", ("h",)),
    "cpp": ("tree_sitter_cpp", "language", ("c++", "cc", "cxx", "hpp", "hxx", "h++")),
    "go": ("tree_sitter_go", "language", ("golang",)),
    "java": ("tree_sitter_java", "language", ()),
    "javascript": ("tree_sitter_javascript", "language", ("js", "jsx", "mjs", "cjs", "node")),
    "python": ("tree_sitter_python", "language", ("py", "python3", "py3", "pyi")),
    "rust": ("tree_sitter_rust", "language", ("rs",)),
    "tsx": ("tree_sitter_typescript", "language_tsx", ()),
    "typescript": ("tree_sitter_typescript", "language_typescript", ("ts", "mts", "cts")),
}
NAMES = {alias: name for name, (_, _, aliases) in _WHEELS.items() for alias in (name, *aliases)}
"""The language of each name."""


def make_parser(name: str) -> Parser | None:
    """The parser of a language, None where its wheel is not installed or does not fit."""
    module, function, _ = _WHEELS[name]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(module), function)()))
    except (ImportError, ValueError, AttributeError):  # ValueError: a grammar too old or too new
        return None
