"""The shape of the project: what is packaged, what may import what, what stays out of it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import vchunk

ROOT = Path(__file__).resolve().parents[1]
# Where each installed package lies in the checkout.
FOLDERS = {
    "vchunk": "src/vchunk",
    "vchunk.cli": "cli",
    "vchunk.domain": "domain",
    "vchunk.adapters": "adapters",
}
MODULES = sorted(path for folder in FOLDERS.values() for path in (ROOT / folder).rglob("*.py"))
LONGEST = 400
HEAVY = {"torch", "transformers", "matplotlib", "zarr", "scipy", "pypdfium2", "sentence_transformers"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the full name of all that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def project_files() -> Iterator[Path]:
    """The files that a reader of the project sees."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    for folder in (".ci", *FOLDERS.values(), "tests", "docs", "benchmarks"):
        yield from (path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc")


def test_the_packages_are_the_folders() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    found = set()
    for package, folder in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            below = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join([package, *below]))
    assert setuptools["package-dir"] == FOLDERS
    assert set(setuptools["packages"]) == found


def test_every_folder_of_modules_is_a_package() -> None:
    assert [relative(path) for path in MODULES if not (path.parent / "__init__.py").is_file()] == []


def test_modules_are_short() -> None:
    lines = {relative(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count >= LONGEST} == {}


def test_modules_say_what_they_are() -> None:
    assert [
        relative(path)
        for path in MODULES
        if (module := ast.parse(path.read_bytes())).body and not ast.get_docstring(module)
    ] == []


def test_the_domain_imports_only_numpy_scipy_and_the_standard_library() -> None:
    allowed = {"numpy", "scipy", *sys.stdlib_module_names}
    strangers = [
        f"{relative(path)}:{line}: {name}"
        for path in sorted((ROOT / "domain").rglob("*.py"))
        for line, name in imports(path)
        if name.split(".")[0] not in allowed and not f"{name}.".startswith("vchunk.domain.")
    ]
    assert strangers == []


def test_modules_are_imported_by_full_name() -> None:
    short = ("cli", "domain", "adapters", "src")
    assert [
        f"{relative(path)}:{line}: {name}"
        for path in MODULES
        for line, name in imports(path)
        if name.startswith(".") or name.split(".")[0] in short
    ] == []


def test_the_public_names_exist() -> None:
    assert len(set(vchunk.__all__)) == len(vchunk.__all__)
    assert set(vchunk.__all__) <= set(dir(vchunk))
    assert [name for name in vchunk.__all__ if not hasattr(vchunk, name)] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        vchunk.no_such_name  # noqa: B018


@pytest.mark.parametrize("entry", ["vchunk", "vchunk.cli.app", "vchunk.adapters"])
def test_importing_is_cheap(entry: str) -> None:
    folders = (init.parent.relative_to(ROOT).parts for init in (ROOT / "adapters").rglob("__init__.py"))
    packages = sorted(".".join(["vchunk", *parts]) for parts in folders)
    names = packages if entry == "vchunk.adapters" else [entry]
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert HEAVY.isdisjoint(loaded.stdout.split())


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    absolute = re.compile(rb"(?<![\w.~:/$}-])/(?:home|root|tmp|work|opt|Users|private)/")
    here = str(ROOT).encode()
    assert [
        relative(path)
        for path in project_files()
        if path.suffix in {".py", ".toml", ".md", ".txt", ".in", ".json", ""}
        and (absolute.search(data := path.read_bytes()) or here in data)
    ] == []
