"""What must be held while a model is asked, such as a slot of a GPU; nothing unless whoever runs the build says so."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

Guard = Callable[[str, ModelParams, Runtime], AbstractContextManager[None]]
"""Told the role of a model, its params and how it runs; fit to be sent to another process."""


def nothing(role: str, params: ModelParams, runtime: Runtime) -> AbstractContextManager[None]:  # noqa: ARG001
    """Hold nothing."""
    return nullcontext()


_guard: ContextVar[Guard] = ContextVar("guard", default=nothing)


def current() -> Guard:
    """What is to be held at the moment."""
    return _guard.get()


@contextmanager
def guarding(guard: Guard) -> Iterator[None]:
    """Hold what a guard says whenever a model is asked within this block."""
    token = _guard.set(guard)
    try:
        yield
    finally:
        _guard.reset(token)
