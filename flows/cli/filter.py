"""The commands `filter` and `oversample`: multiple-choice questions by adversarial filtering."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from flows.cli.build import AsJson, Device, StoreAddress, Threads

if TYPE_CHECKING:
    from rich.table import Table

    from situatedgen.filtering.adversarial import Iteration
    from situatedgen.filtering.make import Made, Step
    from situatedgen.filtering.oversampling.oversample import Fold
    from situatedgen.filtering.oversampling.settings import OversampleSettings
    from storage.filtering import Listeners, WrittenEndings

NO_BASELINES = ("baselines.models=[]",)


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
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a setting: `filter.patience=5`; repeatable."),
    ] = None,
    device: Device = "auto",
    threads: Threads = 0,
    *,
    baselines: Annotated[
        bool,
        typer.Option("--baselines/--no-baselines", help="Also score simple models that see only parts of a question."),
    ] = True,
    publish: Annotated[
        bool, typer.Option("--publish", help="Add the questions to the dataset, as its configuration `choice`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Turn a dataset into four-way multiple-choice questions, and filter them until style-based models fail.

    After an interruption, the same command resumes after the last iteration, with the same result.

        situatedgen filter dataset --out choice

    As a configuration of the dataset itself, which `datasets.load_dataset("dataset", "choice")` can then load:

        situatedgen filter dataset --out choice --publish

    The cheaper filter, which drops the questions that linear models on embeddings can answer:

        situatedgen filter dataset --method aflite --out choice-lite
    """
    from situatedgen.filtering.settings import filter_settings
    from situatedgen.runtime import Runtime
    from storage.filtering import FilterRequest, filter_dataset
    from storage.publication import publish_questions
    from storage.store import Store

    chosen = filter_settings(method, settings, [*(overrides or ()), *(() if baselines else NO_BASELINES)])
    request = FilterRequest(dataset, Store.at(store), out, chosen, Runtime(device=device, threads=threads))
    console = Console(stderr=True, quiet=as_json)
    found = filter_dataset(
        request, listener=lambda step: console.print(format_step(step), highlight=False, soft_wrap=True)
    )
    if publish:
        publish_questions(dataset, found.questions, store=request.store)
    (_print_json if as_json else _print_table)(found, out)


def format_step(step: "Step") -> str:
    """Describe the result of a step in one line."""
    from situatedgen.filtering.adversarial import Iteration

    if isinstance(step, Iteration):
        members = ", ".join(f"{name} {accuracy:.1%}" for name, accuracy in step.members.items())
        return f"iteration {step.number}: {members}; {step.replaced:,} replaced in {step.seconds:.1f} s"
    removed = f"{step.left_out:,} of {step.questions:,} removed in {step.seconds:.1f} s"
    return f"round {step.number}: linear {step.accuracy:.1%}; {removed}"


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

    from situatedgen.filtering import baselines

    title = "Baselines by visible parts, with 95 % intervals"
    shown = Table(*baselines.header(found.baselines), title=title, title_justify="left")
    for row in baselines.rows(found.baselines):
        shown.add_row(*row)
    return shown


def _print_json(found: "Made", out: Path) -> None:
    summary = {
        "out": str(out),
        "questions": found.questions.height,
        "pairs": dict(found.counts),
        "before": dict(found.before),
        "after": dict(found.after),
        "baselines": {when: [asdict(one) for one in each] for when, each in found.baselines.items()},
        "seconds": dict(found.seconds),
        "steps": [asdict(step) for step in found.history],
    }
    typer.echo(json.dumps(summary))


