"""What an evaluation found, as `scores.json` keeps it."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.atomic import write
from situatedgen.errors import PredictionError

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
    """The scores of the examples that have something in common; an example of two sources counts for each."""

    by: Literal["context", "source", "keywords"]
    group: str
    examples: int
    values: dict[str, float]


class SystemScores(_Record):
    """The scores of one system: of all examples it answered, and of groups of them."""

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
    """How two systems differ by a metric on the examples that both answered, and how likely that is by chance."""

    metric: str
    left: str
    right: str
    examples: int
    difference: float
    p_value: float


class DatasetScored(_Record):
    """What was answered: the dataset's folder, the digest of its content, its split and how many examples that has."""

    folder: str
    content: str
    split: str
    examples: int


class Part(_Record):
    """A stretch of a text; whether it is a keyword."""

    text: str
    is_keyword: bool = False


class CaseText(_Record):
    """What a system, or the reference, says of the example of a case."""

    system: str
    parts: tuple[Part, ...]


class Case(_Record):
    """One example and what every system made of it."""

    example_id: str
    keywords: tuple[str, ...]
    texts: tuple[CaseText, ...]


class Preferences(_Record):
    """How often, in per cent, people prefer the system of a row to that of a column; none where they judged nothing.

    `overall` is the mean of a row weighted by the system's COVERAGE, where that is known.
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
    """All that an evaluation found."""

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
    """Write `scores.json` into a folder; where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    write(path, (to_json(evaluation) + "\n").encode("utf-8"))
    return path


def to_json(evaluation: Evaluation) -> str:
    """An evaluation as JSON."""
    return json.dumps(evaluation.model_dump(mode="json"), ensure_ascii=False, indent=2)


def read_evaluation(path: Path) -> Evaluation:
    """The evaluation in a `scores.json`.

    Raises:
        PredictionError: the file is no evaluation of ours, or of another version.
    """
    try:
        return Evaluation.model_validate_json(path.read_bytes())
    except OSError as error:
        raise PredictionError(f"cannot read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise PredictionError(
            f"{path} is no {FILE} of version {VERSION}: {where}: {first['msg']}; evaluate the predictions again"
        ) from error
