"""The command `filter`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from flows.cli.building import Device, StoreAddress

if TYPE_CHECKING:
    from rich.table import Table

    from situatedgen.filtering.making import Made, Step


NOBODY = ("baselines.models=[]",)


def filter_choice(
    dataset: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A finished dataset folder.")],
    store: StoreAddress = ".situatedgen",
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the questions.")] = Path("choice"),
    method: Annotated[
        Literal["af", "aflite"], typer.Option("--method", help="af: harder wrong answers; aflite: fewer questions.")
    ] = "af",
    settings: Annotated[
        Path | None, typer.Option("--settings", dir_okay=False, help="A TOML file of settings.")
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set one, for example `filter.patience=5`.")
    ] = None,
    device: Device = "auto",
    threads: Annotated[
        int, typer.Option("--threads", min=0, help="Threads of numeric libraries; 0: as they choose.")
    ] = 0,
    *,
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Ask simple models too, by what they may see.")
    ] = True,
    publish: Annotated[
        bool, typer.Option("--publish", help="Add the questions to the dataset, as its configuration `choice`.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, no tables.")] = False,
) -> None:
    """Make a four-way multiple choice of a dataset, and filter it until models of style cannot answer it.

    Stopped or killed, the same command goes on from the last iteration and ends the same.

        situatedgen filter dataset --out choice

    As a configuration of the dataset itself, which `datasets.load_dataset("dataset", "choice")` then finds:

        situatedgen filter dataset --out choice --publish

    The cheaper filter, which leaves out the questions that linear models on embeddings answer:

        situatedgen filter dataset --method aflite --out choice-lite
    """
    from situatedgen.filtering.settings import filter_settings
    from situatedgen.runtime import Runtime
    from storage.filtering import FilterRequest, filter_dataset
    from storage.publication import publish_questions
    from storage.store import Store

    chosen = filter_settings(method, settings, [*(overrides or ()), *(() if baselines else NOBODY)])
    order = FilterRequest(dataset, Store.at(store), out, chosen, Runtime(device=device, threads=threads))
    console = Console(stderr=True, quiet=as_json)
    found = filter_dataset(order, listener=lambda step: console.print(said(step), highlight=False, soft_wrap=True))
    if publish:
        publish_questions(dataset, found.questions, store=order.store)
    (_print_json if as_json else _print_table)(found, out)


def said(step: "Step") -> str:
    """What came of a step, in one line."""
    from situatedgen.filtering.history import Iteration

    if isinstance(step, Iteration):
        members = ", ".join(f"{name} {accuracy:.1%}" for name, accuracy in step.members.items())
        return f"iteration {step.number}: {members}; {step.replaced:,} replaced in {step.seconds:.1f} s"
    left_out = f"{step.left_out:,} of {step.questions:,} left out in {step.seconds:.1f} s"
    return f"round {step.number}: linear {step.accuracy:.1%}; {left_out}"


def _print_table(found: "Made", out: Path) -> None:
    from rich.table import Table

    table = Table("model", "before", "after", title="Accuracy on held-out questions", title_justify="left")
    for name, before in found.before.items():
        table.add_row(name, f"{before:.1%}", f"{found.after[name]:.1%}")
    console = Console()
    console.print(table)
    if found.baselines["before"]:
        console.print(_baselines(found))
    console.print(", ".join(f"{what} {seconds:.0f} s" for what, seconds in found.seconds.items()), highlight=False)
    pairs = ", ".join(f"{reason} {count:,}" for reason, count in found.counts.items())
    console.print(f"{found.questions.height:,} questions; pairs: {pairs}", highlight=False)
    console.print(f"questions: [bold]{out / 'choice'}[/], curve: {out / 'curve.png'}", highlight=False)


def _baselines(found: "Made") -> "Table":
    from rich.table import Table

    from situatedgen.filtering.baselines import table

    title = "Baselines by what they see, with 95 % intervals"
    shown = Table(*table.header(found.baselines), title=title, title_justify="left")
    for row in table.rows(found.baselines):
        shown.add_row(*row)
    return shown


def _print_json(found: "Made", out: Path) -> None:
    told = {
        "out": str(out),
        "questions": found.questions.height,
        "pairs": dict(found.counts),
        "before": dict(found.before),
        "after": dict(found.after),
        "baselines": {when: [asdict(one) for one in each] for when, each in found.baselines.items()},
        "seconds": dict(found.seconds),
        "steps": [asdict(step) for step in found.history],
    }
    typer.echo(json.dumps(told))
