"""Code by its syntax tree."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from vchunk.adapters.grammars.languages import NAMES
from vchunk.adapters.grammars.tree_sitter import TreeSitterGrammar
from vchunk.domain.document import Kind
from vchunk.domain.ports import Division

pytest.importorskip("tree_sitter")


def divide(code: str, language: str) -> Division:
    found = TreeSitterGrammar().divide(code, Kind.CODE, language)
    assert found is not None
    return found


def ranks(code: str, language: str) -> dict[str, int]:
    """The rank of each line that begins differently from 0, by its text."""
    found = divide(code, language).cuts
    return {code[cut.offset :].split("\n")[0].strip(): cut.rank for cut in found}


def lost(code: str, language: str) -> list[tuple[str, str]]:
    return [(x.kind, code[x.start : x.end]) for x in divide(code, language).lost]


PYTHON = '''```python
"""About."""
import os
from a import (
    b,
)

LIMIT = 1
SIZE = 2

# What it is.
@frozen
class Store(Base):
    """Keeps
    things."""

    size: int = 0

    def get(self,
            name):
        """Get."""
        value = self[name]

        for one in value:
            print(one)
        return value


def last(): return 1
```'''


def test_python() -> None:
    found = ranks(PYTHON, "python")
    assert found["import os"] == found["LIMIT = 1"] == 8 - 0
    assert found["SIZE = 2"] == 4
    assert found["# What it is."] == found["def last(): return 1"] == 8
    assert found["def get(self,"] == 7
    assert found["size: int = 0"] == 7  # behind a docstring of two lines
    assert found["value = self[name]"] == 4
    assert found["for one in value:"] == found["return value"] == 5
    # Decorators, the rest of a signature and docstrings begin no piece.
    for line in ("@frozen", "class Store(Base):", '"""Keeps', "name):", '"""Get."""', "print(one)"):
        assert found[line] == -1


def test_what_pieces_of_python_have_lost() -> None:
    division = divide(PYTHON, "python")
    assert lost(PYTHON, "python") == [
        ("imports", "import os\nfrom a import (\n    b,\n)"),
        ("signature", "class Store(Base):"),
        ("signature", "    def get(self,\n            name):"),
    ]
    imports, store, get = division.lost
    assert (imports.first, imports.last) == (imports.end, PYTHON.index("\n```", 5) + 1)
    assert PYTHON[get.first : get.last].strip().startswith('"""Get')
    assert PYTHON[store.first : store.last].endswith("return value")
    assert [PYTHON[at:][:6] for at in division.glued] == ['"""Abo', "```"]


