"""A model's answers cached on disk, and their cost in tokens and money, within a budget."""

import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from situatedgen.errors import StoreError
from situatedgen.formatting import format_count


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's text, finish reason and name as reported by the server, and token counts if reported."""

    text: str
    finish_reason: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class Memory:
    """A folder that caches one answer per file, so that an interrupted run pays for none twice."""

    folder: Path

    def find(self, digest: str) -> Answer | None:
        """The cached answer to a request; None if it is missing or its file is damaged."""
        try:
            return Answer(**json.loads(self._path(digest).read_bytes())["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, digest: str, prompt: str, answer: Answer) -> None:
        """Cache an answer atomically.

        Raises:
            StoreError: it cannot be written.
        """
        path = self._path(digest)
        partial = path.with_name(f".{uuid.uuid4().hex}.partial")
        content = json.dumps({"prompt": prompt, "answer": asdict(answer)}, ensure_ascii=False, indent=1) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(content, encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise StoreError(f"cannot cache an answer in {path}: {error}") from error

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"


@dataclass(slots=True)
class Outcome:
    """Results by example id: all answers, those requested in this run, and why others failed.

    `passing` is the subset of `lost` that may succeed later: the server was busy, unreachable or broken.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    stopped: str = ""
    retries: int = 0


MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million prompt and completion tokens, if known."""

    prompt: float | None = None
    completion: float | None = None


class Tokens(NamedTuple):
    """Prompt and completion tokens."""

    prompt: int = 0
    completion: int = 0


@dataclass(slots=True)
class Budget:
    """Limits on calls or cost, and the usage so far.

    `expected` estimates the tokens of a call; it is used for calls in flight and for answers without token counts.
    """

    prices: Prices = Prices()
    max_calls: int | None = None
    max_cost: float | None = None
    expected: Tokens = Tokens()  # noqa: RUF009 (frozen)
    calls: int = 0
    in_flight: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def limit_reached(self) -> str:
        """Describe the limit that another call would exceed; empty if it is allowed."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"the budget of {format_count(self.max_calls, 'call')} is spent"
        coming = self.in_flight + 1
        prompt = self.prompt_tokens + coming * self.expected.prompt
        completion = self.completion_tokens + coming * self.expected.completion
        if self.max_cost is not None and (cost(prompt, completion, self.prices) or 0) > self.max_cost:
            return f"another call could exceed the budget of {self.max_cost:,.4f}"
        return ""

    def begin(self) -> None:
        """Count a call that starts now."""
        self.calls += 1
        self.in_flight += 1

    def end(self, answer: Answer | None) -> None:
        """Count the tokens of a finished call; none if it was not answered."""
        self.in_flight -= 1
        if answer is not None:
            prompt, completion = answer.prompt_tokens, answer.completion_tokens
            self.prompt_tokens += self.expected.prompt if prompt is None else prompt
            self.completion_tokens += self.expected.completion if completion is None else completion

    def __str__(self) -> str:
        """The usage so far."""
        return format_tokens(self.prompt_tokens, self.completion_tokens, self.prices)


@dataclass(frozen=True, slots=True)
class Spent:
    """Usage of answers: tokens reported by the server, answers without token counts, and the cost if known."""

    answers: int
    prompt_tokens: int
    completion_tokens: int
    without_tokens: int
    cost: float | None


def spent(answers: Iterable[Answer], prices: Prices) -> Spent:
    """Total usage of answers."""
    found = list(answers)
    prompt = sum(answer.prompt_tokens or 0 for answer in found)
    completion = sum(answer.completion_tokens or 0 for answer in found)
    untold = sum(answer.prompt_tokens is None or answer.completion_tokens is None for answer in found)
    return Spent(len(found), prompt, completion, untold, cost(prompt, completion, prices))


def cost(prompt: int, completion: int, prices: Prices) -> float | None:
    """The price of tokens; None if a price is unknown.

    Example:
        >>> cost(2_000_000, 500_000, Prices(0.15, 0.6))
        0.6
    """
    if prices.prompt is None or prices.completion is None:
        return None
    return round((prompt * prices.prompt + completion * prices.completion) / MILLION, 6)


def format_tokens(prompt: int, completion: int, prices: Prices) -> str:
    """Format tokens, with their price if known."""
    price = cost(prompt, completion, prices)
    return f"{prompt:,} + {completion:,} tokens" + ("" if price is None else f", cost {price:,.4f}")
