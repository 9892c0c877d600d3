"""Locks between processes on one store; the operating system releases them when their holder exits or is killed.

Buckets have no locks. Artifacts are content-addressed, so two machines may at worst compute the same artifact
twice, never a wrong one; deleting from a bucket spares recent objects instead.
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
"""The lock that every build shares and that deleting from the store holds exclusively."""


@contextmanager
def lock(root: StorePath, name: str, *, wait: bool = True) -> Iterator[None]:
    """Hold an exclusive lock of a store.

    Raises:
        StoreError: the lock is taken and `wait` is false, or the store cannot be written.
    """
    if not isinstance(root, Path):
        yield
        return
    # On a disk without lock support, filelock would fall back to lock files that outlive a killed process.
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
    """Hold a shared lock of a store.

    Raises:
        StoreError: another process holds it exclusively and `wait` is false, or the store cannot be written.
    """
    if not isinstance(root, Path):
        yield
        return
    # The same lock file as filelock's, but locked in shared mode, which filelock does not support.
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
        raise StoreError(
            f"store {root} is in use: another process holds its lock {name!r}; try again later, or use --wait"
        )
    log.info("waiting for another process to release the lock %r of %s", name, root)


@contextmanager
def _lock_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"store {root} cannot be locked: {error}; does its disk support locks?") from error
