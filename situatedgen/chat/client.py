"""Query a model behind any OpenAI-compatible API concurrently, caching every answer on disk."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import httpx

from situatedgen.chat.costs import Answer, Budget, Memory, Outcome
from situatedgen.errors import ModelError, SettingsError
from situatedgen.progress import Progress, Silent

try:
    import openai
    from openai.types.chat import ChatCompletion
except ImportError as missing:
    raise SettingsError("language models need the openai client: pip install 'situatedgen[llm]'") from missing

# Statuses that mean a wrong model, address or key, so that every other prompt would fail too.
ENDING = frozenset({401, 402, 403, 404, 405, 410})
RETRIED, OK, TIMEOUT, FAULT = frozenset({408, 409, 429}), 200, 408, 500
FIXED = frozenset({"messages", "model", "n", "stream"})
EXPECTED = "expected one like https://api.example.org/v1"
SHOWN = 300
NAME = "answers"
Read = Callable[[Answer], object]
"""Parses an answer, and raises a ModelError if it is unusable."""
Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Base URL, model and request fields of an API; the key is never shown.

    If there is a `name`, it replaces the address in messages and in cache keys.
    """

    base_url: str
    model: str
    fields: Mapping[str, Json]
    key: str = field(default="", repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        """Raise if the endpoint is invalid.

        Raises:
            SettingsError: the base URL, a field or the key is not allowed.
        """
        _check_address(self.base_url)
        ours = sorted(FIXED & set(self.fields))
        if ours:
            raise SettingsError(f"the request field {ours[0]!r} is reserved and cannot be set")
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise SettingsError("the key contains characters that a header cannot carry; check the variable")

    @property
    def address(self) -> str:
        """The URL that prompts are sent to."""
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def shown(self) -> str:
        """What messages show as the address."""
        return self.name or self.address

    def body(self, prompt: str) -> dict[str, Json]:
        """The request body; fields set to null are omitted."""
        given: dict[str, Json] = {name: value for name, value in self.fields.items() if value is not None}
        return {"model": self.model, "messages": [{"role": "user", "content": prompt}], **given}

    def digest(self, prompt: str) -> str:
        """Cache key of an answer: a digest of the request and its address, without the API key."""
        sent = json.dumps([self.shown, self.body(prompt)], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(sent.encode("utf-8")).hexdigest()

    def hide(self, text: str) -> str:
        """Mask the API key in a text, and also the address if a name replaces it."""
        place = (self.base_url, httpx.URL(self.base_url).host) if self.name else ()
        for secret in filter(None, (self.key, *place)):
            text = text.replace(secret, "***")
        return text


@dataclass(frozen=True, slots=True)
class Manner:
    """How prompts are sent: concurrency, retries, timeout, and the number of consecutive failures that stops the run.

    `tries` counts attempts at failing requests, `readings` attempts at unusable answers.
    """

    concurrency: int = 8
    tries: int = 6
    timeout: float = 60.0
    readings: int = 1
    most_lost_in_a_row: int = 5


def answers(
    prompts: Mapping[str, str],
    endpoint: Endpoint,
    memory: Memory,
    *,
    read: Read,
    manner: Manner = Manner(),  # noqa: B008 (frozen)
    budget: Budget | None = None,
    progress: Progress = Silent(),  # noqa: B008 (it has no state)
) -> Outcome:
    """Answers to prompts, by example id; cached ones are not requested again.

    The outcome records failed prompts and what stopped the run, an error or a spent budget. After a stop, no more
    prompts are sent, but answers in flight are awaited and cached.

    Raises:
        StoreError: an answer cannot be cached.
    """
    known = {example_id: memory.find(endpoint.digest(prompt)) for example_id, prompt in prompts.items()}
    outcome = Outcome({each: answer for each, answer in known.items() if answer and _is_usable(answer, read)})
    progress.start(NAME, len(prompts), done=len(outcome.answers))
    new = {example_id: prompt for example_id, prompt in prompts.items() if example_id not in outcome.answers}
    if new:
        run = _Run(endpoint, memory, read, manner, Budget() if budget is None else budget, progress, outcome)
        asyncio.run(run.ask_all(new))
    return outcome


def _is_usable(answer: Answer, read: Read) -> bool:
    try:
        read(answer)
    except ModelError:
        return False
    return True


@dataclass(slots=True)
class _Run:
    """One run, whose prompts are shared among workers."""

    endpoint: Endpoint
    memory: Memory
    read: Read
    manner: Manner
    budget: Budget
    progress: Progress
    outcome: Outcome
    lost_in_a_row: int = 0

    async def ask_all(self, prompts: Mapping[str, str]) -> None:
        """Send all prompts, each through the next free worker."""
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
                answer = await self._usable(prompt, client)
            except openai.APIError as error:
                self._lose(example_id, self._reason(error), status=getattr(error, "status_code", TIMEOUT))
            except ModelError as error:
                self._lose(example_id, str(error), status=OK)
            else:
                if answer is not None:
                    self._keep(example_id, prompt, answer)
            if self.outcome.stopped:
                return

    async def _usable(self, prompt: str, client: openai.AsyncOpenAI) -> Answer | None:
        """A usable answer to a prompt, requested again if unusable; None if the budget is spent."""
        for reading in range(self.manner.readings):
            if limit := self.budget.limit_reached():
                self._stop(limit)
                return None
            answer = None
            self.budget.begin()
            try:
                answer = await self._ask(prompt, client)
                self.read(answer)
            except ModelError:
                if reading + 1 == self.manner.readings:
                    raise
            else:
                return answer
            finally:
                self.budget.end(answer)
        return None

    async def _ask(self, prompt: str, client: openai.AsyncOpenAI) -> Answer:
        """Request one answer; the client itself retries where that may help."""
        body = self.endpoint.body(prompt)
        raw = await client.chat.completions.with_raw_response.create(
            model=self.endpoint.model,
            messages=[{"role": "user", "content": prompt}],
            extra_body=body,
            extra_headers={} if self.endpoint.key else {"Authorization": openai.omit},
        )
        self.outcome.retries += raw.retries_taken
        try:
            return _to_answer(raw.parse())
        except (ValueError, AttributeError, IndexError, TypeError) as error:  # the client checks no shapes
            detail = self.endpoint.hide(raw.http_response.text)[:SHOWN]
            raise ModelError(
                f"{self.endpoint.shown} returned something other than a chat completion: {detail!r}"
            ) from error

    def _keep(self, example_id: str, prompt: str, answer: Answer) -> None:
        self.memory.keep(self.endpoint.digest(prompt), prompt, answer)
        self.outcome.answers[example_id] = answer
        self.outcome.asked.append(example_id)
        self.lost_in_a_row = 0
        self.progress.advance(NAME, 1, str(self.budget))

    def _lose(self, example_id: str, reason: str, *, status: int) -> None:
        reason = self.endpoint.hide(reason)
        self.outcome.lost[example_id] = reason
        self.lost_in_a_row += 1
        if status in RETRIED or status >= FAULT:
            self.outcome.passing.add(example_id)
            self.outcome.retries += self.manner.tries - 1
        if status in ENDING:
            self._stop(f"{reason}; check the base URL, the name of the model and the key")
        elif self.lost_in_a_row >= self.manner.most_lost_in_a_row:
            self._stop(f"{self.lost_in_a_row} consecutive requests failed, the last because {reason}")

    def _stop(self, reason: str) -> None:
        self.outcome.stopped = self.outcome.stopped or reason

    def _reason(self, error: openai.APIError) -> str:
        """One-line description of an API error."""
        if isinstance(error, openai.APITimeoutError):
            return f"{self.endpoint.shown} did not answer within {self.manner.timeout:g} s"
        if not isinstance(error, openai.APIStatusError):
            return f"{self.endpoint.shown}: {error.__cause__ or error}"
        detail = error.body.get("message") if isinstance(error.body, dict) else error.body
        message = " ".join(self.endpoint.hide(str(detail or error.response.text)).split())[:SHOWN]
        status = f"{error.status_code} {error.response.reason_phrase}"
        return f"{self.endpoint.shown} returned {status}: {message or 'no reason given'}"


def _to_answer(completion: ChatCompletion) -> Answer:
    """Convert a completion; the text is empty if it has none, as after a refusal."""
    choice = completion.choices[0]
    content, usage = choice.message.content, completion.usage
    # JSON can contain lone surrogates, which cannot be written to a file.
    text = content.encode("utf-8", "replace").decode("utf-8") if isinstance(content, str) else ""
    counts = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    prompt, answer = (count if isinstance(count, int) and count >= 0 else None for count in counts)
    return Answer(text, str(choice.finish_reason), str(completion.model or ""), prompt, answer)


def _check_address(base_url: str) -> None:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise SettingsError(f"the base URL is not a valid URL; {EXPECTED}") from None  # its message holds the address
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(f"the base URL is not a web address; {EXPECTED}")
    if url.userinfo or url.query or url.fragment:
        raise SettingsError(
            "the base URL must not contain a password, query or fragment; set the key in the environment"
        )
