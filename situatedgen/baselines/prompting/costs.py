"""Tokens and money: what a run spent, and what all its answers cost together."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from situatedgen.atomic import write
from situatedgen.baselines.prompting.answers import Answer

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, where it is known: of prompts, and of answers."""

    prompt: float | None = None
    completion: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers took: tokens as the server told them, how many answers told none, and the cost where it is known."""

    answers: int
    prompt_tokens: int
    completion_tokens: int
    without_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, for people and for the record. It holds no key."""

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
        """Write the report as JSON, whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, (json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n").encode("utf-8"))


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
