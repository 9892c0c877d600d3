"""Writes files of a store whole: nothing is ever half visible, whenever a writer is killed."""

import hashlib
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from situatedgen.atomic import move_into_place
from situatedgen.errors import StoreError
from storage.digests import file_digest
from storage.filesystem import StorePath

Name = Callable[[str], StorePath]


@dataclass(frozen=True, slots=True)
class Written:
    """Where a file was written, and the digest of its bytes."""

    place: StorePath
    digest: str


def write_whole(root: StorePath, write: Callable[[Path | BytesIO], object], name: Name) -> Written:
    """What was written: `name` tells its place from the digest of its bytes.

    Raises:
        StoreError: the store cannot be written.
    """
    with _clear_errors(root):
        return _on_disk(root, write, name) if isinstance(root, Path) else _in_bucket(write, name)


def _on_disk(root: Path, write: Callable[[Path], object], name: Name) -> Written:
    """Write into the store's folder for temporary files, which `gc` clears, then move into place."""
    temporary = root / "tmp" / uuid.uuid4().hex
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        write(temporary)
        digest = file_digest(temporary)
        path = Path(str(name(digest)))
        path.parent.mkdir(parents=True, exist_ok=True)
        move_into_place(temporary, path)
        return Written(path, digest)
    finally:
        temporary.unlink(missing_ok=True)


def _in_bucket(write: Callable[[BytesIO], object], name: Name) -> Written:
    """The service shows an object whole or not at all."""
    stream = BytesIO()
    write(stream)
    content = stream.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    place = name(digest)
    place.write_bytes(content)
    return Written(place, digest)


@contextmanager
def _clear_errors(root: StorePath) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error
