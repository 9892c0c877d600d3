"""The commands that show what a build will do, and why: `plan` and `explain`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.cli.build import (
    AsJson,
    Decisions,
    ExcludeSource,
    FreshSplits,
    Licences,
    Out,
    Overrides,
    Preset,
    Sources,
    StableWith,
    StoreAddress,
    source_overrides,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.plan.explain import Explanation
    from storage.plan.planner import Step
    from storage.store import KeyRecord

COLOURS = {"cached": "green", "partial": "yellow", "run": "red"}


def plan(
    sources: Sources = None,
    preset: Preset = "embedded",
    store: StoreAddress = ".situatedgen",
    out: Out = Path("dataset"),
    overrides: Overrides = None,
    exclude_source: ExcludeSource = None,
    licences: Licences = None,
    stable_with: StableWith = None,
    decisions: Decisions = None,
    *,
    fresh_splits: FreshSplits = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on a malformed record, as the build would.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a build would do with each artifact, and why, without building anything.

    Each artifact is `cached`, `partial` (computed, but partly known already) or `run`. No model is loaded.
    For example, what would a different threshold cost?

        situatedgen plan --set pairs.min_similarity=0.85
    """
    from situatedgen.presets import load
    from situatedgen.sources import sample_folder
    from storage import inputs
    from storage.plan.planner import external_inputs
    from storage.plan.planner import plan as plan_build
    from storage.requests import BuildRequest
    from storage.store import Store

    settings = load(preset, (*(overrides or ()), *source_overrides(exclude_source, licences)))
    earlier = inputs.find_splits(out, stable_with, fresh=fresh_splits)
    request = BuildRequest(settings, sources or sample_folder(), strict=strict, replaced_splits=earlier.key)
    steps = plan_build(request, Store.at(store), external_inputs(earlier.table, decisions, strict=strict))
    if as_json:
        typer.echo(json.dumps([step.as_json() for step in steps], ensure_ascii=False))
    else:
        _draw_plan(steps)


def explain(
    artifact: Annotated[str, typer.Argument(help="An artifact: pairs, statements/creak, …")],
    store: StoreAddress = ".situatedgen",
    *,
    all_parts: Annotated[bool, typer.Option("--all-parts", help="Show every part of both cache keys.")] = False,
    as_json: AsJson = False,
) -> None:
    """Explain why an artifact of the newest build differs from that of the previous build, and what it cost.

    For example: `situatedgen explain pairs`
    """
    from storage.plan.explain import explain as explain_artifact
    from storage.store import Store

    explanation = explain_artifact(artifact, Store.at(store))
    if as_json:
        typer.echo(json.dumps(explanation.as_json(all_parts=all_parts), ensure_ascii=False))
        return
    _draw_explanation(explanation)
    if all_parts:
        _draw_parts(explanation)


def _draw_plan(steps: "Sequence[Step]") -> None:
    from storage.plan.planner import summary

    table = Table()
    table.add_column("artifact", no_wrap=True)
    table.add_column("plan")
    table.add_column("to compute", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for step in steps:
        status = f"[{COLOURS[step.status]}]{step.status.value}[/]"
        table.add_row(step.artifact, status, step.amount, escape("\n".join(step.reasons)))
    console = Console()
    console.print(table)
    console.print(summary(steps), highlight=False)


def _draw_explanation(found: "Explanation") -> None:
    lines = [f"[bold]{escape(found.now.ref.name)}[/]"]
    lines += [f"  {escape(reason)}" for reason in found.reasons]
    lines += [f"now     {_content(found.now)}", f"        {found.computed:,} computed, {found.recalled:,} cached"]
    lines += [f"before  {_content(found.before)}"] if found.before else []
    lines += ["early cut-off: same rows"] if found.is_cut_off else []
    Console().print("\n".join(lines), highlight=False, soft_wrap=True)


def _content(record: "KeyRecord") -> str:
    return f"{record.ref.digest[:12]}, {record.ref.rows:,} rows, computed {record.created} in {record.seconds:.1f} s"


def _draw_parts(found: "Explanation") -> None:
    table = Table("part")
    for side in ("before", "now"):
        table.add_column(side, overflow="fold")
    for name, sides in found.parts().items():
        table.add_row(name, *(escape(json.dumps(sides[side], indent=1, ensure_ascii=False)) for side in sides))
    Console().print(table)
