"""Checkpoints of a training, and the record of its settings, so that it resumes only with the same ones."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor
from pydantic import Field, ValidationError

from situatedgen import atomic
from situatedgen.errors import SettingsError, StoreError
from situatedgen.params import Params
from situatedgen.training.params import TrainingParams

FOLDER = "checkpoints"
WHOLE = "whole"
NAME = re.compile(r"checkpoint-(\d+)")


def newest(folder: Path) -> Path | None:
    """The last complete checkpoint in a folder, after deleting incomplete ones."""
    found = _checkpoints(folder)
    for step in [step for step in found if not (found[step] / WHOLE).is_file()]:
        shutil.rmtree(found.pop(step))
    return found[max(found)] if found else None


def seal(folder: Path, step: int) -> None:
    """Mark the checkpoint of a step as complete, once its bytes are on disk."""
    checkpoint = _checkpoints(folder)[step]
    for path in checkpoint.iterdir():
        _sync(path)
    (checkpoint / WHOLE).touch()
    _sync(checkpoint)


def sweep(folder: Path, *, last: int, best: int | None) -> None:
    """Delete all checkpoints except the last and the best."""
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


FILE = "training.json"
MODEL = "model"
SHORT = 60


class Record(Params):
    """Everything that determines the result of a training."""

    model: str = Field(description="The base model.")
    revision: str = Field(description="Hub commit, or digest of the weights.")
    template: str = Field(description="Template of the model input.")
    data: str = Field(description="Digest of the train and dev rows.")
    params: TrainingParams


def read_record(out: Path) -> Record | None:
    """The record of a training folder; None if there is none.

    Raises:
        SettingsError: the file exists and is not a valid training record.
    """
    path = out / FILE
    if not path.is_file():
        return None
    try:
        return Record.model_validate_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not a valid training record: {error}; choose another folder") from error


@contextmanager
def claim(out: Path, record: Record) -> Iterator[None]:
    """Lock a folder for a training, whether new or resumed.

    Raises:
        SettingsError: the folder holds another training, or something else.
        StoreError: another process is training there, or the folder cannot be written.
    """
    _check(out, record)
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"cannot write the folder {out}: {error}") from error
    try:
        _lock(handle, out)
        _check(out, record)
        atomic.write(out / FILE, record.model_dump_json(indent=2) + "\n")
        yield
    finally:
        os.close(handle)


def _lock(handle: int, out: Path) -> None:
    if not lock_descriptor(handle, blocking=False):
        raise StoreError(f"another process is training in {out}; wait for it, or choose another folder")


def _check(out: Path, record: Record) -> None:
    known = read_record(out)
    if known is None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SettingsError(f"{out} contains files but no training; choose another folder")
    if known and known != record:
        raise SettingsError(
            f"{out} contains a training with other settings: {'; '.join(_differences(known, record))};"
            " choose another folder"
        )


def _differences(known: Record, record: Record) -> list[str]:
    old, new = _flatten(known), _flatten(record)
    return [f"{name} ({old[name]:.{SHORT}} there, {new[name]:.{SHORT}} now)" for name in old if old[name] != new[name]]


def _flatten(record: Record) -> dict[str, str]:
    values = record.model_dump()
    values |= values.pop("params")
    return {name: json.dumps(value) for name, value in values.items()}
