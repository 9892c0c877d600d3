"""Whether a file that came takes its place among the sources, or waits beside it for a person."""

import hashlib
import os
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from situatedgen.fetching.homes import Wanted


class Status(StrEnum):
    """What came of a file."""

    THERE = "already there"
    FETCHED = "fetched"
    REPLACED = "replaced"
    UNCHANGED = "not changed"
    OTHER = "left as it is"
    ASIDE = "changed, kept aside"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file of a source after a fetch: what came of it, and its sha256 there (empty: not there)."""

    file: str
    status: Status
    sha256: str
    problem: str = ""


def sha256(path: Path) -> str:
    """The sha256 of a file's bytes; empty when there is no such file."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def takes_place(there: str, came: str, pinned: str, *, force: bool, accept_changed: bool) -> bool:
    """Whether a file that came takes the place of the one that is there (empty: none), by their sha256.

    The pinned file does, unless it would take the place of another that a person may have put there; any
    other file only when changes are accepted.
    """
    return accept_changed or (came == pinned and (force or there in ("", pinned)))


def place(came: Path, wanted: Wanted, into: Path, *, force: bool, accept_changed: bool) -> Arrival:
    """What came of a file: in its place, with the one before kept as `.old`; or beside it, as `.new`."""
    target = into / wanted.file
    there, new = sha256(target), sha256(came)
    if new == there:
        came.unlink()
        return Arrival(wanted.file, Status.UNCHANGED, there)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not takes_place(there, new, wanted.sha256, force=force, accept_changed=accept_changed):
        aside = came.replace(beside(target, "new"))
        return Arrival(wanted.file, Status.ASIDE, there, _changed(wanted, new, aside))
    if there:
        shutil.copy2(target, beside(target, "old"))
    _flush(came)
    came.replace(target)
    if sha256(beside(target, "new")) == new:
        beside(target, "new").unlink()
    return Arrival(wanted.file, Status.REPLACED if there else Status.FETCHED, new)


def beside(path: Path, ending: str) -> Path:
    """The path of a file with one more ending."""
    return path.with_name(f"{path.name}.{ending}")


def _changed(wanted: Wanted, new: str, aside: Path) -> str:
    return (
        f"{wanted.file} has changed where it lives: sha256 {new}, expected {wanted.sha256}; it is kept as {aside}."
        " Look at it; `--accept-changed` takes it"
    )


def _flush(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
