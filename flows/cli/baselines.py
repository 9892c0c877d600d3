"""The commands of `baseline`: `run`, `prompt`, `train` and `predict`."""

import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from flows.cli.build import AsJson, Device, Preset, Threads
from flows.cli.display import bars
from flows.cli.evaluate import SplitName, leaderboard
from situatedgen.formatting import format_count

if TYPE_CHECKING:
    from situatedgen.baselines.prompting import Order, Report
    from situatedgen.chat.client import Endpoint, Json, Manner
    from situatedgen.chat.costs import Prices, Spent
    from situatedgen.progress import Progress
    from situatedgen.training.curve import Curve

Dataset = Annotated[Path, typer.Option("--dataset", exists=True, file_okay=False, help="A finished dataset folder.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]


def prompt(
    model: Annotated[str, typer.Option("--model", help="Name of the model, as the endpoint expects it.")],
    base_url: Annotated[str, typer.Option("--base-url", metavar="URL", help="The endpoint, including /v1.")],
    dataset: Dataset = Path("dataset"),
    split: SplitName = "test",
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the predictions.")] = Path("baselines"),
    name: Annotated[str, typer.Option("--name", help="Name of the system. Default: the model.")] = "",
    shots: Annotated[int, typer.Option("--shots", min=0, help="Training examples shown in each prompt.")] = 10,
    seed: Seed = 0,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="0: always the likeliest token.")] = 0.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Maximum tokens per answer.")] = 128,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=JSON", help="Set another request field; `max_tokens=null` drops one."),
    ] = None,
    key_variable: Annotated[
        str, typer.Option("--key-variable", help="The environment variable with the API key.")
    ] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Concurrent requests.")] = 8,
    tries: Annotated[int, typer.Option("--tries", min=1, help="Attempts per request.")] = 6,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, help="Seconds to wait for a response.")] = 60.0,
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0, help="Price per million prompt tokens.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0, help="Price per million completion tokens.")
    ] = None,
    instead: Annotated[
        str | None, typer.Option("--instead", metavar="TEXT", help="Text to write if a request keeps failing.")
    ] = None,
    *,
    show: Annotated[bool, typer.Option("--show", help="Print the first prompt and exit.")] = False,
) -> None:
    """Query a language model behind any OpenAI-compatible endpoint, with training examples in the prompt.

    Writes OUT/NAME.jsonl (`example_id`, `text`) and OUT/NAME.report.json (tokens, cost). Every answer is cached in
    OUT/answers: after an interruption or a failure, the same command asks only for the rest.

        situatedgen baseline prompt --model gpt-4o-mini --base-url https://api.openai.com/v1
    """
    from situatedgen.baselines.prompting import Order, prompts
    from situatedgen.chat.client import Endpoint, Manner
    from situatedgen.chat.costs import Prices
    from situatedgen.dataset.folder import read_examples

    given = {"temperature": temperature, "max_tokens": max_tokens, **_parse_fields(fields or ())}
    endpoint = Endpoint(base_url, model, given, key=os.environ.get(key_variable, "").strip())
    order, manner = Order(split, shots, seed), Manner(concurrency, tries, timeout)
    asked = prompts(read_examples(dataset), order)
    if show:
        typer.echo(next(iter(asked.values())))
        return
    system = System(name or _file_name(model), out, endpoint, order, manner, Prices(price_in, price_out), instead)
    _run_prompts(system, asked)


@dataclass(frozen=True)
class System:
    """A prompted model, as requested on the command line."""

    name: str
    out: Path
    endpoint: "Endpoint"
    order: "Order"
    manner: "Manner"
    prices: "Prices"
    instead: str | None


def _run_prompts(system: System, asked: dict[str, str]) -> None:
    """Ask all prompts; always write the report, but the predictions only if all answers are there."""
    from situatedgen.baselines.prompting import read_sentences, report, texts
    from situatedgen.chat.client import answers
    from situatedgen.chat.costs import Budget, Memory
    from situatedgen.evaluation.predictions import write_predictions

    began = time.perf_counter()
    memory = Memory(system.out / "answers")
    with _show_progress(Console(stderr=True)) as progress:
        outcome = answers(
            asked,
            system.endpoint,
            memory,
            read=read_sentences,
            manner=system.manner,
            budget=Budget(system.prices),
            progress=progress,
        )
    summary = report(outcome, system.endpoint, system.order, system.prices, time.perf_counter() - began)
    summary.save(system.out / f"{system.name}.report.json")
    _print(summary)
    write_predictions(system.out / f"{system.name}.jsonl", texts(outcome, list(asked), instead=system.instead))
    typer.echo(f"{system.out / system.name}.jsonl: {format_count(len(asked), 'prediction')}")


