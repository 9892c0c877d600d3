"""The command `leaderboard`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from situatedgen.evaluation.leaderboard import Board


def leaderboard(
    folder: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Every scores.json below this folder is taken.")
    ],
    by: Annotated[str, typer.Option("--by", help="The metric that orders the systems.")] = "MATCH",
    out: Annotated[Path | None, typer.Option("--out", help="The page. Default: FOLDER/leaderboard.html.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show all systems that were scored beside the paper's, a table for each dataset and split, and write the page.

    situatedgen evaluate baselines/*.jsonl --out scores && situatedgen leaderboard scores
    """
    from situatedgen.atomic import write
    from situatedgen.evaluation.leaderboard import boards, page

    found = boards(folder, by=by)
    place = out or folder / "leaderboard.html"
    place.parent.mkdir(parents=True, exist_ok=True)
    write(place, page(found).encode("utf-8"))
    if as_json:
        typer.echo(json.dumps([_values(board) for board in found], ensure_ascii=False))
        return
    for board in found:
        _draw(board, Console())
    typer.echo(f"page: {place}")


def _values(board: "Board") -> dict[str, object]:
    entries = [asdict(entry) for entry in board.entries]
    return {"dataset": board.dataset.model_dump(), "metrics": board.metrics, "entries": entries}


def _draw(board: "Board", console: Console) -> None:
    from situatedgen.evaluation.leaderboard import QUOTED, board_rows, notes

    rows = board_rows(board)
    table = Table(title=escape(rows.title), title_justify="left")
    for number, name in enumerate(rows.header):
        table.add_column(name, justify="left" if number in rows.words else "right", overflow="fold")
    for row in rows.rows:
        table.add_row(*map(escape, row), style="italic dim" if row[1] == QUOTED else None)
    console.print(table)
    for note in notes(board):
        console.print(note, style="dim", markup=False, highlight=False, soft_wrap=True)
