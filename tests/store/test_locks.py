"""Locks of a store on a disk: held alone or shared, and free again when their holder ends, however it ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from obstore.store import MemoryStore

from process_support import running
from situatedgen.errors import StoreError
from storage.filesystem import BucketPath, StorePath
from storage.locks import lock, shared_lock

HOLDER = """
import sys, time
from pathlib import Path
from storage import locks

with getattr(locks, sys.argv[1])(Path(sys.argv[2]), "work"):
    print("held", flush=True)
    time.sleep(600)
"""


def is_taken(root: StorePath, lock: Callable[..., Any]) -> bool:
    try:
        with lock(root, "work", wait=False):
            return False
    except StoreError as error:
        return "is in use: another process holds its lock 'work'" in str(error)


def test_one_holds_a_lock_alone_or_several_share_it(tmp_path: Path) -> None:
    with lock(tmp_path, "work"), lock(tmp_path, "other"):
        assert (is_taken(tmp_path, lock), is_taken(tmp_path, shared_lock)) == (True, True)
    with shared_lock(tmp_path, "work"), shared_lock(tmp_path, "work"):
        assert (is_taken(tmp_path, lock), is_taken(tmp_path, shared_lock)) == (True, False)
    with pytest.raises(KeyError), lock(tmp_path, "work"):
        raise KeyError
    assert not is_taken(tmp_path, lock)


@pytest.mark.parametrize("kind", ["lock", "shared_lock"])
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path, kind: str) -> None:
    with running(HOLDER, kind, tmp_path) as holder:
        assert holder.read() == "held"
        assert is_taken(tmp_path, lock)
        holder.kill()
    assert not is_taken(tmp_path, lock)


@pytest.mark.parametrize("lock", [lock, shared_lock])
def test_a_store_that_cannot_be_locked_says_so(tmp_path: Path, lock: Callable[..., Any]) -> None:
    (tmp_path / "locks").write_text("a file stands where the folder should be")
    with pytest.raises(StoreError, match="cannot be written"), lock(tmp_path, "work"):
        pass


def test_a_bucket_has_no_locks() -> None:
    bucket = BucketPath("memory://test", "store", MemoryStore())
    with lock(bucket, "work"):
        assert (is_taken(bucket, lock), bucket.is_dir()) == (False, False)
