"""A ballot: what one annotator said of several texts, and what an annotator sees of them."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import Answer, Criterion
from situatedgen.review.decisions import LONGEST_NOTE, LONGEST_TEXT, plain
from situatedgen.review.view import Chip, Marked, Part, found_marks, parts
from situatedgen.seeds import generator, order


class Task(StrEnum):
    """What a person does with several texts."""

    RANK = "rank"
    PREFER = "prefer"


class Place(StrEnum):
    """Where a person puts a text among the others, from the best."""

    BEST = "best"
    SECOND = "second"
    NEITHER = "neither"


class Likelihood(StrEnum):
    """How good a person finds a text by itself, from the best."""

    LIKELY = "likely"
    UNLIKELY = "unlikely"
    GIBBERISH = "gibberish"


BETTER, EQUAL = "better", "equal"
"""The question of a comparison, and its answer where neither text is better."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A task as it is put to people: what it is for, its questions, and what one thing to judge is called."""

    task: Task
    title: str
    goal: str
    noun: str
    criteria: tuple[Criterion, ...]


RANK = Instructions(
    Task.RANK,
    title="Rank",
    goal="Choose the best and the second best, and say of each whether it is likely. Judge by what most people know.",
    noun="ranking",
    criteria=(
        Criterion(
            "place",
            "Which two are the best?",
            "The one that fits best and the one that fits second best, even where none or several fit.",
            "it is not among the best two",
            (
                Answer(Place.BEST, "", "Best"),
                Answer(Place.SECOND, "", "2nd"),
                Answer(Place.NEITHER, "", "Neither"),
            ),
        ),
        Criterion(
            "likelihood",
            "How likely is each by itself?",
            "Likely: it is reasonable. Unlikely: it sounds ridiculous or impossible, or is not so. Gibberish: it has"
            " such serious errors that it does not feel like English.",
            "it is not likely",
            (
                Answer(Likelihood.LIKELY, "q", "Likely"),
                Answer(Likelihood.UNLIKELY, "w", "Unlikely"),
                Answer(Likelihood.GIBBERISH, "e", "Gibberish"),
            ),
        ),
    ),
)
PREFER = Instructions(
    Task.PREFER,
    title="Compare",
    goal="Two texts for the same keywords. Which of them says what is more plausible? You are not told who wrote them.",
    noun="comparison",
    criteria=(
        Criterion(
            BETTER,
            "Which one is more plausible?",
            "The one that describes what could more easily be so, and says it in better English. Equal, where you"
            " cannot prefer either.",
            "it is less plausible",
            (Answer("1", "1", "First"), Answer("2", "2", "Second"), Answer(EQUAL, "3", "Equal")),
        ),
    ),
)
INSTRUCTIONS: Mapping[Task, Instructions] = {each.task: each for each in (RANK, PREFER)}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one person thinks of texts, by their places in the list of them: the best two, and how likely each is."""

    best: int
    second: int
    likelihoods: tuple[Likelihood, ...]

    def place(self, text: int) -> Place:
        """Where this person puts a text."""
        return {self.best: Place.BEST, self.second: Place.SECOND}.get(text, Place.NEITHER)

    def called(self, likelihood: Likelihood) -> frozenset[int]:
        """The texts that this person calls so."""
        return frozenset(text for text, found in enumerate(self.likelihoods) if found is likelihood)


def check_ranking(answers: Mapping[str, str], size: int) -> None:
    """Refuse answers that are no ranking of so many texts.

    Raises:
        DecisionError: a text has no likelihood, or the best two are not two of them.
    """
    numbers = [str(number) for number in range(1, size + 1)]
    expected = {Place.BEST.value, Place.SECOND.value, *numbers}
    if answers.keys() != expected:
        missing, unknown = sorted(expected - answers.keys()), sorted(answers.keys() - expected)
        said = [f"no answer to {', '.join(missing)}"] if missing else []
        raise DecisionError("; ".join([*said, *([f"unknown {', '.join(unknown)}"] if unknown else [])]))
    best, second = answers[Place.BEST], answers[Place.SECOND]
    if best not in numbers or second not in numbers or best == second:
        raise DecisionError(f"the best two of {size} texts cannot be {best!r} and {second!r}")
    strange = [answers[number] for number in numbers if answers[number] not in set(Likelihood)]
    if strange:
        raise DecisionError(f"{strange[0]!r} is not a likelihood; known: {', '.join(Likelihood)}")


def check_comparison(answers: Mapping[str, str], size: int) -> None:
    """Refuse answers that do not say which of two texts is better.

    Raises:
        DecisionError: there are not two texts, or something else is answered.
    """
    if size != 2:
        raise DecisionError(f"two texts are compared, not {size}")
    if answers.keys() != {BETTER} or answers[BETTER] not in {"1", "2", EQUAL}:
        raise DecisionError(f"expected {BETTER} to be 1, 2 or {EQUAL}, found {dict(answers)}")


def ranking(answers: Mapping[str, str]) -> Ranking:
    """The ranking that checked answers say."""
    numbers = range(1, len(answers) - 1)
    likelihoods = tuple(Likelihood(answers[str(number)]) for number in numbers)
    return Ranking(int(answers[Place.BEST]) - 1, int(answers[Place.SECOND]) - 1, likelihoods)


FEWEST, MOST = 2, 12
CHECKS = {Task.RANK: check_ranking, Task.PREFER: check_comparison}


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is judged: texts for the same context or keywords, in the order of the alphabet.

    Which text is right, or whose it is, is no part of it: whoever judges does not know.
    """

    context: str
    keywords: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The digest that ballots are known by, whatever the order of texts and keywords."""
        return _key(self.context, self.keywords, self.texts)


@lru_cache(maxsize=1 << 16)
def _key(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """The key of candidates, which is asked for again and again while people judge."""
    told = [plain(context), sorted(map(plain, keywords)), sorted(map(plain, texts))]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one person said of some candidates: a line of the log.

    `order` are the numbers of the texts, from 1, as they were shown. Answers name texts by these numbers, never by
    where they stood. A later ballot of the same person about the same candidates takes this one's place.
    """

    decision_id: str
    annotator: str
    task: Task
    content: Candidates
    order: tuple[int, ...]
    answers: Mapping[str, str]
    at: str
    note: str = ""
    seconds: float = 0.0

    @property
    def pair(self) -> str:
        """The key of the candidates that it is about."""
        return self.content.key


