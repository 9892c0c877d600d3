"""Imports the code of a model, and not what its libraries import merely because it is installed."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any

TORCH = "torch"
UNASKED = (TORCH, "matplotlib", "chardet", "pydantic.v1", "_ruamel_yaml", "wcwidth")
"""What libraries below spaCy and igraph import wherever they find it, and ours never asks of them."""
ON_TORCH = ("spacy_transformers", "spacy_curated_transformers")
"""Extensions of spaCy whose models do run on PyTorch; who has one may ask for it in the same process."""

COMMANDS = ("spacy.cli", "spacy.cli.info")
"""spaCy's own command line, which it imports for one function of it: more than a third of its import."""
COMPILING = ("torch._meta_registrations", "torch.export")
"""What PyTorch imports to trace and compile models: a third of its import."""

_lock = RLock()


def imported(module: str, packages: tuple[str, ...]) -> ModuleType:
    """A module whose answers depend on these packages; where none is named, it may import what it likes.

    PyTorch alone takes twice as long to import as spaCy and its small model together.
    """
    is_free = not packages or TORCH in packages or any(map(find_spec, ON_TORCH))
    with _lock, _hidden(() if is_free else UNASKED), _without_commands():
        found = import_module(module)
        _sort_entry_points()
        return found


def _sort_entry_points() -> None:
    """Let spaCy find what packages add to it by its group: it asks some two hundred times, each time through all."""
    catalogue: Any = sys.modules.get("catalogue")  # Any: it has no types, and is there where spaCy is
    points: Any = getattr(catalogue, "AVAILABLE_ENTRY_POINTS", None)
    if hasattr(points, "select"):
        catalogue.AVAILABLE_ENTRY_POINTS = {group: tuple(points.select(group=group)) for group in points.groups}


@contextmanager
def _hidden(packages: Sequence[str]) -> Iterator[None]:
    """Let imports in this block not find these packages, unless they are imported already."""
    hidden = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # nothing: how Python marks what is not there
    try:
        yield
    finally:
        for package in hidden:
            del sys.modules[package]


@contextmanager
def _without_commands() -> Iterator[None]:
    """Let spaCy in this block be imported without its command line, unless it is there already."""
    if any(name in sys.modules for name in ("spacy", *COMMANDS)):
        yield
        return
    sys.modules.update({name: _StandIn(name) for name in COMMANDS})
    try:
        yield
    finally:
        for name in COMMANDS:
            if isinstance(sys.modules.get(name), _StandIn):
                del sys.modules[name]


def import_torch_to_ask() -> None:
    """Import PyTorch without what it compiles models with, which is there for whoever asks for it later.

    For processes that do no more than ask a model.
    """
    missing = [name for name in COMPILING if name not in sys.modules]
    sys.modules.update({name: ModuleType(name) for name in missing})
    try:
        torch = import_module(TORCH)
    finally:
        for name in missing:
            del sys.modules[name]
    for name in missing:
        vars(torch).pop(name.removeprefix(f"{TORCH}."), None)


class _StandIn(ModuleType):
    """In the place of spaCy's commands: its one function that spaCy hands on finds them when it is called."""

    __path__: list[str] = []  # noqa: RUF012 (as of any package)

    @staticmethod
    def info(*arguments: object, **options: object) -> object:
        """What spaCy's `info` says."""
        return import_module("spacy.cli.info").info(*arguments, **options)
