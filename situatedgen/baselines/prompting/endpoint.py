"""An address that speaks OpenAI's chat completions, and what it answers to one question."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from situatedgen.baselines.prompting.prompts import sentences
from situatedgen.errors import ModelError, SettingsError

PASSING = frozenset({408, 409, 425, 429})
# What one question may be refused for, while others are answered.
OF_ONE_QUESTION = frozenset({400, 413, 422})
FIXED = frozenset({"messages", "model", "n", "stream"})
SHOWN = 300
Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None


class PassingError(ModelError):
    """Trouble that may be over at the next try, and how long the server asked to wait."""

    def __init__(self, reason: str, *, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class QuestionError(ModelError):
    """Trouble with one question; others may be answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, why it stopped, its name as the server gives it, and the tokens where they are told."""

    text: str
    finish_reason: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, whom, and with which fields beside the prompt; the key is never shown."""

    base_url: str
    model: str
    fields: Mapping[str, Json]
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be asked.

        Raises:
            SettingsError: no web address, one that holds a password, a field that is ours, a key of strange signs.
        """
        _check_address(self.base_url)
        ours = sorted(FIXED & set(self.fields))
        if ours:
            raise SettingsError(f"--set {ours[0]}=… cannot be set: it is given by the command itself")
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise SettingsError("the key holds signs that no header can carry; look at the variable again")

    @property
    def address(self) -> str:
        """Where questions are sent."""
        return f"{self.base_url.rstrip('/')}/chat/completions"

    def body(self, prompt: str) -> dict[str, Json]:
        """A question as it is sent; a field set to null is left out."""
        given: dict[str, Json] = {name: value for name, value in self.fields.items() if value is not None}
        return {"model": self.model, "messages": [{"role": "user", "content": prompt}], **given}

    def digest(self, prompt: str) -> str:
        """What an answer is remembered by: all that is sent, and where, but not the key."""
        sent = json.dumps([self.address, self.body(prompt)], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(sent.encode("utf-8")).hexdigest()

    async def ask(self, prompt: str, web: httpx.AsyncClient, *, timeout: float) -> Answer:
        """The answer to a prompt.

        Raises:
            PassingError: the server is busy, out of reach, too slow, or answers what cannot be read.
            QuestionError: this question is refused, or answered with nothing.
            ModelError: no question will be answered.
        """
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            async with asyncio.timeout(timeout):
                found = await web.post(self.address, json=self.body(prompt), headers=headers)
        except TimeoutError as error:
            raise PassingError(f"{self.address} did not answer within {timeout:g} s") from error
        except httpx.HTTPError as error:
            raise PassingError(self._hidden(f"{self.address}: {error or type(error).__name__}")) from error
        self._check(found)
        return _answer(found, self._hidden(found.text))

    def _check(self, found: httpx.Response) -> None:
        """Refuse an answer that is none, with how bad that is."""
        status = found.status_code
        if found.is_success:
            return
        message = " ".join(self._hidden(_message(found)).split())[:SHOWN] or "no reason given"
        reason = f"{self.address} answered {status} {found.reason_phrase}: {message}"
        if status in PASSING or status >= 500:
            raise PassingError(reason, wait=asked_to_wait(found.headers))
        if status in OF_ONE_QUESTION:
            raise QuestionError(reason)
        raise ModelError(f"{reason}; check --base-url, --model and the key")

    def _hidden(self, text: str) -> str:
        return text.replace(self.key, "***") if self.key else text


def asked_to_wait(headers: Mapping[str, str]) -> float:
    """The seconds that a server asks to wait: a number or a date in `Retry-After`; 0 where it asks nothing."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        return _seconds_until(value)


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _check_address(base_url: str) -> None:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise SettingsError(f"--base-url is no address: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(f"--base-url is {base_url!r}; expected an address like https://api.example.org/v1")
    if url.userinfo or url.query or url.fragment:
        raise SettingsError("--base-url must hold no password, query or fragment; the key comes from the environment")


def _message(found: httpx.Response) -> str:
    """What a server says of its refusal."""
    try:
        told = found.json()["error"]
        return str(told["message"] if isinstance(told, dict) else told)
    except (ValueError, KeyError, TypeError):
        return found.text


def _answer(found: httpx.Response, shown: str) -> Answer:
    try:
        told = found.json()
        choice = told["choices"][0]
        content, reason = choice["message"]["content"], str(choice.get("finish_reason"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise PassingError(f"{found.url} answered what is no chat completion: {shown[:SHOWN]!r}") from error
    if not isinstance(content, str | None):
        raise PassingError(f"{found.url} answered with {type(content).__name__} for a text")
    if content is None or not sentences(content):
        raise QuestionError(f"the answer holds no sentence (it ended by {reason!r}; --max-tokens gives it more room)")
    usage = told.get("usage") or {}
    # Half of a surrogate pair, which JSON can spell, is no text that a file could hold.
    text = content.encode("utf-8", "replace").decode("utf-8")
    return Answer(
        text, reason, str(told.get("model", "")), _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    )


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else None