def candidates(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> Candidates:
    """Candidates as they are known, in whatever order their texts come."""
    return Candidates(context, keywords, tuple(sorted(texts, key=plain)))


def check_ballot(ballot: Ballot) -> None:
    """Refuse what must not come into the log.

    Raises:
        DecisionError: the texts, their order, an answer, the note or the time taken cannot be.
    """
    _check_content(ballot.content)
    numbers = range(1, len(ballot.content.texts) + 1)
    _check(sorted(ballot.order) == list(numbers), f"{list(ballot.order)} is not an order of {len(numbers)} texts")
    CHECKS[ballot.task](ballot.answers, len(numbers))
    _check(len(ballot.note) <= LONGEST_NOTE, f"a note has at most {LONGEST_NOTE:,} characters")
    _check(math.isfinite(ballot.seconds) and ballot.seconds >= 0, f"{ballot.seconds} is not a number of seconds")


def _check_content(content: Candidates) -> None:
    texts = [plain(text) for text in content.texts]
    _check(FEWEST <= len(texts) <= MOST, f"{FEWEST} to {MOST} texts can be judged at once, not {len(texts)}")
    _check(all(texts), "a text is empty")
    _check(len(set(texts)) == len(texts), "two of the texts say the same")
    _check(texts == sorted(texts), "the texts are not in the order of the alphabet")
    longest = max(map(len, (content.context, *content.keywords, *content.texts)))
    _check(longest <= LONGEST_TEXT, f"a text has at most {LONGEST_TEXT:,} characters")


def _check(holds: object, message: str) -> None:
    if not holds:
        raise DecisionError(message)


@dataclass(frozen=True, slots=True)
class Item:
    """Candidates, and what whoever judges them does not see: where they come from, and which text is right.

    `right` is a place in the list of texts; none, where no text is right.
    """

    item_id: str
    split: str
    content: Candidates
    right: int | None = None

    @property
    def key(self) -> str:
        """The key that ballots about it are known by."""
        return self.content.key


def deal_items(items: Iterable[Item], *, seed: int, size: int = 0) -> list[Item]:
    """Items once each, in a random order that others do not change; the first ones alone where a size is given.

    Example:
        >>> one, two = (Item(name, "test", Candidates(name, (), ("a", "b"))) for name in ("one", "two"))
        >>> dealt([one, two, one], seed=0) == dealt([two, one], seed=0)
        True
    """
    distinct = {item.key: item for item in sorted(items, key=lambda item: item.item_id, reverse=True)}
    drawn = sorted(distinct.values(), key=lambda item: (generator(seed, "ballots", item.key).random(), item.key))
    return drawn[:size] if size else drawn


def shown_order(content: Candidates, annotator: str, *, seed: int) -> tuple[int, ...]:
    """The numbers of the texts, from 1, as a person sees them: each person in an order of their own."""
    drawn = order(seed, f"texts\x1f{annotator}\x1f{content.key}", len(content.texts))
    return tuple(number + 1 for number in drawn)


KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it is shown: its number in the log, and where it stands on the page, from 1."""

    number: int
    place: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class BallotView:
    """Candidates as they are shown; nothing in it tells which text is right, or whose it is."""

    context: str
    chips: tuple[Chip, ...]
    texts: tuple[Shown, ...]


def ballot_view(content: Candidates, order: tuple[int, ...]) -> BallotView:
    """Candidates as they are shown in an order; places and times among the keywords are marked."""
    marked = {number: _marked(content.texts[number - 1], content.keywords) for number in order}
    shown = tuple(
        Shown(number, place, _keyed(parts(marked[number]), content.keywords))
        for place, number in enumerate(order, start=1)
    )
    return BallotView(content.context, tuple(_chip(word, tuple(marked.values())) for word in content.keywords), shown)


def _marked(text: str, keywords: tuple[str, ...]) -> Marked:
    return Marked(text, found_marks(text, keywords) if keywords else ())


def _keyed(found: tuple[Part, ...], keywords: tuple[str, ...]) -> tuple[Part, ...]:
    """The parts of a text, in which keywords that are no place and no time are parts of their own."""
    if not keywords:
        return found
    words = "|".join(re.escape(word) for word in sorted(keywords, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)({words})(?!\w)", re.IGNORECASE)
    return tuple(piece for part in found for piece in ([part] if part.kind else _pieces(part.text, pattern)))


def _pieces(text: str, pattern: "re.Pattern[str]") -> list[Part]:
    split = pattern.split(text)
    return [Part(piece, KEYWORD if number % 2 else "") for number, piece in enumerate(split) if piece]


def _chip(keyword: str, texts: tuple[Marked, ...]) -> Chip:
    kinds = [mark.kind.value for each in texts for mark in each.marks if each.text[mark.start : mark.end] == keyword]
    return Chip(keyword, kinds[0] if kinds else "", is_held=True)
