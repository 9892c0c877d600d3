"""What the authors released, read from `reference/` of a data folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Statement:
    """A released statement that names a place or a time, and its question where there was one."""

    statement_id: str
    text: str
    question: str

    @property
    def source(self) -> str:
        """The collection it comes from."""
        return self.statement_id.partition("::")[0]


@dataclass(frozen=True, slots=True)
class Release:
    """The released statements, and the pairs of the train split with the texts of their statements."""

    statements: tuple[Statement, ...]
    train_texts: dict[str, str]
    train_pairs: frozenset[tuple[str, str]]


def read(data: Path) -> Release:
    """The release in a data folder."""
    statements = tuple(
        Statement(one["id"], one["statement"], one.get("question", ""))
        for one in _lines(data / "reference" / "statements.jsonl")
    )
    examples = _lines(data / "reference" / "train.jsonl")
    texts = {id_: text for one in examples for id_, text in zip(one["ids"], one["statements"], strict=True)}
    pairs = frozenset((min(one["ids"]), max(one["ids"])) for one in examples)
    return Release(statements, texts, pairs)


def is_there(data: Path) -> bool:
    """A data folder holds the release."""
    return all((data / "reference" / name).is_file() for name in ("statements.jsonl", "train.jsonl"))


def _lines(path: Path) -> list[dict[str, Any]]:  # Any: whatever the authors wrote
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
