"""A ballot, i.e. one annotator's judgement of several candidate texts, and how the candidates are shown."""

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
    """What an annotator does with the candidate texts."""

    RANK = "rank"
    PREFER = "prefer"


class Place(StrEnum):
    """Where an annotator ranks a text, best first."""

    BEST = "best"
    SECOND = "second"
    NEITHER = "neither"


class Likelihood(StrEnum):
    """How an annotator rates a single text, best first."""

    LIKELY = "likely"
    UNLIKELY = "unlikely"
    GIBBERISH = "gibberish"


BETTER, EQUAL = "better", "equal"
"""Name of the question of a comparison, and the answer for a tie."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A task as shown to annotators: title, goal, questions, and the noun for one unit of work."""

    task: Task
    title: str
    goal: str
    noun: str
    criteria: tuple[Criterion, ...]


RANK = Instructions(
    Task.RANK,
    title="Rank",
    goal="Choose the best and the second best, and rate how likely each is. Judge by what most people know.",
    noun="ranking",
    criteria=(
        Criterion(
            "place",
            "Which two are the best?",
            "The one that fits best and the one that fits second best, even if none or several fit.",
            "it is not among the best two",
            (
                Answer(Place.BEST, "", "Best"),
                Answer(Place.SECOND, "", "2nd"),
                Answer(Place.NEITHER, "", "Neither"),
            ),
        ),
        Criterion(
            "likelihood",
            "How likely is each on its own?",
            "Likely: it is reasonable. Unlikely: it sounds ridiculous or impossible, or is false. Gibberish: it has"
            " such serious errors that it does not read like English.",
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
    goal="Two texts for the same keywords. Which of them is more plausible? You do not see who wrote them.",
    noun="comparison",
    criteria=(
        Criterion(
            BETTER,
            "Which one is more plausible?",
            "The one that describes the more plausible situation, in better English. Choose equal if you"
            " cannot prefer either.",
            "it is less plausible",
            (Answer("1", "1", "First"), Answer("2", "2", "Second"), Answer(EQUAL, "3", "Equal")),
        ),
    ),
)
INSTRUCTIONS: Mapping[Task, Instructions] = {each.task: each for each in (RANK, PREFER)}


@dataclass(frozen=True, slots=True)
class Ranking:
    """One annotator's ranking of texts by index: the best two, and a likelihood for each."""

    best: int
    second: int
    likelihoods: tuple[Likelihood, ...]

    def place(self, text: int) -> Place:
        """The place this annotator gives a text."""
        return {self.best: Place.BEST, self.second: Place.SECOND}.get(text, Place.NEITHER)

    def texts_rated(self, likelihood: Likelihood) -> frozenset[int]:
        """The texts that this annotator rates with the likelihood."""
        return frozenset(text for text, found in enumerate(self.likelihoods) if found is likelihood)


def check_ranking(answers: Mapping[str, str], size: int) -> None:
    """Raise unless the answers form a complete ranking of `size` texts.

    Raises:
        DecisionError: a text has no likelihood, or the best two are not two distinct texts.
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
    """Raise unless the answers say which of two texts is better.

    Raises:
        DecisionError: there are not exactly two texts, or the answers are invalid.
    """
    if size != 2:
        raise DecisionError(f"expected two texts to compare, found {size}")
    if answers.keys() != {BETTER} or answers[BETTER] not in {"1", "2", EQUAL}:
        raise DecisionError(f"expected {BETTER} to be 1, 2 or {EQUAL}, found {dict(answers)}")


def ranking(answers: Mapping[str, str]) -> Ranking:
    """Parse answers that passed `check_ranking`."""
    numbers = range(1, len(answers) - 1)
    likelihoods = tuple(Likelihood(answers[str(number)]) for number in numbers)
    return Ranking(int(answers[Place.BEST]) - 1, int(answers[Place.SECOND]) - 1, likelihoods)


FEWEST, MOST = 2, 12
CHECKS = {Task.RANK: check_ranking, Task.PREFER: check_comparison}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Texts for the same context or keywords, sorted alphabetically.

    They omit which text is right and who wrote it: annotators judge blind.
    """

    context: str
    keywords: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        """Digest that identifies the candidates, independent of the order of texts and keywords."""
        return _key(self.context, self.keywords, self.texts)


@lru_cache(maxsize=1 << 16)
def _key(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """Compute the key of candidates; cached because annotation requests it repeatedly."""
    fields = [plain(context), sorted(map(plain, keywords)), sorted(map(plain, texts))]
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Ballot:
    """One annotator's answers about some candidates: a line of the log.

    `order` lists the text numbers, from 1, as they were shown. Answers refer to texts by these numbers, never by their
    position on the page. A later ballot by the same annotator on the same candidates replaces this one.
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
        """The key of the candidates."""
        return self.content.key


def candidates(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> Candidates:
    """Build candidates, sorting the texts."""
    return Candidates(context, keywords, tuple(sorted(texts, key=plain)))


def check_ballot(ballot: Ballot) -> None:
    """Raise if a ballot must not enter the log.

    Raises:
        DecisionError: the texts, their order, an answer, the note or the seconds are invalid.
    """
    _check_content(ballot.content)
    numbers = range(1, len(ballot.content.texts) + 1)
    _check(sorted(ballot.order) == list(numbers), f"{list(ballot.order)} is not an order of {len(numbers)} texts")
    CHECKS[ballot.task](ballot.answers, len(numbers))
    _check(len(ballot.note) <= LONGEST_NOTE, f"a note has at most {LONGEST_NOTE:,} characters")
    _check(math.isfinite(ballot.seconds) and ballot.seconds >= 0, f"{ballot.seconds} is not a number of seconds")


def _check_content(content: Candidates) -> None:
    texts = [plain(text) for text in content.texts]
    _check(FEWEST <= len(texts) <= MOST, f"{FEWEST} to {MOST} texts can be judged at once, found {len(texts)}")
    _check(all(texts), "a text is empty")
    _check(len(set(texts)) == len(texts), "two of the texts are identical")
    _check(texts == sorted(texts), "the texts are not in alphabetical order")
    longest = max(map(len, (content.context, *content.keywords, *content.texts)))
    _check(longest <= LONGEST_TEXT, f"a text has at most {LONGEST_TEXT:,} characters")


def _check(holds: object, message: str) -> None:
    if not holds:
        raise DecisionError(message)


@dataclass(frozen=True, slots=True)
class Item:
    """Candidates with what annotators do not see: id, split, and the index of the right text.

    `right` is None where no text is right.
    """

    item_id: str
    split: str
    content: Candidates
    right: int | None = None

    @property
    def key(self) -> str:
        """The key of the candidates, which ballots refer to."""
        return self.content.key


def shuffle_items(items: Iterable[Item], *, seed: int, size: int = 0) -> list[Item]:
    """Deduplicate items and put them in a random order; keep only the first `size` if given.

    An item's position is drawn from its own key, so adding or removing others does not reorder the rest.

    Example:
        >>> one, two = (Item(name, "test", Candidates(name, (), ("a", "b"))) for name in ("one", "two"))
        >>> shuffle_items([one, two, one], seed=0) == shuffle_items([two, one], seed=0)
        True
    """
    distinct = {item.key: item for item in sorted(items, key=lambda item: item.item_id, reverse=True)}
    drawn = sorted(distinct.values(), key=lambda item: (generator(seed, "ballots", item.key).random(), item.key))
    return drawn[:size] if size else drawn


def shown_order(content: Candidates, annotator: str, *, seed: int) -> tuple[int, ...]:
    """Text numbers, from 1, in the random order that this annotator sees."""
    drawn = order(seed, f"texts\x1f{annotator}\x1f{content.key}", len(content.texts))
    return tuple(number + 1 for number in drawn)


KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as displayed: its number in the log and its position on the page, both from 1."""

    number: int
    place: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class BallotView:
    """Candidates as displayed, revealing neither the right text nor the authors."""

    context: str
    chips: tuple[Chip, ...]
    texts: tuple[Shown, ...]


def ballot_view(content: Candidates, order: tuple[int, ...]) -> BallotView:
    """Lay out candidates in the given order, with the places and times among the keywords marked."""
    marked = {number: _mark_entities(content.texts[number - 1], content.keywords) for number in order}
    shown = tuple(
        Shown(number, place, _split_at_keywords(parts(marked[number]), content.keywords))
        for place, number in enumerate(order, start=1)
    )
    return BallotView(content.context, tuple(_chip(word, tuple(marked.values())) for word in content.keywords), shown)


def _mark_entities(text: str, keywords: tuple[str, ...]) -> Marked:
    return Marked(text, found_marks(text, keywords) if keywords else ())


def _split_at_keywords(found: tuple[Part, ...], keywords: tuple[str, ...]) -> tuple[Part, ...]:
    """Split parts further, so that each keyword that is neither place nor time becomes a part of its own."""
    if not keywords:
        return found
    words = "|".join(re.escape(word) for word in sorted(keywords, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)({words})(?!\w)", re.IGNORECASE)
    return tuple(piece for part in found for piece in ([part] if part.kind else _split_at_pattern(part.text, pattern)))


def _split_at_pattern(text: str, pattern: "re.Pattern[str]") -> list[Part]:
    split = pattern.split(text)
    return [Part(piece, KEYWORD if number % 2 else "") for number, piece in enumerate(split) if piece]


def _chip(keyword: str, texts: tuple[Marked, ...]) -> Chip:
    kinds = [mark.kind.value for each in texts for mark in each.marks if each.text[mark.start : mark.end] == keyword]
    return Chip(keyword, kinds[0] if kinds else "", is_held=True)
