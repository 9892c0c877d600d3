"""The commands that inspect a build: `stages`, `show`, `funnel`, `trace`, `export`, `diff`."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from flows.cli.build import AsJson, StoreAddress
from situatedgen.formatting import format_count

if TYPE_CHECKING:
    from typing import Any

    import polars as pl

    from situatedgen.trace import Step
    from storage.datasets import Comparison, Dataset

    Group = dict[str, Any]  # a row of counts: words, and a number

Format = Annotated[Literal["table", "jsonl", "csv"], typer.Option("--format", help="Output format.")]


def stages() -> None:
    """List the stages of the pipeline: what each produces, from which inputs, with which models."""
    from situatedgen.pipeline import PIPELINE

    table = Table("stage", "output", "inputs", "models", title="Pipeline stages", title_justify="left")
    for stage in PIPELINE:
        origin = ", ".join(stage.inputs) or "source files"
        table.add_row(stage.name, stage.meaning, origin, ", ".join(stage.models))
    Console().print(table)


def show(
    artifact: Annotated[str, typer.Argument(help="A stage: items, statements, entities, …, examples.")],
    store: StoreAddress = ".situatedgen",
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only rows with this id, in any id column.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Maximum number of rows; 0: all.")] = 20,
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
    as_json: AsJson = False,
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
    """Show the full provenance of an id, upstream and downstream, down to file and line of its source.

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
    """Write a dataset as source and target lines for training; train contains both orders of each pair."""
    from situatedgen.dataset.files import export as write
    from situatedgen.dataset.folder import read_examples

    for split, rows in write(read_examples(dataset), out).items():
        typer.echo(f"{out / split}.jsonl: {format_count(rows, 'row')}")


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
        raise SettingsError(f"{artifact} has no verdicts; leave out --verdict")
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


Name = "A dataset folder, or a build of the store: `latest`, `previous`, `latest~2`, or a prefix of its creation time."
Kind = Literal["added", "removed", "changed", "moved"]
KINDS: tuple[str, ...] = get_args(Kind)


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=Name)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The dataset to compare it with, given in the same way.")],
    store: StoreAddress = ".situatedgen",
    only: Annotated[Kind | None, typer.Option("--only", help="Only examples of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Examples per reason; 0: all.")] = 3,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print all differences as JSON.")] = False,
) -> None:
    """Show which examples were added, removed, changed or moved between splits, and why.

    What the last build changed, and how a published folder differs from the current one:

        situatedgen diff previous latest

        situatedgen diff published dataset --only removed --limit 10

    The reason is the first stage that rejected the example, on the side that lacks it. It is shown only if the tables
    of both sides are still in the store.
    """
    from storage.datasets import compare
    from storage.store import Store

    found = compare(old, new, store=Store.at(store))
    kinds = (only,) if only else KINDS
    if as_json:
        typer.echo(json.dumps(_summary(found, kinds), ensure_ascii=False))
    else:
        _draw_differences(found, kinds, limit)


def _summary(found: "Comparison", kinds: tuple[str, ...]) -> dict[str, object]:
    """Return the whole comparison as JSON values."""
    from situatedgen.dataset.diff.format import as_values

    rows = as_values(found.differences, *found.sides)
    counts = found.differences.counts
    return {
        **{name: _side(side) for name, side in (("old", found.old), ("new", found.new))},
        "settings": {name: {"old": before, "new": after} for name, (before, after) in found.settings.items()},
        "notes": found.notes,
        "unchanged": found.differences.unchanged,
        "counts": [row for row in counts.iter_rows(named=True) if row["kind"] in kinds],
        **{kind: rows[kind] for kind in kinds},
    }


def _side(dataset: "Dataset") -> dict[str, object]:
    return {"name": dataset.name, "created": dataset.created, "examples": dataset.examples.height}


def _draw_differences(found: "Comparison", kinds: tuple[str, ...], limit: int) -> None:
    """Print both sides, the settings that differ, the reasons, and the totals."""
    console = Console()
    for title, side in (("old", found.old), ("new", found.new)):
        console.print(f"{title}: {escape(side.name)}, {format_count(side.examples.height, 'example')}", highlight=False)
    for name, (before, after) in found.settings.items():
        console.print(escape(f"setting {name}: {before} → {after}"), highlight=False)
    groups = [group for group in found.differences.counts.iter_rows(named=True) if group["kind"] in kinds]
    if groups:
        console.print(_table(groups))
    for group in groups:
        console.print(escape(_list_examples(found, group, limit)), highlight=False, soft_wrap=True)
    console.print(_totals(found), highlight=False)
    for note in found.notes:
        console.print(f"note: {escape(note)}", highlight=False, soft_wrap=True)


def _table(groups: "list[Group]") -> Table:
    """Return a table of how many examples differ, by kind and reason."""
    table = Table("kind", "examples", "stage", "reason", "first change", title="Differences", title_justify="left")
    table.columns[1].justify = "right"
    for group in groups:
        table.add_row(group["kind"], f"{group['examples']:,}", group["stage"], _why(group), _change(group))
    return table


def _list_examples(found: "Comparison", group: "Group", limit: int) -> str:
    """Return the first examples of a group below its heading, one line each, for copying."""
    from situatedgen.dataset.diff.format import format_lines

    rows = found.differences.of(group)
    shown = format_lines(rows.head(limit) if limit else rows)
    more = ["…"] if len(shown) < rows.height else []
    heading = ", ".join(part for part in (f"{group['kind']} ({group['stage']}) {_why(group)}", _change(group)) if part)
    return "\n  ".join([heading, *shown, *more])


def _why(group: "Group") -> str:
    from situatedgen.dataset.diff.reasons import phrase

    return phrase(group["kind"], group["reason"])


def _change(group: "Group") -> str:
    from situatedgen.dataset.diff.reasons import phrase

    return phrase(group["kind"], group["change"]) if group["change"] else ""


def _totals(found: "Comparison") -> str:
    rows = found.differences.rows
    counts = dict(rows.group_by("kind").len().iter_rows())
    parts = [f"{counts.get(kind, 0):,} {kind}" for kind in KINDS]
    return ", ".join([*parts, f"{found.differences.unchanged:,} unchanged"])