def oversample(
    corpus: Annotated[
        Path,
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="Sentences (.txt), or a table (.jsonl, .csv, .parquet) of them or of rows.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the endings.")] = Path("endings"),
    column: Annotated[
        str | None, typer.Option("--column", help="The table column with the sentences. Default: sentence.")
    ] = None,
    store: StoreAddress = ".situatedgen",
    settings: Annotated[
        Path | None, typer.Option("--settings", dir_okay=False, help="A TOML file of settings.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a setting: `sampling.top_k=40`; repeatable."),
    ] = None,
    device: Device = "auto",
    threads: Threads = 0,
    *,
    filtering: Annotated[
        bool, typer.Option("--filter", help="Also make multiple-choice questions, by adversarial filtering.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Generate many wrong endings for the sentences of a corpus with language models that never saw the right ones.

    A row of the corpus is a context, a noun phrase and an ending. A table with the columns `context`, `noun_phrase`
    and `ending` is used as is. Plain sentences are split by their parse: the subject of the last clause is the noun
    phrase, its verb phrase the ending, and the text before it the context. A line of several sentences gives one row
    for each but the first, with the preceding sentence as its context.

        situatedgen oversample captions.txt --out endings

        situatedgen oversample commongen.train.jsonl --column scene --set sampling.population=64 --filter

    The rows are divided into five folds. After an interruption, the same command resumes with the first unfinished
    fold, with the same result. Settings have the tables rows, writer, sampling, endings, filter and committee.
    """
    from situatedgen.runtime import Runtime
    from storage.filtering import OversampleRequest
    from storage.filtering import oversample as write
    from storage.store import Store

    chosen = _settings(settings, overrides or [], column)
    runtime = Runtime(device=device, threads=threads)
    request = OversampleRequest(corpus, Store.at(store), out, chosen, runtime, is_filtered=filtering)
    with _show_progress(Console(stderr=True, quiet=as_json)) as listeners:
        found = write(request, listeners)
    (_print_oversampling if as_json else _print_tables)(found, out)


def _settings(file: Path | None, overrides: list[str], column: str | None) -> "OversampleSettings":
    from situatedgen.filtering.oversampling.settings import oversample_settings

    return oversample_settings(file, [*overrides, *([f"rows.column={column}"] if column else [])])


@contextmanager
def _show_progress(console: Console) -> Iterator["Listeners"]:
    """Yield listeners that show the progress of an oversampling: a bar of rows, and one line per fold or iteration."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from storage.filtering import Listeners

    columns = (TextColumn("rows with endings"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        line, rows = bar.add_task("rows", total=None), list[int]()

        def begins(count: int) -> None:
            bar.update(line, total=count, completed=0)

        def fold(one: "Fold") -> None:
            rows.append(one.asked + one.passed_over)
            bar.update(line, completed=sum(rows))
            console.print(_format_fold(one), highlight=False, soft_wrap=True)

        def iteration(step: "Iteration") -> None:
            console.print(format_step(step), highlight=False, soft_wrap=True)

        yield Listeners(begins, fold, iteration, partial(bar.advance, line))


def _format_fold(fold: "Fold") -> str:
    """Describe the result of a fold in one line."""
    perplexity = fold.perplexities
    return (
        f"fold {fold.number}: perplexity {perplexity.forward:.1f} forward, {perplexity.backward:.1f} backward;"
        f" {fold.fates['kept']:,} endings of {fold.asked:,} rows in {fold.seconds:.1f} s"
    )


def _print_tables(found: "WrittenEndings", out: Path) -> None:
    console = Console()
    endings = Table("endings", *(f"fold {fold.number}" for fold in found.found.folds), title_justify="left")
    for fate in found.found.folds[0].fates:
        endings.add_row(fate.replace("_", " "), *(f"{fold.fates[fate]:,}" for fold in found.found.folds))
    console.print(endings)
    counts = ", ".join(f"{fate.replace('_', ' ')} {count:,}" for fate, count in found.rows.items())
    console.print(f"texts of the corpus: {counts}", highlight=False)
    if found.questions is not None:
        accuracies = Table("model", "before", "after", title="Accuracy on held-out questions", title_justify="left")
        for name, before in found.questions.before.items():
            accuracies.add_row(name, f"{before:.1%}", f"{found.questions.after[name]:.1%}")
        console.print(accuracies)
        console.print(f"{found.questions.questions.height:,} questions: {out / 'questions.parquet'}", highlight=False)
    console.print(f"endings: [bold]{out / 'endings.parquet'}[/], candidates: {out / 'pools.parquet'}", highlight=False)


def _print_oversampling(found: "WrittenEndings", out: Path) -> None:
    summary: dict[str, object] = {
        "out": str(out),
        "rows": dict(found.rows),
        "folds": [asdict(fold) for fold in found.found.folds],
    }
    if found.questions is not None:
        summary |= {
            "questions": found.questions.questions.height,
            "before": dict(found.questions.before),
            "after": dict(found.questions.after),
            "steps": [asdict(step) for step in found.questions.history],
        }
    typer.echo(json.dumps(summary))
