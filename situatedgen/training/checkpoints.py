"""The checkpoints of a training: only those that were written whole count, and only two are kept."""

import os
import re
import shutil
from pathlib import Path

FOLDER = "checkpoints"
WHOLE = "whole"
NAME = re.compile(r"checkpoint-(\d+)")


def newest(folder: Path) -> Path | None:
    """The last whole checkpoint in a folder, after those that were cut short have been removed."""
    found = _checkpoints(folder)
    for step in [step for step in found if not (found[step] / WHOLE).is_file()]:
        shutil.rmtree(found.pop(step))
    return found[max(found)] if found else None


def seal(folder: Path, step: int) -> None:
    """Declare the checkpoint of a step whole, once its bytes are on the disk."""
    checkpoint = _checkpoints(folder)[step]
    for path in checkpoint.iterdir():
        _sync(path)
    (checkpoint / WHOLE).touch()
    _sync(checkpoint)


def sweep(folder: Path, *, last: int, best: int | None) -> None:
    """Remove the checkpoints that nobody needs any more: all but the last and the best."""
    for step, checkpoint in _checkpoints(folder).items():
        if step not in (last, best):
            (checkpoint / WHOLE).unlink(missing_ok=True)
            shutil.rmtree(checkpoint)


def _checkpoints(folder: Path) -> dict[int, Path]:
    paths = folder.iterdir() if folder.is_dir() else ()
    return {int(match[1]): path for path in paths if (match := NAME.fullmatch(path.name))}


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
