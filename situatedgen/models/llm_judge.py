"""A judge that asks language models behind any OpenAI-compatible endpoint."""

import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, Json, ValidationError

from situatedgen.chat.client import Endpoint, Manner, answers
from situatedgen.chat.costs import Answer, Budget, Memory, Outcome, Prices, Tokens, cost
from situatedgen.errors import ModelError, SettingsError
from situatedgen.formatting import format_count
from situatedgen.params import ModelParams
from situatedgen.records import Judgement
from situatedgen.runtime import Runtime

log = logging.getLogger(__name__)
INSTRUCTION = """\
Two sentences are proposed as a contrast between places or between times. Answer four questions about them with true \
or false, each question by itself, neither leniently nor harshly.

fluent: Is each of them a grammatical and natural English sentence that can be understood alone? Let small slips pass, \
such as a name in lower case or a missing article; but not broken word order, fragments, or references to something \
that is not there.
antithesis: Do they state the same kind of relation, in a similar form, about different things of a comparable kind, \
so that "while", "yet" or "whereas" would join them into one coherent contrast? Two unrelated facts that share a \
word or a phrase are none.
dependent: If the places or times were exchanged between them, would at least one of them become clearly false or \
absurd, and stay grammatical? It is false if both would still be true, or if there is nothing to exchange.
common: Is what both say about the place or time known to ordinary educated adults, without looking it up?

Answer with one JSON object: {"fluent": …, "antithesis": …, "dependent": …, "common": …}."""
# Attempts per question: one more if the answer cannot be parsed.
READINGS = 2
# Estimated size of a call: about four characters per token, sentences of about 60 characters, and
# an answer without any reasoning.
CHARACTERS_A_TOKEN, CHARACTERS_A_SENTENCE = 4, 60
ORDERS = 2
SHOWN_LOST = 3
PREFIX = "SITUATEDGEN_LLM_"
BASE_URL, KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
OPENAI = "https://api.openai.com/v1"


class Reading(BaseModel):
    """A model's answer about a pair, one field per criterion."""

    model_config = ConfigDict(frozen=True, strict=True)

    fluent: bool
    antithesis: bool
    dependent: bool
    common: bool

    @property
    def valid(self) -> bool:
        """Whether the pair meets all criteria of a valid pair."""
        return self.fluent and self.antithesis and self.dependent


