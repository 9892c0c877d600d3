"""The leaderboard: scores gathered from a folder, a board for each dataset and split, as words and as a page."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from situatedgen.errors import SettingsError, unknown
from situatedgen.evaluation.results import FILE, DatasetScored, Evaluation, SystemScores, quoted, read_evaluation
from situatedgen.formatting import Rows
from situatedgen.resources import read_text


@dataclass(frozen=True, slots=True)
class Cell:
    """A score with its interval and signature; a quoted one has neither."""

    value: float
    low: float | None = None
    high: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A system on a board: its scores by metric, how many examples it answered, and where that is written.

    What is quoted from the paper was measured on the authors' own test split.
    """

    system: str
    cells: dict[str, Cell]
    origin: str
    examples: int = 0
    sha256: str = ""
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """The systems that answered one split of one dataset, and the paper's, the best first."""

    dataset: DatasetScored
    metrics: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def measured(self) -> tuple[Entry, ...]:
        """The systems that are not quoted."""
        return tuple(entry for entry in self.entries if not entry.is_quoted)

    @property
    def has_several_origins(self) -> bool:
        """Whether its scores come from more than one file."""
        return len({entry.origin for entry in self.measured}) > 1

    def best(self, metric: str) -> float | None:
        """The best score that was measured by a metric."""
        return max((entry.cells[metric].value for entry in self.measured if metric in entry.cells), default=None)

    def signatures(self, metric: str) -> tuple[str, ...]:
        """The different signatures under a metric; more than one, and its scores are not of one kind."""
        found = (entry.cells[metric].signature for entry in self.measured if metric in entry.cells)
        return tuple(dict.fromkeys(found))


def boards(folder: Path, *, by: str = "MATCH") -> list[Board]:
    """A board for each dataset and split that has scores below a folder, in the order of their names.

    Raises:
        SettingsError: there are no scores, or none by the metric that is to order them.
        PredictionError: a `scores.json` cannot be read.
    """
    paths = sorted(folder.rglob(FILE))
    if not paths:
        raise SettingsError(f"there is no {FILE} below {folder}; `situatedgen evaluate … --out {folder}` writes one")
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
    entries = _merged(_entry(system, origin) for origin, evaluation in evaluations for system in evaluation.systems)
    measured = {metric for entry in entries for metric in entry.cells}
    everything = [*entries, *_quoted()]
    metrics = dict.fromkeys(metric for entry in reversed(everything) for metric in entry.cells if metric in measured)
    ordered = sorted(everything, key=lambda entry: (-_value(entry, by), entry.is_quoted, entry.system, entry.origin))
    return Board(evaluations[0][1].dataset, tuple(metrics), tuple(ordered))


def _value(entry: Entry, metric: str) -> float:
    return entry.cells[metric].value if metric in entry.cells else -1.0


def _entry(system: SystemScores, origin: str) -> Entry:
    cells = {each.metric: Cell(each.value, each.low, each.high, each.signature) for each in system.scores}
    return Entry(system.system, cells, origin, system.examples, system.sha256)


def _quoted() -> list[Entry]:
    return [
        Entry(
            f"{row.system} ({row.note})" if row.note else row.system,
            {metric: Cell(value) for metric, value in row.values.items()},
            "the paper",
            is_quoted=True,
        )
        for row in quoted()
    ]


def _merged(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, in which the same predictions scored by other metrics are one, where they do not disagree."""
    merged: list[Entry] = []
    for entry in entries:
        for number, other in enumerate(merged):
            if _are_one(entry, other):
                merged[number] = Entry(
                    other.system, {**entry.cells, **other.cells}, other.origin, other.examples, other.sha256
                )
                break
        else:
            merged.append(entry)
    return merged


def _are_one(one: Entry, two: Entry) -> bool:
    shared = one.cells.keys() & two.cells.keys()
    same = (one.system, one.sha256, one.examples) == (two.system, two.sha256, two.examples)
    return same and all(one.cells[metric] == two.cells[metric] for metric in shared)


QUOTED = "quoted"


def board_rows(board: Board) -> Rows:
    """A row a system, the best first; what is quoted says so in the place of its number of examples."""
    header = ("system", "examples", *board.metrics, *(["from"] if board.has_several_origins else []))
    rows = tuple(tuple(_row(entry, board)) for entry in board.entries)
    words = {number for number, name in enumerate(header) if name in {"system", "from"}}
    return Rows(title(board), header, rows, frozenset(words))


def title(board: Board) -> str:
    """Which split of which dataset a board is about."""
    dataset = board.dataset
    return f"{dataset.folder}, {dataset.split}: {dataset.examples:,} examples"


def notes(board: Board) -> Iterator[str]:
    """The signatures of the scores, by metric; numbered where a metric has several, which cannot be compared."""
    for metric in board.metrics:
        signatures = board.signatures(metric)
        for number, signature in enumerate(signatures, start=1):
            yield f"{signature}{_number(number, len(signatures))}"


def format_score(cell: Cell | None, board: Board, metric: str) -> str:
    """A score, with the number of its signature where its column has several."""
    if cell is None:
        return ""
    signatures = board.signatures(metric)
    number = signatures.index(cell.signature) + 1 if cell.signature else 0
    return f"{cell.value:.1f}{_number(number, len(signatures))}"


def count_answered(entry: Entry, board: Board) -> str:
    """How many examples a system answered, where these are not all; or that it is quoted."""
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
    """The page of all boards. Whatever a system or a file is called, it is text."""
    return Template(read_text("leaderboard.html")).substitute(boards="\n".join(map(_section, boards)))


def _section(board: Board) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in board_rows(board).header)
    rows = "\n".join(_html_row(entry, board) for entry in board.entries)
    signed = "".join(f"<li>{escape(note)}</li>" for note in notes(board))
    return (
        f"<h2>{escape(title(board))}</h2>\n<table>\n<thead><tr>{header}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n<ul>{signed}</ul>"
    )


def _html_row(entry: Entry, board: Board) -> str:
    kind = ' class="quoted"' if entry.is_quoted else ""
    return f"<tr{kind}>{''.join(_cells(entry, board))}</tr>"


def _cells(entry: Entry, board: Board) -> Iterator[str]:
    yield f"<td>{escape(entry.system)}</td><td>{escape(count_answered(entry, board))}</td>"
    for metric in board.metrics:
        yield _score(entry.cells.get(metric), board, metric)
    if board.has_several_origins:
        yield f"<td>{escape(entry.origin)}</td>"


def _score(cell: Cell | None, board: Board, metric: str) -> str:
    if cell is None:
        return "<td></td>"
    interval = f' title="95 %: {cell.low:.1f} to {cell.high:.1f}"' if cell.low is not None else ""
    is_best = bool(cell.signature) and cell.value == board.best(metric)
    text = escape(format_score(cell, board, metric))
    return f'<td data-value="{cell.value}"{interval}>{f"<b>{text}</b>" if is_best else text}</td>'