def _print(report: "Report") -> None:
    typer.echo(
        f"{report.this_run.answers:,} new answers ({_usage(report.this_run)}), {report.remembered:,} cached"
        f" (total: {_usage(report.in_all)}), {report.retries:,} retries, {report.seconds:.1f} s"
    )


def _usage(spent: "Spent") -> str:
    uncounted = f", {spent.without_tokens:,} answers without token count" if spent.without_tokens else ""
    cost = "" if spent.cost is None else f", cost {spent.cost:,.4f}"
    return f"{spent.prompt_tokens:,} + {spent.completion_tokens:,} tokens{uncounted}{cost}"


def _parse_fields(given: Sequence[str]) -> dict[str, "Json"]:
    """Parse request fields from `KEY=JSON`; a value that is not valid JSON is a string."""
    from situatedgen.errors import SettingsError

    found: dict[str, Json] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not (sign and name):
            raise SettingsError(f"--set {each}: expected KEY=JSON, for example `top_p=0.9`")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _file_name(model: str) -> str:
    return re.sub(r"[^\w.-]+", "-", model).strip("-.") or "prompted"


@contextmanager
def _show_progress(console: Console) -> "Iterator[Progress]":
    """Show a progress bar with tokens and cost in a terminal; the client's retries are printed above it."""
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    note, client = TextColumn("{task.fields[note]}"), logging.getLogger("openai._base_client")
    with bars(console, MofNCompleteColumn(), note, TimeRemainingColumn()) as shown:
        handler = _RetryLog(shown)
        client.addHandler(handler)
        client.setLevel(logging.INFO)
        try:
            yield shown
        finally:
            client.removeHandler(handler)
            client.setLevel(logging.NOTSET)


class _RetryLog(logging.Handler):
    """Shows the client's messages about retried requests."""

    def __init__(self, progress: "Progress") -> None:
        super().__init__(logging.INFO)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        """Show a log record."""
        self._progress.tell(record.getMessage())


baseline = typer.Typer(help="Run, prompt and train baseline systems.")
baseline.command()(prompt)


@baseline.command()
def run(
    name: Annotated[str, typer.Argument(help="copied, halves, one-sentence, nearest, grouped, or all.")],
    dataset: Dataset = Path("dataset"),
    split: SplitName = "test",
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the predictions.")] = Path("baselines"),
    seed: Seed = 0,
    preset: Preset = "embedded",
    device: Device = "auto",
    *,
    score: Annotated[bool, typer.Option("--score", help="Also score them: OUT/scores.json, table, page.")] = False,
) -> None:
    """Write the predictions of untrained baselines for a split: OUT/NAME.jsonl (`example_id`, `text`).

    `copied` repeats the keywords; `halves` shuffles them into two lines; `nearest` inserts them into the sentences of
    the nearest training pair, `one-sentence` into the first of these only; `grouped` groups keywords with similar
    meanings. The encoder is that of the preset.

        situatedgen baseline run all --dataset dataset --out baselines --score
    """
    from situatedgen.baselines.simple import choose_baselines, write_predictions_of
    from situatedgen.dataset.folder import read_examples
    from situatedgen.evaluation.predictions import write_predictions
    from situatedgen.models.registry import load as model
    from situatedgen.presets import load
    from situatedgen.runtime import Runtime

    names, params = choose_baselines(name), load(preset).embeddings.encoder
    examples = read_examples(dataset)
    runtime = Runtime(device=device)
    texts = write_predictions_of(
        names, examples, split=split, seed=seed, encoder=lambda: model("encoder", params, runtime)
    )
    for each, predictions in texts.items():
        write_predictions(out / f"{each}.jsonl", predictions)
        typer.echo(f"{out / each}.jsonl: {format_count(len(predictions), 'prediction')}")
    if score:
        _score(dataset, split, out, names)


def _score(dataset: Path, split: str, out: Path, names: Sequence[str]) -> None:
    """Score predictions with metrics that need no Java and no model, and show them beside the paper's systems."""
    from situatedgen.evaluation.evaluate import Request, evaluate
    from situatedgen.evaluation.results import write_evaluation

    request = Request(dataset, tuple(out / f"{name}.jsonl" for name in names), split=split)
    write_evaluation(evaluate(request), out)
    leaderboard(out)


