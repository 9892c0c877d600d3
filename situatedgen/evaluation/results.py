"""Results of an evaluation: the format of `scores.json`, result tables, and the scores quoted from the paper."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.atomic import write
from situatedgen.errors import PredictionError
from situatedgen.formatting import Rows
from situatedgen.resources import read_text

REFERENCE = "reference"
"""The name of the reference among the systems."""


FILE = "scores.json"
FORMAT: Literal["situatedgen scores"] = "situatedgen scores"
VERSION: Literal[1] = 1


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SystemScore(_Record):
    """The score of a metric out of 100, with its 95 % interval and its signature."""

    metric: str
    value: float
    low: float
    high: float
    signature: str


class AbsentScore(_Record):
    """A metric that could not run, and why."""

    metric: str
    reason: str


class GroupScores(_Record):
    """The scores of a group of examples; an example with two sources belongs to the groups of both."""

    by: Literal["context", "source", "keywords"]
    group: str
    examples: int
    values: dict[str, float]


class SystemScores(_Record):
    """The scores of one system, on all examples it answered and on groups of them."""

    system: str
    predictions: str
    sha256: str
    examples: int
    scores: tuple[SystemScore, ...]
    absent: tuple[AbsentScore, ...] = ()
    groups: tuple[GroupScores, ...] = ()

    @property
    def values(self) -> dict[str, float]:
        """The scores by metric."""
        return {score.metric: score.value for score in self.scores}


class PairedTest(_Record):
    """The difference between two systems on the examples that both answered, and its p-value."""

    metric: str
    left: str
    right: str
    examples: int
    difference: float
    p_value: float


class DatasetScored(_Record):
    """The evaluated data: dataset folder, content digest, split and number of examples."""

    folder: str
    content: str
    split: str
    examples: int


class Part(_Record):
    """A span of a text, and whether it is a keyword."""

    text: str
    is_keyword: bool = False


class CaseText(_Record):
    """The text of a system or of the reference in a case."""

    system: str
    parts: tuple[Part, ...]


class Case(_Record):
    """One example with the texts of all systems."""

    example_id: str
    keywords: tuple[str, ...]
    texts: tuple[CaseText, ...]


class Preferences(_Record):
    """How often, in percent, people prefer the row system to the column system; None if they were never compared.

    `overall` is the mean of a row weighted by the system's COVERAGE, if that is known.
    """

    systems: tuple[str, ...]
    shares: tuple[tuple[float | None, ...], ...]
    judged: tuple[tuple[int, ...], ...]
    means: dict[str, float]
    overall: dict[str, float]
    judges: int
    comparisons: int
    correlation: float | None


class Evaluation(_Record):
    """All results of an evaluation."""

    format: Literal["situatedgen scores"] = FORMAT
    version: Literal[1] = VERSION
    situatedgen: str
    dataset: DatasetScored
    metrics: tuple[str, ...]
    seed: int
    resamples: int
    systems: tuple[SystemScores, ...]
    tests: tuple[PairedTest, ...] = ()
    cases: tuple[Case, ...] = ()
    preferences: Preferences | None = None


def write_evaluation(evaluation: Evaluation, folder: Path) -> Path:
    """Write `scores.json` into a folder and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    write(path, (to_json(evaluation) + "\n").encode("utf-8"))
    return path


def to_json(evaluation: Evaluation) -> str:
    """Serialise an evaluation as JSON."""
    return json.dumps(evaluation.model_dump(mode="json"), ensure_ascii=False, indent=2)


def read_evaluation(path: Path) -> Evaluation:
    """Read a `scores.json` file.

    Raises:
        PredictionError: the file cannot be read, is not a situatedgen evaluation, or has another version.
    """
    try:
        return Evaluation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise PredictionError(f"cannot read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise PredictionError(
            f"{path} is not a valid {FILE} (version {VERSION}): {where}: {first['msg']}; evaluate the predictions again"
        ) from error


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row of the paper's table: a system, a note on it, and its scores by metric."""

    system: str
    note: str
    values: dict[str, float]


