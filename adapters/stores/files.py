"""Files and directories that outlive a crash: written, fsynced together, then put in place by one rename."""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_CAN_SYNC_DIRECTORIES = hasattr(os, "O_DIRECTORY")  # Windows cannot, and its renames need no help
_AT_ONCE = 4
"""Files that are fsynced together: the disk's journal is then written a few times, not once a file."""


def write_read_only(path: Path, data: bytes) -> None:
    """Write a new file that nobody may write again (its readers stay as the umask says).

    `sync_tree` makes it durable.
    """
    with path.open("xb") as file:
        file.write(data)
        if not _CAN_SYNC_DIRECTORIES:  # nor files that are open for reading only
            file.flush()
            os.fsync(file.fileno())
        path.chmod(stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~0o222)


def sync_tree(folder: Path) -> None:
    """Make a directory and all below it durable: contents first, then names."""
    if not _CAN_SYNC_DIRECTORIES:
        return
    folders, contents = [], []
    for place, _, names in os.walk(folder):
        folders.append(Path(place))
        contents += [Path(place) / name for name in names]
    with ThreadPoolExecutor(_AT_ONCE, "fsync") as pool:
        for paths, sync in ((contents, _sync_file), (folders, sync_directory)):
            list(pool.map(sync, paths))


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part."""
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    if not _CAN_SYNC_DIRECTORIES:
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directories(path: Path) -> None:
    """Make a directory and those above it, each new name durable."""
    if path.is_dir():
        return
    if path.parent != path:
        make_directories(path.parent)
    path.mkdir(exist_ok=True)
    sync_directory(path.parent)


def tree_size(path: Path) -> int:
    """Bytes of all files below a directory; what vanishes meanwhile counts nothing."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += (Path(folder) / name).stat().st_size
    return total
