"""The commands of `commongen`: concept sets."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from situatedgen.report.rows import Rows

commongen = typer.Typer(
    help="Concept sets, as in CommonGen: built from captions, counted, and looked up in ConceptNet."
)

Released = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="A folder with commongen.{train,dev,test}.jsonl, or of a build.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


@commongen.command()
def stats(
    folder: Released,
    *,
    sentences: Annotated[
        bool, typer.Option(help="Look at train's sentences too, which are lemmatised: half a minute.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show Table 1 of CommonGen, counted from files in its format, beside the published numbers.

    For example: `situatedgen commongen stats commongen`
    """
    from dataclasses import asdict

    from situatedgen.commongen.reading import read_folder
    from situatedgen.commongen.statistics import statistics
    from situatedgen.commongen.tables import differing, table1_rows
    from situatedgen.evaluation.lemmas import Lemmatiser

    found = statistics(read_folder(folder), lemmatiser=Lemmatiser() if sentences else None)
    if as_json:
        typer.echo(json.dumps({split: asdict(column) for split, column in found.items()}))
        return
    Console().print(drawn(table1_rows(found)))
    for line in differing(found):
        typer.echo(f"differs: {line}")


def drawn(rows: "Rows") -> Table:
    """A table of words for the terminal."""
    table = Table(title=escape(rows.title), title_justify="left")
    for number, name in enumerate(rows.header):
        table.add_column(name, justify="left" if number in rows.words else "right", overflow="fold")
    for row in rows.rows:
        table.add_row(*map(escape, row))
    return table