@cache
def quoted_rows_of_paper() -> tuple[QuotedRow, ...]:
    """The rows of the paper's Table 3; human performance is last."""
    table = tomllib.loads(read_text("table3.toml"))
    metrics = table["metrics"]
    return tuple(
        QuotedRow(row["system"], row["note"], dict(zip(metrics, row["scores"], strict=True))) for row in table["row"]
    )


NONE = "–"
USUAL = "MATCH"
"""The metric that determines the best system, if it was computed."""
QUOTED = "quoted"
KINDS = {"context": "by context type", "source": "by source", "keywords": "by number of keywords"}


def score_rows(evaluation: Evaluation) -> Rows:
    """One row per system, followed by the paper's rows, marked as quoted."""
    header = ("system", "examples", *evaluation.metrics)
    ours = [(system.system, f"{system.examples:,}", *_score_cells(system, evaluation)) for system in evaluation.systems]
    return Rows("Scores, with 95 % intervals", header, (*ours, *quoted_rows(evaluation.metrics)), words=frozenset({0}))


def quoted_rows(metrics: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The paper's rows for the given metrics, marked as quoted."""
    return tuple(
        (f"{row.system} ({row.note})", QUOTED, *(_number(row.values.get(metric)) for metric in metrics))
        for row in quoted_rows_of_paper()
    )


def group_rows(evaluation: Evaluation, system: SystemScores, by: str) -> Rows:
    """One row per group of a system's examples."""
    rows = tuple(
        (group.group, f"{group.examples:,}", *(_number(group.values.get(metric)) for metric in evaluation.metrics))
        for group in system.groups
        if group.by == by
    )
    return Rows(f"{system.system}, {KINDS[by]}", (by, "examples", *evaluation.metrics), rows, words=frozenset({0}))


def difference_rows(evaluation: Evaluation) -> Rows:
    """One row per pair of systems and metric: the difference and its p-value."""
    rows = tuple(
        (test.left, test.right, test.metric, f"{test.examples:,}", f"{test.difference:+.2f}", f"{test.p_value:.4f}")
        for test in evaluation.tests
    )
    header = ("system", "against", "metric", "examples", "difference", "p")
    return Rows("Differences, by approximate randomisation", header, rows, words=frozenset({0, 1, 2}))


def best_rows(evaluation: Evaluation) -> Rows:
    """One row per system except the best: its difference from the best for each metric, with the p-value."""
    by = USUAL if USUAL in evaluation.metrics else evaluation.metrics[0]
    best = max(evaluation.systems, key=lambda system: system.values.get(by, float("-inf"))).system
    found = {(test.left, test.right, test.metric): test for test in evaluation.tests}
    rows = tuple(
        (system.system, *(_format_difference(found, system.system, best, metric) for metric in evaluation.metrics))
        for system in evaluation.systems
        if system.system != best
    )
    return Rows(f"Differences from {best}, best by {by} (p-values)", ("system", *evaluation.metrics), rows)


def _format_difference(found: Mapping[tuple[str, str, str], PairedTest], system: str, best: str, metric: str) -> str:
    """Difference of a system from the best, regardless of the order in which the two were tested."""
    if test := found.get((system, best, metric)):
        return f"{test.difference:+.1f} ({test.p_value:.3f})"
    if test := found.get((best, system, metric)):
        return f"{0 - test.difference:+.1f} ({test.p_value:.3f})"
    return NONE


def signatures(evaluation: Evaluation) -> tuple[str, ...]:
    """The distinct signatures of all scores."""
    return tuple(dict.fromkeys(score.signature for system in evaluation.systems for score in system.scores))


def absences(evaluation: Evaluation) -> dict[str, str]:
    """The metrics that could not run, with the reasons."""
    return {each.metric: each.reason for system in evaluation.systems for each in system.absent}


def _score_cells(system: SystemScores, evaluation: Evaluation) -> Iterator[str]:
    found = {score.metric: score for score in system.scores}
    for metric in evaluation.metrics:
        score = found.get(metric)
        yield f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]" if score else NONE


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"