# Written out, because answers are cached by the whole request and pydantic would add titles and docstrings to it.
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "boolean"} for name in ("fluent", "antithesis", "dependent", "common")},
    "required": ["fluent", "antithesis", "dependent", "common"],
    "additionalProperties": False,
}
FIELDS: dict[str, Any] = {  # Any: JSON
    "temperature": 0,
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "reading", "strict": True, "schema": SCHEMA},
    },
}
EXPECTED = Tokens((len(INSTRUCTION) + ORDERS * CHARACTERS_A_SENTENCE) // CHARACTERS_A_TOKEN + 20, 30)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "situatedgen" / "answers"


class LlmSettings(BaseModel):
    """How models are called, from environment variables `SITUATEDGEN_LLM_…`; none of it is part of a cache key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrency: int = Field(8, ge=1, description="Concurrent requests.")
    tries: int = Field(6, ge=1, description="Attempts per failing request.")
    timeout: float = Field(60.0, gt=0, description="Timeout of a request in seconds.")
    max_calls: int | None = Field(None, ge=0, description="Maximum number of requests per run.")
    max_cost: float | None = Field(None, ge=0, description="Maximum cost per run.")
    price_in: float | None = Field(None, ge=0, description="Price of a million prompt tokens.")
    price_out: float | None = Field(None, ge=0, description="Price of a million completion tokens.")
    answers: Path = Field(default_factory=_cache_folder, description="Folder in which answers are cached.")
    fields: Json[dict[str, Any]] = Field(  # Any: JSON
        default_factory=dict, description="Additional request fields as JSON; null omits a field."
    )

    @property
    def prices(self) -> Prices:
        """The prices per million tokens, as far as they are known."""
        return Prices(self.price_in, self.price_out)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The effort of judging pairs that are not cached yet: calls, tokens, and the cost if prices are known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None

    def __str__(self) -> str:
        """The estimate as text."""
        price = "" if self.cost is None else f", cost {self.cost:,.2f}"
        tokens = f"{self.prompt_tokens:,} + {self.completion_tokens:,} tokens"
        return f"{format_count(self.calls, 'call')}, about {tokens}{price}"


def estimate(pairs: int, params: ModelParams) -> Estimate:
    """The effort of judging so many pairs that are not cached yet; makes no call and needs no key.

    Raises:
        SettingsError: no model is named, or an environment variable cannot be read.
    """
    calls = pairs * ORDERS * len(model_names(params))
    prompt, completion = calls * EXPECTED.prompt, calls * EXPECTED.completion
    return Estimate(calls, prompt, completion, cost(prompt, completion, read_settings().prices))


def model_names(params: ModelParams) -> list[str]:
    """The distinct names of the models, as the endpoint knows them.

    Raises:
        SettingsError: there is none.
    """
    names = list(dict.fromkeys(name for part in params.weights.split(",") if (name := part.strip())))
    if not names:
        raise SettingsError("the judge 'llm' needs weights: the name of a model, or of two, separated by a comma")
    return names


def read_settings() -> LlmSettings:
    """The settings in the environment variables.

    Raises:
        SettingsError: a variable is unknown, cannot be read, or needs another one.
    """
    given = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and value.strip()
    }
    try:
        settings = LlmSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        known = ", ".join(f"{PREFIX}{name.upper()}" for name in LlmSettings.model_fields)
        raise SettingsError(f"{PREFIX}{str(first['loc'][0]).upper()}: {first['msg']}; known: {known}") from error
    if settings.max_cost is not None and None in (settings.price_in, settings.price_out):
        raise SettingsError(f"{PREFIX}MAX_COST needs {PREFIX}PRICE_IN and {PREFIX}PRICE_OUT")
    return settings


def prompt(first: str, second: str) -> str:
    """The prompt about two sentences."""
    return f"{INSTRUCTION}\n\nFirst sentence: {first}\nSecond sentence: {second}"


def parse_reading(answer: Answer) -> Reading:
    """Parse an answer; text around its JSON object is ignored.

    Raises:
        ModelError: it contains no such object.
    """
    text = answer.text
    try:
        return Reading.model_validate_json(text[text.find("{") : text.rfind("}") + 1])
    except ValidationError as error:
        raise ModelError(
            f"the answer is {text[:200]!r} (finish reason {answer.finish_reason!r}), expected a JSON object with"
            f" {', '.join(Reading.model_fields)}, each true or false"
        ) from error


class LlmJudge:
    """Asks each model about both orders of a pair; a probability is the share of positive answers."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002 (configured by the environment)
        """Read the settings; no call is made yet.

        `params.weights` names the models; `params.revision` distinguishes endpoints in the cache key.

        Raises:
            SettingsError: no model is named, no endpoint is configured, or a variable cannot be read.
        """
        self._settings = read_settings()
        base_url, key = (os.environ.get(name, "").strip() for name in (BASE_URL, KEY))
        if not (base_url or key):
            raise SettingsError(
                f"the judge 'llm' needs {KEY}, or {BASE_URL} for an endpoint without a key, in the environment"
            )
        name = "the endpoint" + (f" of revision {params.revision!r}" if params.revision else "")
        fields = {**FIELDS, **self._settings.fields}
        self._endpoints = [
            Endpoint(base_url or OPENAI, model, fields, key=key, name=name) for model in model_names(params)
        ]
        self._memory = Memory(self._settings.answers.expanduser())
        self._manner = Manner(
            self._settings.concurrency, self._settings.tries, self._settings.timeout, readings=READINGS
        )
        self._budget = Budget(
            self._settings.prices, self._settings.max_calls, self._settings.max_cost, expected=EXPECTED
        )

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """The shares of positive answers about each pair; answers that are cached are not requested again.

        Raises:
            ModelError: the budget is spent, the endpoint fails, or no model gave a usable answer about a pair.
            StoreError: an answer cannot be cached.
        """
        asked = {prompt(*order): None for pair in pairs for order in (pair, pair[::-1])}
        found = [self._ask(endpoint, asked) for endpoint in self._endpoints]
        return [_judgement(pair, found) for pair in pairs]

    def _ask(self, endpoint: Endpoint, prompts: Iterable[str]) -> dict[str, Reading]:
        """A model's parsed answers, by prompt, without those prompts that got no usable answer."""
        outcome = answers(
            {each: each for each in prompts},
            endpoint,
            self._memory,
            read=parse_reading,
            manner=self._manner,
            budget=self._budget,
        )
        if outcome.stopped or outcome.passing:
            raise ModelError("; ".join(self._describe_failure(endpoint, outcome)))
        if outcome.lost:
            lost, reason = format_count(len(outcome.lost), "question"), next(iter(outcome.lost.values()))
            log.warning("%s gave no usable answer to %s; the first because %s", endpoint.model, lost, reason)
        return {each: parse_reading(answer) for each, answer in outcome.answers.items()}

    def _describe_failure(self, endpoint: Endpoint, outcome: Outcome) -> Iterable[str]:
        """The parts of an error message: what failed, what was cached, and how to continue."""
        if outcome.stopped:
            yield f"the judge {endpoint.model!r} stopped: {outcome.stopped}"
        else:
            yield f"the judge {endpoint.model!r} gave no answer to {format_count(len(outcome.passing), 'question')}"
            yield from list(dict.fromkeys(outcome.lost[each] for each in sorted(outcome.passing)))[:SHOWN_LOST]
        yield f"{format_count(self._budget.calls, 'call')} in this run ({self._budget})"
        yield f"all {len(outcome.answers):,} answers about these pairs are cached in {self._memory.folder}"
        yield "run the same command again to request only the rest"


def _judgement(pair: tuple[str, str], found: Sequence[dict[str, Reading]]) -> Judgement:
    prompts = dict.fromkeys((prompt(*pair), prompt(*pair[::-1])))
    readings = [readings[each] for readings in found for each in prompts if each in readings]
    if not readings:
        raise ModelError(
            f"no model gave a usable answer about the pair {pair[0]!r} and {pair[1]!r}; leave that pair out"
        )
    return Judgement(
        *(
            sum(getattr(reading, name) for reading in readings) / len(readings)
            for name in ("valid", *Reading.model_fields)
        )
    )
