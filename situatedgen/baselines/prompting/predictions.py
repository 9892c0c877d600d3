"""A prompted model on a split: its prompts, the report of what came of them, and its predictions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from situatedgen.baselines.cases import cases, lessons
from situatedgen.baselines.prompting.prompts import demonstrations, prompt, sentences
from situatedgen.baselines.prompting.report import Report
from situatedgen.chat.answers import Answer, Outcome
from situatedgen.chat.client import Endpoint
from situatedgen.chat.costs import Prices, spent
from situatedgen.errors import ModelError

SHOWN_LOST = 3


@dataclass(frozen=True, slots=True)
class Order:
    """Which examples are asked for, how many training examples each prompt shows, and by which seed they are drawn."""

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
        ModelError: it holds none.
    """
    if found := sentences(answer.text):
        return found
    raise ModelError(
        f"the answer holds no sentence (it ended by {answer.finish_reason!r}; --max-tokens gives it more room)"
    )


def report(outcome: Outcome, endpoint: Endpoint, order: Order, prices: Prices, seconds: float) -> Report:
    """What a run did and what it cost."""
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
    """The sentences of every example, in order; `instead` stands for those whose question failed.

    Raises:
        ModelError: the run was stopped, or questions failed and nothing is to stand for them.
    """
    if outcome.stopped or (outcome.lost and instead is None):
        raise ModelError("\n       ".join(_trouble(outcome, len(example_ids))))
    found = outcome.answers
    return {each: sentences(found[each].text) if each in found else str(instead) for each in example_ids}


def _trouble(outcome: Outcome, examples: int) -> Iterator[str]:
    if outcome.stopped:
        yield f"stopped: {outcome.stopped}"
    else:
        yield f"{len(outcome.lost):,} of {examples:,} questions failed:"
        for example_id, reason in list(outcome.lost.items())[:SHOWN_LOST]:
            yield f"{example_id}: {reason}"
        yield "`--instead TEXT` writes a text of yours for those"
    yield f"{len(outcome.answers):,} of {examples:,} answers are remembered; run the command again to ask for the rest"


def _count(words: Iterable[str]) -> dict[str, int]:
    """How often each word stands there, the most frequent first, equals by name."""
    return dict(sorted(Counter(words).items(), key=lambda each: (-each[1], each[0])))
