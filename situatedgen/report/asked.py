"""Questions that a filter added to a dataset folder: they stay while its examples do, and go with them."""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.variants.choice import CHOICE
from situatedgen.vocabulary import Split

QUESTIONS = "questions"
"""The entry of a manifest that says of which examples the questions were made, and how many there are."""
Told = Mapping[str, object]
Frames = Mapping[str, pl.DataFrame]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Joined(Mapping[str, pl.DataFrame]):
    """The tables of a build and the questions made of it, each read when it is asked for."""

    tables: Frames
    questions: Callable[[], pl.DataFrame]

    def __getitem__(self, name: str) -> pl.DataFrame:
        """The table of a stage, or the questions."""
        return self.questions() if name == CHOICE.name else self.tables[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the stages, and of the questions."""
        return iter((*self.tables, CHOICE.name))

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self.tables) + 1


def added(tables: Frames, manifest: Told, questions: pl.DataFrame) -> tuple[Frames, Told]:
    """What a dataset folder is made from when questions, with their splits, are added to it."""
    digest = hashlib.sha256(questions.sort("example_id").write_json().encode("utf-8")).hexdigest()
    told = {"examples": _examples(manifest), "rows": questions.height, "digest": digest}
    return Joined(tables, lambda: questions), {**manifest, QUESTIONS: told}


def with_questions(
    out: Path,
    known: Mapping[str, Any],  # Any: parsed JSON
    tables: Frames,
    manifest: Told,
) -> tuple[Frames, Told]:
    """What a folder is made from: with the questions that it holds already, as long as its examples are the same."""
    told = known.get(QUESTIONS)
    if QUESTIONS in manifest or not told:
        return tables, manifest
    if told["examples"] != _examples(manifest) or not _are_whole(out, known["files"]):
        log.warning("the questions (`choice`) of %s are not of its examples any more, and are out; filter again", out)
        return tables, manifest
    return Joined(tables, partial(_read, out)), {**manifest, QUESTIONS: told}


def _examples(manifest: Told) -> str:
    """The content of the examples, by their digest."""
    stages = manifest.get("stages")
    entry = stages.get("examples") if isinstance(stages, Mapping) else None
    return str(entry["digest"]) if isinstance(entry, Mapping) else ""


def _are_whole(out: Path, digests: Mapping[str, str]) -> bool:
    files = [CHOICE.file(split) for split in Split]
    return all(
        name in digests
        and (out / name).is_file()
        and hashlib.sha256((out / name).read_bytes()).hexdigest() == digests[name]
        for name in files
    )


def _read(out: Path) -> pl.DataFrame:
    """The questions that a folder holds, with their splits."""
    parts = [
        pl.read_parquet(out / CHOICE.file(split), glob=False).with_columns(split=pl.lit(split.value)) for split in Split
    ]
    return pl.concat(parts)
