"""What people do one after the other, whatever they judge: what was put off, taken back, or asked a second time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from threading import RLock
from typing import Protocol, TypeVar

from situatedgen.errors import DecisionError
from situatedgen.review.decisions import Undo
from situatedgen.review.entries import Judged
from storage.decisions import Log
from storage.outcomes import now


@dataclass(frozen=True, slots=True)
class Given:
    """What a person answers; the token is theirs to choose, and the same each time they ask."""

    pair: str
    answers: Mapping[str, str]
    token: str
    note: str = ""
    seconds: float = 0.0


class Keyed(Protocol):
    """Something that decisions know by its key."""

    @property
    def key(self) -> str:
        """The key."""


AnyKeyed = TypeVar("AnyKeyed", bound=Keyed)
IsOwn = Callable[[Judged], bool]
"""Whether something was said by one person in one round."""


@dataclass(frozen=True)
class Turns:
    """The turns that people take at one round; `door` lets one of them in at a time."""

    log: Log
    skipped: dict[str, list[str]] = field(default_factory=dict)
    door: RLock = field(default_factory=RLock)

    def next(self, annotator: str, left: Sequence[AnyKeyed], again: str) -> AnyKeyed | None:
        """What comes next of what is left: what was taken back, then the others, then what was put off."""
        skipped = self.skipped.get(annotator, [])
        back = (each for each in left if again and each.key == again)
        fresh = (each for each in left if each.key not in skipped)
        put_off = (each for key in skipped for each in left if each.key == key)
        return next(chain(back, fresh, put_off), None)

    def skip(self, annotator: str, key: str) -> None:
        """Put something off until the others are done."""
        self.forget_skip(annotator, key)
        self.skipped.setdefault(annotator, []).append(key)

    def forget_skip(self, annotator: str, key: str) -> None:
        """Let something no longer be put off."""
        skipped = self.skipped.get(annotator, [])
        if key in skipped:
            skipped.remove(key)

    def undo(self, annotator: str, token: str, own: Sequence[Judged]) -> str:
        """Take back the last of what a person said; the key it was about, or nothing. Asked again, nothing more.

        Raises:
            StoreError: it cannot be written.
        """
        for entry in self.log.read().entries:
            if isinstance(entry, Undo) and (entry.annotator, entry.decision_id) == (annotator, token):
                return self._key_of(annotator, entry.takes_back)
        if not own:
            return ""
        self.log.add(Undo(token, annotator, own[-1].decision_id, now()))
        return own[-1].pair

    def is_written(self, annotator: str, given: Given) -> bool:
        """Whether this very answer is in the log: asked again, because the first time its receipt was lost.

        Raises:
            DecisionError: the token is that of another answer.
        """
        for entry in self.log.read().entries:
            if (entry.annotator, entry.decision_id) != (annotator, given.token):
                continue
            if not isinstance(entry, Undo) and (entry.pair, dict(entry.answers)) == (given.pair, dict(given.answers)):
                return True
            raise DecisionError("this token belongs to another answer; load the page again")
        return False

    def taken_back(self, key: str, is_own: IsOwn) -> Judged | None:
        """The last that a person said about something in this round, whether or not it stands."""
        made = [each for each in self.log.read().entries if not isinstance(each, Undo) and each.pair == key]
        return next((each for each in reversed(made) if is_own(each)), None)

    def _key_of(self, annotator: str, decision_id: str) -> str:
        for entry in self.log.read().entries:
            if not isinstance(entry, Undo) and (entry.annotator, entry.decision_id) == (annotator, decision_id):
                return entry.pair
        return ""
