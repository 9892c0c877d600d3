"""The queue of pairs to annotate, and what the page shows next to a pair."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from string import ascii_uppercase
from typing import Any

import polars as pl

from situatedgen.records import Entity
from situatedgen.review.active_decisions import Judged, votes
from situatedgen.review.criteria import QUESTIONNAIRES, Questionnaire
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.view import Mark, Marked, View, common_words, found_marks, marks_of, view
from situatedgen.seeds import generator, order
from situatedgen.vocabulary import Context, Label, Mode


@dataclass(frozen=True, slots=True)
class Pair:
    """An example of a dataset, as shown to annotators."""

    example_id: str
    split: str
    keywords: tuple[str, ...]
    content: Content
    probability: float | None = None

    @property
    def doubt(self) -> float:
        """Probability that the pair is invalid; 0 if no judge scored it."""
        return 0.0 if self.probability is None else 1 - self.probability

    @property
    def key(self) -> str:
        """The key that decisions refer to."""
        return self.content.key


@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair that annotators disagree on: their decisions, and the questions answered differently."""

    pair: str
    questions: Questionnaire
    decisions: tuple[Decision, ...]
    differing: tuple[str, ...]

    @property
    def is_about_validity(self) -> bool:
        """Whether annotators disagree on keeping the pair."""
        return len({decision.is_valid for decision in self.decisions}) > 1


def order_pairs(pairs: Iterable[Pair], *, seed: int) -> list[Pair]:
    """Deduplicate pairs and sort them by doubt, highest first, with a random tie-break that is stable across rebuilds.

    The tie-break is drawn from the seed and the pair's content, so all annotators see the same order (and share the
    first hundred), and adding or removing a pair moves no other.
    """
    distinct = {pair.key: pair for pair in sorted(pairs, key=lambda pair: pair.example_id, reverse=True)}
    return sorted(distinct.values(), key=lambda pair: (-pair.doubt, _draw(pair, seed, "review"), pair.key))


def sample_pairs(pairs: Iterable[Pair], size: int, *, seed: int) -> list[Pair]:
    """Draw a random sample in random order, regardless of doubt; all pairs if there are fewer than `size`.

    It takes the pairs with the smallest draws, so a larger sample contains every smaller one.
    """
    distinct = {pair.key: pair for pair in sorted(pairs, key=lambda pair: pair.example_id, reverse=True)}
    return sorted(distinct.values(), key=lambda pair: (_draw(pair, seed, "sample"), pair.key))[:size]


def disputes(decisions: Sequence[Decision], *, mode: Mode, is_open: bool = True) -> list[Dispute]:
    """Pairs that annotators disagree on in a mode; with `is_open`, only those not yet adjudicated.

    Disputes about validity come first.
    """
    settled = {each.pair for each in decisions if each.mode is Mode.ADJUDICATE and each.questions.mode is mode}
    found = [_dispute(pair, cast.people, QUESTIONNAIRES[mode]) for pair, cast in votes(decisions, [mode]).items()]
    wanted = [each for each in found if each.differing and not (is_open and each.pair in settled)]
    return sorted(wanted, key=lambda each: (not each.is_about_validity, each.pair))


def _dispute(pair: str, decisions: tuple[Decision, ...], questions: Questionnaire) -> Dispute:
    differing = tuple(name for name in questions.names if len({each.answers[name] for each in decisions}) > 1)
    return Dispute(pair, questions, decisions, differing)


def _draw(pair: Pair, seed: int, purpose: str) -> float:
    return generator(seed, purpose, pair.key).random()


