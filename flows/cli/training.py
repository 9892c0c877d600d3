"""The commands `baseline train` and `baseline predict`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from flows.cli.building import Device
from flows.cli.display import bars
from flows.cli.systems import Dataset
from situatedgen.counting import counted

if TYPE_CHECKING:
    from situatedgen.training.curve import Curve

Model = Annotated[str, typer.Option("--model", help="A name of the model hub, or a folder.")]
Revision = Annotated[str, typer.Option("--revision", help="The commit of the hub; left out, that of today.")]
Settings = Annotated[
    Path | None, typer.Option("--settings", dir_okay=False, help="A TOML file of settings, over the paper's.")
]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set one, for example `epochs=3`.")
]
Precision = Annotated[
    Literal["auto", "float32", "bfloat16"],
    typer.Option("--precision", help="auto: bfloat16 on a GPU that has it, else float32."),
]
RowsAtOnce = Annotated[
    int, typer.Option("--rows-at-once", min=0, help="At most so many rows in memory at once; 0: as many as suit.")
]
Threads = Annotated[int, typer.Option("--threads", min=0, help="Threads of numeric libraries; 0: as they choose.")]


def train(
    model: Model = "google/flan-t5-base",
    dataset: Dataset = Path("dataset"),
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the trained model.")] = Path("trained"),
    revision: Revision = "",
    settings: Settings = None,
    overrides: Overrides = None,
    device: Device = "auto",
    precision: Precision = "auto",
    rows_at_once: RowsAtOnce = 0,
    save_every: Annotated[
        int, typer.Option("--save-every", min=0, help="Steps between checkpoints within an epoch.")
    ] = 0,
    threads: Threads = 0,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, no tables.")] = False,
) -> None:
    """Train a sequence-to-sequence model (BART, T5, FLAN-T5, …) as the paper does; the best epoch on dev is kept.

    Stopped or killed, the same command goes on from the last checkpoint and ends the same.

        situatedgen baseline train --model google/flan-t5-base --dataset dataset --out trained

    Another rate, fewer epochs, on a GPU with little memory:

        situatedgen baseline train --set learning_rate=1e-4 --set epochs=3 --rows-at-once 8 --out other
    """
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    from situatedgen.training.params import Machine, training_params

    params = training_params(settings, overrides or ())
    machine = Machine(
        device=device, precision=precision, rows_at_once=rows_at_once, save_every=save_every, threads=threads
    )
    with bars(Console(stderr=True, quiet=as_json), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        from situatedgen.training.loop import train as trained

        curve = trained(model, dataset, out, revision=revision, params=params, machine=machine, progress=progress)
    (_print_json if as_json else _print_table)(curve, out)


def predict(
    model: Model = "trained",
    dataset: Dataset = Path("dataset"),
    split: Annotated[Literal["train", "dev", "test"], typer.Option("--split", help="What to write for.")] = "test",
    out: Annotated[Path, typer.Option("--out", dir_okay=False, help="File of the predictions.")] = Path(
        "predictions.jsonl"
    ),
    revision: Revision = "",
    settings: Settings = None,
    overrides: Overrides = None,
    device: Device = "auto",
    precision: Precision = "auto",
    rows_at_once: RowsAtOnce = 0,
    threads: Threads = 0,
) -> None:
    """Write what a trained model makes of a split: JSON lines of `example_id` and `text`.

    A folder of `baseline train` is asked with the settings of its training, any other model with the paper's.

        situatedgen baseline predict --model trained --dataset dataset --out trained.jsonl
    """
    from situatedgen.evaluation.examples import examples_of
    from situatedgen.evaluation.reading import write_predictions
    from situatedgen.training.params import Machine, training_params

    params = training_params(settings, overrides or ()) if settings or overrides else None
    machine = Machine(device=device, precision=precision, rows_at_once=rows_at_once, threads=threads)
    examples = examples_of(dataset, split)
    with _counting(Console(stderr=True), len(examples)) as advance:
        from situatedgen.training.writing import writer

        texts = writer(model, revision=revision, params=params, machine=machine).write(examples, advance)
    write_predictions(out, texts)
    typer.echo(f"{out}: {counted(len(texts), 'prediction')}{_silent(texts)}")


def _silent(texts: dict[str, str]) -> str:
    empty = sum(not text for text in texts.values())
    return f", {empty:,} of them empty: the model wrote nothing there" if empty else ""


@contextmanager
def _counting(console: Console, examples: int) -> Iterator[Callable[[int], None]]:
    """A bar that goes on with the examples that are written for."""
    from rich.progress import Progress

    with Progress(console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("writing", total=examples)
        yield lambda rows: progress.advance(bar, rows)


def _print_table(curve: "Curve", out: Path) -> None:
    from rich.table import Table

    table = Table("epoch", "loss", "loss on dev", "ROUGE-2", "", title="The training", title_justify="left")
    for point in curve.points:
        numbers = f"{point.loss:.4f}", f"{point.dev_loss:.4f}", f"{point.rouge_2:.2f}"
        table.add_row(str(point.epoch), *numbers, "kept" if point == curve.best else "")
    Console().print(table)
    Console().print(f"model: [bold]{out / 'model'}[/], curve: {out / 'curve.png'}", highlight=False)


def _print_json(curve: "Curve", out: Path) -> None:
    from dataclasses import asdict

    told = {"out": str(out), "best_epoch": curve.best.epoch, "epochs": [asdict(point) for point in curve.points]}
    typer.echo(json.dumps(told))
