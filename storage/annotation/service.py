"""The annotation service: picks the next item for each annotator and records their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TypeAlias

import polars as pl

from situatedgen.dataset.folder import read_examples, read_manifest
from situatedgen.errors import DecisionError, StoreError
from situatedgen.evaluation.preferences import Duels, Matrix, preferences_of
from situatedgen.review.active_decisions import Entry, Judged
from situatedgen.review.agreement import Report, agreement
from situatedgen.review.ballot_results import ballot_agreement
from situatedgen.review.ballots import Ballot, BallotView, Instructions, Item, ballot_view, shown_order
from situatedgen.review.criteria import Questionnaire
from situatedgen.review.decisions import Decision, Undo
from situatedgen.review.queue import (
    Dispute,
    Opinion,
    Pair,
    Progress,
    Sheets,
    defaults,
    disputes,
    opinions,
    progress,
    sheets,
)
from situatedgen.review.view import View
from situatedgen.vocabulary import Mode
from storage.annotation.log import Log, LogContent
from storage.builds import now
from storage.store import ArtifactRef, Store


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer as sent by the page. Resubmitted with the same token, it is recorded only once."""

    key: str
    answers: Mapping[str, str]
    token: str
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Page:
    """What an annotator sees: an item (None if the queue is done), and in adjudication others' opinions."""

    progress: Progress
    item: Pair | Item | None = None
    view: View | BallotView | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    opinions: tuple[Opinion, ...] = ()
    disputed: tuple[str, ...] = ()
    probability: float | None = None


@dataclass(frozen=True)
class PairQueue:
    """Pairs judged with a questionnaire; in adjudication, those on which annotators currently disagree."""

    sheets: Sheets
    mode: Mode
    questions: Questionnaire
    items: Sequence[Pair] = ()
    kind: str = "criteria"

    @property
    def is_adjudicating(self) -> bool:
        """Whether one person resolves the disagreements of others."""
        return self.mode is Mode.ADJUDICATE

    def keys(self, log: LogContent) -> list[str]:
        """Return the keys of the pairs, in display order."""
        return list(self._disputes(log)) if self.is_adjudicating else [pair.key for pair in self.items]

    def covers(self, entry: Judged) -> bool:
        """Whether a decision answers these questions about a pair that can be shown."""
        if not isinstance(entry, Decision) or entry.mode is not self.mode or entry.questions is not self.questions:
            return False
        return self.is_adjudicating or entry.pair in self.sheets.by_key

    def page(self, key: str, annotator: str, log: LogContent, shown: Progress) -> Page:  # noqa: ARG002
        """Return a pair as an annotator sees it."""
        dispute = self._disputes(log).get(key)
        pair = self._pair(key, log)
        return Page(
            progress=shown,
            item=pair,
            view=self.sheets.view(pair),
            given=defaults(self.questions, dispute),
            opinions=opinions(dispute) if dispute else (),
            disputed=dispute.differing if dispute else (),
            probability=pair.probability,
        )

    def entry(self, annotator: str, submission: Submission, log: LogContent) -> Decision:
        """Convert an answer to a decision.

        Raises:
            DecisionError: the answers do not fit the questions.
        """
        self.questions.check(submission.answers)
        return Decision(
            decision_id=submission.token,
            annotator=annotator,
            mode=self.mode,
            content=self._pair(submission.key, log).content,
            answers=dict(submission.answers),
            at=now(),
            note=submission.note,
            seconds=submission.seconds,
        )

    def report(self, log: LogContent) -> Report:
        """Return the annotators' agreement on these questions."""
        return agreement(log.decisions, mode=self.questions.mode)

    def matrix(self, log: LogContent) -> None:
        """Return None: pairs are not outputs of systems."""

    def _disputes(self, log: LogContent) -> dict[str, Dispute]:
        if not self.is_adjudicating:
            return {}
        return {each.pair: each for each in disputes(log.decisions, mode=self.questions.mode, is_open=False)}

    def _pair(self, key: str, log: LogContent) -> Pair:
        """Return the pair of a key, from the log if the dataset no longer contains it."""
        sheet = self.sheets.by_key.get(key)
        return sheet.pair if sheet else self.sheets.pair(self._disputes(log)[key].decisions[0].content)


