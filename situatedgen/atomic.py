"""Atomic replacement of files and folders: readers see either the old content or the new, never a mixture."""

import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor


def write(path: Path, content: bytes | str) -> None:
    """Replace a file atomically: write a temporary file next to it, fsync and rename. Text is encoded as UTF-8."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        move_into_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def move_into_place(temporary: Path, path: Path) -> None:
    """Fsync a finished file, then rename it to its final path, which must be on the same file system."""
    with temporary.open("rb") as stream:
        os.fsync(stream.fileno())
    temporary.replace(path)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the parent folder so that no other process replaces this folder, or a sibling, until the block ends."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder.parent, os.O_RDONLY)
    try:
        lock_descriptor(descriptor)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def fill_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; it replaces `folder` when the block ends without an error."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    yield partial
    if folder.exists():
        folder.rename(replaced_folder(folder))
    partial.rename(folder)


def replace_folder(folder: Path, files: Mapping[str, bytes], *, ours: frozenset[str]) -> None:
    """Replace a folder with one that contains these files, and move over the old files that are not ours."""
    with fill_folder(folder) as partial:
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    finish_replacement(folder, ours=ours)


def finish_replacement(folder: Path, *, ours: frozenset[str]) -> None:
    """Finish replacing a folder, including a replacement that an earlier process did not complete."""
    replaced = replaced_folder(folder)
    if not replaced.exists():
        return
    if not folder.exists():
        replaced.rename(folder)
        return
    for path in sorted(path for path in replaced.rglob("*") if not path.is_dir()):
        name = path.relative_to(replaced)
        if name.as_posix() not in ours and not (folder / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            path.rename(folder / name)
    shutil.rmtree(replaced)


def replaced_folder(folder: Path) -> Path:
    """Path of the old folder while it is being replaced."""
    return folder.with_name(f".{folder.name}.replaced")
