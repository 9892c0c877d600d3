"""The command `baseline prompt`."""

import json
import logging
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.display import bars
from flows.cli.systems import Dataset, Seed, SplitName
from situatedgen.counting import counted

if TYPE_CHECKING:
    from situatedgen.baselines.prompting.predictions import Order
    from situatedgen.baselines.prompting.report import Report
    from situatedgen.chat.client import Endpoint, Json, Manner
    from situatedgen.chat.costs import Prices, Spent
    from situatedgen.progress import Progress


def prompt(
    model: Annotated[str, typer.Option("--model", help="The name of the model, as the endpoint knows it.")],
    base_url: Annotated[str, typer.Option("--base-url", metavar="URL", help="The endpoint, up to /v1.")],
    dataset: Dataset = Path("dataset"),
    split: SplitName = "test",
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the predictions.")] = Path("baselines"),
    name: Annotated[str, typer.Option("--name", help="Name of the system. Default: from the model.")] = "",
    shots: Annotated[int, typer.Option("--shots", min=0, help="Training examples shown in each prompt.")] = 10,
    seed: Seed = 0,
    temperature: Annotated[float, typer.Option("--temperature", min=0, help="0 takes the likeliest words.")] = 0.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Most tokens of an answer.")] = 128,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=JSON", help="Another field of the request; `max_tokens=null` drops one."),
    ] = None,
    key_variable: Annotated[
        str, typer.Option("--key-variable", help="The environment variable with the key.")
    ] = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Questions at a time.")] = 8,
    tries: Annotated[int, typer.Option("--tries", min=1, help="How often a question is asked.")] = 6,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, help="Seconds to wait for an answer.")] = 60.0,
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0, help="Price of a million prompt tokens.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0, help="Price of a million answer tokens.")
    ] = None,
    instead: Annotated[
        str | None, typer.Option("--instead", metavar="TEXT", help="Written where a question keeps failing.")
    ] = None,
    *,
    show: Annotated[bool, typer.Option("--show", help="Print the first prompt, ask nothing.")] = False,
) -> None:
    """Ask a language model behind any OpenAI-compatible endpoint, with training examples in the prompt.

    Writes OUT/NAME.jsonl (`example_id`, `text`) and OUT/NAME.report.json (tokens, cost). Every answer is remembered in
    OUT/answers: stopped, killed or broken off, the same command asks only for the rest.

        situatedgen baseline prompt --model gpt-4o-mini --base-url https://api.openai.com/v1
    """
    from situatedgen.baselines.prompting.predictions import Order, prompts
    from situatedgen.chat.client import Endpoint, Manner
    from situatedgen.chat.costs import Prices
    from situatedgen.dataset.folder import read_examples

    given = {"temperature": temperature, "max_tokens": max_tokens, **_fields(fields or ())}
    endpoint = Endpoint(base_url, model, given, key=os.environ.get(key_variable, "").strip())
    order, manner = Order(split, shots, seed), Manner(concurrency, tries, timeout)
    asked = prompts(read_examples(dataset), order)
    if show:
        typer.echo(next(iter(asked.values())))
        return
    system = System(name or _file_name(model), out, endpoint, order, manner, Prices(price_in, price_out), instead)
    _ask(system, asked)


@dataclass(frozen=True)
class System:
    """A prompted model, as the person asked for it."""

    name: str
    out: Path
    endpoint: "Endpoint"
    order: "Order"
    manner: "Manner"
    prices: "Prices"
    instead: str | None


def _ask(system: System, asked: dict[str, str]) -> None:
    """Ask all prompts; the report is written whatever comes of it, the predictions when all are there."""
    from situatedgen.baselines.prompting.predictions import read_sentences, report, texts
    from situatedgen.chat.answers import Memory
    from situatedgen.chat.client import answers
    from situatedgen.chat.costs import Budget
    from situatedgen.evaluation.reading import write_predictions

    began = time.perf_counter()
    memory = Memory(system.out / "answers")
    with _drawing(Console(stderr=True)) as progress:
        outcome = answers(
            asked,
            system.endpoint,
            memory,
            read=read_sentences,
            manner=system.manner,
            budget=Budget(system.prices),
            progress=progress,
        )
    told = report(outcome, system.endpoint, system.order, system.prices, time.perf_counter() - began)
    told.save(system.out / f"{system.name}.report.json")
    _print(told)
    write_predictions(system.out / f"{system.name}.jsonl", texts(outcome, list(asked), instead=system.instead))
    typer.echo(f"{system.out / system.name}.jsonl: {counted(len(asked), 'prediction')}")


def _print(report: "Report") -> None:
    typer.echo(
        f"{report.this_run.answers:,} answers asked for ({_words(report.this_run)}), {report.remembered:,} remembered"
        f" (all: {_words(report.in_all)}), {report.retries:,} retries, {report.seconds:.1f} s"
    )


def _words(spent: "Spent") -> str:
    untold = f", {spent.without_tokens:,} without count" if spent.without_tokens else ""
    cost = "" if spent.cost is None else f", cost {spent.cost:,.4f}"
    return f"{spent.prompt_tokens:,} + {spent.completion_tokens:,} tokens{untold}{cost}"


def _fields(given: Sequence[str]) -> dict[str, "Json"]:
    """Fields of the request from `KEY=JSON`; what is no JSON is a text."""
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
def _drawing(console: Console) -> "Iterator[Progress]":
    """A bar with tokens and cost, in a terminal; above it what the client says when it waits and tries again."""
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    note, client = TextColumn("{task.fields[note]}"), logging.getLogger("openai._base_client")
    with bars(console, MofNCompleteColumn(), note, TimeRemainingColumn()) as shown:
        handler = _Waits(shown)
        client.addHandler(handler)
        client.setLevel(logging.INFO)
        try:
            yield shown
        finally:
            client.removeHandler(handler)
            client.setLevel(logging.NOTSET)


class _Waits(logging.Handler):
    """Shows what the client says of a request that it sends again."""

    def __init__(self, progress: "Progress") -> None:
        super().__init__(logging.INFO)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line."""
        self._progress.tell(record.getMessage())
