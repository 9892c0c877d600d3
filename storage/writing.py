"""Writes files of a store whole: nothing is ever half visible, whenever a writer is killed."""

import hashlib
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from situatedgen.errors import StoreError
from storage.digests import file_digest
from storage.places import Place

Name = Callable[[str], Place]


@dataclass(frozen=True, slots=True)
class Written:
    """Where a file was written, and the digest of its bytes."""

    place: Place
    digest: str


def write_whole(root: Place, write: Callable[[Path | BytesIO], object], name: Name) -> Written:
    """What was written: `name` tells its place from the digest of its bytes.

    Raises:
        StoreError: the store cannot be written.
    """
    with _clear_errors(root):
        return _on_disk(root, write, name) if isinstance(root, Path) else _in_bucket(write, name)


def _on_disk(root: Path, write: Callable[[Path], object], name: Name) -> Written:
    """Write beside, flush to disk, then rename: a reader sees the old file, the new one, or none."""
    temporary = root / "tmp" / uuid.uuid4().hex
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        write(temporary)
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        digest = file_digest(temporary)
        path = Path(str(name(digest)))
        path.parent.mkdir(parents=True, exist_ok=True)
        return Written(temporary.replace(path), digest)
    finally:
        temporary.unlink(missing_ok=True)


def _in_bucket(write: Callable[[BytesIO], object], name: Name) -> Written:
    """One request writes an object, whole or not at all."""
    stream = BytesIO()
    write(stream)
    content = stream.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    place = name(digest)
    place.write_bytes(content)
    return Written(place, digest)


@contextmanager
def _clear_errors(root: Place) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error
