"""The command `review`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from flows.cli.build import StoreAddress

if TYPE_CHECKING:
    from flows.review.app import Review

NEXT = {
    "rank": "decisions gold QUESTIONS --decisions {} --out verified",
    "prefer": "evaluate PREDICTIONS… --decisions {}",
}
"""What follows the judging, by mode, where it is not a build."""


def review(
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            exists=True,
            file_okay=False,
            help="The dataset folder to judge; to rank, a folder of questions.",
        ),
    ],
    split: Annotated[
        str, typer.Option("--split", help="The split. Default: test; dev in mode quality.", show_default=False)
    ] = "",
    annotators: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="NAME", help="Who judges; once for each, or names with commas between."),
    ] = None,
    mode: Annotated[
        Literal["filter", "quality", "adjudicate", "rank", "prefer"],
        typer.Option(
            "--mode",
            help="filter: the paper's five criteria. quality: two questions on a random sample."
            " adjudicate: settle what annotators differ about. rank: the answers of questions."
            " prefer: which of two systems' texts is better.",
        ),
    ] = "filter",
    settles: Annotated[
        Literal["filter", "quality"], typer.Option("--of", help="The mode whose differences adjudicate settles.")
    ] = "filter",
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            "--predictions",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="In mode prefer: a system's; once for each.",
        ),
    ] = None,
    decisions: Annotated[
        Path, typer.Option("--decisions", metavar="DIR", file_okay=False, help="The folder that keeps the decisions.")
    ] = Path("decisions"),
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="A random sample of so many pairs; 0: all (quality: 100).")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of sample and order.")] = 0,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen. Anything but loopback is open to your network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0: any that is free.")] = 8765,
    store: StoreAddress = ".situatedgen",
    *,
    show_judge: Annotated[
        bool,
        typer.Option("--show-judge", help="Let annotators see, behind a key, how probable the judge finds a pair."),
    ] = False,
) -> None:
    """Judge pairs in the browser: one key an answer, and every answer on disk before the next pair is shown.

    Two people, each by a secret link of their own, blind to each other; the least probable pairs come first:

        situatedgen review dataset --annotator anna --annotator ben

    The same 100 pairs for both, drawn by chance, to see how far they agree:

        situatedgen review dataset --annotator anna,ben --sample 100

    How good are pairs that nobody filtered? Two questions on a random sample of dev:

        situatedgen review dataset --mode quality --annotator anna

    Settle what they differ about, then build without what was rejected:

        situatedgen review dataset --mode adjudicate --annotator carol

        situatedgen build --decisions decisions

    Rank the answers of a multiple choice, and keep the questions that people verified:

        situatedgen review choice --mode rank --annotator anna,ben

        situatedgen decisions gold choice --out verified

    Which of two systems writes better?

        situatedgen review dataset --mode prefer --predictions mine.jsonl --predictions theirs.jsonl

        situatedgen evaluate mine.jsonl theirs.jsonl --decisions decisions
    """
    from flows.review.server import Address, ReviewRequest, open_review, serve
    from situatedgen.review.ballots import Task
    from situatedgen.review.criteria import Mode
    from storage.store import Store

    request = ReviewRequest(
        dataset,
        decisions,
        Store.at(store),
        mode=Task(mode) if mode in set(Task) else Mode(mode),
        settles=Mode(settles),
        split=split,
        annotators=tuple(annotators or ()),
        sample=sample,
        seed=seed,
        shows_judge=show_judge,
        predictions=tuple(predictions or ()),
    )
    opened, console = open_review(request), Console(highlight=False, soft_wrap=True)
    serve(opened, Address(host, port), console)
    _farewell(opened, decisions, console, NEXT.get(mode, "build --decisions {}"))


def _farewell(review: "Review", decisions: Path, console: Console, following: str) -> None:
    """Say where decisions are, how far everybody is, and what to do next."""
    console.print(f"\ndecisions: [bold]{escape(str(decisions))}[/]")
    for user in review.links.users:
        if user.may_annotate:
            progress = review.service.page(user.name).progress
            console.print(f"  {escape(user.name)}: {progress.done:,} of {progress.total:,} judged")
    console.print(f"next: situatedgen {following.format(decisions)}", markup=False)
