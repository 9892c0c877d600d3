"""Text tables for concept sets, with the published numbers alongside."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from situatedgen.commongen.examples import SplitStatistics
from situatedgen.commongen.metrics import ConceptScores
from situatedgen.formatting import Rows
from situatedgen.leakage.certificate import Novelty
from situatedgen.resources import read_text


@cache
def published_numbers() -> dict[str, Any]:  # Any: numbers and tables of them, as the file has them
    """All published numbers, by table."""
    return tomllib.loads(read_text("commongen.toml"))


def table1(split: str, row: str) -> float | None:
    """A number of Table 1; None if the table has none."""
    value: float | None = published_numbers()["table1"].get(split, {}).get(row)
    return value


NONE = "–"
NAMES = ("concepts", "pairs", "triples")

Value = Callable[[SplitStatistics], float | None]


@dataclass(frozen=True, slots=True)
class Line:
    """A row of Table 1: label, how to compute it from the statistics, and the published row it corresponds to."""

    label: str
    value: Value
    answers: str = ""
    form: str = ",.0f"


def _count_of_size(size: int) -> Value:
    return lambda found: found.by_size.get(size)


def _count_distinct(size: int) -> Value:
    return lambda found: found.combinations[size]


def _share(novelties: Callable[[SplitStatistics], tuple[Novelty, ...]], size: int) -> Value:
    return lambda found: next((_novel_percent(each) for each in novelties(found) if each.size == size), None)


def _novel_percent(found: Novelty) -> float:
    """Percentage that is new; 0 if there is nothing."""
    return 100 * found.unseen / found.distinct if found.distinct else 0.0


def _known_percent(found: SplitStatistics) -> float | None:
    return next((100 - _novel_percent(each) for each in found.new_to_sets), None)


LINES = (
    Line("concept sets", lambda found: found.sets, "sets"),
    *(Line(f"size {size}", _count_of_size(size), f"size_{size}") for size in (3, 4, 5)),
    Line("sentences", lambda found: found.sentences, "sentences"),
    Line("average length", lambda found: found.average_length, "average_length", ".2f"),
    Line("average length, written for the set", lambda found: found.written_length, "average_length", ".2f"),
    *(Line(f"distinct {name}", _count_distinct(size), name) for size, name in enumerate(NAMES, start=1)),
    Line("% concepts in train's sets", _known_percent, "known_concepts", ".2f"),
    *(
        Line(
            f"% {name} new to train's sentences",
            _share(lambda found: found.new_to_sentences, size),
            f"novel_{name}",
            ".2f",
        )
        for size, name in enumerate(NAMES, start=1)
    ),
    *(
        Line(f"% {name} new to train's sets", _share(lambda found: found.new_to_sets, size), "", ".2f")
        for size, name in enumerate(NAMES, start=1)
    ),
)


def table1_rows(found: Mapping[str, SplitStatistics]) -> Rows:
    """Table 1, with the published number next to each."""
    header = tuple(name for split in found for name in (split, "published"))
    rows = tuple((line.label, *_cells(line, found)) for line in LINES if _has_value(line, found))
    return Rows("Concept sets (Table 1)", ("", *header), rows)


def counted_rows(found: Mapping[str, SplitStatistics]) -> Rows:
    """Table 1 without the published numbers."""
    shown = [line for line in LINES if _has_value(line, found)]
    rows = tuple((line.label, *(_format_value(line, column) for column in found.values())) for line in shown)
    return Rows("Concept sets", ("", *found), rows)


def describe_differences(found: Mapping[str, SplitStatistics]) -> Iterator[str]:
    """Describe each number that differs from the published one; if two rows correspond to it, either may match."""
    for split, column in found.items():
        for row in published_numbers()["table1"].get(split, {}):
            lines = [line for line in LINES if line.answers == row and line.value(column) is not None]
            shown = [format(line.value(column), line.form) for line in lines]
            wanted = _format_published(lines[0], split) if lines else NONE
            if shown and wanted not in shown:
                yield f"{split}: {lines[0].label} is {' or '.join(shown)}, published {wanted}"


def _has_value(line: Line, found: Mapping[str, SplitStatistics]) -> bool:
    return any(line.value(column) is not None for column in found.values())


def _cells(line: Line, found: Mapping[str, SplitStatistics]) -> Iterator[str]:
    for split, column in found.items():
        yield _format_value(line, column)
        yield _format_published(line, split) if line.value(column) is not None else NONE


def _format_value(line: Line, column: SplitStatistics) -> str:
    value = line.value(column)
    return NONE if value is None else format(value, line.form)


def _format_published(line: Line, split: str) -> str:
    value = table1(split, line.answers)
    return NONE if value is None else format(value, line.form)


def score_rows(found: Mapping[str, ConceptScores]) -> Rows:
    """The scores of each system, below the published human bound."""
    metrics = list(dict.fromkeys(name for scores in found.values() for name in (*scores.values, *scores.absent)))
    quoted = published_numbers()["human_bound"]
    rows = [("human bound, published", *(_number(quoted.get(name)) for name in metrics))]
    rows += [(system, *(_number(scores.values.get(name)) for name in metrics)) for system, scores in found.items()]
    return Rows("Concept sets", ("system", *metrics), tuple(rows))


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
