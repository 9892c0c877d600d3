"""The leaderboard: scores collected from a folder, one board per dataset and split, as text and as HTML."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from situatedgen.errors import SettingsError, unknown
from situatedgen.evaluation.results import (
    FILE,
    DatasetScored,
    Evaluation,
    SystemScores,
    quoted_rows_of_paper,
    read_evaluation,
)
from situatedgen.formatting import Rows
from situatedgen.resources import read_text


@dataclass(frozen=True, slots=True)
class Cell:
    """A score with its interval and signature; a score quoted from the paper has neither."""

    value: float
    low: float | None = None
    high: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A system on a board: its scores by metric, the number of answered examples, and the file they come from.

    Scores quoted from the paper were measured on the authors' own test split.
    """

    system: str
    cells: dict[str, Cell]
    origin: str
    examples: int = 0
    sha256: str = ""
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """The systems evaluated on one split of one dataset, and those of the paper, best first."""

    dataset: DatasetScored
    metrics: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def measured(self) -> tuple[Entry, ...]:
        """The systems that are not quoted from the paper."""
        return tuple(entry for entry in self.entries if not entry.is_quoted)

    @property
    def has_several_origins(self) -> bool:
        """Whether the scores come from more than one file."""
        return len({entry.origin for entry in self.measured}) > 1

    def best(self, metric: str) -> float | None:
        """The best measured score for a metric; None if there is none."""
        return max((entry.cells[metric].value for entry in self.measured if metric in entry.cells), default=None)

    def signatures(self, metric: str) -> tuple[str, ...]:
        """The distinct signatures of a metric's scores; with more than one, the scores are not comparable."""
        found = (entry.cells[metric].signature for entry in self.measured if metric in entry.cells)
        return tuple(dict.fromkeys(found))


def boards(folder: Path, *, by: str = "MATCH") -> list[Board]:
    """One board per dataset and split with scores anywhere below a folder, sorted by name.

    Raises:
        SettingsError: there are no scores, or none for the metric to sort by.
        PredictionError: a `scores.json` cannot be read.
    """
    paths = sorted(folder.rglob(FILE))
    if not paths:
        raise SettingsError(f"no {FILE} found below {folder}; create one with `situatedgen evaluate … --out {folder}`")
    found: dict[tuple[str, ...], list[tuple[str, Evaluation]]] = defaultdict(list)
    for path in paths:
        evaluation = read_evaluation(path)
        dataset = evaluation.dataset
        found[dataset.content or dataset.folder, dataset.split].append(
            (path.relative_to(folder).as_posix(), evaluation)
        )
    made = [_board(evaluations, by) for evaluations in found.values()]
    metrics = {metric for board in made for metric in board.metrics}
    if by not in metrics:
        raise unknown("metric", by, metrics)
    return sorted(made, key=lambda board: (board.dataset.folder, board.dataset.split, board.dataset.content))


def _board(evaluations: Sequence[tuple[str, Evaluation]], by: str) -> Board:
    entries = _merge_entries(
        _entry(system, origin) for origin, evaluation in evaluations for system in evaluation.systems
    )
    measured = {metric for entry in entries for metric in entry.cells}
    everything = [*entries, *_quoted_entries()]
    metrics = dict.fromkeys(metric for entry in reversed(everything) for metric in entry.cells if metric in measured)
    ordered = sorted(everything, key=lambda entry: (-_value(entry, by), entry.is_quoted, entry.system, entry.origin))
    return Board(evaluations[0][1].dataset, tuple(metrics), tuple(ordered))


def _value(entry: Entry, metric: str) -> float:
    return entry.cells[metric].value if metric in entry.cells else -1.0


def _entry(system: SystemScores, origin: str) -> Entry:
    cells = {each.metric: Cell(each.value, each.low, each.high, each.signature) for each in system.scores}
    return Entry(system.system, cells, origin, system.examples, system.sha256)


def _quoted_entries() -> list[Entry]:
    return [
        Entry(
            f"{row.system} ({row.note})" if row.note else row.system,
            {metric: Cell(value) for metric, value in row.values.items()},
            "the paper",
            is_quoted=True,
        )
        for row in quoted_rows_of_paper()
    ]


