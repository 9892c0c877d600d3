"""Locks between processes on one store; the system releases them when their holder ends, however it ends.

There are none in a bucket. Artifacts are named by their content, so two machines may compute the same twice, and
never wrongly; whoever deletes from a bucket spares what is young instead.
"""

import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from situatedgen.errors import StoreError
from storage.filesystem import StorePath

log = logging.getLogger(__name__)
BUILDS = "builds"
"""The lock that every build shares, and that whoever deletes from the store holds alone."""


@contextmanager
def lock(root: StorePath, name: str, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock of a store alone within this block.

    Raises:
        StoreError: it is taken and we do not wait, or the store cannot be written.
    """
    if not isinstance(root, Path):
        yield
        return
    # Where the disk has no locks, filelock would fall back to files that outlive a killed process.
    lock = FileLock(_lock_file(root, name), fallback_to_soft=False)
    with _lock_errors(root):
        try:
            lock.acquire(blocking=False)
        except Timeout:
            _wait_or_refuse(root, name, wait=wait)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def shared_lock(root: StorePath, name: str, *, wait: bool = True) -> Iterator[None]:
    """Hold a lock of a store together with others who share it.

    Raises:
        StoreError: someone holds it alone and we do not wait, or the store cannot be written.
    """
    if not isinstance(root, Path):
        yield
        return
    # The lock that filelock takes, too, but shared, which filelock cannot.
    with _lock_file(root, name).open("ab") as stream:
        with _lock_errors(root):
            try:
                fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                _wait_or_refuse(root, name, wait=wait)
                fcntl.flock(stream, fcntl.LOCK_SH)
        yield


def _lock_file(root: Path, name: str) -> Path:
    path = root / "locks" / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error
    return path


def _wait_or_refuse(root: Path, name: str, *, wait: bool) -> None:
    if not wait:
        raise StoreError(f"store {root} is in use: another process holds {name!r}")
    log.info("waiting for another process that holds %r in %s", name, root)


@contextmanager
def _lock_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"store {root} cannot be locked: {error}; does its disk support locks?") from error
