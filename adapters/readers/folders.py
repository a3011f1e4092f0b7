"""Which files of a folder, or of a glob pattern, are read, and how many are not, and why.

Left out are hidden files and folders, what a ``.gitignore`` names (those in the folders that are read
and, in a repository, those above), files of formats that are not read, JSON that is no document, and
binary data. Files without an ending are read if they are text. ``include`` patterns, if any, choose
files, whatever their ending; ``exclude`` patterns leave out. Both are written as in a ``.gitignore``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vchunk.domain.errors import ReadError, UsageError
from vchunk.domain.plurals import counted

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_HIDDEN, _IGNORED, _EXCLUDED = "hidden", "ignored by .gitignore", "excluded"
_OTHER, _BINARY, _JSON = "of formats that are not read", "binary", "of JSON that is no document"
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user says of the files of folders and patterns."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()


@dataclass
class Found:
    """The files that are read, in order of name, and how many are left out, by reason."""

    files: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def describe(self) -> str | None:
        """What was left out, for a message; None where nothing was."""
        counts = (counted(count, _of_one(reason), reason) for reason, count in self.skipped.items())
        return ", ".join(counts) if self.skipped else None


def _of_one(reason: str) -> str:
    for several, one in (("folders ", "folder "), ("links", "link"), ("are no files", "is no file")):
        reason = reason.replace(several, one)
    return reason


def below(folder: Path, selection: Selection) -> Found:
    """The files below a folder.

    Raises
    ------
    ReadError
        If the folder cannot be listed.
    UsageError
        If a pattern is none.
    """
    found = Found()
    include = _spec(selection.include, "--include")
    exclude = _spec(selection.exclude, "--exclude")
    ignores = _ignores_above(folder)

    def refuse(error: OSError) -> None:
        if error.filename and Path(error.filename) == folder:
            raise ReadError(f"{folder}: cannot be listed ({error.strerror})") from None
        found.skipped["folders that cannot be listed"] += 1

    own: dict[Path, list[tuple[Path, GitIgnoreSpec]]] = {folder: ignores}
    for name, folders, files in os.walk(folder, onerror=refuse):
        here = Path(name)
        specs = _with_own(here, own.pop(here, ignores))
        kept = []
        for inner in sorted(folders):
            path = here / inner
            reason = _reason(path, folder, specs, None, exclude, is_folder=True)
            if reason is None and not path.is_symlink():
                kept.append(inner)
                own[path] = specs
            elif reason in (_EXCLUDED, _IGNORED):
                found.skipped[f"folders {reason}"] += 1
        folders[:] = kept
        for inner in files:
            path = here / inner
            reason = _reason(path, folder, specs, include, exclude) or _unfit(path, asked=include is not None)
            if reason is None:
                found.files.append(str(path))
            else:
                found.skipped[reason] += 1
    found.files.sort(key=lambda file: Path(file).parts)
    return found


def matching(paths: Sequence[str], selection: Selection) -> Found:
    """Those files of a pattern that are read; its endings are the user's choice, so any text is."""
    found = Found()
    include = _spec(selection.include, "--include")
    exclude = _spec(selection.exclude, "--exclude")
    known: dict[Path, list[tuple[Path, GitIgnoreSpec]]] = {}
    for name in sorted(paths, key=lambda file: Path(file).parts):
        path = Path(name)
        folder = path.parent
        if folder not in known:
            known[folder] = _with_own(folder, _ignores_above(folder))
        reason = _reason(path, Path(), known[folder], include, exclude) or _unfit(path, asked=True)
        if reason is None:
            found.files.append(name)
        else:
            found.skipped[reason] += 1
    return found


def _reason(
    path: Path,
    root: Path,
    specs: Sequence[tuple[Path, GitIgnoreSpec]],
    include: GitIgnoreSpec | None,
    exclude: GitIgnoreSpec | None,
    *,
    is_folder: bool = False,
) -> str | None:
    """Why a file or folder is left out by its name; None where it is not."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    name += "/" * is_folder
    if path.name.startswith("."):
        return _HIDDEN
    if exclude is not None and exclude.match_file(name):
        return _EXCLUDED
    if include is not None and not include.match_file(name):
        return "not included"
    for base, spec in reversed(specs):
        verdict = spec.check_file(_absolute(path).relative_to(base).as_posix() + "/" * is_folder).include
        if verdict is not None:
            return _IGNORED if verdict else None
    return None


def _unfit(path: Path, *, asked: bool) -> str | None:
    """Why a file is left out by what it is; ``asked`` for by a pattern, its ending is no reason."""
    from vchunk.adapters.readers.registry import LONGEST_LINE, begins_with_texts, known_format, looks_readable

    if not path.is_file():
        return "that are no files" if path.exists() else "broken links"
    known = known_format(path.name)
    if known is None and path.suffix and not asked:
        return _OTHER
    try:
        with path.open("rb") as opened:
            head = opened.read(_SAMPLE)
        if not looks_readable(path.name, head):
            return _BINARY
        if known is not None and known.name == "jsonl" and not asked:
            with path.open("rb") as opened:
                return None if begins_with_texts(opened.read(LONGEST_LINE)) else _JSON
        if known is not None and known.name == "json" and not asked:
            from vchunk.adapters.readers.json_forms import is_parsed
            from vchunk.domain.document import Source

            return None if is_parsed(Source(path.name, path.read_bytes())) else _JSON
    except OSError:
        return None  # reading it will say what is wrong
    return None


def _spec(patterns: Sequence[str], option: str) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    if not patterns:
        return None
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise UsageError(f"{option} {' '.join(patterns)}: {error}") from None


def _with_own(folder: Path, specs: list[tuple[Path, GitIgnoreSpec]]) -> list[tuple[Path, GitIgnoreSpec]]:
    """The patterns that hold in a folder: those given, then its own."""
    from pathspec import GitIgnoreSpec

    try:
        lines = (folder / ".gitignore").read_text("utf-8", "replace").splitlines()
        return [*specs, (_absolute(folder), GitIgnoreSpec.from_lines(lines))]
    except (OSError, ValueError):
        return specs


def _ignores_above(folder: Path) -> list[tuple[Path, GitIgnoreSpec]]:
    """The patterns of the folders above, up to the root of the repository.

    A folder that they name itself was named by the user all the same: then they do not hold in it.
    """
    inside = _absolute(folder)
    root = next((f for f in (inside, *inside.parents) if (f / ".git").exists()), None)
    if root is None:
        return []
    specs: list[tuple[Path, GitIgnoreSpec]] = []
    for above in _from(root, inside):
        specs = _with_own(above, specs)
    ignored = any(spec.match_file(inside.relative_to(base).as_posix() + "/") for base, spec in specs)
    return [] if ignored else specs


def _from(root: Path, inside: Path) -> Iterator[Path]:
    """The folders from the root down to the one that holds ``inside``."""
    parts = inside.relative_to(root).parts
    for count in range(len(parts)):
        yield root.joinpath(*parts[:count])


def _absolute(path: Path) -> Path:
    """A path from the root, links kept: patterns hold for the names that the user sees."""
    return Path(os.path.normpath(path.absolute()))
