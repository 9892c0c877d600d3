"""Where the command line begins: what takes long is begun before anything else is imported."""

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

RARELY = (200_000, 20, 100)
"""Rows make many objects and no cycles: looking for these as often as Python does takes a tenth of a small build."""

QUIETLY = {"OPENBLAS_THREAD_TIMEOUT": "4"}
"""NumPy's threads go to sleep when a product is done: else each keeps a core busy for a while, waiting for the next."""


def main() -> None:
    """Run the command line; models that a build will probably ask are loaded beside it from now on."""
    gc.set_threshold(*RARELY)
    os.environ.update(QUIETLY | os.environ)
    words = foreseen(sys.argv[1:])
    if words and words.sources:
        from storage.companions import begin

        begin(store=words.store, sources=words.sources, workers=words.workers)
    from flows.cli.app import main as run

    run()


def foreseen(words: Sequence[str]) -> "Namespace | None":
    """What a build seems to be asked for, from its words alone; nothing of another command.

    The command itself reads them with more care; nothing but speed hangs on what is read here.
    """
    if words[:1] != ["build"]:
        return None
    from argparse import ArgumentParser

    reader = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    reader.add_argument("--sources", type=Path)
    reader.add_argument("--store", type=Path, default=Path(".situatedgen"))
    reader.add_argument("--runner", default="processes")
    reader.add_argument("--workers", type=int, default=0)
    try:
        found, _ = reader.parse_known_args(words[1:])
    except Exception:  # noqa: BLE001  # the command says what is wrong
        return None
    found.workers = found.workers if found.runner == "processes" else 1
    return found
