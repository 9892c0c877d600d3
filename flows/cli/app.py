"""The command-line app: registers all commands and prints errors as messages."""

import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from flows.cli.baselines import baseline, predict, train
from flows.cli.build import build
from flows.cli.cache import cache
from flows.cli.commongen import commongen
from flows.cli.evaluate import evaluate, leaderboard, sample
from flows.cli.fetch import fetch
from flows.cli.filter import filter_choice, oversample
from flows.cli.inspect import diff, export, funnel, show, stages, trace
from flows.cli.judge import judge
from flows.cli.leakage import leakage
from flows.cli.plan import explain, plan
from flows.cli.release import release, reproduce, verify
from flows.cli.review import decisions, review
from situatedgen.errors import SettingsError, SituatedGenError

app = typer.Typer(
    help="Turn commonsense question-answer collections into a SituatedGen dataset: keywords with places or times,"
    " and pairs of contrastive sentences to generate from them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
BUILD, INSPECT, REVIEW, SYSTEMS, PUBLISH = (
    "Build a dataset",
    "Inspect it",
    "Review and filter it",
    "Score systems",
    "Publish it",
)
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    BUILD: (fetch, build, plan, explain, stages),
    INSPECT: (show, funnel, trace, diff, leakage),
    REVIEW: (review, judge, oversample),
    SYSTEMS: (evaluate, leaderboard, sample),
    PUBLISH: (export, release, verify, reproduce),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.command("filter", rich_help_panel=REVIEW)(filter_choice)
for command in (train, predict):
    baseline.command()(command)
app.add_typer(cache, name="cache", no_args_is_help=True, rich_help_panel=BUILD)
app.add_typer(decisions, name="decisions", no_args_is_help=True, rich_help_panel=REVIEW)
app.add_typer(baseline, name="baseline", no_args_is_help=True, rich_help_panel=SYSTEMS)
app.add_typer(commongen, name="commongen", no_args_is_help=True, rich_help_panel="Other datasets")


@app.callback(invoke_without_command=True)
def version(*, version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Print the version on request."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"situatedgen {installed('situatedgen')}")
        raise typer.Exit


def main() -> None:
    """Run the command line, printing our own errors and file errors as messages without a stack trace."""
    try:
        app()
    except SituatedGenError as error:
        _print_error(str(error))
        sys.exit(2 if isinstance(error, SettingsError) else 1)
    except OSError as error:
        if error.filename is None:
            raise
        _print_error(f"{error.filename}: {error.strerror}")
        sys.exit(1)


def _print_error(problem: str) -> None:
    Console(stderr=True).print("[red]error:[/]", escape(problem), highlight=False, soft_wrap=True)