@dataclass(frozen=True, slots=True)
class Progress:
    """How much an annotator has done, and their pace."""

    done: int
    total: int
    median_seconds: float
    may_undo: bool

    @property
    def left_minutes(self) -> int:
        """Estimated minutes left, rounded up; 0 if the pace is unknown."""
        return -int(-(self.total - self.done) * self.median_seconds // 60)


@dataclass(frozen=True, slots=True)
class Opinion:
    """An annotator's answers about a pair, under a letter instead of a name."""

    letter: str
    answers: Mapping[str, str]
    note: str


def progress(own: Sequence[Judged], *, total: int, left: int) -> Progress:
    """Compute an annotator's progress from their own decisions."""
    seconds = [decision.seconds for decision in own if decision.seconds > 0]
    return Progress(total - left, total, float(median(seconds)) if seconds else 0.0, bool(own))


def defaults(questions: Questionnaire, dispute: Dispute | None) -> dict[str, str]:
    """Preselected answers: no faults for a new pair; for a dispute, the answers that all share."""
    if dispute is None:
        return {each.name: next(a.name for a in each.answers if not a.is_fault) for each in questions.criteria}
    first = dispute.decisions[0].answers
    return {name: first[name] for name in questions.names if name not in dispute.differing}


def opinions(dispute: Dispute) -> tuple[Opinion, ...]:
    """Anonymised answers, with letters reassigned for each pair so that no letter gets a reputation."""
    dealt = order(0, f"readings {dispute.pair}", len(dispute.decisions))
    said = [dispute.decisions[number] for number in dealt]
    return tuple(
        Opinion(letter, decision.answers, decision.note)
        for letter, decision in zip(ascii_uppercase, said, strict=False)
    )


Marks = Mapping[str, tuple[Mark, ...]]


@dataclass(frozen=True)
class Sheet:
    """A pair with the ids of its statements, which are used to look up its marks."""

    pair: Pair
    ids: tuple[str, str]


@dataclass(frozen=True)
class Sheets:
    """All pairs of a dataset by key; views are built on demand.

    `marks` come from the build, by statement id. Statements without any are marked by the rules.
    """

    by_key: Mapping[str, Sheet]
    marks: Marks
    common: frozenset[str]

    def pairs(self, split: str) -> list[Pair]:
        """The pairs of a split."""
        return [sheet.pair for sheet in self.by_key.values() if sheet.pair.split == split]

    def pair(self, content: Content) -> Pair:
        """The pair with this content; if the dataset no longer has it, one with the content only."""
        known = self.by_key.get(content.key)
        return known.pair if known else Pair("", "", (), content)

    def view(self, pair: Pair) -> View:
        """Build the view of a pair."""
        known = self.by_key.get(pair.key)
        ids = known.ids if known else ("", "")
        first, second = (
            self._mark_sentence(text, id_, pair.keywords)
            for text, id_ in zip(pair.content.statements, ids, strict=True)
        )
        return view(pair.keywords, (first, second), Context(pair.content.context), self.common)

    def _mark_sentence(self, text: str, statement_id: str, keywords: Sequence[str]) -> Marked:
        known = self.marks.get(statement_id) or found_marks(text, keywords or [text])
        return Marked(text, tuple(mark for mark in known if mark.end <= len(text)))


def sheets(examples: pl.DataFrame, entities: pl.DataFrame | None) -> Sheets:
    """Build the sheets of a dataset; of duplicate pairs, the first is kept."""
    found: dict[str, Sheet] = {}
    for row in examples.sort("example_id").iter_rows(named=True):
        sheet = _sheet(row)
        found.setdefault(sheet.pair.key, sheet)
    texts = (text for sheet in found.values() for text in sheet.pair.content.statements)
    return Sheets(found, {} if entities is None else _marks(entities), common_words(texts))


def _sheet(row: dict[str, Any]) -> Sheet:  # Any: values of several types, as the schema of the folder says
    first, second = row["statements"]
    left, right = row["ids"]
    pair = Pair(
        example_id=row["example_id"],
        split=row["split"],
        keywords=tuple(row["keywords"]),
        content=Content((first, second), row["context"]),
        probability=row.get("probability"),
    )
    return Sheet(pair, (left, right))


def _marks(entities: pl.DataFrame) -> Marks:
    found: dict[str, list[Entity]] = {}
    for statement_id, start, end, label in entities.select("statement_id", "start", "end", "label").iter_rows():
        found.setdefault(statement_id, []).append(Entity(start, end, Label(label)))
    return {statement_id: marks_of(each) for statement_id, each in found.items()}
