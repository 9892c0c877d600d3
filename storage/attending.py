"""What a process beside a build does: it loads models while nobody asks, answers, and makes calls.

This module imports nothing that takes long, so that such a process is there before anything else is done.
"""

import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from storage.twins import halved

if TYPE_CHECKING:
    from situatedgen.params import ModelParams
    from situatedgen.records import Conversion
    from situatedgen.runtime import Runtime
    from situatedgen.settings import Settings

METHODS = {"converter": "convert", "tagger": "tag", "nouns": "find", "parser": "parse", "encoder": "encode"}
"""How the model of each role is asked."""
Reply = tuple[bool, Any]  # Any: as the Protocol of a role, or the function that was called, says
"""Whether there is an answer, and which."""


@dataclass(frozen=True)
class Charge:
    """The models that a process is to have, by role, the first one first."""

    models: Mapping[str, "ModelParams"] = field(default_factory=dict)
    runtime: "Runtime | None" = None


@dataclass(frozen=True)
class Asked:
    """Questions to the model of a role."""

    role: str
    questions: Sequence[object]


@dataclass(frozen=True)
class Called:
    """A function to be called."""

    function: Callable[..., object]
    given: tuple[object, ...] = ()


@dataclass(frozen=True)
class Begun:
    """Calls to be made whose answers nobody waits for."""

    calls: tuple[Called, ...]


def attend(connection: Connection, first: Iterable[Called] = (), inherited: Iterable[Connection] = ()) -> None:
    """Work ahead while nobody asks, the `first` calls before all else, and answer until whoever asks is gone.

    What was `inherited` of other connections is closed, so that their ends are seen.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for each in inherited:
        each.close()
    with suppress(EOFError, OSError):
        desk = Desk(Charge(), begun=list(first))
        while True:
            if not connection.poll() and desk.work_ahead():
                continue
            match connection.recv():
                case Charge() as charge:
                    desk = Desk(charge)
                case Begun(calls):
                    desk.begun.extend(calls)
                case Asked(role, questions):
                    connection.send(desk.answer(role, questions))
                case Called() as called:
                    connection.send(make(called))


def models_of(settings: "Settings", *, one_core: bool) -> "dict[str, ModelParams]":
    """The models of settings that are worth loading beside a build: of one core each, or of all that there are.

    A model that names no packages is soon loaded.
    """
    from situatedgen.models.registry import entry  # noqa: PLC0415  # takes long

    return {
        role: params
        for _, role, params in settings.models()
        if role in METHODS and (found := entry(role, params.name)).packages and found.one_core is one_core
    }


@dataclass
class Desk:
    """What is worked at: models that wait to be loaded, models that are, and what will be asked next."""

    charge: Charge
    loaded: dict[str, Any] = field(default_factory=dict)  # Any: Protocols of `roles`, by role
    foreseen: list[str] = field(default_factory=list)
    tagged: dict[object, Any] = field(default_factory=dict)  # Any: the entities of a text
    begun: list[Called] = field(default_factory=list)
    waiting: "dict[str, ModelParams]" = field(init=False)

    def __post_init__(self) -> None:
        self.waiting = dict(self.charge.models)

    def answer(self, role: str, questions: Sequence[object]) -> Reply:
        """Whether the model of a role can answer, and what."""
        try:
            answers = self._ask(role, questions)
        except Exception:  # noqa: BLE001  # whoever asked meets it again
            return False, None
        if role == "converter":
            self.foreseen = _statements(answers)
        return True, answers

    def work_ahead(self) -> bool:
        """Do something that will be asked for, such as to load a model; nothing when all is done."""
        with suppress(Exception):  # whoever asks meets it again
            if self.begun:
                make(self.begun.pop(0))
                return True
            if self.foreseen and "tagger" in self.loaded:
                texts, self.foreseen = self.foreseen, []
                self.tagged.update(zip(texts, self.loaded["tagger"].tag(texts), strict=True))
                return True
            if self.waiting:
                role = next(iter(self.waiting))
                self._ask(role, [_trial(role)])
                return True
        return bool(self.waiting)

    def _ask(self, role: str, questions: Sequence[object]) -> Any:  # Any: as the Protocol of a role says
        if role in self.waiting:
            self._load(role, self.waiting.pop(role))
        if role == "tagger" and all(text in self.tagged for text in questions):
            return [self.tagged[text] for text in questions]
        answer = getattr(self.loaded[role], METHODS[role])
        return halved(answer, questions) if role == "converter" and self._uses_one_core(role) else answer(questions)

    def _uses_one_core(self, role: str) -> bool:
        from situatedgen.models.registry import entry  # noqa: PLC0415  # takes long

        return entry(role, self.charge.models[role].name).one_core

    def _load(self, role: str, params: "ModelParams") -> None:
        """Load a model."""
        from situatedgen.models.registry import load  # noqa: PLC0415  # takes long
        from situatedgen.runtime import Runtime  # noqa: PLC0415

        self.loaded[role] = load(role, params, self.charge.runtime or Runtime())


def make(called: Called) -> Reply:
    """Whether a call came to its end, and what it gave."""
    try:
        return True, called.function(*called.given)
    except Exception:  # noqa: BLE001  # whoever called meets it again
        return False, None


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
