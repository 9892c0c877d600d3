"""Tokens and money: what answers cost, and a limit on it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from situatedgen.chat.answers import Answer
from situatedgen.counting import format_count

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, where it is known: of prompts, and of answers."""

    prompt: float | None = None
    completion: float | None = None


class Tokens(NamedTuple):
    """Tokens of a prompt and of its answer."""

    prompt: int = 0
    completion: int = 0


@dataclass(slots=True)
class Budget:
    """What requests may cost in calls or in money, and what they have cost so far.

    `expected` is what a call takes, as far as one knows before its answer: it counts for calls on their way, and for
    answers that come without a count.
    """

    prices: Prices = Prices()
    max_calls: int | None = None
    max_cost: float | None = None
    expected: Tokens = Tokens()  # noqa: RUF009 (frozen)
    calls: int = 0
    in_flight: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def reached(self) -> str:
        """Which limit another call would exceed, in words; empty where it may be made."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"the budget of {format_count(self.max_calls, 'call')} is spent"
        coming = self.in_flight + 1
        prompt = self.prompt_tokens + coming * self.expected.prompt
        completion = self.completion_tokens + coming * self.expected.completion
        if self.max_cost is not None and (cost(prompt, completion, self.prices) or 0) > self.max_cost:
            return f"another call could cost more than the budget of {self.max_cost:,.4f} leaves"
        return ""

    def begin(self) -> None:
        """Count a call that is made now."""
        self.calls += 1
        self.in_flight += 1

    def end(self, answer: Answer | None) -> None:
        """Count what a call took; nothing where it was not answered."""
        self.in_flight -= 1
        if answer is not None:
            prompt, completion = answer.prompt_tokens, answer.completion_tokens
            self.prompt_tokens += self.expected.prompt if prompt is None else prompt
            self.completion_tokens += self.expected.completion if completion is None else completion

    def __str__(self) -> str:
        """What the calls took so far."""
        return format_tokens(self.prompt_tokens, self.completion_tokens, self.prices)


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers took: tokens as the server told them, how many answers told none, and the cost where it is known."""

    answers: int
    prompt_tokens: int
    completion_tokens: int
    without_tokens: int
    cost: float | None


def spent(answers: Iterable[Answer], prices: Prices) -> Spent:
    """What answers took together."""
    found = list(answers)
    prompt = sum(answer.prompt_tokens or 0 for answer in found)
    completion = sum(answer.completion_tokens or 0 for answer in found)
    untold = sum(answer.prompt_tokens is None or answer.completion_tokens is None for answer in found)
    return Spent(len(found), prompt, completion, untold, cost(prompt, completion, prices))


def cost(prompt: int, completion: int, prices: Prices) -> float | None:
    """The price of so many tokens; nothing where a price is not known.

    Example:
        >>> cost(2_000_000, 500_000, Prices(0.15, 0.6))
        0.6
    """
    if prices.prompt is None or prices.completion is None:
        return None
    return round((prompt * prices.prompt + completion * prices.completion) / MILLION, 6)


def format_tokens(prompt: int, completion: int, prices: Prices) -> str:
    """Tokens in words, with their price where it is known."""
    price = cost(prompt, completion, prices)
    return f"{prompt:,} + {completion:,} tokens" + ("" if price is None else f", cost {price:,.4f}")
