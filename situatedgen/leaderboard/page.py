"""The leaderboard as one HTML page that needs nothing beside it."""

from collections.abc import Iterator, Sequence
from html import escape
from string import Template

from situatedgen.leaderboard.boards import Board, Cell, Entry
from situatedgen.leaderboard.rows import answered, board_rows, notes, shown, title
from situatedgen.resources import read_text


def page(boards: Sequence[Board]) -> str:
    """The page of all boards. Whatever a system or a file is called, it is text."""
    return Template(read_text("leaderboard.html")).substitute(boards="\n".join(map(_section, boards)))


def _section(board: Board) -> str:
    header = "".join(f"<th>{escape(name)}</th>" for name in board_rows(board).header)
    rows = "\n".join(_row(entry, board) for entry in board.entries)
    signed = "".join(f"<li>{escape(note)}</li>" for note in notes(board))
    return (
        f"<h2>{escape(title(board))}</h2>\n<table>\n<thead><tr>{header}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n<ul>{signed}</ul>"
    )


def _row(entry: Entry, board: Board) -> str:
    kind = ' class="quoted"' if entry.is_quoted else ""
    return f"<tr{kind}>{''.join(_cells(entry, board))}</tr>"


def _cells(entry: Entry, board: Board) -> Iterator[str]:
    yield f"<td>{escape(entry.system)}</td><td>{escape(answered(entry, board))}</td>"
    for metric in board.metrics:
        yield _score(entry.cells.get(metric), board, metric)
    if board.has_several_origins:
        yield f"<td>{escape(entry.origin)}</td>"


def _score(cell: Cell | None, board: Board, metric: str) -> str:
    if cell is None:
        return "<td></td>"
    interval = f' title="95 %: {cell.low:.1f} to {cell.high:.1f}"' if cell.low is not None else ""
    is_best = bool(cell.signature) and cell.value == board.best(metric)
    text = escape(shown(cell, board, metric))
    return f'<td data-value="{cell.value}"{interval}>{f"<b>{text}</b>" if is_best else text}</td>'
