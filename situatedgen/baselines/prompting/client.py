"""Asks a model behind any OpenAI-compatible address: some prompts at a time, every answer remembered on disk."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import httpx

from situatedgen.baselines.prompting.answers import Answer, Memory, Outcome
from situatedgen.baselines.prompting.costs import Prices, format_tokens
from situatedgen.baselines.prompting.prompts import sentences
from situatedgen.errors import ModelError, SettingsError
from situatedgen.progress import Progress, Silent

try:
    import openai
    from openai.types.chat import ChatCompletion
except ImportError as missing:
    raise SettingsError("prompting needs the openai client; pip install 'situatedgen[llm]'") from missing

# The model, the address or the key is wrong: no other prompt will be answered either.
ENDING = frozenset({401, 402, 403, 404, 405, 410})
RETRIED, OK, TIMEOUT, FAULT = frozenset({408, 409, 429}), 200, 408, 500
FIXED = frozenset({"messages", "model", "n", "stream"})
SHOWN = 300
NAME = "answers"
Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None


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
            SettingsError: no web address, one that holds a password, a field that is ours, a key no header can carry.
        """
        _check_address(self.base_url)
        ours = sorted(FIXED & set(self.fields))
        if ours:
            raise SettingsError(f"--set {ours[0]}=… cannot be set: it is given by the command itself")
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise SettingsError("the key holds signs that no header can carry; look at the variable again")

    @property
    def address(self) -> str:
        """Where prompts are sent."""
        return f"{self.base_url.rstrip('/')}/chat/completions"

    def body(self, prompt: str) -> dict[str, Json]:
        """A request as it is sent; a field set to null is left out."""
        given: dict[str, Json] = {name: value for name, value in self.fields.items() if value is not None}
        return {"model": self.model, "messages": [{"role": "user", "content": prompt}], **given}

    def digest(self, prompt: str) -> str:
        """What an answer is remembered by: all that is sent, and where, but not the key."""
        sent = json.dumps([self.address, self.body(prompt)], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(sent.encode("utf-8")).hexdigest()

    def hide_key(self, text: str) -> str:
        """A text in which the key cannot be read."""
        return text.replace(self.key, "***") if self.key else text


@dataclass(frozen=True, slots=True)
class Manner:
    """How prompts are sent: how many at a time, how often, how long; and after how many lost in a row to stop."""

    concurrency: int = 8
    tries: int = 6
    timeout: float = 60.0
    most_lost_in_a_row: int = 5


def answers(
    prompts: Mapping[str, str],
    endpoint: Endpoint,
    memory: Memory,
    *,
    manner: Manner = Manner(),  # noqa: B008 (frozen)
    prices: Prices = Prices(),  # noqa: B008 (frozen)
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
) -> Outcome:
    """What an endpoint answers to prompts by example id; what is remembered is not asked for again.

    Trouble with a prompt is told in the outcome. So is trouble that ends the run: then no more prompts are sent, and
    answers on their way are waited for and remembered.

    Raises:
        StoreError: an answer cannot be remembered.
    """
    known = {example_id: memory.find(endpoint.digest(prompt)) for example_id, prompt in prompts.items()}
    outcome = Outcome({example_id: answer for example_id, answer in known.items() if answer is not None})
    progress.start(NAME, len(prompts), done=len(outcome.answers))
    new = {example_id: prompt for example_id, prompt in prompts.items() if known[example_id] is None}
    if new:
        asyncio.run(_Run(endpoint, memory, manner, prices, progress, outcome).ask_all(new))
    return outcome


@dataclass(slots=True)
class _Run:
    """The prompts of one run, shared among workers."""

    endpoint: Endpoint
    memory: Memory
    manner: Manner
    prices: Prices
    progress: Progress
    outcome: Outcome
    lost_in_a_row: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    async def ask_all(self, prompts: Mapping[str, str]) -> None:
        """Send all prompts, each by the next worker that is free."""
        waiting = iter(prompts.items())
        async with openai.AsyncOpenAI(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key or "none",  # never looked up in the environment
            max_retries=self.manner.tries - 1,
            timeout=self.manner.timeout,
        ) as client:
            workers = min(self.manner.concurrency, len(prompts))
            await asyncio.gather(*(self._work(waiting, client) for _ in range(workers)))

    async def _work(self, waiting: Iterator[tuple[str, str]], client: openai.AsyncOpenAI) -> None:
        for example_id, prompt in waiting:
            try:
                answer = await self._ask(prompt, client)
            except openai.APIError as error:
                self._lose(example_id, self._reason(error), status=getattr(error, "status_code", TIMEOUT))
            except ModelError as error:
                self._lose(example_id, str(error), status=OK)
            else:
                self._keep(example_id, prompt, answer)
            if self.outcome.stopped:
                return

    async def _ask(self, prompt: str, client: openai.AsyncOpenAI) -> Answer:
        """The answer to a prompt; the client itself tries again where that may help."""
        body = self.endpoint.body(prompt)
        raw = await client.chat.completions.with_raw_response.create(
            model=self.endpoint.model,
            messages=[{"role": "user", "content": prompt}],
            extra_body=body,
            extra_headers={} if self.endpoint.key else {"Authorization": openai.omit},
        )
        self.outcome.retries += raw.retries_taken
        try:
            return _read(raw.parse())
        except (ValueError, AttributeError, IndexError, TypeError) as error:  # the client checks no shapes
            told = self.endpoint.hide_key(raw.http_response.text)[:SHOWN]
            raise ModelError(f"{self.endpoint.address} answered what is no chat completion: {told!r}") from error

    def _keep(self, example_id: str, prompt: str, answer: Answer) -> None:
        self.memory.keep(self.endpoint.digest(prompt), prompt, answer)
        self.outcome.answers[example_id] = answer
        self.outcome.asked.append(example_id)
        self.lost_in_a_row = 0
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0
        self.progress.advance(NAME, 1, format_tokens(self.prompt_tokens, self.completion_tokens, self.prices))

    def _lose(self, example_id: str, reason: str, *, status: int) -> None:
        reason = self.endpoint.hide_key(reason)
        self.outcome.lost[example_id] = reason
        self.lost_in_a_row += 1
        if status in RETRIED or status >= FAULT:
            self.outcome.retries += self.manner.tries - 1
        if status in ENDING:
            self._stop(f"{reason}; check --base-url, --model and the key")
        elif self.lost_in_a_row >= self.manner.most_lost_in_a_row:
            self._stop(f"{self.lost_in_a_row} questions in a row failed, the last because {reason}")

    def _stop(self, reason: str) -> None:
        self.outcome.stopped = self.outcome.stopped or reason

    def _reason(self, error: openai.APIError) -> str:
        """What went wrong, in one line."""
        if isinstance(error, openai.APITimeoutError):
            return f"{self.endpoint.address} did not answer within {self.manner.timeout:g} s"
        if not isinstance(error, openai.APIStatusError):
            return f"{self.endpoint.address}: {error.__cause__ or error}"
        told = error.body.get("message") if isinstance(error.body, dict) else error.body
        message = " ".join(self.endpoint.hide_key(str(told or error.response.text)).split())[:SHOWN]
        status = f"{error.status_code} {error.response.reason_phrase}"
        return f"{self.endpoint.address} answered {status}: {message or 'no reason given'}"


def _read(completion: ChatCompletion) -> Answer:
    """The answer in a completion.

    Raises:
        ModelError: it holds no sentence.
    """
    choice = completion.choices[0]
    content, reason, usage = choice.message.content, str(choice.finish_reason), completion.usage
    if not isinstance(content, str) or not sentences(content):
        raise ModelError(f"the answer holds no sentence (it ended by {reason!r}; --max-tokens gives it more room)")
    # Half of a surrogate pair, which JSON can spell, is no text that a file could hold.
    text = content.encode("utf-8", "replace").decode("utf-8")
    counts = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    prompt, answer = (count if isinstance(count, int) and count >= 0 else None for count in counts)
    return Answer(text, reason, str(completion.model or ""), prompt, answer)


def _check_address(base_url: str) -> None:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise SettingsError(f"--base-url is no address: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(f"--base-url is {base_url!r}; expected an address like https://api.example.org/v1")
    if url.userinfo or url.query or url.fragment:
        raise SettingsError("--base-url must hold no password, query or fragment; the key comes from the environment")
