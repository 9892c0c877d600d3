"""Active decisions, neither undone nor replaced by a later one, and the verdict they give on a pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import polars as pl

from situatedgen.review.ballots import Ballot, Task, check_ballot
from situatedgen.review.decisions import Decision, Undo, check_decision, check_origin, plain
from situatedgen.schemas import DECISIONS
from situatedgen.vocabulary import Mode

Judged: TypeAlias = Decision | Ballot
"""A decision or a ballot."""
Entry: TypeAlias = Decision | Ballot | Undo
"""A line of the log."""


def check_entry(entry: Entry) -> None:
    """Raise if an entry must not enter the log.

    Raises:
        DecisionError: an answer, a name, a time or a text is invalid.
    """
    if isinstance(entry, Ballot):
        check_origin(entry.annotator, entry.decision_id, entry.at)
        check_ballot(entry)
    else:
        check_decision(entry)


Slot = tuple[str, str, Mode, Mode]
"""Identity of a decision for replacement: annotator, pair, mode, and the mode whose questions were asked."""


class Voice(Protocol):
    """The part of a decision that a verdict needs."""

    @property
    def pair(self) -> str:
        """The key of the pair."""

    @property
    def annotator(self) -> str:
        """Who decided."""

    @property
    def mode(self) -> Mode:
        """The mode of the decision."""

    @property
    def at(self) -> str:
        """The timestamp."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the criteria that the pair fails."""


AnyVoice = TypeVar("AnyVoice", bound=Voice)


@dataclass(frozen=True, slots=True)
class Votes(Generic[AnyVoice]):
    """The decisions that count for one pair: one per annotator, and the adjudications, latest last."""

    people: tuple[AnyVoice, ...]
    adjudications: tuple[AnyVoice, ...]


def slot(decision: Decision) -> Slot:
    """The slot of a decision; a later decision in the same slot replaces it."""
    return decision.annotator, decision.pair, decision.mode, decision.questions.mode


def active_decisions(entries: Iterable[Entry]) -> tuple[Decision, ...]:
    """Active decisions, in the order in which they were written.

    An annotator's entries are ordered by position in their file, not by timestamp. If the later of two decisions is
    undone, the earlier one becomes active again. Only the annotator who made a decision can undo it.
    """
    latest: dict[Slot, Decision] = {}
    for entry in _drop_undone(entries):
        if isinstance(entry, Decision):
            latest.pop(slot(entry), None)
            latest[slot(entry)] = entry
    return tuple(latest.values())


def active_ballots(entries: Iterable[Entry]) -> tuple[Ballot, ...]:
    """Active ballots, by the same rules as for decisions."""
    latest: dict[tuple[str, str, Task], Ballot] = {}
    for entry in _drop_undone(entries):
        if isinstance(entry, Ballot):
            own = entry.annotator, entry.pair, entry.task
            latest.pop(own, None)
            latest[own] = entry
    return tuple(latest.values())


def _drop_undone(entries: Iterable[Entry]) -> list[Entry]:
    """Entries that were not undone."""
    written = list(entries)
    undone = {(entry.annotator, entry.takes_back) for entry in written if isinstance(entry, Undo)}
    return [entry for entry in written if (entry.annotator, entry.decision_id) not in undone]


def votes(decisions: Sequence[AnyVoice], modes: Iterable[Mode] = tuple(Mode)) -> dict[str, Votes[AnyVoice]]:
    """The votes on each pair, by key, from the active decisions of the given modes.

    Every annotator has one vote: of decisions in several modes, the last counts.
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
    """The verdict on a pair: valid or not, faults, number of annotators, and whether they were tied."""

    is_valid: bool
    faults: tuple[str, ...]
    people: int
    is_tied: bool = False
    is_settled: bool = False


def judgement(votes: Votes[AnyVoice]) -> Judgement:
    """Compute the verdict on a pair.

    The latest adjudication decides, because its author saw the others' answers and notes. Without one, every annotator
    has one vote on whether to keep the pair, and the majority decides. A tie keeps the pair, which counts as doubtful
    until it is adjudicated.
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
    """One row per active decision, without notes and seconds, which do not affect the verdict.

    `number` counts the decisions of one annotator in the order of writing.
    """
    written: dict[str, int] = {}
    rows = []
    for decision in decisions:
        number = written[decision.annotator] = written.get(decision.annotator, 0) + 1
        first, second = sorted(plain(text) for text in decision.content.statements)
        asked = decision.questions.mode.value
        values = (decision.pair, decision.annotator, decision.mode.value, asked)
        rows.append((*values, first, second, decision.content.context, list(decision.faults), number, decision.at))
    return DECISIONS.frame(rows)
