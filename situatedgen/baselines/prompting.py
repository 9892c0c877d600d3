"""A prompted model on a split: prompts, predictions, and a report of usage and cost."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from situatedgen.atomic import write
from situatedgen.baselines.simple import Case, Lesson, cases, lessons
from situatedgen.chat.client import Endpoint
from situatedgen.chat.costs import Answer, Outcome, Prices, Spent, spent
from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.errors import ModelError, SettingsError
from situatedgen.seeds import generator

INSTRUCTION = "Generate a pair of contrastive sentences with the given set of keywords."
KEYWORDS, SENTENCES = "Keywords:", "Sentences:"
NEXT_CASE = re.compile(rf"^\s*{KEYWORDS}", re.MULTILINE)
LABEL = re.compile(rf"^\s*{SENTENCES}")


def prompt(case: Case, demonstrations: Sequence[Lesson]) -> str:
    """The instruction, the demonstrations with their answers, and the case without one (Table 8).

    Example:
        >>> shown = Lesson("1", ("sun", "day", "night"), (0, 0, 1), ("The sun shines by day.", "It is dark at night."))
        >>> print(prompt(Case("2", ("snow", "winter")), [shown]))
        Generate a pair of contrastive sentences with the given set of keywords.
        <BLANKLINE>
        Keywords: sun, day, night
        Sentences: The sun shines by day. It is dark at night.
        <BLANKLINE>
        Keywords: snow, winter
        Sentences:
    """
    shown = [f"{_question(lesson.keywords)} {lesson.text}" for lesson in demonstrations]
    return "\n\n".join([INSTRUCTION, *shown, _question(case.keywords)])


def demonstrations(case: Case, lessons: Sequence[Lesson], *, shots: int, seed: int) -> list[Lesson]:
    """Draw `shots` training examples for a case, independently of the other cases.

    Raises:
        SettingsError: there are fewer training examples than that.
    """
    if shots > len(lessons):
        raise SettingsError(f"--shots is {shots}, but the dataset has {len(lessons)} training examples")
    return generator(seed, "demonstrations", case.example_id).sample(list(lessons), shots)


def sentences(answer: str) -> str:
    r"""The sentences of an answer on one line, without the leading label and without further cases the model invented.

    Example:
        >>> sentences("Sentences: It is hot.\nIt is cold.\n\nKeywords: sun, moon")
        'It is hot. It is cold.'
    """
    without_more = NEXT_CASE.split(answer, maxsplit=1)[0]
    return " ".join(LABEL.sub("", without_more).split())


def _question(keywords: Sequence[str]) -> str:
    return f"{KEYWORDS} {KEYWORD_SEPARATOR.join(keywords)}\n{SENTENCES}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, for people and for the record. It contains no API key."""

    model: str
    base_url: str
    fields: dict[str, object]
    split: str
    shots: int
    seed: int
    remembered: int
    retries: int
    seconds: float
    this_run: Spent
    in_all: Spent
    prices: Prices
    answered_by: dict[str, int]
    finish_reasons: dict[str, int]
    lost: dict[str, str]
    stopped: str

    def save(self, path: Path) -> None:
        """Write the report as JSON, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, (json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n").encode("utf-8"))


SHOWN_LOST = 3


@dataclass(frozen=True, slots=True)
class Order:
    """Which split to predict, how many training examples each prompt shows, and the seed of their draw."""

    split: str = "test"
    shots: int = 10
    seed: int = 0


def prompts(examples: pl.DataFrame, order: Order) -> dict[str, str]:
    """The prompt of every example of a split, by example id.

    Raises:
        SettingsError: there is no such split, it is empty, or there are too few training examples.
    """
    known = lessons(examples)
    return {
        case.example_id: prompt(case, demonstrations(case, known, shots=order.shots, seed=order.seed))
        for case in cases(examples, order.split)
    }


def read_sentences(answer: Answer) -> str:
    """The sentences of an answer.

    Raises:
        ModelError: it contains none.
    """
    if found := sentences(answer.text):
        return found
    raise ModelError(
        f"the answer contains no sentence (finish reason {answer.finish_reason!r}; --max-tokens allows longer answers)"
    )


def report(outcome: Outcome, endpoint: Endpoint, order: Order, prices: Prices, seconds: float) -> Report:
    """Summarise what a run did and what it cost."""
    asked = (outcome.answers[example_id] for example_id in outcome.asked)
    return Report(
        model=endpoint.model,
        base_url=endpoint.base_url,
        fields=dict(endpoint.fields),
        **asdict(order),
        remembered=len(outcome.answers) - len(outcome.asked),
        retries=outcome.retries,
        seconds=round(seconds, 3),
        this_run=spent(asked, prices),
        in_all=spent(outcome.answers.values(), prices),
        prices=prices,
        answered_by=_count(answer.model for answer in outcome.answers.values()),
        finish_reasons=_count(answer.finish_reason for answer in outcome.answers.values()),
        lost=outcome.lost,
        stopped=outcome.stopped,
    )


def texts(outcome: Outcome, example_ids: Sequence[str], *, instead: str | None = None) -> dict[str, str]:
    """The sentences of every example, in order; `instead` replaces failed ones.

    Raises:
        ModelError: the run was stopped, or prompts failed and there is no replacement.
    """
    if outcome.stopped or (outcome.lost and instead is None):
        raise ModelError("\n       ".join(_describe_failure(outcome, len(example_ids))))
    found = outcome.answers
    return {each: sentences(found[each].text) if each in found else str(instead) for each in example_ids}


def _describe_failure(outcome: Outcome, examples: int) -> Iterator[str]:
    if outcome.stopped:
        yield f"stopped: {outcome.stopped}"
    else:
        yield f"{len(outcome.lost):,} of {examples:,} prompts failed:"
        for example_id, reason in list(outcome.lost.items())[:SHOWN_LOST]:
            yield f"{example_id}: {reason}"
        yield "`--instead TEXT` writes TEXT for those"
    yield f"{len(outcome.answers):,} of {examples:,} answers are cached; run the command again to request the rest"


def _count(words: Iterable[str]) -> dict[str, int]:
    """Count words, most frequent first, ties by name."""
    return dict(sorted(Counter(words).items(), key=lambda each: (-each[1], each[0])))