@dataclass(frozen=True)
class BallotQueue:
    """Texts to rank or compare, shown in an annotator-specific order derived from the seed.

    `duels` are the system comparisons that each item decides, by item key.
    """

    questions: Instructions
    items: Sequence[Item]
    seed: int = 0
    duels: Duels = field(default_factory=dict)
    is_adjudicating: bool = False

    @cached_property
    def by_key(self) -> dict[str, Item]:
        """The items by key."""
        return {item.key: item for item in self.items}

    @property
    def kind(self) -> str:
        """The kind of form that the page shows."""
        return self.questions.task.value

    def keys(self, log: LogContent) -> list[str]:  # noqa: ARG002
        """Return the keys of the items, in display order."""
        return list(self.by_key)

    def covers(self, entry: Judged) -> bool:
        """Whether a ballot belongs to this task and to one of these items."""
        return isinstance(entry, Ballot) and entry.task is self.questions.task and entry.pair in self.by_key

    def page(self, key: str, annotator: str, log: LogContent, shown: Progress) -> Page:  # noqa: ARG002
        """Return texts as an annotator sees them."""
        item = self.by_key[key]
        order = shown_order(item.content, annotator, seed=self.seed)
        return Page(shown, item, ballot_view(item.content, order))

    def entry(self, annotator: str, submission: Submission, log: LogContent) -> Ballot:  # noqa: ARG002
        """Convert an answer to a ballot; the log validates it."""
        content = self.by_key[submission.key].content
        return Ballot(
            decision_id=submission.token,
            annotator=annotator,
            task=self.questions.task,
            content=content,
            order=shown_order(content, annotator, seed=self.seed),
            answers=dict(submission.answers),
            at=now(),
            note=submission.note,
            seconds=submission.seconds,
        )

    def report(self, log: LogContent) -> Report:
        """Return the annotators' agreement on these items."""
        right = {key: item.right for key, item in self.by_key.items() if item.right is not None}
        return ballot_agreement(self._ballots(log), self.questions.task, right=right)

    def matrix(self, log: LogContent) -> Matrix | None:
        """Return which systems annotators prefer, or None if the texts are not outputs of systems."""
        return preferences_of(self._ballots(log), self.duels).matrix if self.duels else None

    def _ballots(self, log: LogContent) -> list[Ballot]:
        return [ballot for ballot in log.ballots if self.covers(ballot)]


AnnotationQueue: TypeAlias = PairQueue | BallotQueue


