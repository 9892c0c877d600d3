"""Processes that load models while a build is still on its way to them, and answer its few questions.

After a small change models are asked little, and most of what that costs is loading them. Where sources changed, it
is done beside the build. What a companion says is what this process would say, and does, where a companion fails.
This module imports nothing that takes long, so that a companion is started before anything else is done.
"""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from situatedgen.params import ModelParams
    from situatedgen.records import Conversion
    from situatedgen.runtime import Runtime
    from situatedgen.settings import Settings

METHODS = {"converter": "convert", "tagger": "tag", "nouns": "find", "parser": "parse", "encoder": "encode"}
"""How the model of each role is asked."""


class NoAnswerError(Exception):
    """A companion is gone, or cannot answer; whoever asked then asks a model of its own, which tells why."""


@dataclass
class Companion:
    """A process with models of its own; it ends when nobody is left to ask it."""

    process: BaseProcess
    connection: Connection
    alone: Lock = field(default_factory=Lock)

    @classmethod
    def started(cls) -> "Companion":
        """A new process, which has no models yet."""
        # Threads and numeric libraries of this process would not survive a fork.
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there,), daemon=True)
        process.start()
        there.close()
        return cls(process, here)

    def dismiss(self) -> None:
        """Send it home, whatever it is doing: it has nothing to lose."""
        self.connection.close()
        self.process.kill()
        self.process.join()

    def load(self, models: Mapping[str, "ModelParams"], runtime: "Runtime") -> None:
        """Let it begin to load models by their roles, the first one first."""
        with suppress(OSError):
            self.connection.send((models, runtime))

    def ask(self, role: str, questions: Sequence[object]) -> Any:  # Any: as the Protocol of a role says
        """What the model of a role answers.

        Raises:
            NoAnswerError: it cannot, or the process is gone.
        """
        with self.alone:
            try:
                self.connection.send((role, questions))
                _start_next()
                is_answered, answers = self.connection.recv()
            except (OSError, EOFError) as error:
                raise NoAnswerError from error
        if not is_answered:
            raise NoAnswerError
        return answers


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
_next: list[tuple[dict[str, "ModelParams"], "Runtime"]] = []


@contextmanager
def accompanied(*, store: Path, sources: Path, workers: int) -> Iterator[None]:
    """A process beside what is done within this block, where models will probably be asked something.

    There is none where one process is to do all the work.
    """
    if (workers or len(os.sched_getaffinity(0))) > 1 and seem_changed(sources, store):
        _idle.append(Companion.started())
    try:
        yield
    finally:
        _next.clear()
        for each in (*_idle, *_with_models.values()):
            each.dismiss()
        _idle.clear()
        _with_models.clear()


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
    asked, for there is not always one for them. A model that names no packages is soon loaded.
    """
    from situatedgen.models.registry import entry  # noqa: PLC0415  # takes long

    if not _idle:
        return
    for one_core in (True, False):
        models = {
            role: params
            for _, role, params in settings.models()
            if role in METHODS and (found := entry(role, params.name)).packages and found.one_core is one_core
        }
        _next.append((models, runtime))
    _start_next()


def distant(role: str, params: "ModelParams") -> Distant | None:
    """The model of a companion, where there is one."""
    found = _with_models.get((role, params))
    return None if found is None else Distant(role, found)


def _start_next() -> None:
    """Give the next models to a companion."""
    models, runtime = _next.pop(0) if _next else ({}, None)
    if models and runtime:
        companion = _idle.pop() if _idle else Companion.started()
        companion.load(models, runtime)
        _with_models.update(dict.fromkeys(models.items(), companion))


def _serve(connection: Connection) -> None:
    """Load models while nobody asks, and answer until whoever asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_module("situatedgen.models.registry")
    with suppress(EOFError, OSError):
        desk = Desk(*connection.recv())
        while True:
            if not connection.poll() and desk.work_ahead():
                continue
            connection.send(desk.answer(*connection.recv()))


@dataclass
class Desk:
    """What a companion works at: models that wait to be loaded, models that are, and what will be asked next."""

    waiting: dict[str, "ModelParams"]
    runtime: "Runtime"
    loaded: dict[str, Any] = field(default_factory=dict)  # Any: Protocols of `roles`, by role
    foreseen: list[str] = field(default_factory=list)
    tagged: dict[object, Any] = field(default_factory=dict)  # Any: the entities of a text

    def answer(self, role: str, questions: Sequence[object]) -> tuple[bool, Any]:  # Any: as the Protocol of a role says
        """Whether the model of a role can answer, and what."""
        try:
            answers = self._ask(role, questions)
        except Exception:  # noqa: BLE001  # whoever asked meets it again
            return False, None
        if role == "converter":
            self.foreseen = _statements(answers)
        return True, answers

    def work_ahead(self) -> bool:
        """Do something that will be asked for: load a model, or tag what was just stated; nothing when all is done."""
        with suppress(Exception):  # whoever asks meets it again
            if self.foreseen and "tagger" in self.loaded:
                texts, self.foreseen = self.foreseen, []
                self.tagged.update(zip(texts, self.loaded["tagger"].tag(texts), strict=True))
                return True
            if self.waiting:
                role = next(iter(self.waiting))
                self._ask(role, [_trial(role)])
                return True
        return bool(self.waiting)

    def _ask(self, role: str, questions: Sequence[object]) -> Any:  # Any: as above
        if role in self.waiting:
            self._load(role, self.waiting.pop(role))
        if role == "tagger" and all(text in self.tagged for text in questions):
            return [self.tagged[text] for text in questions]
        return getattr(self.loaded[role], METHODS[role])(questions)

    def _load(self, role: str, params: "ModelParams") -> None:
        """Load a model, and import no more than it is asked with."""
        from situatedgen.models.importing import TORCH, import_torch_to_ask  # noqa: PLC0415  # takes long
        from situatedgen.models.registry import entry, load  # noqa: PLC0415

        if TORCH in entry(role, params.name).packages:
            import_torch_to_ask()
        self.loaded[role] = load(role, params, self.runtime)


def _statements(conversions: Sequence["Conversion"]) -> list[str]:
    """The texts that a tagger will be asked when questions were converted."""
    from situatedgen.rules.tidy import tidy_sentence  # noqa: PLC0415  # takes long

    return list(dict.fromkeys(tidy_sentence(each.text) for each in conversions))


def _trial(role: str) -> object:
    """What a model is asked when it was loaded, for some load the most of it then."""
    from situatedgen.records import Question  # noqa: PLC0415  # takes long
    from situatedgen.vocabulary import ItemKind  # noqa: PLC0415

    text = "It is winter in Australia in July."
    return Question("Is it winter in July?", "yes", ItemKind.YES_NO) if role == "converter" else text
