"""Concept sets with their sentences, read from a folder in the format in which CommonGen was released."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from situatedgen.errors import RecordError, SourceError
from situatedgen.vocabulary import Split

PLACES = ("commongen.{}.jsonl", "{}.jsonl", "data/{}.jsonl")
CAPTION = "n/a"
"""What stands for the reason of a sentence that is a caption: nobody wrote it for the concept set."""


@dataclass(frozen=True, slots=True)
class Example:
    """A concept set, its concepts with their parts of speech (`dog_N`, `run_V`), and sentences that use them all."""

    concepts: tuple[str, ...]
    scenes: tuple[str, ...]
    reasons: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The concepts without their parts of speech."""
        return tuple(map(word_of, self.concepts))

    @property
    def written(self) -> tuple[str, ...]:
        """The sentences that people wrote for the concept set: those with a reason of their own."""
        given = zip(self.scenes, self.reasons, strict=False)
        return tuple(scene for scene, reason in given if reason != CAPTION)


def word_of(concept: str) -> str:
    """A concept without its part of speech.

    Example:
        >>> word_of("stand_V")
        'stand'
    """
    return concept.rpartition("_")[0] or concept


def read_folder(folder: Path) -> dict[str, tuple[Example, ...]]:
    """The examples of each split of a folder.

    Raises:
        SourceError: a split is not there, or a record of it is malformed.
    """
    return {split.value: tuple(read_file(_place(folder, split.value))) for split in Split}


def read_file(path: Path) -> Iterator[Example]:
    """The examples of a file of JSON lines.

    Raises:
        RecordError: a line is not a concept set with its sentences.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                concepts = tuple(record["concept_set"].split("#"))
                yield Example(concepts, tuple(record["scene"]), tuple(record.get("reason", ())))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                expected = 'expected {"concept_set": "dog_N#run_V#…", "scene": [sentences]}'
                raise RecordError(f"{path}, line {number}: {expected}, found {line.strip()[:80]!r}") from error


def _place(folder: Path, split: str) -> Path:
    for place in PLACES:
        if (folder / place.format(split)).is_file():
            return folder / place.format(split)
    looked = ", ".join(place.format(split) for place in PLACES)
    raise SourceError(f"expected the {split} split in {folder}, found none of: {looked}")
