"""Locks in a bucket: one small object a lock, changed only by whoever saw its last version, with leases that run out.

The object lists who holds the lock and until when, by the clock of the service. A holder renews its lease while it
lives; the lease of one that was killed runs out, and the next one goes on.
"""

import json
import logging
import os
import random
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Event, Thread

from situatedgen.errors import StoreError
from storage import s3
from storage.buckets import BucketPath

log = logging.getLogger(__name__)
SECONDS = 60.0
"""How long a lease lasts unless it is renewed; it is renewed three times as often."""
SHORTEST, LONGEST = 0.05, 1.0
"""Seconds between two looks at a lock that somebody else holds: few at first, then more."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: until when, whether alone, and which process on which machine that is."""

    until: float
    alone: bool
    who: str


@dataclass(frozen=True, slots=True)
class State:
    """What a lock says: its holders, and how often it was held alone; with its version and when it was read."""

    holders: dict[str, Holder] = field(default_factory=dict)
    turns: int = 0
    etag: str = ""
    date: float = 0.0

    def fresh(self) -> "State":
        """The same without those whose leases have run out."""
        return replace(self, holders={name: each for name, each in self.holders.items() if each.until > self.date})

    def allows(self, *, alone: bool) -> bool:
        """Whether one more may hold the lock."""
        return not self.holders if alone else not any(each.alone for each in self.holders.values())


@contextmanager
def leased(root: BucketPath, name: str, *, alone: bool, wait: bool) -> Iterator[Callable[[], None]]:
    """Hold a lock within this block; what comes back raises once its lease may have run out.

    Raises:
        StoreError: it is taken and we do not wait; or we lost it, and somebody else has held it alone meanwhile.
    """
    _check_conditions(root)
    lease = Lease(root, name, alone)
    turns = lease.take(wait=wait)
    ended = Event()
    thread = Thread(target=lease.renew_until, args=(ended,), name=f"lease {name}", daemon=True)
    thread.start()
    try:
        yield lease.check
    finally:
        ended.set()
        thread.join()
        kept = lease.give_back(turns)
    if not kept:
        raise lease.lost


class Lease:
    """One holder of one lock."""

    def __init__(self, root: BucketPath, name: str, alone: bool) -> None:
        self._root, self._name, self._alone = root, name, alone
        self._place = root / "locks" / f"{name}.lock"
        self._id = uuid.uuid4().hex
        self._last = State()
        self._taken = (0.0, 0.0)
        self.lost = StoreError(
            f"store {root}: this process was cut off for longer than its lease of {SECONDS:g} s, and another one"
            f" may have held {name!r} meanwhile; run it again"
        )

    def take(self, *, wait: bool) -> int:
        """How often the lock had been held alone when we took it."""
        pause = SHORTEST
        while not (state := self._try()):
            if not wait:
                raise StoreError(f"store {self._root} is in use: another process holds {self._name!r}")
            if pause == SHORTEST:
                log.info("waiting for another process that holds %r in %s", self._name, self._root)
            time.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST)
        return state.turns

    def renew_until(self, ended: Event) -> None:
        """Renew the lease again and again; a service that does not answer for a while is asked again."""
        while not ended.wait(SECONDS / 3):
            try:
                if not self._try():
                    log.warning("the lease of %r in %s ran out, and another process has it", self._name, self._root)
            except StoreError as error:
                log.warning("the lease of %r in %s was not renewed: %s", self._name, self._root, error)

    def check(self) -> None:
        """Raise when the lease may have run out: it was not renewed, or this machine slept."""
        if any(now - then >= SECONDS for now, then in zip(_clocks(), self._taken, strict=True)):
            raise self.lost

    def give_back(self, turns: int) -> bool:
        """Whether the lock was ours all the time, or at least nobody else's alone; it is free again afterwards."""
        state = self._last
        while True:
            others = {name: each for name, each in state.holders.items() if name != self._id}
            if self._id not in state.holders or self._wrote(replace(state, holders=others)):
                return self._alone or state.turns == turns
            state = self._read()

    def _try(self) -> State | None:
        """Take or renew the lease; the state that says so, or nothing while somebody else is in the way."""
        while True:
            began, state = _clocks(), self._read().fresh()
            before = state.holders.pop(self._id, None)
            if not state.allows(alone=self._alone):
                return None
            mine = Holder(state.date + SECONDS, self._alone, f"{socket.gethostname()}:{os.getpid()}")
            turns = state.turns + (self._alone and before is None)
            wanted = replace(state, holders={**state.holders, self._id: mine}, turns=turns)
            if self._wrote(wanted):
                self._taken = began
                return wanted

    def _read(self) -> State:
        try:
            found = s3.get(self._place.bucket, self._place.key)
        except s3.Missing as missing:
            return State(date=missing.date)
        return _parsed(found)

    def _wrote(self, state: State) -> bool:
        """Whether a state was written; not when somebody changed the lock since it was read."""
        holders = {name: [each.until, each.alone, each.who] for name, each in state.holders.items()}
        content = json.dumps({"holders": holders, "turns": state.turns}, indent=1).encode()
        condition = {"IfMatch": state.etag} if state.etag else {"IfNoneMatch": "*"}
        try:
            made = s3.put(self._place.bucket, self._place.key, content, **condition)
        except s3.Conflict:
            time.sleep(random.uniform(0, SHORTEST))
            return False
        self._last = replace(state, etag=made.etag)
        return True


def _clocks() -> tuple[float, float]:
    """The time by both clocks: one stands still while a machine sleeps, the other can be set."""
    return time.monotonic(), time.time()


def _parsed(found: s3.Answer) -> State:
    """What a lock says; one that somebody harmed says that nobody holds it."""
    try:
        told = json.loads(found.content)
        holders = {
            name: Holder(float(until), bool(alone), who) for name, (until, alone, who) in told["holders"].items()
        }
        return State(holders, int(told["turns"]), found.etag, found.date)
    except (ValueError, KeyError, TypeError, AttributeError):
        return State(etag=found.etag, date=found.date)


@cache
def _check_conditions(root: BucketPath) -> None:
    """Refuse a service that takes a conditional write for any other: no lock would keep anybody out."""
    place = root / "locks" / "conditions.lock"
    only_new = _refuses(place, IfNoneMatch="*") or _refuses(place, IfNoneMatch="*")
    if not (only_new and _refuses(place, IfMatch='"0"')):
        raise StoreError(f"store {root}: its service ignores conditions on writes, which locks need")


def _refuses(place: BucketPath, **condition: str) -> bool:
    try:
        s3.put(place.bucket, place.key, b"{}", **condition)
    except s3.Conflict:
        return True
    return False
