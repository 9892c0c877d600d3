"""A board as words, for the terminal."""

from collections.abc import Iterator

from situatedgen.dataset.tables import Rows
from situatedgen.leaderboard.boards import Board, Cell, Entry

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


def shown(cell: Cell | None, board: Board, metric: str) -> str:
    """A score, with the number of its signature where its column has several."""
    if cell is None:
        return ""
    signatures = board.signatures(metric)
    number = signatures.index(cell.signature) + 1 if cell.signature else 0
    return f"{cell.value:.1f}{_number(number, len(signatures))}"


def answered(entry: Entry, board: Board) -> str:
    """How many examples a system answered, where these are not all; or that it is quoted."""
    if entry.is_quoted:
        return QUOTED
    whole = entry.examples == board.dataset.examples
    return f"{entry.examples:,}" if whole else f"{entry.examples:,} of {board.dataset.examples:,}"


def _row(entry: Entry, board: Board) -> Iterator[str]:
    yield entry.system
    yield answered(entry, board)
    yield from (shown(entry.cells.get(metric), board, metric) for metric in board.metrics)
    if board.has_several_origins:
        yield entry.origin


def _number(number: int, of: int) -> str:
    return f" [{number}]" if number and of > 1 else ""