def _merge_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Merge entries for the same predictions scored with different metrics, unless their scores conflict."""
    merged: list[Entry] = []
    for entry in entries:
        for number, other in enumerate(merged):
            if _can_merge(entry, other):
                merged[number] = Entry(
                    other.system, {**entry.cells, **other.cells}, other.origin, other.examples, other.sha256
                )
                break
        else:
            merged.append(entry)
    return merged


def _can_merge(one: Entry, two: Entry) -> bool:
    shared = one.cells.keys() & two.cells.keys()
    same = (one.system, one.sha256, one.examples) == (two.system, two.sha256, two.examples)
    return same and all(one.cells[metric] == two.cells[metric] for metric in shared)


QUOTED = "quoted"


def board_rows(board: Board) -> Rows:
    """One row per system, best first; quoted systems are marked in the column `examples`."""
    header = ("system", "examples", *board.metrics, *(["from"] if board.has_several_origins else []))
    rows = tuple(tuple(_row(entry, board)) for entry in board.entries)
    words = {number for number, name in enumerate(header) if name in {"system", "from"}}
    return Rows(title(board), header, rows, frozenset(words))


def title(board: Board) -> str:
    """Title of a board: dataset, split and number of examples."""
    dataset = board.dataset
    return f"{dataset.folder}, {dataset.split}: {dataset.examples:,} examples"


def notes(board: Board) -> Iterator[str]:
    """Yield the signatures by metric, numbered if a metric has several (their scores are not comparable)."""
    for metric in board.metrics:
        signatures = board.signatures(metric)
        for number, signature in enumerate(signatures, start=1):
            yield f"{signature}{_number(number, len(signatures))}"


def format_score(cell: Cell | None, board: Board, metric: str) -> str:
    """Format a score, with the number of its signature if its column has several."""
    if cell is None:
        return ""
    signatures = board.signatures(metric)
    number = signatures.index(cell.signature) + 1 if cell.signature else 0
    return f"{cell.value:.1f}{_number(number, len(signatures))}"


def count_answered(entry: Entry, board: Board) -> str:
    """Number of examples a system answered, with the total if it did not answer all; or that it is quoted."""
    if entry.is_quoted:
        return QUOTED
    whole = entry.examples == board.dataset.examples
    return f"{entry.examples:,}" if whole else f"{entry.examples:,} of {board.dataset.examples:,}"


def _row(entry: Entry, board: Board) -> Iterator[str]:
    yield entry.system
    yield count_answered(entry, board)
    yield from (format_score(entry.cells.get(metric), board, metric) for metric in board.metrics)
    if board.has_several_origins:
        yield entry.origin


def _number(number: int, of: int) -> str:
    return f" [{number}]" if number and of > 1 else ""


def page(boards: Sequence[Board]) -> str:
    """Render the HTML page of all boards; names of systems and files are escaped."""
    return Template(read_text("leaderboard.html")).substitute(boards="\n".join(map(_html_section, boards)))


def _html_section(board: Board) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in board_rows(board).header)
    rows = "\n".join(_html_row(entry, board) for entry in board.entries)
    signed = "".join(f"<li>{escape(note)}</li>" for note in notes(board))
    return (
        f"<h2>{escape(title(board))}</h2>\n<table>\n<thead><tr>{header}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n<ul>{signed}</ul>"
    )


def _html_row(entry: Entry, board: Board) -> str:
    kind = ' class="quoted"' if entry.is_quoted else ""
    return f"<tr{kind}>{''.join(_html_cells(entry, board))}</tr>"


def _html_cells(entry: Entry, board: Board) -> Iterator[str]:
    yield f"<td>{escape(entry.system)}</td><td>{escape(count_answered(entry, board))}</td>"
    for metric in board.metrics:
        yield _html_score(entry.cells.get(metric), board, metric)
    if board.has_several_origins:
        yield f"<td>{escape(entry.origin)}</td>"


def _html_score(cell: Cell | None, board: Board, metric: str) -> str:
    if cell is None:
        return "<td></td>"
    interval = f' title="95 %: {cell.low:.1f} to {cell.high:.1f}"' if cell.low is not None else ""
    is_best = bool(cell.signature) and cell.value == board.best(metric)
    text = escape(format_score(cell, board, metric))
    return f'<td data-value="{cell.value}"{interval}>{f"<b>{text}</b>" if is_best else text}</td>'
