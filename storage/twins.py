"""Questions half of which a copy of this process answers: it has all models that this one has, and is there at once."""

import os
from collections.abc import Callable, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NoReturn, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Answering = Callable[[Sequence[Question]], Sequence[Answer]]
MANY = 32
"""With fewer questions than these a copy would hardly be spared anything."""


def halved(answer: Answering[Question, Answer], questions: Sequence[Question]) -> list[Answer]:
    """The answer to each question, in order; those of the second half by a twin, or here where that fails.

    Only for models that use one core: threads of theirs would not be there in the twin.
    """
    if len(questions) < MANY or len(os.sched_getaffinity(0)) < 2:
        return list(answer(questions))
    middle = len(questions) // 2
    here, there = Pipe(duplex=False)
    twin = os.fork()
    if not twin:
        _answer_and_end(answer, questions[middle:], there)
    there.close()
    try:
        return [*answer(questions[:middle]), *(_received(here) or answer(questions[middle:]))]
    finally:
        here.close()
        os.waitpid(twin, 0)


def _answer_and_end(answer: Answering[Question, Answer], questions: Sequence[Question], there: Connection) -> NoReturn:
    """End this process with its answers, or without a word where it has none: whoever waits for it asks again."""
    try:
        there.send(answer(questions))
    finally:
        os._exit(0)


def _received(here: "Connection[None, Sequence[Answer]]") -> Sequence[Answer] | None:
    """What the twin answered; nothing where it failed."""
    try:
        return here.recv()
    except (EOFError, OSError):
        return None
