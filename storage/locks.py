"""Locks between processes on one store: let go of when their holder ends, however it ends.

On a disk the system lets go of them; in a bucket a lease runs out.
"""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from situatedgen.errors import StoreError
from storage.places import Place

log = logging.getLogger(__name__)
Sure = Callable[[], None]
"""Raises when a lock may be held no longer; whoever deletes asks before each file."""
BUILDS = "builds"
"""The lock that every build shares, and that whoever deletes from the store holds alone."""


def held(root: Place, name: str, *, wait: bool = True) -> AbstractContextManager[Sure]:
    """Hold a lock of a store alone within this block.

    Raises:
        StoreError: it is taken and we do not wait, or the store cannot be written.
    """
    return _locked(root, name, alone=True, wait=wait)


def sharing(root: Place, name: str, *, wait: bool = True) -> AbstractContextManager[Sure]:
    """Hold a lock of a store together with others who share it.

    Raises:
        StoreError: someone holds it alone and we do not wait, or the store cannot be written.
    """
    return _locked(root, name, alone=False, wait=wait)


def _locked(root: Place, name: str, *, alone: bool, wait: bool) -> AbstractContextManager[Sure]:
    if isinstance(root, Path):
        return _flocked(root, name, fcntl.LOCK_EX if alone else fcntl.LOCK_SH, wait=wait)
    from storage.leases import leased  # noqa: PLC0415 (a store on disk needs no boto3)

    return leased(root, name, alone=alone, wait=wait)


@contextmanager
def _flocked(root: Path, name: str, mode: int, *, wait: bool) -> Iterator[Sure]:
    descriptor = _opened(root, name)
    try:
        _take(descriptor, mode, root, name, wait=wait)
        yield _surely
    finally:
        os.close(descriptor)


def _surely() -> None:
    """A lock of the system is held until it is let go of."""


def _opened(root: Path, name: str) -> int:
    try:
        (root / "locks").mkdir(parents=True, exist_ok=True)
        return os.open(root / "locks" / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error


def _take(descriptor: int, mode: int, root: Path, name: str, *, wait: bool) -> None:
    try:
        if _try(descriptor, mode):
            return
        if not wait:
            raise StoreError(f"store {root} is in use: another process holds {name!r}")
        log.info("waiting for another process that holds %r in %s", name, root)
        fcntl.flock(descriptor, mode)
    except OSError as error:
        raise StoreError(f"store {root} cannot be locked: {error}; does its disk support locks?") from error


def _try(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
