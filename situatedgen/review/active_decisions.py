"""Decisions in force, neither taken back nor replaced by a later one, and what they mean for a pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import polars as pl

from situatedgen.review.ballots import Ballot, Task, check_ballot
from situatedgen.review.decisions import Decision, Undo, check_decision, check_origin, plain
from situatedgen.schemas import DECISIONS
from situatedgen.vocabulary import Mode

Judged: TypeAlias = Decision | Ballot
"""What somebody said of something."""
Entry: TypeAlias = Decision | Ballot | Undo
"""A line of the log."""


def check_entry(entry: Entry) -> None:
    """Refuse what must not come into the log.

    Raises:
        DecisionError: an answer, a name, a time or a text cannot be taken.
    """
    if isinstance(entry, Ballot):
        check_origin(entry.annotator, entry.decision_id, entry.at)
        check_ballot(entry)
    else:
        check_decision(entry)


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


def active_decisions(entries: Iterable[Entry]) -> tuple[Decision, ...]:
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


def active_ballots(entries: Iterable[Entry]) -> tuple[Ballot, ...]:
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


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a pair stays, why not, how many people decided, and whether they were evenly divided."""

    is_valid: bool
    faults: tuple[str, ...]
    people: int
    is_tied: bool = False
    is_settled: bool = False


def judgement(votes: Votes[AnyVoice]) -> Judgement:
    """The verdict on a pair.

    The latest adjudication decides, for whoever gave it saw what the others had answered and why. Without one, each
    person has one voice, whether they would keep the pair as a whole: the one voice there is decides, of several
    the majority. A tie is no reason to drop anything: the pair stays, and is doubtful until someone settles it.
    """
    people = len({voice.annotator for voice in (*votes.people, *votes.adjudications)})
    if votes.adjudications:
        faults = votes.adjudications[-1].faults
        return Judgement(not faults, faults, people, is_settled=True)
    against = [voice.faults for voice in votes.people if voice.faults]
    balance = len(votes.people) - 2 * len(against)
    found = dict.fromkeys(name for faults in against for name in faults) if balance < 0 else ()
    return Judgement(balance >= 0, tuple(found), people, is_tied=balance == 0)


def decision_table(decisions: Sequence[Decision]) -> pl.DataFrame:
    """A row a decision that stands; notes and times taken decide nothing, and are no part of it.

    `number` counts the decisions of one person in the order of their writing.
    """
    written: dict[str, int] = {}
    rows = []
    for decision in decisions:
        number = written[decision.annotator] = written.get(decision.annotator, 0) + 1
        first, second = sorted(plain(text) for text in decision.content.statements)
        asked = decision.questions.mode.value
        told = (decision.pair, decision.annotator, decision.mode.value, asked)
        rows.append((*told, first, second, decision.content.context, list(decision.faults), number, decision.at))
    return DECISIONS.frame(rows)
