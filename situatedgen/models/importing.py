"""Imports the code of a model, and not what its libraries import merely because it is installed."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from types import ModuleType

TORCH = "torch"
UNASKED = (TORCH, "matplotlib", "chardet")
"""What libraries below spaCy and igraph import wherever they find it, and ours never asks of them."""
ON_TORCH = ("spacy_transformers", "spacy_curated_transformers")
"""Extensions of spaCy whose models do run on PyTorch; who has one may ask for it in the same process."""

_lock = RLock()


def imported(module: str, packages: tuple[str, ...]) -> ModuleType:
    """A module whose answers depend on these packages; where none is named, it may import what it likes.

    PyTorch alone takes twice as long to import as spaCy and its small model together.
    """
    is_free = not packages or TORCH in packages or any(map(find_spec, ON_TORCH))
    with _lock, _hidden(() if is_free else UNASKED):
        return import_module(module)


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
