"""What stands of a log: decisions that were neither taken back nor replaced by a later one of the same person."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from situatedgen.review.ballots.ballots import Ballot
from situatedgen.review.ballots.tasks import Task
from situatedgen.review.criteria import Mode
from situatedgen.review.decisions import Decision, Undo
from situatedgen.review.entries import Entry

Slot = tuple[str, str, Mode, Mode]
"""Whom and what a decision is of: annotator, pair, mode, and the mode whose questions were asked."""


class Voice(Protocol):
    """As much of a decision as a verdict needs."""

    @property
    def pair(self) -> str:
        """The key of the pair."""

    @property
    def annotator(self) -> str:
        """Whose it is."""

    @property
    def mode(self) -> Mode:
        """What this person did."""

    @property
    def at(self) -> str:
        """When."""

    @property
    def faults(self) -> tuple[str, ...]:
        """The names of the criteria that the pair fails."""


AnyVoice = TypeVar("AnyVoice", bound=Voice)


@dataclass(frozen=True, slots=True)
class Votes(Generic[AnyVoice]):
    """What counts of the decisions about one pair: each person's, and the adjudications, the latest last."""

    people: tuple[AnyVoice, ...]
    adjudications: tuple[AnyVoice, ...]


def slot(decision: Decision) -> Slot:
    """What a later decision must share with this one to take its place."""
    return decision.annotator, decision.pair, decision.mode, decision.questions.mode


def standing(entries: Iterable[Entry]) -> tuple[Decision, ...]:
    """The decisions that stand, in the order in which they were written.

    The entries of one person come in the order of their file; clocks are not asked. Where the later of two
    decisions is taken back, the earlier stands again. Nobody takes back what another decided.
    """
    latest: dict[Slot, Decision] = {}
    for entry in _kept(entries):
        if isinstance(entry, Decision):
            latest.pop(slot(entry), None)
            latest[slot(entry)] = entry
    return tuple(latest.values())


def standing_ballots(entries: Iterable[Entry]) -> tuple[Ballot, ...]:
    """The ballots that stand, by the same rules."""
    latest: dict[tuple[str, str, Task], Ballot] = {}
    for entry in _kept(entries):
        if isinstance(entry, Ballot):
            own = entry.annotator, entry.pair, entry.task
            latest.pop(own, None)
            latest[own] = entry
    return tuple(latest.values())


def _kept(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that nobody took back."""
    written = list(entries)
    undone = {(entry.annotator, entry.takes_back) for entry in written if isinstance(entry, Undo)}
    return [entry for entry in written if (entry.annotator, entry.decision_id) not in undone]


def votes(decisions: Sequence[AnyVoice], modes: Iterable[Mode] = tuple(Mode)) -> dict[str, Votes[AnyVoice]]:
    """What counts for each pair, by key, of the decisions that stand in some modes.

    One person has one voice: of what someone decided in two modes, the later counts.
    """
    people: dict[str, dict[str, AnyVoice]] = {}
    settled: dict[str, list[AnyVoice]] = {}
    counting = frozenset(modes)
    for decision in (each for each in decisions if each.mode in counting):
        if decision.mode is Mode.ADJUDICATE:
            settled.setdefault(decision.pair, []).append(decision)
        else:
            people.setdefault(decision.pair, {})[decision.annotator] = decision
    return {
        pair: Votes(
            tuple(voices for _, voices in sorted(people.get(pair, {}).items())),
            tuple(sorted(settled.get(pair, ()), key=lambda each: (each.at, each.annotator))),
        )
        for pair in sorted(people.keys() | settled.keys())
    }
