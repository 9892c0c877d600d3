"""The desk at which people rank or compare texts: what each is shown next, and what becomes of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from situatedgen.errors import DecisionError
from situatedgen.evaluation.preferences import Matrix
from situatedgen.review.agreement import Report
from situatedgen.review.ballots.agreeing import ballot_agreement
from situatedgen.review.ballots.ballots import Ballot
from situatedgen.review.ballots.comparing import Duels, preferences_of
from situatedgen.review.ballots.items import Item, shown_order
from situatedgen.review.ballots.tasks import Instructions
from situatedgen.review.ballots.views import BallotView, ballot_view
from situatedgen.review.entries import Judged
from situatedgen.review.pages import Progress, progress
from storage.decisions import Log
from storage.outcomes import now
from storage.turns import Given, Turns


@dataclass(frozen=True)
class BallotPage:
    """What a person sees: candidates, or that nothing is left."""

    progress: Progress
    pair: Item | None = None
    view: BallotView | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class BallotDesk:
    """One round of ranking or comparing: its instructions, the items it is about, and the seed of their texts' order.

    `duels` are those that a comparison decides, by its key.
    """

    log: Log
    questions: Instructions
    queue: Sequence[Item]
    seed: int = 0
    duels: Duels = field(default_factory=dict)
    is_adjudicating: bool = False
    _reports: dict[int, Report] = field(default_factory=dict)
    _items: dict[str, Item] = field(init=False)
    _turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        """Let people take turns at the log."""
        object.__setattr__(self, "_items", {item.key: item for item in self.queue})
        object.__setattr__(self, "_turns", Turns(self.log))

    def page(self, annotator: str, *, again: str = "") -> BallotPage:
        """What a person is shown next; `again` is the item whose ballot they took back."""
        with self._turns.door:
            own = self._own(annotator)
            decided = {ballot.pair for ballot in own}
            left = [item for key, item in self._items.items() if key not in decided]
            told = progress(own, total=len(self._items), left=len(left))
            item = self._turns.next(annotator, left, again)
            if item is None:
                return BallotPage(told)
            last = self._turns.taken_back(again, lambda each: self._is_own(each, annotator)) if again else None
            is_again = last is not None and last.pair == item.key
            view = ballot_view(item.content, shown_order(item.content, annotator, seed=self.seed))
            given, note = (last.answers, last.note) if last and is_again else ({}, "")
            return BallotPage(told, item, view, given, note)

    def decide(self, annotator: str, given: Given) -> None:
        """Write down what a person answered; asked a second time, nothing more. On return it is safely on disk.

        Raises:
            DecisionError: the item is not one of this round, or the answers are not to its questions.
            StoreError: it cannot be written.
        """
        with self._turns.door:
            item = self._known(given.pair)
            if self._turns.is_written(annotator, given):
                return
            self.log.add(
                Ballot(
                    decision_id=given.token,
                    annotator=annotator,
                    task=self.questions.task,
                    content=item.content,
                    order=shown_order(item.content, annotator, seed=self.seed),
                    answers=dict(given.answers),
                    at=now(),
                    note=given.note,
                    seconds=given.seconds,
                )
            )
            self._turns.forget_skip(annotator, given.pair)

    def undo(self, annotator: str, token: str) -> str:
        """Take back what a person said last in this round; the item it was about, or nothing.

        Raises:
            StoreError: it cannot be written.
        """
        with self._turns.door:
            return self._turns.undo(annotator, token, self._own(annotator))

    def skip(self, annotator: str, pair: str) -> None:
        """Put an item off until the others are done.

        Raises:
            DecisionError: the item is not one of this round.
        """
        with self._turns.door:
            self._known(pair)
            self._turns.skip(annotator, pair)

    def report(self) -> Report:
        """How far people agree at the moment about these items."""
        with self._turns.door:
            reading = self.log.read()
            known = self._reports.get(len(reading.entries))
        right = {key: item.right for key, item in self._items.items() if item.right is not None}
        found = known or ballot_agreement(self._here(reading.ballots), self.questions.task, right=right)
        with self._turns.door:
            self._reports.clear()
            self._reports[len(reading.entries)] = found
        return found

    def matrix(self) -> Matrix | None:
        """Which systems people prefer at the moment; none where texts are not those of systems."""
        return preferences_of(self._here(self.log.read().ballots), self.duels).matrix if self.duels else None

    def _here(self, ballots: Sequence[Ballot]) -> list[Ballot]:
        return [ballot for ballot in ballots if ballot.task is self.questions.task and ballot.pair in self._items]

    def _own(self, annotator: str) -> list[Ballot]:
        return [ballot for ballot in self._here(self.log.read().ballots) if ballot.annotator == annotator]

    def _is_own(self, said: Judged, annotator: str) -> bool:
        return isinstance(said, Ballot) and said.annotator == annotator and said.task is self.questions.task

    def _known(self, key: str) -> Item:
        if key in self._items:
            return self._items[key]
        raise DecisionError(f"this {self.questions.noun} is not among those to be judged here; load the page again")
