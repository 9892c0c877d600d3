"""Many questions to one endpoint: some at a time, tried again, remembered, and stopped when it is no use."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import httpx

from situatedgen.baselines.prompting.endpoint import Answer, Endpoint, PassingError, QuestionError
from situatedgen.baselines.prompting.memory import Memory
from situatedgen.errors import ModelError
from situatedgen.seeds import generator

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
LONGEST_ASKED_PAUSE = 600.0
CONNECT_SECONDS = 10.0


class Listener(Protocol):
    """Told how the questions go."""

    def remembered(self, answers: int) -> None:
        """So many answers were there already."""

    def answered(self, answer: Answer) -> None:
        """One more answer came."""

    def paused(self, reason: str, seconds: float) -> None:
        """A question is tried again after so many seconds."""


class Nobody:
    """The listener that does nothing."""

    def remembered(self, answers: int) -> None:
        """Nobody listens."""

    def answered(self, answer: Answer) -> None:
        """Nobody listens."""

    def paused(self, reason: str, seconds: float) -> None:
        """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How questions are asked: how many at a time, how often, how long; and after how many lost in a row to stop."""

    concurrency: int = 8
    tries: int = 6
    timeout: float = 60.0
    most_lost_in_a_row: int = 5
    first_pause: float = FIRST_PAUSE
    seed: int = 0


@dataclass(slots=True)
class Outcome:
    """What came of the questions, by example id: answers, those that were asked for now, and why others failed."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    retries: int = 0


def answers(
    prompts: Mapping[str, str],
    endpoint: Endpoint,
    memory: Memory,
    *,
    manner: Manner = Manner(),  # noqa: B008 (frozen)
    listener: Listener = Nobody(),  # noqa: B008 (it has no state)
) -> Outcome:
    """What an endpoint answers to prompts by example id; what is remembered is not asked for again.

    Trouble with a question is told in the outcome. So is trouble that ends the run: then no more questions are
    sent, and those on their way are waited for and remembered.

    Raises:
        StoreError: an answer cannot be remembered.
    """
    outcome, questions = Outcome(), {}
    for example_id, prompt in prompts.items():
        known = memory.find(endpoint.digest(prompt))
        if known is None:
            questions[example_id] = prompt
        else:
            outcome.answers[example_id] = known
    listener.remembered(len(outcome.answers))
    if questions:
        asyncio.run(_Round(endpoint, memory, manner, listener, outcome).ask_all(questions))
    return outcome


@dataclass(slots=True)
class _Round:
    """The questions of one run, shared among workers."""

    endpoint: Endpoint
    memory: Memory
    manner: Manner
    listener: Listener
    outcome: Outcome
    lost_in_a_row: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask_all(self, questions: Mapping[str, str]) -> None:
        """Ask all questions, each by the next worker that is free."""
        waiting = iter(questions.items())
        limits = httpx.Limits(max_connections=self.manner.concurrency)
        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
        async with httpx.AsyncClient(limits=limits, timeout=timeout, headers={"User-Agent": "situatedgen"}) as web:
            workers = min(self.manner.concurrency, len(questions))
            await asyncio.gather(*(self._work(waiting, web) for _ in range(workers)))

    async def _work(self, waiting: Iterator[tuple[str, str]], web: httpx.AsyncClient) -> None:
        for example_id, prompt in waiting:
            try:
                answer = await self._ask(prompt, web)
            except (PassingError, QuestionError) as error:
                self._lose(example_id, str(error))
            except ModelError as error:
                self._end(str(error))
            else:
                await self._keep(example_id, prompt, answer)
            if self.ended.is_set():
                return

    async def _ask(self, prompt: str, web: httpx.AsyncClient) -> Answer:
        """The answer to a prompt, tried again after longer and longer pauses."""
        for attempt in range(1, self.manner.tries):
            try:
                return await self.endpoint.ask(prompt, web, timeout=self.manner.timeout)
            except PassingError as error:
                await self._pause(prompt, attempt, error)
                if self.ended.is_set():
                    raise
        return await self.endpoint.ask(prompt, web, timeout=self.manner.timeout)

    async def _pause(self, prompt: str, attempt: int, error: PassingError) -> None:
        """Wait as long as the server asks, or a time that doubles, moved by chance so that workers do not meet."""
        doubled = min(self.manner.first_pause * 2 ** (attempt - 1), LONGEST_PAUSE)
        chance = generator(self.manner.seed, "pause", prompt, str(attempt)).random()
        seconds = max(doubled * (1 + chance) / 2, min(error.wait, LONGEST_ASKED_PAUSE))
        self.outcome.retries += 1
        self.listener.paused(str(error), seconds)
        try:
            await asyncio.wait_for(self.ended.wait(), seconds)
        except TimeoutError:
            return

    async def _keep(self, example_id: str, prompt: str, answer: Answer) -> None:
        # A disk may take its time over a file; the other workers go on meanwhile.
        await asyncio.to_thread(self.memory.keep, self.endpoint.digest(prompt), prompt, answer)
        self.outcome.answers[example_id] = answer
        self.outcome.asked.append(example_id)
        self.lost_in_a_row = 0
        self.listener.answered(answer)

    def _lose(self, example_id: str, reason: str) -> None:
        self.outcome.lost[example_id] = reason
        self.lost_in_a_row += 1
        if self.lost_in_a_row >= self.manner.most_lost_in_a_row:
            self._end(f"{self.lost_in_a_row} questions in a row failed, the last because {reason}")

    def _end(self, reason: str) -> None:
        self.outcome.stopped = self.outcome.stopped or reason
        self.ended.set()
