"""The commands `baseline train` and `baseline predict`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from flows.cli.building import Device
from flows.cli.systems import Dataset
from situatedgen.counting import counted

if TYPE_CHECKING:
    from rich.progress import Progress

    from situatedgen.training.curve import Curve, Point
    from situatedgen.training.listening import Listener

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
    from situatedgen.training.params import Machine, training_params

    params = training_params(settings, overrides or ())
    machine = Machine(
        device=device, precision=precision, rows_at_once=rows_at_once, save_every=save_every, threads=threads
    )
    with _drawing(Console(stderr=True, quiet=as_json), params.epochs) as listener:
        from situatedgen.training.loop import train as trained

        curve = trained(model, dataset, out, revision=revision, params=params, machine=machine, listener=listener)
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
    with _counting(Console(stderr=True), len(examples)):
        from situatedgen.training.writing import writer

        texts = writer(model, revision=revision, params=params, machine=machine).write(examples)
    write_predictions(out, texts)
    typer.echo(f"{out}: {counted(len(texts), 'prediction')}{_silent(texts)}")


def _silent(texts: dict[str, str]) -> str:
    empty = sum(not text for text in texts.values())
    return f", {empty:,} of them empty: the model wrote nothing there" if empty else ""


@contextmanager
def _drawing(console: Console, epochs: int) -> "Iterator[Listener]":
    """A listener that draws bars in a terminal; it says what came of each epoch everywhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<12}"), BarColumn(32), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        yield _Bars(progress, epochs)


class _Bars:
    """A bar for the steps of a training, and one for the sentences of dev while they are written."""

    def __init__(self, progress: "Progress", epochs: int) -> None:
        self._progress = progress
        self._epochs = epochs
        self._steps = progress.add_task("steps", total=None)
        self._dev = progress.add_task("dev batches", total=None, visible=False)

    def started(self, done: int, total: int) -> None:
        """Draw the bar, and say where it goes on."""
        self._progress.update(self._steps, completed=done, total=total)
        if done:
            self._progress.console.print(f"going on after step {done:,} of {total:,}", highlight=False)

    def advanced(self, step: int) -> None:
        """Move the bar."""
        self._progress.update(self._steps, completed=step)

    def writing(self, done: int, total: int) -> None:
        """Move the bar of dev."""
        self._progress.update(self._dev, completed=done, total=total, visible=done < total)

    def measured(self, point: "Point") -> None:
        """Say what came of an epoch."""
        told = f"loss {point.loss:.4f}, on dev {point.dev_loss:.4f}, ROUGE-2 {point.rouge_2:.2f}"
        self._progress.console.print(f"epoch {point.epoch} of {self._epochs}: {told}", highlight=False)


@contextmanager
def _counting(console: Console, examples: int) -> Iterator[None]:
    """A bar that goes on with the examples that are written for."""
    from rich.progress import Progress

    from situatedgen.progress import listening

    with Progress(console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("writing", total=examples)
        with listening(lambda rows: progress.advance(bar, rows)):
            yield


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