Model = Annotated[str, typer.Option("--model", help="A name on the model hub, or a folder.")]
Revision = Annotated[str, typer.Option("--revision", help="The commit on the hub. Default: the latest.")]
Settings = Annotated[
    Path | None, typer.Option("--settings", dir_okay=False, help="A TOML file of settings that override the paper's.")
]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a setting: `epochs=3`; repeatable.")
]
Precision = Annotated[
    Literal["auto", "float32", "bfloat16"],
    typer.Option("--precision", help="auto: bfloat16 on a GPU that supports it, otherwise float32."),
]
RowsAtOnce = Annotated[int, typer.Option("--rows-at-once", min=0, help="Maximum rows in memory at once; 0: automatic.")]


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
        int, typer.Option("--save-every", min=0, help="Steps between checkpoints; 0: one per epoch.")
    ] = 0,
    threads: Threads = 0,
    *,
    as_json: AsJson = False,
) -> None:
    """Train a sequence-to-sequence model (BART, T5, FLAN-T5, …) as in the paper, keeping the best epoch on dev.

    After an interruption, the same command resumes from the last checkpoint, with the same result.

        situatedgen baseline train --model google/flan-t5-base --dataset dataset --out trained

    A different learning rate, fewer epochs, on a GPU with little memory:

        situatedgen baseline train --set learning_rate=1e-4 --set epochs=3 --rows-at-once 8 --out other
    """
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    from situatedgen.training.params import Machine, training_params

    params = training_params(settings, overrides or ())
    machine = Machine(
        device=device, precision=precision, rows_at_once=rows_at_once, save_every=save_every, threads=threads
    )
    with bars(Console(stderr=True, quiet=as_json), MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        from situatedgen.training.train import train as train_model

        curve = train_model(model, dataset, out, revision=revision, params=params, machine=machine, progress=progress)
    (_print_json if as_json else _print_table)(curve, out)


def predict(
    model: Model = "trained",
    dataset: Dataset = Path("dataset"),
    split: Annotated[Literal["train", "dev", "test"], typer.Option("--split", help="The split to predict.")] = "test",
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
    """Write a trained model's predictions for a split: JSON lines of `example_id` and `text`.

    A folder of `baseline train` runs with its training settings, any other model with the paper's.

        situatedgen baseline predict --model trained --dataset dataset --out trained.jsonl
    """
    from situatedgen.evaluation.predictions import examples_of, write_predictions
    from situatedgen.training.params import Machine, training_params

    params = training_params(settings, overrides or ()) if settings or overrides else None
    machine = Machine(device=device, precision=precision, rows_at_once=rows_at_once, threads=threads)
    examples = examples_of(dataset, split)
    with _show_examples(Console(stderr=True), len(examples)) as advance:
        from situatedgen.training.predict import writer

        texts = writer(model, revision=revision, params=params, machine=machine).write(examples, advance)
    write_predictions(out, texts)
    typer.echo(f"{out}: {format_count(len(texts), 'prediction')}{_count_empty(texts)}")


def _count_empty(texts: dict[str, str]) -> str:
    empty = sum(not text for text in texts.values())
    return f", {empty:,} of them empty" if empty else ""


@contextmanager
def _show_examples(console: Console, examples: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar and yield the function that advances it by a number of examples."""
    from rich.progress import Progress

    with Progress(console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("writing", total=examples)
        yield lambda rows: progress.advance(bar, rows)


def _print_table(curve: "Curve", out: Path) -> None:
    from rich.table import Table

    table = Table("epoch", "loss", "dev loss", "ROUGE-2", "", title="Training", title_justify="left")
    for point in curve.points:
        numbers = f"{point.loss:.4f}", f"{point.dev_loss:.4f}", f"{point.rouge_2:.2f}"
        table.add_row(str(point.epoch), *numbers, "best" if point == curve.best else "")
    Console().print(table)
    Console().print(f"model: [bold]{out / 'model'}[/], curve: {out / 'curve.png'}", highlight=False)


def _print_json(curve: "Curve", out: Path) -> None:
    from dataclasses import asdict

    summary = {"out": str(out), "best_epoch": curve.best.epoch, "epochs": [asdict(point) for point in curve.points]}
    typer.echo(json.dumps(summary))