OTHERS = {
    "javascript": (
        "import a from 'b';\n\nexport class Shop extends Base {\n  // adds\n  add(x) {\n    this.n += x;\n  }\n\n"
        "  drop() {\n    return 1;\n  }\n}\n\nconst run = (a) => {\n  return a;\n};",
        ["export class Shop extends Base {", "const run = (a) => {"],
        ["drop() {"],
        ["import a from 'b';", "export class Shop extends Base {", "  add(x) {", "const run = (a) => {"],
    ),
    "typescript": (
        "import a from 'b';\n\ninterface Shop {\n  n: number;\n}\n\nclass Two {\n  a(): void {\n"
        "    x();\n  }\n  @dec()\n"
        "  b(): void {\n    y();\n  }\n}",
        ["interface Shop {", "class Two {"],
        ["@dec()"],
        ["import a from 'b';", "class Two {", "  a(): void {", "  b(): void {"],
    ),
    "java": (
        "import a.B;\n\n/** Doc. */\n@Mark\npublic class Shop {\n  int n;\n\n  @Override\n"
        "  public void add() {\n    n();\n"
        "  }\n}",
        ["/** Doc. */"],
        ["@Override"],
        ["import a.B;", "@Mark\npublic class Shop {", "  @Override\n  public void add() {"],
    ),
    "go": (
        'package a\n\nimport (\n\t"x"\n)\n\n// Add adds.\nfunc (s *Shop) Add(n int) {\n\ts.n += n\n'
        "\n\ts.n++\n}\n\n"
        "func two() {\n\treturn\n}",
        ["// Add adds.", "func two() {"],
        ["s.n++"],
        ['import (\n\t"x"\n)', "func (s *Shop) Add(n int) {", "func two() {"],
    ),
    "rust": (
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\nstruct Shop {\n    n: i32,\n}\n\nimpl Shop {\n"
        "    fn a() {\n        x();\n    }\n"
        "    /// Of b.\n    fn b() {\n        y();\n    }\n}",
        ["/// Doc.", "impl Shop {"],
        ["/// Of b."],
        ["use a::b;", "impl Shop {", "    fn b() {"],
    ),
    "c": (
        "#include <a.h>\n\n/* Adds. */\nint add(int a)\n{\n  return a;\n}\n\nint two(void) {\n"
        "  if (x) {\n    y();\n  }\n"
        "  return 2;\n}",
        ["/* Adds. */", "int two(void) {"],
        ["return 2;"],
        ["#include <a.h>", "int add(int a)\n{", "int two(void) {"],
    ),
    "c++": (
        "#include <a>\nnamespace n {\ntemplate <class T>\nclass Shop : Base {\npublic:\n"
        "  int a() {\n    return 1;\n  }\n"
        "  int b() {\n    return 2;\n  }\n};\n}",
        ["namespace n {"],
        ["int b() {"],
        ["#include <a>", "namespace n {", "class Shop : Base {", "  int b() {"],
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages(language: str) -> None:
    code, outer, inner, missing = OTHERS[language]
    found = ranks(code, language)
    assert all(found[line] == 8 for line in outer)
    assert all(5 <= found[line] < 8 for line in inner)
    texts = [text for _, text in lost(code, language)]
    assert [text for text in missing if text not in texts] == []


def test_every_name_has_a_parser() -> None:
    for name in NAMES:
        assert TreeSitterGrammar().divide("", Kind.CODE, name) is not None


def test_what_it_does_not_know() -> None:
    grammar = TreeSitterGrammar()
    assert grammar.divide("a", Kind.CODE, "cobol") is None
    assert grammar.divide("a", Kind.CODE, None) is None
    assert grammar.divide("a", Kind.TABLE, "python") is None


def test_broken_code_is_left_to_blank_lines() -> None:
    grammar = TreeSitterGrammar()
    assert grammar.divide("```python\n) this [ is (\n\nnot } python = =\n```", Kind.CODE, "python") is None
    # One bad line among many spoils nothing.
    code = "def a():\n    x = 1\n    return x\n\n\n" * 9 + "?? what\n\n\ndef b():\n    return 2\n"
    assert ranks(code, "python")["def b():"] == 8


def test_the_margin_of_a_list_or_a_quote_is_no_code() -> None:
    lines = ["class A:", "    def a(self):", "        return 1", "", "    def b(self):", "        return 2"]
    code = "\n".join(["```python", *(f"> {line}" for line in lines), "> ```"])
    assert ranks(code, "python")["def b(self):"] == 7
    assert lost(code, "python")[0] == ("signature", "> class A:")


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_and_wide_characters(newline: str) -> None:
    code = 'x = "日本👍"\n\ndef é(ü="日"):  # 日\n    return 1\n    return 2\n'.replace("\n", newline)
    division = divide(code, "python")
    assert [code[cut.offset :][:3] for cut in division.cuts if cut.rank == 8] == ["def"]
    (signature,) = division.lost
    assert code[signature.start : signature.end] == 'def é(ü="日"):  # 日'


def test_without_the_extra_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("tree_sitter"):
            raise ImportError(name)
        return known(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert TreeSitterGrammar().divide("def a():\n    pass", Kind.CODE, "python") is None


def test_deep_nesting_is_no_matter() -> None:
    code = "x = " + "(\n" * 3000 + ")" * 3000
    TreeSitterGrammar().divide(code, Kind.CODE, "python")
