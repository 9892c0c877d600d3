"""The commands that look at what was built: `stages`, `show`, `funnel`, `trace`, `export`."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from flows.cli.building import StoreAddress
from situatedgen.counting import counted

if TYPE_CHECKING:
    import polars as pl

    from situatedgen.trace import Step

Format = Annotated[Literal["table", "jsonl", "csv"], typer.Option("--format", help="How rows are written.")]


def stages() -> None:
    """List the stages: what each makes, from what, with which models."""
    from situatedgen.pipeline import PIPELINE

    table = Table("stage", "makes", "from", "models", title="The line of data", title_justify="left")
    for stage in PIPELINE:
        origin = ", ".join(stage.inputs) or "source files"
        table.add_row(stage.name, stage.meaning, origin, ", ".join(stage.models))
    Console().print(table)


def show(
    artifact: Annotated[str, typer.Argument(help="A stage: items, statements, entities, …, examples.")],
    store: StoreAddress = ".situatedgen",
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only rows with this id, in any id column.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="At most so many rows; 0 for all.")] = 20,
    form: Format = "table",
    verdict: Annotated[str, typer.Option("--verdict", help="Only rows with this verdict.")] = "",
) -> None:
    """Show rows of an artifact of the newest build.

    For example: `situatedgen show statements --id creak::train::10`
    """
    rows = _rows_of(artifact, store, ids or [], verdict)
    wanted = rows.head(limit) if limit else rows
    if form == "table":
        _draw(wanted, artifact, rows.height)
    else:
        _write(wanted, form)


def funnel(
    store: StoreAddress = ".situatedgen",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show how many rows each stage kept and rejected, by reason, in the newest build."""
    from situatedgen.dataset.counts import measure
    from situatedgen.dataset.tables import funnel_table
    from storage import builds
    from storage.store import Store

    kept = Store.at(store)
    statistics = measure(builds.Tables(kept, builds.latest(kept)))
    if as_json:
        typer.echo(json.dumps([asdict(step) for step in statistics.funnel], ensure_ascii=False))
    else:
        Console().print(funnel_table(statistics))


def trace(
    any_id: Annotated[str, typer.Argument(metavar="ID", help="An example, pair, statement or item id.")],
    store: StoreAddress = ".situatedgen",
) -> None:
    """Show the whole history of an id, both ways, down to file and line of its source.

    For example: `situatedgen trace creak::train::10`
    """
    from situatedgen.trace import history
    from storage import builds
    from storage.store import Store

    kept = Store.at(store)
    Console().print(_tree(history(builds.Tables(kept, builds.latest(kept)), any_id)), soft_wrap=True)


def export(
    dataset: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A finished dataset folder.")],
    out: Annotated[Path, typer.Argument(help="The folder to write train, dev and test into.")],
) -> None:
    """Write a dataset as source and target lines for training; train has both orders of each pair."""
    from situatedgen.dataset.files import export as write
    from situatedgen.dataset.folder import read_examples

    for split, rows in write(read_examples(dataset), out).items():
        typer.echo(f"{out / split}.jsonl: {counted(rows, 'row')}")


def _rows_of(artifact: str, store: str, ids: list[str], verdict: str) -> "pl.DataFrame":
    import polars as pl

    from situatedgen.errors import SettingsError, unknown
    from situatedgen.pipeline import stage
    from situatedgen.vocabulary import Verdict
    from storage import builds
    from storage.store import Store

    stage(artifact)
    kept = Store.at(store)
    rows = builds.read_build_table(kept, builds.latest(kept), artifact)
    if ids:
        columns = [name for name in rows.columns if name.endswith("_id")]
        rows = rows.filter(pl.any_horizontal(pl.col(name).is_in(ids) for name in columns))
    if not verdict:
        return rows
    if "verdict" not in rows.columns:
        raise SettingsError(f"{artifact} has no verdicts")
    if verdict not in list(Verdict):
        raise unknown("verdict", verdict, (each.value for each in Verdict))
    return rows.filter(pl.col("verdict") == verdict)


def _draw(rows: "pl.DataFrame", name: str, total: int) -> None:
    table = Table(title=f"{name}: {rows.height:,} of {total:,} rows", title_justify="left")
    for column in rows.columns:
        table.add_column(column, overflow="fold")
    for row in rows.iter_rows():
        table.add_row(*(escape(_cell(value)) for value in row))
    Console().print(table)


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:12])) + (" …" if len(value) > 12 else "")
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def _write(rows: "pl.DataFrame", form: str) -> None:
    import polars as pl

    if form == "jsonl":
        rows.write_ndjson(sys.stdout.buffer)
        return
    nested = [name for name, dtype in rows.schema.items() if dtype.is_nested()]
    flat = rows.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(" | ") for name in nested)
    flat.write_csv(sys.stdout.buffer)


def _tree(step: "Step") -> Tree:
    tree = Tree(escape(step.title), highlight=False)
    for fact in step.facts:
        tree.add(escape(fact), highlight=False)
    for each in step.below:
        tree.add(_tree(each))
    return tree
