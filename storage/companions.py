"""Processes that load models while a build is still on its way to them, answer its few questions, and lend a hand.

After a small change models are asked little, and most of what that costs is loading them. Where sources changed, it
is done beside the build. What a companion says is what this process would say, and does, where a companion fails.
This module imports nothing that takes long, so that a companion is started before anything else is done.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock, active_count
from typing import TYPE_CHECKING, Any, TypeVar

from storage.attending import METHODS, Asked, Begun, Called, Charge, attend, make, models_of

if TYPE_CHECKING:
    from situatedgen.params import ModelParams
    from situatedgen.runtime import Runtime
    from situatedgen.settings import Settings

Answer = TypeVar("Answer")
THREADED = frozenset({"numpy", "polars", "torch"})
"""Libraries with threads of their own."""
CALLED = ("storage.builds", "situatedgen.report.contents")
"""The code that is called beside a build: what publishes it."""
ASKED_FIRST = Called(import_module, ("situatedgen.models.rule_converter",))
"""What a build of nearly any settings asks, and what takes longest to import of it: there before they are read."""


class NoAnswerError(Exception):
    """A companion is gone, or cannot answer; whoever asked then asks a model of its own, which tells why."""


@dataclass
class Companion:
    """A process with models of its own; it ends when nobody is left to ask it."""

    process: BaseProcess
    connection: Connection
    alone: Lock = field(default_factory=Lock)

    @classmethod
    def started(cls, *first: Called) -> "Companion":
        """A new process, which has no models yet, and makes some calls before anything else."""
        method = "fork" if can_fork() else "spawn"
        context: Any = get_context(method)  # Any: mypy knows the methods one by one
        here, there = context.Pipe()
        inherited = [here, *(each.connection for each in _all())] if method == "fork" else []
        process = context.Process(target=attend, args=(there, first, inherited), daemon=True)
        process.start()
        there.close()
        return cls(process, here)

    def dismiss(self) -> None:
        """Send it home, whatever it is doing: it has nothing to lose."""
        self.connection.close()
        self.process.kill()
        self.process.join()

    def tell(self, what: Charge | Begun) -> None:
        """Tell it something that has no answer."""
        with suppress(OSError):
            self.connection.send(what)

    def ask(self, role: str, questions: Sequence[object]) -> Any:  # Any: as the Protocol of a role says
        """What the model of a role answers.

        Raises:
            NoAnswerError: it cannot, or the process is gone.
        """
        return self._answer(Asked(role, questions))

    def call(self, function: Callable[..., Answer], *given: object) -> Answer:
        """What a function answers.

        Raises:
            NoAnswerError: it fails there, or the process is gone.
        """
        answer: Answer = self._answer(Called(function, given))
        return answer

    def _answer(self, request: Asked | Called) -> Any:  # Any: as above
        with self.alone:
            try:
                self.connection.send(request)
                _charge_next()
                while _meanwhile and not self.connection.poll():
                    make(_meanwhile.pop(0))
                is_answered, answer = self.connection.recv()
            except (OSError, EOFError) as error:
                raise NoAnswerError from error
        if not is_answered:
            raise NoAnswerError
        return answer


@dataclass(frozen=True)
class Distant:
    """A model of a companion, asked as if it were here."""

    role: str
    companion: Companion

    def __getattr__(self, method: str) -> Callable[[Sequence[object]], Any]:  # Any: as the Protocol of the role says
        """How the model is asked."""
        if method != METHODS[self.role]:
            raise AttributeError(method)
        return lambda questions: self.companion.ask(self.role, questions)


_idle: list[Companion] = []
_with_models: dict[tuple[str, "ModelParams"], Companion] = {}
_charges: list[Charge] = []
_ready: list[Companion] = []
_meanwhile: list[Called] = []
"""What this process will have to import, and may import while it waits for an answer."""
_needed: list[Called] = []
"""What a companion imports that gets ready to be called."""


def can_fork() -> bool:
    """Whether this process has only begun, with one thread and none of the libraries that do not survive a fork.

    To fork takes no time, and what was imported until then is there.
    """
    return active_count() == 1 and not THREADED & sys.modules.keys()


def begin(*, store: Path, sources: Path, workers: int) -> None:
    """Start a companion before anything else is done, where models will probably be asked something."""
    if _are_of_use(store, sources, workers):
        _idle.append(Companion.started(ASKED_FIRST))


@contextmanager
def accompanied(*, store: Path, sources: Path, workers: int) -> Iterator[None]:
    """A process beside what is done within this block, where models will probably be asked something.

    There is none where one process is to do all the work.
    """
    if not _are_of_use(store, sources, workers):
        _dismiss_all()
    elif not _idle:
        _idle.append(Companion.started())
    try:
        yield
    finally:
        _dismiss_all()


def _are_of_use(store: Path, sources: Path, workers: int) -> bool:
    return (workers or len(os.sched_getaffinity(0))) > 1 and seem_changed(sources, store)


def _all() -> tuple[Companion, ...]:
    return (*_idle, *_with_models.values())


def _dismiss_all() -> None:
    _charges.clear()
    _meanwhile.clear()
    _needed.clear()
    for each in _all():
        each.dismiss()
    _idle.clear()
    _with_models.clear()
    _ready.clear()


def seem_changed(sources: Path, store: Path) -> bool:
    """Whether a file of the sources was written after the latest build of a store: a guess, without reading any."""
    try:
        built = max((path.stat().st_mtime_ns for path in store.glob("builds/*.json")), default=None)
        return built is not None and any(path.stat().st_mtime_ns > built for path in sources.rglob("*"))
    except OSError:  # such as a link that leads nowhere: the build will say so
        return False


def load_beside(settings: "Settings", runtime: "Runtime") -> None:
    """Let a companion, where there is one, load the models of the settings.

    Those of one core go first, all in one process. The others follow in another one when the first question is
    asked, for there is not always one for them.
    """
    from situatedgen.models.registry import implementation  # noqa: PLC0415  # takes long

    if _idle:
        _charges.extend(Charge(models_of(settings, one_core=one_core), runtime) for one_core in (True, False))
        _meanwhile.extend(Called(import_module, (module,)) for module in CALLED)
        others = [(role, params.name) for _, role, params in settings.models() if role not in METHODS]
        _needed.extend([*(Called(implementation, other) for other in others), *_meanwhile])
        _charge_next()
        if can_fork():
            _idle.append(Companion.started())


def distant(role: str, params: "ModelParams") -> Distant | None:
    """The model of a companion, where there is one."""
    found = _with_models.get((role, params))
    return None if found is None else Distant(role, found)


def get_ready() -> None:
    """Let a companion, where there is one, get ready to be called: no model will be asked again."""
    if _with_models and not _ready:
        _ready.append(next(iter(_with_models.values())))
        _ready[0].tell(Begun(tuple(_needed)))


def is_ready() -> bool:
    """Whether a companion waits to be called."""
    return bool(_ready)


def call_ahead(function: Callable[..., object], /, *given: object) -> None:
    """Let a companion that is ready, where there is one, make a call whose answer nobody waits for."""
    for companion in _ready:
        companion.tell(Begun((Called(function, given),)))


def call(function: Callable[..., Answer], /, *given: object) -> Answer:
    """What a function answers that stands in a module: called by a companion that is ready for it, or else here."""
    for companion in _ready:
        with suppress(NoAnswerError):
            return companion.call(function, *given)
    return function(*given)


def _charge_next() -> None:
    """Give the next models to a companion."""
    charge = _charges.pop(0) if _charges else Charge()
    if charge.models:
        companion = _idle.pop(0) if _idle else Companion.started()
        companion.tell(charge)
        _with_models.update(dict.fromkeys(charge.models.items(), companion))
