"""Replaces a folder so that it is always whole: the old one, the new one, never half of either."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else replaces a folder beside this one within this block."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def replace(folder: Path, files: Mapping[str, bytes], *, ours: frozenset[str]) -> None:
    """Put a folder of these files in the place of the old one; old files that are not ours move along."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name, content in files.items():
        path = partial / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if folder.exists():
        folder.rename(replaced_folder(folder))
    partial.rename(folder)
    finish(folder, ours=ours)


def finish(folder: Path, *, ours: frozenset[str]) -> None:
    """Finish a swap that was cut short, or the one just made."""
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


def write(path: Path, content: bytes) -> None:
    """Replace one file whole."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def replaced_folder(folder: Path) -> Path:
    """Where the old folder lies while it is being replaced."""
    return folder.with_name(f".{folder.name}.replaced")