@dataclass
class AnnotationService:
    """Serves the items of a queue and records answers, one request at a time."""

    log: Log
    queue: AnnotationQueue
    _skipped: dict[str, list[str]] = field(default_factory=dict)
    _report: tuple[int, Report] | None = None
    _lock: RLock = field(default_factory=RLock)

    def page(self, annotator: str, *, again: str = "") -> Page:
        """Return the next page of an annotator; `again` is the key of the item whose answer they took back."""
        with self._lock:
            log = self.log.read()
            keys, answers = self.queue.keys(log), self._answers(log)
            own = [each for each in answers if each.annotator == annotator]
            done = {each.pair for each in (answers if self.queue.is_adjudicating else own)}
            left = [key for key in keys if key not in done]
            shown = progress(own, total=len(keys), left=len(left))
            key = self._next(annotator, left, again)
            if key is None:
                return Page(shown)
            page = self.queue.page(key, annotator, log, shown)
            last = self._last_answer(annotator, key, log) if key == again else None
            return replace(page, given=last.answers, note=last.note) if last else page

    def decide(self, annotator: str, submission: Submission) -> None:
        """Record an answer, flushed to disk before returning.

        Raises:
            DecisionError: the item is not in the queue, or the answers do not fit the questions.
            StoreError: the log cannot be written.
        """
        with self._lock:
            log = self.log.read()
            self._check_key(submission.key, log)
            if not _is_recorded(annotator, submission, log):
                self.log.add(self.queue.entry(annotator, submission, log))
                self._unskip(annotator, submission.key)

    def undo(self, annotator: str, token: str) -> str:
        """Take back an annotator's last answer and return the key of its item, or "" if there is none.

        Raises:
            StoreError: the log cannot be written.
        """
        with self._lock:
            log = self.log.read()
            known = _find(log, annotator, token)
            if isinstance(known, Undo):
                taken = _find(log, annotator, known.takes_back)
                return taken.pair if isinstance(taken, Decision | Ballot) else ""
            own = [each for each in self._answers(log) if each.annotator == annotator]
            if not own:
                return ""
            self.log.add(Undo(token, annotator, own[-1].decision_id, now()))
            return own[-1].pair

    def skip(self, annotator: str, key: str) -> None:
        """Move an item to the end of the annotator's queue.

        Raises:
            DecisionError: the item is not in the queue.
        """
        with self._lock:
            self._check_key(key, self.log.read())
            self._unskip(annotator, key)
            self._skipped.setdefault(annotator, []).append(key)

    def report(self) -> Report:
        """Return the current agreement of the annotators."""
        log = self.log.read()
        # The log is append-only: the same number of entries means the same entries.
        if self._report is None or self._report[0] != len(log.entries):
            self._report = len(log.entries), self.queue.report(log)
        return self._report[1]

    def matrix(self) -> Matrix | None:
        """Return which systems annotators currently prefer, or None if the texts are not outputs of systems."""
        return self.queue.matrix(self.log.read())

    def _answers(self, log: LogContent) -> list[Judged]:
        """Return the answers in force that belong to this queue."""
        answers: tuple[Judged, ...] = (*log.decisions, *log.ballots)
        return [each for each in answers if self.queue.covers(each)]

    def _last_answer(self, annotator: str, key: str, log: LogContent) -> Judged | None:
        """Return an annotator's last answer about an item, whether or not it is in force."""
        own = (entry for entry in reversed(log.entries) if entry.annotator == annotator and not isinstance(entry, Undo))
        return next((entry for entry in own if entry.pair == key and self.queue.covers(entry)), None)

    def _next(self, annotator: str, left: Sequence[str], again: str) -> str | None:
        """Return the next key: the item whose answer was taken back, then unskipped items, then skipped ones."""
        if again in left:
            return again
        skipped = self._skipped.get(annotator, [])
        later = [key for key in skipped if key in left]
        return next((key for key in left if key not in skipped), later[0] if later else None)

    def _unskip(self, annotator: str, key: str) -> None:
        skipped = self._skipped.get(annotator, [])
        if key in skipped:
            skipped.remove(key)

    def _check_key(self, key: str, log: LogContent) -> None:
        if key not in self.queue.keys(log):
            raise DecisionError(f"this {self.queue.questions.noun} is not in the queue; reload the page")


def _find(log: LogContent, annotator: str, decision_id: str) -> Entry | None:
    wanted = (annotator, decision_id)
    return next((each for each in log.entries if (each.annotator, each.decision_id) == wanted), None)


def _is_recorded(annotator: str, submission: Submission, log: LogContent) -> bool:
    """Whether this very answer is in the log already, because the page resent it after getting no reply.

    Raises:
        DecisionError: the token belongs to another answer.
    """
    known = _find(log, annotator, submission.token)
    if known is None:
        return False
    if isinstance(known, Undo) or (known.pair, dict(known.answers)) != (submission.key, dict(submission.answers)):
        raise DecisionError("this token was used for another answer; reload the page")
    return True


def read_pairs(dataset: Path, store: Store) -> Sheets:
    """Return the pairs of a dataset folder, with the entities of its build highlighted if the store has them.

    Raises:
        SettingsError: the folder is not a dataset.
    """
    return sheets(read_examples(dataset), _read_entities(dataset, store))


def _read_entities(dataset: Path, store: Store) -> pl.DataFrame | None:
    made = read_manifest(dataset).get("stages", {}).get("entities")
    if not made:
        return None
    try:
        return store.read(ArtifactRef(stage="entities", digest=made["digest"], rows=made["rows"]))
    except StoreError:
        return None
