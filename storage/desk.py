"""The desk at which people judge: what each is shown next, what becomes of an answer, and what they may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from situatedgen.errors import DecisionError
from situatedgen.review.agreement import Report, agreement
from situatedgen.review.criteria import Mode, Questionnaire
from situatedgen.review.decisions import Decision
from situatedgen.review.entries import Judged
from situatedgen.review.pages import Progress, Reading, defaults, progress, readings
from situatedgen.review.queue import Dispute, Pair, disputes
from situatedgen.review.sheets import Sheets
from situatedgen.review.view import View
from storage.decisions import Log
from storage.outcomes import now
from storage.turns import Given, Turns


@dataclass(frozen=True)
class Page:
    """What a person sees: a pair, or that nothing is left; and only in adjudication what others answered."""

    progress: Progress
    pair: Pair | None = None
    view: View | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    readings: tuple[Reading, ...] = ()
    disputed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Desk:
    """One round of judging: a mode, the questions it asks, and the pairs it is about.

    In adjudication the pairs are those about which people differ, whatever is known of them at the moment.
    """

    log: Log
    sheets: Sheets
    mode: Mode
    questions: Questionnaire
    queue: Sequence[Pair] = ()
    _reports: dict[int, Report] = field(default_factory=dict)
    _turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        """Let people take turns at the log."""
        object.__setattr__(self, "_turns", Turns(self.log))

    def page(self, annotator: str, *, again: str = "") -> Page:
        """What a person is shown next; `again` is the pair whose decision they took back."""
        with self._turns.door:
            decisions = self.log.read().standing
            open_disputes = self._disputes(decisions)
            queue = self._queue(open_disputes)
            own = [each for each in decisions if self._is_own(each, annotator)]
            decided = {each.pair for each in (decisions if self.is_adjudicating else own) if self._counts(each)}
            left = [pair for pair in queue if pair.key not in decided]
            told = progress(own, total=len(queue), left=len(left))
            pair = self._turns.next(annotator, left, again)
            return self._shown(pair, told, open_disputes, self._taken_back(annotator, again))

    def decide(self, annotator: str, given: Given) -> None:
        """Write down what a person answered; asked a second time, nothing more. On return it is safely on disk.

        Raises:
            DecisionError: the pair is not one of this round, or the answers are not to its questions.
            StoreError: it cannot be written.
        """
        with self._turns.door:
            pair = self._known(given.pair)
            self.questions.check(given.answers)
            if self._turns.is_written(annotator, given):
                return
            self.log.add(
                Decision(
                    decision_id=given.token,
                    annotator=annotator,
                    mode=self.mode,
                    content=pair.content,
                    answers=dict(given.answers),
                    at=now(),
                    note=given.note,
                    seconds=given.seconds,
                )
            )
            self._turns.forget_skip(annotator, given.pair)

    def undo(self, annotator: str, token: str) -> str:
        """Take back what a person decided last in this round; the pair it was about, or nothing.

        Raises:
            StoreError: it cannot be written.
        """
        with self._turns.door:
            own = [each for each in self.log.read().standing if self._is_own(each, annotator)]
            return self._turns.undo(annotator, token, own)

    def skip(self, annotator: str, pair: str) -> None:
        """Put a pair off until the others are done.

        Raises:
            DecisionError: the pair is not one of this round.
        """
        with self._turns.door:
            self._known(pair)
            self._turns.skip(annotator, pair)

    def report(self) -> Report:
        """How far people agree at the moment in answers to these questions."""
        with self._turns.door:
            reading = self.log.read()
            # Lines are only ever added: as many as before are the same as before.
            known = self._reports.get(len(reading.entries))
        found = known or agreement(reading.standing, mode=self.questions.mode)
        with self._turns.door:
            self._reports.clear()
            self._reports[len(reading.entries)] = found
        return found

    @property
    def is_adjudicating(self) -> bool:
        """Whether this round settles what others differ about."""
        return self.mode is Mode.ADJUDICATE

    def _counts(self, decision: Decision) -> bool:
        """Whether a decision is of this round: its mode, and its questions."""
        return decision.mode is self.mode and decision.questions is self.questions

    def _is_own(self, decision: Decision, annotator: str) -> bool:
        """Whether a decision is one of a person's in this round, about a pair that can be shown again."""
        is_known = self.is_adjudicating or decision.pair in self.sheets.by_key
        return decision.annotator == annotator and self._counts(decision) and is_known

    def _disputes(self, decisions: Sequence[Decision]) -> dict[str, Dispute]:
        if not self.is_adjudicating:
            return {}
        found = disputes(decisions, mode=self.questions.mode, is_open=False)
        return {dispute.pair: dispute for dispute in found}

    def _queue(self, open_disputes: Mapping[str, Dispute]) -> Sequence[Pair]:
        if not self.is_adjudicating:
            return self.queue
        return [self.sheets.pair(dispute.decisions[0].content) for dispute in open_disputes.values()]

    def _known(self, key: str) -> Pair:
        queue = self._queue(self._disputes(self.log.read().standing) if self.is_adjudicating else {})
        for pair in queue:
            if pair.key == key:
                return pair
        raise DecisionError("this pair is not among those to be judged here; load the page again")

    def _shown(
        self, pair: Pair | None, told: Progress, open_disputes: Mapping[str, Dispute], last: Judged | None
    ) -> Page:
        if pair is None:
            return Page(told)
        dispute = open_disputes.get(pair.key)
        is_again = last is not None and last.pair == pair.key
        return Page(
            progress=told,
            pair=pair,
            view=self.sheets.view(pair),
            given=last.answers if last and is_again else defaults(self.questions, dispute),
            note=last.note if last and is_again else "",
            readings=readings(dispute) if dispute else (),
            disputed=dispute.differing if dispute else (),
        )

    def _taken_back(self, annotator: str, pair: str) -> Judged | None:
        """The last decision that a person made about a pair in this round, whether or not it stands."""

        def is_own(each: Judged) -> bool:
            return isinstance(each, Decision) and self._is_own(each, annotator)

        return self._turns.taken_back(pair, is_own) if pair else None
