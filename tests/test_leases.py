"""Locks in a bucket: they keep others out, outlive a bad line, and end with their holder."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from situatedgen.errors import StoreError
from storage import leases
from storage.buckets import BucketPath
from storage.care.collecting import remove
from storage.locks import BUILDS, held, sharing
from storage.store import Store

HOLDER = """
import sys, time
from storage import leases
from storage.locks import held
from storage.places import located

leases.SECONDS = 3
with held(located(sys.argv[1]), "work"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], None]]:
    """Leases that last a few seconds, and are never renewed once this is called with how long they last."""

    def never_renewed(seconds: float) -> None:
        monkeypatch.setattr(leases, "SECONDS", seconds)
        monkeypatch.setattr(leases.Lease, "renew_until", lambda lease, ended: None)

    return never_renewed


def is_taken(place: BucketPath, lock: Callable[..., Any]) -> bool:
    try:
        with lock(place, "work", wait=False):
            return False
    except StoreError as error:
        return "in use" in str(error)


def test_one_holds_a_lock_alone_or_several_share_it(bucket: BucketPath) -> None:
    assert not is_taken(bucket, held)
    with held(bucket, "work"):
        assert is_taken(bucket, held)
        assert is_taken(bucket, sharing)
        with held(bucket, "other"):
            assert is_taken(bucket, held)
    with sharing(bucket, "work"), sharing(bucket, "work"):
        assert is_taken(bucket, held)
        assert not is_taken(bucket, sharing)
    assert not is_taken(bucket, held)


def test_many_who_hold_a_lock_alone_never_meet(bucket: BucketPath) -> None:
    inside, most, entered = set[int](), [0], [0]

    def enter(number: int) -> None:
        for _ in range(3):
            with held(bucket, "work"):
                inside.add(number)
                most[0] = max(most[0], len(inside))
                entered[0] += 1
                time.sleep(0.005)
                inside.remove(number)

    threads = [Thread(target=enter, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (most[0], entered[0], inside) == (1, 12, set())


def test_a_lock_is_free_again_when_its_block_fails(bucket: BucketPath) -> None:
    with pytest.raises(KeyError), held(bucket, "work"):
        raise KeyError
    assert not is_taken(bucket, held)


def test_the_lock_of_a_killed_process_is_free_when_its_lease_runs_out(bucket: BucketPath) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(bucket)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.communicate()
    assert is_taken(bucket, held)
    began = time.monotonic()
    with held(bucket, "work"):
        waited = time.monotonic() - began
    assert waited < 6


@pytest.mark.slow
def test_a_lease_is_renewed_as_long_as_its_holder_lives(bucket: BucketPath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SECONDS", 3.0)
    with held(bucket, "work"):
        time.sleep(5)
        assert is_taken(bucket, held)


def test_whoever_was_cut_off_while_another_held_the_lock_alone_is_told(
    bucket: BucketPath, brief: Callable[[float], None]
) -> None:
    brief(1)
    late = sharing(bucket, "work")
    late.__enter__()
    time.sleep(2.1)
    assert not is_taken(bucket, held)
    with pytest.raises(StoreError, match="cut off for longer than its lease of 1 s"):
        late.__exit__(None, None, None)


def test_nothing_is_deleted_by_whoever_was_cut_off(bucket: BucketPath, brief: Callable[[float], None]) -> None:
    brief(1)
    (bucket / "tmp/half").write_bytes(b"half")
    with held(bucket, BUILDS) as sure:
        sure()
        time.sleep(1.1)
        with pytest.raises(StoreError, match="cut off"):
            remove(Store(bucket), ["tmp/half"], sure)
    assert (bucket / "tmp/half").exists()


def test_whoever_was_cut_off_and_missed_nothing_goes_on(bucket: BucketPath, brief: Callable[[float], None]) -> None:
    brief(1)
    with sharing(bucket, "work"):
        time.sleep(2.1)
        with sharing(bucket, "work"):
            pass


def test_a_lock_is_ours_though_the_answer_that_says_so_was_lost(bucket: BucketPath, service: Any) -> None:
    """The service does what it was asked to, and the line breaks: the second try finds the first one's work."""

    def unheard(environment: dict[str, Any], serve: Callable[..., Any], start: Any) -> list[bytes]:
        serve(lambda *told: None)
        start("500 Internal Server Error", [("Content-Length", "0")])
        return [b""]

    with held(bucket, "other"):
        pass
    service.faults = [lambda environment, serve, start: serve(start), unheard]
    with held(bucket, "work"):
        assert service.faults == []
        assert is_taken(bucket, held)
    assert not is_taken(bucket, held)


def test_a_harmed_lock_keeps_nobody_out_forever(bucket: BucketPath) -> None:
    for harm in (b"", b"{", b"[]", b'{"holders": {"a": 1}}'):
        (bucket / "locks/work.lock").write_bytes(harm)
        assert not is_taken(bucket, held)


def test_a_service_that_ignores_conditions_is_refused(bucket: BucketPath, service: Any) -> None:
    def careless(environment: dict[str, Any], serve: Callable[..., Any], start: Any) -> Any:
        for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"):
            environment.pop(name, None)
        return serve(start)

    service.faults = [careless] * 3
    with pytest.raises(StoreError, match="ignores conditions"), held(bucket, "work"):
        pass
    service.faults.clear()
