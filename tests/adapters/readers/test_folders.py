"""Which files of folders and patterns are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from vchunk.adapters.readers.folders import Found, Selection, below, matching
from vchunk.domain.errors import ReadError, UsageError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    noise = b"\x7fELF\0\1\2\3" * 9
    files = {
        "a.md": b"x", "b/c.txt": b"x", "b/LICENSE": b"words", "b/tool.py": b"x = 1", "b/x.md.gz": b"\x1f\x8b\x08.",
        ".hidden.md": b"x", ".git/config.txt": b"x", "b/data.bin": noise, "b/noise": noise, "b/lies.txt": noise,
        "pic.png": b"\x89PNG\r\n\x1a\n" + noise, "broken.pdf": b"no pdf", "z.unknown": b"x", "Makefile": b"all:",
        "set.json": b'{"type": "module"}', "chat.json": b'[{"role": "user", "content": "Hi"}]',
    }  # fmt: skip
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def names(found: Found, folder: Path) -> list[str]:
    return [Path(file).relative_to(folder).as_posix() for file in found.files]


def test_a_folder_gives_what_is_read_and_counts_the_rest(tree: Path) -> None:
    found = below(tree, Selection())
    assert names(found, tree) == [
        "Makefile", "a.md", "b/LICENSE", "b/c.txt", "b/tool.py", "b/x.md.gz", "broken.pdf", "chat.json",
    ]  # fmt: skip
    assert found.skipped == {
        "hidden": 1,
        "binary": 2,
        "of formats that are not read": 3,
        "of JSON that is no document": 1,
    }
    assert "2 binary" in (found.describe() or "")
    assert Found().describe() is None


def test_what_gitignore_names_is_left_out(tree: Path) -> None:
    (tree / ".gitignore").write_text("*.txt\nchat.json\n/Makefile\nout/\n", encoding="utf-8")
    (tree / "b" / ".gitignore").write_text("!c.txt\nLICENSE\n", encoding="utf-8")
    (tree / "out" / "deep").mkdir(parents=True)
    (tree / "out" / "deep" / "x.md").write_text("x", encoding="utf-8")
    found = below(tree, Selection())
    assert names(found, tree) == ["a.md", "b/c.txt", "b/tool.py", "b/x.md.gz", "broken.pdf"]
    assert found.skipped["folders ignored by .gitignore"] == 1
    assert "1 folder ignored by .gitignore" in (found.describe() or "")


def test_the_gitignore_of_the_repository_holds_below_unless_it_names_the_folder_itself(tree: Path) -> None:
    (tree / ".gitignore").write_text("c.txt\n", encoding="utf-8")
    assert "c.txt" not in names(below(tree / "b", Selection()), tree / "b")
    (tree / ".gitignore").write_text("b/\n", encoding="utf-8")
    assert "c.txt" in names(below(tree / "b", Selection()), tree / "b")
    (tree / ".git" / "config.txt").unlink()
    (tree / ".git").rmdir()
    (tree / ".gitignore").write_text("c.txt\n", encoding="utf-8")
    assert "c.txt" in names(below(tree / "b", Selection()), tree / "b")


def test_include_chooses_whatever_the_ending_and_exclude_leaves_out(tree: Path) -> None:
    assert names(below(tree, Selection(include=["*.unknown", "set.json"])), tree) == ["set.json", "z.unknown"]
    found = below(tree, Selection(exclude=["b/", "*.pdf"]))
    assert names(found, tree) == ["Makefile", "a.md", "chat.json"]
    assert found.skipped["folders excluded"] == 1
    both = below(tree, Selection(include=["*.md", "*.txt"], exclude=["c.*"]))
    assert names(both, tree) == ["a.md"]


def test_a_pattern_gives_texts_of_any_ending(tree: Path) -> None:
    paths = [str(path) for path in tree.rglob("*") if path.is_file() and path.parent.name != ".git"]
    found = matching(paths, Selection(exclude=["*.py"]))
    assert {"z.unknown", "set.json", "a.md"} <= set(names(found, tree))
    assert not {".hidden.md", "b/data.bin", "b/tool.py", "pic.png"} & set(names(found, tree))
    assert found.skipped["binary"] == 4


def test_patterns_that_are_none_and_folders_that_cannot_be_listed(tree: Path) -> None:
    with pytest.raises(UsageError, match="--exclude !"):
        below(tree, Selection(exclude=["!"]))
    with pytest.raises(ReadError, match=r"gone: cannot be listed"):
        below(tree / "gone", Selection())


def test_links_that_lead_in_circles_end(tree: Path) -> None:
    (tree / "b" / "again").symlink_to(tree, target_is_directory=True)
    (tree / "b" / "lost.md").symlink_to(tree / "nowhere")
    found = below(tree, Selection())
    assert len(found.files) == 8
    assert found.skipped["broken links"] == 1
    assert "1 broken link" in str(found.describe()).split(", ")
    (tree / "b" / "lost too.md").symlink_to(tree / "nowhere")
    assert "2 broken links" in str(below(tree, Selection()).describe()).split(", ")
