"""The command `diff`."""

import json
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.cli.building import StoreAddress
from situatedgen.counting import counted

if TYPE_CHECKING:
    from typing import Any

    from storage.compare import Comparison
    from storage.datasets import Dataset

    Group = dict[str, Any]  # a row of counts: words, and a number

Name = "A dataset folder, or a build of the store: `latest`, `previous`, `latest~2`, or the start of when it was made."
Kind = Literal["added", "removed", "changed", "moved"]
KINDS: tuple[str, ...] = get_args(Kind)


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=Name)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What to compare it with, named likewise.")],
    store: StoreAddress = ".situatedgen",
    only: Annotated[Kind | None, typer.Option("--only", help="Only examples of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Examples shown for each reason; 0 for all.")] = 3,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: every difference, not a few.")] = False,
) -> None:
    """Show which examples were added, removed, changed or moved between splits, and why.

    What the last build changed, and what became of a published folder since:

        situatedgen diff previous latest

        situatedgen diff published dataset --only removed --limit 10

    The reason is the first stage that said no, on the side that lacks the example. It is told where the tables
    of both sides are still in the store.
    """
    from storage.compare import compare
    from storage.store import Store

    found = compare(old, new, store=Store.at(store))
    kinds = (only,) if only else KINDS
    if as_json:
        typer.echo(json.dumps(_summary(found, kinds), ensure_ascii=False))
    else:
        _draw(found, kinds, limit)


def _summary(found: "Comparison", kinds: tuple[str, ...]) -> dict[str, object]:
    """The whole comparison as plain values."""
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


def _draw(found: "Comparison", kinds: tuple[str, ...], limit: int) -> None:
    """Print the two sides, the settings that differ, the reasons, and the totals."""
    console = Console()
    for title, side in (("old", found.old), ("new", found.new)):
        console.print(f"{title}: {escape(side.name)}, {counted(side.examples.height, 'example')}", highlight=False)
    for name, (before, after) in found.settings.items():
        console.print(escape(f"setting {name}: {before} → {after}"), highlight=False)
    groups = [group for group in found.differences.counts.iter_rows(named=True) if group["kind"] in kinds]
    if groups:
        console.print(_table(groups))
    for group in groups:
        console.print(escape(_which(found, group, limit)), highlight=False, soft_wrap=True)
    console.print(_totals(found), highlight=False)
    for note in found.notes:
        console.print(f"note: {escape(note)}", highlight=False, soft_wrap=True)


def _table(groups: "list[Group]") -> Table:
    """How many examples differ, by kind and reason."""
    table = Table("", "examples", "stage", "why", "first change", title="What differs", title_justify="left")
    table.columns[1].justify = "right"
    for group in groups:
        table.add_row(group["kind"], f"{group['examples']:,}", group["stage"], _why(group), _change(group))
    return table


def _which(found: "Comparison", group: "Group", limit: int) -> str:
    """The first examples of a group under its heading, each on a line of its own that can be copied."""
    from situatedgen.dataset.diff.format import format_lines

    rows = found.differences.of(group)
    shown = format_lines(rows.head(limit) if limit else rows)
    more = ["…"] if len(shown) < rows.height else []
    heading = ", ".join(part for part in (f"{group['kind']} ({group['stage']}) {_why(group)}", _change(group)) if part)
    return "\n  ".join([heading, *shown, *more])


def _why(group: "Group") -> str:
    from situatedgen.dataset.diff.words import phrase

    return phrase(group["kind"], group["reason"])


def _change(group: "Group") -> str:
    from situatedgen.dataset.diff.words import phrase

    return phrase(group["kind"], group["change"]) if group["change"] else ""


def _totals(found: "Comparison") -> str:
    rows = found.differences.rows
    counts = dict(rows.group_by("kind").len().iter_rows())
    parts = [f"{counts.get(kind, 0):,} {kind}" for kind in KINDS]
    return ", ".join([*parts, f"{found.differences.unchanged:,} unchanged"])
